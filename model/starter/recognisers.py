"""What recognisers and speakers do to text: fillers, losses, repetitions, numbers in words."""

import functools
import itertools
import random
import re
from typing import Any, Final

from model.marks import BY_NAME, MARKS

Line = tuple[list[str], list[int]]  # units, and a canonical mark id each

_STRENGTH: Final = [mark.strength for mark in MARKS]
_FILLERS: Final = {
    "zh": ["呃", "嗯", "啊", "那个", "就是", "然后"],
    "nl": ["eh", "uh", "uhm", "ja", "nou"],
    "en": ["uh", "um", "uh", "you know", "like"],
}
# What recognisers leave out of what they hear; a transcript made by a person has it.
_UNHEARD: Final = {
    "en": frozenset({"uh", "um", "uhm", "erm", "hmm"}),
    "nl": frozenset({"uh", "um", "uhm", "eh", "ehm", "hmm"}),  # "er" is a word
}
_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d{1,2})?")
_COMMA_STRENGTH: Final = BY_NAME["COMMA"].strength
_ERROR_RATE: Final = 0.04
_PERCENT: Final = re.compile(r"(?<=\d)\s?%")
_DOLLARS: Final = re.compile(
    r"(?:US)?\$\s?(\d(?:[\d,.]*\d)?(?:\s(?:thousand|million|billion|trillion)\b)?)", re.I
)
_CONTRACTION: Final = re.compile(r"(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))")


def smooth(units: list[str], labels: list[int], language: str, rng: random.Random) -> Line:
    """Write verbatim text as a recogniser does: no fillers, some repetitions gone, numbers spelled.

    The mark of what is left out goes to the unit before it, the stronger one stays, as it does
    when the marks of a reference are projected onto a recogniser's text.

    Returns
    -------
    units, labels : list of str, list of int
        New lists of equal length, at least one unit long.
    """
    out: list[str] = []
    marks: list[int] = []
    spelled = language == "en" and rng.random() < 0.4
    heard = [at for at, unit in enumerate(units) if unit not in _UNHEARD[language]]
    following = {at: units[after] for at, after in itertools.pairwise(heard)}
    for at, (unit, mark) in enumerate(zip(units, labels, strict=True)):
        twice = unit == following.get(at) and _STRENGTH[mark] <= _COMMA_STRENGTH
        if unit in _UNHEARD[language] or (twice and rng.random() < 0.5):
            _move_back(mark, marks)
            continue
        words = number_in_words(unit) if spelled and rng.random() < 0.7 else [unit]
        out += words
        marks += [0] * (len(words) - 1) + [mark]
    return (out, marks) if out else (units, labels)


def say_signs(text: str) -> str:
    """Write the signs of English amounts as recognisers hear them: "10 percent", "3 dollars"."""
    return _DOLLARS.sub(r"\1 dollars", _PERCENT.sub(" percent", text))


def number_in_words(unit: str) -> list[str]:
    """Spell an English amount as it is said; years and all other units stay as they are."""
    return _spell(unit.replace(",", "")) if _NUMBER.fullmatch(unit) else [unit]


@functools.cache
def _spell(number: str) -> list[str]:
    spelled = _inflect().number_to_words(number, andword="", decimal="point")
    return spelled.replace("-", " ").replace(",", "").split()


@functools.cache
def _inflect() -> Any:
    import inflect

    return inflect.engine()


def cut_contractions(units: list[str], labels: list[int]) -> Line:
    """Write English contractions in two, as some recognisers and treebanks do: "we 're", "do n't".

    Returns
    -------
    units, labels : list of str, list of int
        New lists of equal length; the mark stays on the second part.
    """
    out: list[str] = []
    marks: list[int] = []
    for unit, mark in zip(units, labels, strict=True):
        found = _CONTRACTION.fullmatch(unit)
        out += [found[1], found[2]] if found else [unit]
        marks += [0, mark] if found else [mark]
    return out, marks


def _move_back(mark: int, marks: list[int]) -> None:
    """Give the mark of a unit that goes to the unit before it, unless that has a stronger one."""
    if marks and _STRENGTH[mark] > _STRENGTH[marks[-1]]:
        marks[-1] = mark


def spoil(
    units: list[str],
    labels: list[int],
    language: str,
    rng: random.Random,
    errors: float = _ERROR_RATE,
) -> Line:
    """Make the errors that recognisers and speakers make.

    Units are dropped (a mark moves to the unit before, the stronger one stays), doubled,
    or replaced by another of the same text; fillers come in, and never carry a mark off.

    Parameters
    ----------
    units, labels : list of str, list of int
        A text and its canonical mark ids.
    language : str
        ``zh``, ``nl`` or ``en``.
    rng : random.Random
        Source of chance.
    errors : float
        Share of the units that something happens to.

    Returns
    -------
    units, labels : list of str, list of int
        New lists of equal length, at least one unit long.
    """
    out: list[str] = []
    marks: list[int] = []
    for unit, mark in zip(units, labels, strict=True):
        chance = rng.random()
        if chance < errors * 0.35 and out:
            _move_back(mark, marks)
            continue
        if chance < errors * 0.7:
            unit = rng.choice(units)
        elif chance < errors * 0.85:
            out.append(unit)
            marks.append(0)
        elif chance < errors:
            for filler in _units_of(rng.choice(_FILLERS[language]), language):
                out.append(filler)
                marks.append(0)
        out.append(unit)
        marks.append(mark)
    return (out, marks) if out else (units, labels)


def _units_of(filler: str, language: str) -> list[str]:
    return list(filler) if language == "zh" else filler.split()
