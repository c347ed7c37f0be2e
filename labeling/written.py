"""Marks written into text so that they can be read back out of it, slot by slot.

`model.punctuation.render` writes what a reader expects: no full stop beside an ellipsis or
after an abbreviation's own dot, and a comma where an enumeration has no sign of its own.
Those marks could not be read back, or their dot would be taken for the abbreviation's. Here
they are written in a form that nothing else has (``．`` or ``、``), in those slots alone.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from model.abbreviations import is_abbreviation
from model.marks import BY_NAME, NONE
from model.punctuation import parse, render, unmark
from model.units import Span, find_units, has_letter, is_han

_PLAIN: Final = frozenset({"COMMA", "PERIOD", "QUESTION", "COLON", "EXCLAMATION", "SEMICOLON"})
_SIGN: Final = regex.compile(r"[\p{P}\p{S}\p{C}\u2028\u2029]")
_OTHER_FORMS: Final = {
    "PERIOD": ("．", "。"),
    "ENUMERATION": ("、",),
    "PARAGRAPH": ("．\u2029", "。\u2029"),
}


def written_text(text: str, marks: Sequence[str], language: str = "") -> tuple[str, bool]:
    """Write marks into a text, so that `model.punctuation.parse` reads the same ones.

    Parameters
    ----------
    text : str
        A text without marks.
    marks : sequence of str
        One mark name a unit.
    language : str
        As in `render`.

    Returns
    -------
    str
        The text with its marks.
    bool
        Whether exactly this text with these marks can be read back. There are slots that
        cannot hold a mark in any form; what they should hold is then written as `render` does.
    """
    units = find_units(text)
    if (plain := _plainly(text, units, marks, language)) is not None:
        return plain, True
    rendered = render(text, units, marks, language=language)
    read = parse(rendered)
    if read.marks == list(marks) and unmark(rendered) == text:
        return rendered, True
    pieces = [rendered[: read.units[0][0]]]
    exact = True
    for index, (start, end) in enumerate(read.units):
        stop = read.units[index + 1][0] if index + 1 < len(read.units) else len(rendered)
        gap, unit = rendered[end:stop], rendered[start:end]
        following = rendered[slice(*read.units[index + 1])] if stop < len(rendered) else ""
        after = units[index + 1][0] if index + 1 < len(units) else len(text)
        bare = text[units[index][1] : after]
        if not _reads_back(unit, gap, following, marks[index], bare):
            found = _other_gap(unit, bare, following, marks[index])
            exact = exact and found is not None
            gap = gap if found is None else found
        pieces += unit, gap
    return "".join(pieces), exact


def _plainly(text: str, units: Sequence[Span], marks: Sequence[str], language: str) -> str | None:
    """Write what most texts need, several times as fast: what `render` does, or None.

    Where a text has no sign of any kind and only spaces around the marks, there is one
    place for each, and nothing that it could be taken for.
    """
    if _SIGN.search(text) or len(units) != len(marks):
        return None
    pieces: list[str] = []
    done = 0
    full = language == "zh"
    for index, mark in enumerate(marks):
        start, end = units[index]
        unit = text[start:end]
        if has_letter(unit):
            full = is_han(unit)
        if mark == NONE:
            continue
        following = units[index + 1][0] if index + 1 < len(units) else len(text)
        if mark not in _PLAIN or is_abbreviation(unit) or text[end:following].strip():
            return None
        pieces += text[done:end], BY_NAME[mark].full if full else BY_NAME[mark].ascii
        done = end
    return "".join(pieces) + text[done:]


def _other_gap(unit: str, bare: str, following: str, mark: str) -> str | None:
    """Find a way to write a mark into a gap that is read back as that mark and that gap."""
    for form in _forms(mark, is_han(unit)):
        for at in range(len(bare) + 1):
            tried = bare[:at] + form + bare[at:]
            if _reads_back(unit, tried, following, mark, bare):
                return tried
    return None


def _reads_back(unit: str, gap: str, following: str, mark: str, bare: str) -> bool:
    whole = unit + gap + following
    return parse(whole).marks[:1] == [mark] and unmark(whole) == unit + bare + following


def _forms(mark: str, full: bool) -> Iterator[str]:
    others = _OTHER_FORMS.get(mark, ())
    yield from reversed(others) if full else others
    yield BY_NAME[mark].full
    yield BY_NAME[mark].ascii
