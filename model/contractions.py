"""Contractions that an English treebank cut off: ``we 're`` is one word to people.

Dutch writes ``'s`` and ``'m`` as words of their own (``'s morgens``, ``heb 'm gezien``), so
for what both languages have, the language of the text decides.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from model.language import detect_language

_ENGLISH_ONLY: Final = re.compile(r"['’](?:re|ve|ll)|n['’]t", re.IGNORECASE)
_EITHER: Final = re.compile(r"['’](?:s|d|m)", re.IGNORECASE)
# What follows the Dutch 's of "'s morgens" or "'s lands", also within English text.
_AFTER_DUTCH_S: Final = re.compile(
    r"avonds|ochtends|morgens|middags|nachts|zomers|winters|\w+dags|lands"
    r"|(?:heren|graven|hertogen)\w*",
    re.IGNORECASE,
)
# Fewer may be in any language; the file that they stand in says more.
_FEWEST_TOKENS: Final = 8


def contraction_ends(
    texts: Sequence[Sequence[str]], language: str | None = None
) -> list[list[bool]]:
    """Say of every token whether it is the cut-off end of the word before it.

    Parameters
    ----------
    texts : sequence of sequences of str
        The tokens of each text of a file.
    language : str, optional
        What the texts are in. If None it is guessed, for a short text from the whole file.

    Returns
    -------
    list of list of bool
        One a token. In Dutch ``'s``, ``'m`` and ``'d`` are none; a text's first token never
        is one.
    """
    of_file = language
    ends = []
    for tokens in texts:
        own = language
        if own is None and any(map(_EITHER.fullmatch, tokens)):
            of_file = of_file or _guess(token for text in texts for token in text)
            own = of_file if len(tokens) < _FEWEST_TOKENS else _guess(tokens)
        ends.append(
            [
                index > 0 and _clings(token, tokens[index + 1 : index + 2], own, language)
                for index, token in enumerate(tokens)
            ]
        )
    return ends


def _is_cut(token: str) -> bool:
    return bool(_ENGLISH_ONLY.fullmatch(token) or _EITHER.fullmatch(token))


def _guess(tokens: Iterable[str]) -> str:
    """Guess from everything but what is in question: 's counts as a Dutch word elsewhere."""
    return detect_language(" ".join(token for token in tokens if not _is_cut(token)))


def _clings(token: str, following: Sequence[str], language: str | None, said: str | None) -> bool:
    if _ENGLISH_ONLY.fullmatch(token):
        return True
    if language == "nl" or not _EITHER.fullmatch(token):
        return False
    dutch_s = token[1:].lower() == "s" and following and _AFTER_DUTCH_S.fullmatch(following[0])
    return said == "en" or not dutch_s
