"""Reading marks out of text and writing them into it, without losing a character.

A text is a lead, then units, each followed by its gap. Marks live in gaps only. Three
functions share one view of a gap (`model.gaps`), so that for every text s and marks m::

    strip_marks(render(s, find_units(s), m)) == strip_marks(s)
    render(s, find_units(s), parse(s).marks) == s
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from model.gaps import abbreviation_dot, found_in, is_plain, read_gap, slots
from model.marks import BY_NAME, NONE, UnknownMark
from model.units import Span, find_units, has_letter, is_han

_OPENING: Final = frozenset("¿¡‘“‚„‹«「『《〈【（(［[｛{")

_LONG_GAP: Final = 16  # no number and no name holds as many signs


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
    barred : list of bool
        n flags, one a slot: no model is to put a mark there, though a person may. The gap
        is the inside of a number, a name or code (``3~5``, ``README.md``, ``f(x)``), or
        holds a mark of another script, which is none of the ten.
    """

    units: list[Span]
    marks: list[str]
    closed: list[bool]
    barred: list[bool]


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
    parsed = Parsed(units, [], [], [])
    before = ""
    for unit, gap, following in slots(text, units):
        own_dot = abbreviation_dot(unit, gap, following, before)
        name, shut, barred = read_gap(unit, gap, following, kept=len(own_dot))
        if own_dot and name == NONE and not following:
            name = "PERIOD"
        parsed.marks.append(name)
        parsed.closed.append(shut)
        parsed.barred.append(barred)
        before = unit + gap
    return parsed


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
    if not units:
        return _strip_gap(text)
    pieces = [_strip_gap(text[: units[0][0]], "", text[slice(*units[0])])]
    for unit, gap, following in slots(text, units):
        pieces += unit, _strip_gap(gap, unit, following)
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
    before = ""
    for index, (unit, gap, following) in enumerate(slots(text, units)):
        name = marks[index]
        if name not in BY_NAME:
            raise UnknownMark(f"There is no mark {name!r}.")
        if has_letter(unit):
            full = is_han(unit)
        out.append(unit)
        if name == held[index]:
            out.append(gap)
        else:
            own_dot = abbreviation_dot(unit, gap, following, before)
            bare = _strip_gap(gap, unit, following, kept=len(own_dot))[len(own_dot) :]
            if bare.startswith("."):  # the two would make a longer ellipsis
                own_dot = ""
                bare = _strip_gap(gap, unit, following)
            # The abbreviation's dot or the ellipsis is the full stop; one more would be misread.
            stopped = bool(own_dot) or parsed.closed[index]
            quoted = quotes % 2 == 1
            bare = _put(_forms(name, full, stopped), unit, own_dot, bare, following, quoted)
            out.append(own_dot + bare)
        quotes += unit.count('"') + gap.count('"')
        before = unit + gap
    return "".join(out)


def _strip_gap(gap: str, unit: str = "", following: str = "", *, kept: int = 0) -> str:
    """Take marks out after the first `kept` characters, and keep the units apart."""
    if is_plain(gap):
        return gap
    bare, once = "", gap
    while once != bare:  # taking one away can bring two dots together
        bare = once
        once = _without(bare, unit, following, kept)
    if bare == gap or _keeps_apart(unit, bare, following):
        return bare
    spaced = bare + " "
    if not _keeps_apart(unit, spaced, following):
        spaced = bare[:kept] + " " + bare[kept:]
    return _strip_gap(spaced, unit, following, kept=kept)  # the space can make a hyphen a dash


def _keeps_apart(unit: str, gap: str, following: str) -> bool:
    spans = [(0, len(unit)), (len(unit + gap), len(unit + gap + following))]
    return find_units(unit + gap + following) == [span for span in spans if span[0] < span[1]]


def _without(gap: str, unit: str, following: str, kept: int) -> str:
    whole = unit + gap
    pieces = []
    done = len(unit)
    for match in found_in(unit, gap, following, kept):
        if match.lastgroup in ("dash", "char"):
            pieces.append(whole[done : match.start()])
            done = match.end()
    return "".join((*pieces, whole[done:]))


def _forms(name: str, full: bool, stopped: bool) -> tuple[str, ...]:
    """Return what is written for a mark, and what else can be."""
    if stopped and name in ("PERIOD", "PARAGRAPH"):
        return ("" if name == "PERIOD" else "\u2029",)
    forms = BY_NAME[name].full, BY_NAME[name].ascii
    last = ("--",) if name == "DASH" else ()  # beside the sign of –.5 the others look like one
    return (forms if full else forms[::-1]) + last


def _put(
    forms: tuple[str, ...], unit: str, own_dot: str, bare: str, following: str, quoted: bool
) -> str:
    """Put a mark into a gap that holds none, so that it can be told from the gap again.

    Where the signs of a number or a name stand in the gap, the usual place or form can be
    such that what was set is taken for one of them, or one of them for a mark.
    """
    first = _insert(bare, forms[0], quoted)
    if not forms[0] or is_plain(bare):
        return first
    kept = len(own_dot)
    tries = [(forms[0], first)]
    places = range(len(bare), -1, -1) if len(bare) < _LONG_GAP else (len(bare), 0)
    tries += [(form, bare[:at] + form + bare[at:]) for form in forms for at in places]
    for form, tried in tries:
        gap = own_dot + tried
        if (
            read_gap(unit, gap, following, kept=kept)[0] == read_gap("", form, "")[0]
            and _strip_gap(gap, unit, following, kept=kept) == own_dot + bare
        ):
            return tried
    return bare


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
