"""Capitals at the start of sentences; names that are written in small letters keep them."""

from typing import Final

import regex

from model.abbreviations import is_abbreviation
from model.gaps import found_in, slots
from model.marks import NONE, SENTENCE_END
from model.punctuation import parse
from model.units import is_han

_NAME_SIGNS: Final = ("&", "_", "/", "\\", "<", "@", "#", "$", "`")
_NAME_GAP: Final = regex.compile(r"_*\.|:(?://|\\).*", regex.DOTALL)


def capitalize(text: str) -> str:
    """Give the first word of every sentence a capital; nothing else changes case.

    Parameters
    ----------
    text : str
        Text with marks. Words that hold a capital already (``iPhone``) stay.

    Returns
    -------
    str
        The text, with sentence-initial small letters as capitals. The Dutch digraph
        ``ij`` becomes ``IJ``; an apostrophe word (``'s avonds``) passes it on.
    """
    parsed = parse(text)
    units = parsed.units
    out: list[str] = []
    done = 0
    fresh = True
    last, before = "", text[: units[0][0]] if units else ""
    for index, (unit, gap, following) in enumerate(slots(text, units)):
        start = units[index][0]
        named = _is_named(last, before, unit) or (
            parsed.marks[index] == NONE and _begins_name(unit, gap, following)
        )
        if fresh and not named and _takes_capital(unit):
            head = "IJ" if unit.startswith("ij") else _upper(unit[0])
            out += text[done:start], head
            done = start + (2 if unit.startswith("ij") else 1)
        if parsed.marks[index] in SENTENCE_END:
            fresh = True
        elif not unit.startswith(("'", "’")) and not before.endswith(("<", "</")):
            fresh = False
        last, before = unit, gap
    return "".join(out) + text[done:]


def _takes_capital(unit: str) -> bool:
    if is_han(unit) or unit.startswith(("'", "’", "www.")) or "@" in unit or "://" in unit:
        return False
    return "_" not in unit and unit.islower()


def _is_named(last: str, before: str, unit: str) -> bool:
    """Whether what stands before a unit makes it a name: ``.bashrc``, ``&amp;``, ``@jan``."""
    if not before.endswith("."):
        return before.endswith(_NAME_SIGNS)
    return any(
        match.lastgroup == "part" and match.end() == len(last) + len(before)
        for match in found_in(last, before, unit)
    )


def _begins_name(unit: str, gap: str, following: str) -> bool:
    """Whether a unit begins a name that is written in small letters, as ``main.rs`` is."""
    if not following or not _NAME_GAP.fullmatch(gap):
        return False
    return not is_abbreviation(unit) and not is_abbreviation(f"{unit}.{following}")


def _upper(char: str) -> str:
    # Georgian has no capitals at the start of a sentence; the capital of the Turkish ı is that
    # of i; and that of the sign for micro makes mega of it.
    if char in "ıµ" or "\u10d0" <= char <= "\u10ff":
        return char
    upper = char.upper()
    return upper if len(upper) == 1 else char
