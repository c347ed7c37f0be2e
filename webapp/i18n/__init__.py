"""Every string that people read, in English, Dutch and Chinese.

One folder a language, one file an area (``shell``, ``annotate``, ``models`` ...); keys
carry the area's name in front and are the same in all three (a test holds them to it).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from gradio.i18n import I18nData

LANGUAGES: Final = {"en": "English", "nl": "Nederlands", "zh": "中文"}
BROWSER_TAGS: Final = {"en": "en", "nl": "nl", "zh": "zh-CN"}


@cache
def strings(language: str) -> dict[str, str]:
    """Return all strings of a language by key.

    Parameters
    ----------
    language : str
        ``en``, ``nl`` or ``zh``.

    Raises
    ------
    ValueError
        Two areas use one key.
    """
    merged: dict[str, str] = {}
    for file in sorted((Path(__file__).parent / language).glob("*.json")):
        area = json.loads(file.read_text(encoding="utf-8"))
        if twice := merged.keys() & area.keys():
            raise ValueError(f"{file}: {sorted(twice)} are in another file of {language} too.")
        merged |= area
    return merged


def translate(language: str, key: str, **params: Any) -> str:
    """Return a string in a language.

    Parameters
    ----------
    language : str
        ``en``, ``nl`` or ``zh``.
    key : str
        For example ``shell.sign_out``.
    **params
        What its ``{placeholders}`` stand for.

    Returns
    -------
    str
        The string; in English where the language lacks it, the key where English does.
    """
    text = strings(language).get(key) or strings("en").get(key, key)
    try:
        return text.format(**params) if params else text
    except (KeyError, IndexError):
        return text


def choose_language(chosen: str | None, accepted: str | None) -> str:
    """Choose a language: the one that a person picked, else the first that their browser asks for.

    Parameters
    ----------
    chosen : str or None
        What the language cookie says.
    accepted : str or None
        The Accept-Language header.

    Returns
    -------
    str
        ``en``, ``nl`` or ``zh``.
    """
    if chosen in LANGUAGES:
        return chosen
    wanted = []
    for place, part in enumerate((accepted or "").split(",")):
        tag, _, weight = part.strip().partition(";q=")
        try:
            rank = float(weight) if weight else 1.0
        except ValueError:
            rank = 0.0
        wanted.append((-rank, place, tag.split("-")[0].lower()))
    return next((tag for _, _, tag in sorted(wanted) if tag in LANGUAGES), "en")


def label(key: str) -> I18nData:
    """Return a string that the browser puts into the person's language (Gradio's I18n).

    For labels, button texts, placeholders and Markdown that are known when a page is
    built. Text that handlers make takes `webapp.context.Context.t`.
    """
    return I18nData(key)
