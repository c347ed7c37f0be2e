"""Reading marks out of text and writing them into it, without losing a character.

A text is a lead, then units, each followed by its gap. Marks live in gaps only. Three
functions share one view of a gap (`_GAP_MARK`), so that for every text s and marks m::

    strip_marks(render(s, find_units(s), m)) == strip_marks(s)
    render(s, find_units(s), parse(s).marks) == s
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import regex

from model.abbreviations import is_abbreviation
from model.marks import BY_NAME, NONE, SENTENCE_END, UnknownMark
from model.units import Span, find_units, has_letter, is_han

# What is written for a mark, in any of its forms. An ellipsis is nobody's mark: it stays as it
# is, and no other mark is put beside it. A hyphen is a dash only where it stands alone.
_FORMS: Final = {
    "COMMA": ",，﹐､",
    "PERIOD": ".。．｡﹒",
    "QUESTION": "?？؟﹖⁇",
    "COLON": ":：﹕",
    "ENUMERATION": "、",
    "EXCLAMATION": "!！﹗‼",
    "SEMICOLON": ";；﹔؛",
    "PARAGRAPH": "\u2029",
}
_MARK_OF: Final = {char: name for name, chars in _FORMS.items() for char in chars} | {
    "⁈": "QUESTION",
    "⁉": "QUESTION",
}
_ELLIPSIS: Final = r"\.{3,}|…+|⋯+|。{3,}|\.\.(?!\.)"
_GAP_MARK: Final = regex.compile(
    rf"(?P<ellipsis>{_ELLIPSIS})"
    r"|(?P<dash>(?:\x20?[—–―─]+|(?<=\s)--?(?=\s)|\x20?--)(?![\p{M}\u200c\u200d]))"
    rf"|(?P<char>[{regex.escape(''.join(_MARK_OF))}])(?![\p{{M}}\u200c\u200d])"
)
_OPENING: Final = frozenset("¿¡‘“‚„‹«「『《〈【（(［[｛{")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text seen as units and marks.

    Attributes
    ----------
    units : list of (int, int)
        Code-point spans of the n units.
    marks : list of str
        n mark names, one a slot: the strongest mark that the gap holds, or NONE.
    closed : list of bool
        n flags, one a slot: the gap ends in something that is not one of the ten marks
        but leaves no room for one (an ellipsis).
    """

    units: list[Span]
    marks: list[str]
    closed: list[bool]


def parse(text: str) -> Parsed:
    """Read the marks that a text carries.

    Consecutive marks count as the strongest of them (``?!`` is a question). The dot of a
    known abbreviation is no full stop, unless the text ends there.

    Parameters
    ----------
    text : str
        Any Unicode text.

    Returns
    -------
    Parsed
        Units and, for each of their slots, one of the ten mark names.
    """
    units = find_units(text)
    marks: list[str] = []
    closed: list[bool] = []
    for index, (start, end) in enumerate(units):
        stop = units[index + 1][0] if index + 1 < len(units) else len(text)
        own_dot = _own_dot(text[start:end], text[end:stop])
        name, shut = _read_gap(text[end + len(own_dot) : stop])
        if own_dot and name == NONE and index + 1 == len(units):
            name = "PERIOD"
        marks.append(name)
        closed.append(shut)
    return Parsed(units, marks, closed)


def strip_marks(text: str) -> str:
    """Take all marks out of a text; nothing else changes.

    Where taking a mark away would join two runs of letters or digits into one unit, a
    space takes its place, so that the units are the same before and after.

    Parameters
    ----------
    text : str
        Any Unicode text.

    Returns
    -------
    str
        The text without marks. Stripping again changes nothing.
    """
    units = find_units(text)
    pieces = [
        _strip_gap(text[: units[0][0]], "", text[slice(*units[0])]) if units else _strip_gap(text)
    ]
    for index, (start, end) in enumerate(units):
        following = text[slice(*units[index + 1])] if index + 1 < len(units) else ""
        gap = text[end : units[index + 1][0] if following else len(text)]
        pieces += text[start:end], _strip_gap(gap, text[start:end], following)
    return "".join(pieces)


def unmark(text: str) -> str:
    """Take the marks out of a text as people mean it: abbreviations keep their own dots.

    Unlike `strip_marks`, which compares texts and so cannot tell the dot of ``d.w.z.``
    from a full stop, this is what a marked text is kept as. Only at the end of the text
    the dot goes, since it is the full stop there.

    Parameters
    ----------
    text : str
        Any Unicode text.

    Returns
    -------
    str
        The text without marks; `strip_marks` of it is `strip_marks` of the text.
    """
    units = find_units(text)
    if not units:
        return strip_marks(text)
    lead = _strip_gap(text[: units[0][0]], "", text[slice(*units[0])])
    kept = lead + render(text, units, [NONE] * len(units))[units[0][0] :]
    last = find_units(kept)[-1][0]
    return kept[:last] + strip_marks(kept[last:])


def render(
    text: str,
    units: Sequence[Span],
    marks: Sequence[str],
    *,
    language: str = "",
) -> str:
    """Write marks into a text.

    A slot whose mark is the one that its gap already holds is left as it is, byte for
    byte. Chinese marks are full-width and others ASCII, by the script of the unit before
    the slot; bare numbers take the script of the unit before them.

    Parameters
    ----------
    text : str
        Any Unicode text, with or without marks.
    units : sequence of (int, int)
        Its n units, as `find_units` cuts them.
    marks : sequence of str
        n mark names.
    language : str
        ``zh`` makes numbers at the start of a text take full-width marks.

    Returns
    -------
    str
        The text with those marks.

    Raises
    ------
    ValueError
        The lengths of units and marks differ.
    UnknownMark
        A name is not one of the ten.
    """
    if len(units) != len(marks):
        raise ValueError(f"{len(units)} slots need {len(units)} marks; got {len(marks)}.")
    parsed = parse(text)
    held = parsed.marks
    full = language == "zh"
    out = [text[: units[0][0]] if units else text]
    quotes = out[0].count('"')
    for index, ((start, end), name) in enumerate(zip(units, marks, strict=True)):
        if name not in BY_NAME:
            raise UnknownMark(f"There is no mark {name!r}.")
        unit = text[start:end]
        if has_letter(unit):
            full = is_han(unit)
        following = text[slice(*units[index + 1])] if index + 1 < len(units) else ""
        gap = text[end : units[index + 1][0] if following else len(text)]
        out.append(unit)
        if name == held[index]:
            out.append(gap)
        else:
            own_dot = _own_dot(unit, gap)
            bare = _strip_gap(gap, unit, following, kept=len(own_dot))[len(own_dot) :]
            # The abbreviation's dot or the ellipsis is the full stop; one more would be misread.
            stopped = bool(own_dot) or parsed.closed[index]
            out.append(own_dot + _insert(bare, _written(name, full, stopped), quotes % 2 == 1))
        quotes += unit.count('"') + gap.count('"')
    return "".join(out)


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
    out: list[str] = []
    done = 0
    fresh = True
    for (start, end), mark in zip(parsed.units, parsed.marks, strict=True):
        unit = text[start:end]
        if fresh and _takes_capital(unit):
            head = "IJ" if unit.startswith("ij") else _upper(unit[0])
            out += text[done:start], head
            done = start + (2 if unit.startswith("ij") else 1)
        if mark in SENTENCE_END:
            fresh = True
        elif not unit.startswith(("'", "’")):
            fresh = False
    return "".join(out) + text[done:]


def _takes_capital(unit: str) -> bool:
    if is_han(unit) or unit.startswith(("'", "’", "www.")) or "@" in unit or "://" in unit:
        return False
    return unit.islower()


def _upper(char: str) -> str:
    upper = char.upper()
    return upper if len(upper) == 1 else char


def _own_dot(unit: str, gap: str) -> str:
    """Return the dot that belongs to an abbreviation rather than to the sentence, or nothing."""
    match = _GAP_MARK.match(gap)
    return "." if match and match.group() == "." and is_abbreviation(unit) else ""


def _read_gap(gap: str) -> tuple[str, bool]:
    strongest, closed = BY_NAME[NONE], False
    for match in _GAP_MARK.finditer(gap):
        if match.lastgroup == "ellipsis":
            closed = True
            continue
        name = _name_of(match)
        if BY_NAME[name].strength > strongest.strength:
            strongest = BY_NAME[name]
    return strongest.name, closed


def _name_of(match: regex.Match) -> str:
    if match.lastgroup == "dash":
        return "DASH"
    return _MARK_OF[match.group()]


def _strip_gap(gap: str, unit: str = "", following: str = "", *, kept: int = 0) -> str:
    """Take marks out after the first `kept` characters, and keep the units apart."""
    bare = gap[kept:]
    while _GAP_MARK.search(bare):  # taking one away can bring two dots together
        once = _GAP_MARK.sub(_without, bare)
        if once == bare:
            break
        bare = once
    bare = gap[:kept] + bare
    if bare == gap or _keeps_apart(unit, bare, following):
        return bare
    spaced = bare + " "
    if not _keeps_apart(unit, spaced, following):
        spaced = bare[:kept] + " " + bare[kept:]
    return _strip_gap(spaced, unit, following, kept=kept)  # the space can make a hyphen a dash


def _keeps_apart(unit: str, gap: str, following: str) -> bool:
    spans = [(0, len(unit)), (len(unit + gap), len(unit + gap + following))]
    return find_units(unit + gap + following) == [span for span in spans if span[0] < span[1]]


def _without(match: regex.Match) -> str:
    if match.lastgroup == "ellipsis":
        return match.group()
    return ""


def _written(name: str, full: bool, stopped: bool) -> str:
    if stopped and name in ("PERIOD", "PARAGRAPH"):
        return "" if name == "PERIOD" else "\u2029"
    return BY_NAME[name].full if full else BY_NAME[name].ascii


def _insert(gap: str, written: str, quoted: bool) -> str:
    """Put a mark into a gap that holds none: after what clings to the unit before it."""
    if not written:
        return gap
    at = 0
    for char in gap:
        if char.isspace() or char in _OPENING or unicodedata.category(char) == "Ps":
            break
        if char == '"' and not quoted:
            break
        quoted = quoted and char != '"'
        at += 1
    return gap[:at] + written + gap[at:]
