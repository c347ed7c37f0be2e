"""Training text for the starter: which files, how much of each, and how a recogniser spoils it.

A data folder holds ``<language>-<name>.txt.xz`` files, one utterance or paragraph a line,
with punctuation. They are read, parsed into units and marks, and drawn from by weight.
"""

import functools
import itertools
import lzma
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from model.marks import ALL_MARKS, BY_NAME, MARKS
from model.punctuation import parse

_STRENGTH: Final = [mark.strength for mark in MARKS]
_PARAGRAPH: Final = ALL_MARKS.ids["PARAGRAPH"]
_PERIOD: Final = ALL_MARKS.ids["PERIOD"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """How one file is used.

    Attributes
    ----------
    weight : float
        Its share of the drawn text within its language.
    cap : int
        Lines to read at most.
    joined : float
        Share of the draws that join consecutive lines into one stream.
    paragraphs : bool
        Whether a joint between lines is a paragraph's end.
    """

    weight: float
    cap: int = 60_000
    joined: float = 0.5
    paragraphs: bool = False


LANGUAGE_SHARE: Final = {"zh": 0.29, "en": 0.58, "nl": 0.13}
# Spoken text counts most; statutes and novels are capped; small sets that are like what people
# bring (dialogues, care notes, debates) are drawn often.
CORPORA: Final[dict[str, Corpus]] = {
    "zh-tw_legislative_yuan_t2s": Corpus(0.25, 200_000, 0.5, True),
    "zh-smilechat": Corpus(0.46, 200_000, 0.5),
    "zh-crosswoz_val": Corpus(0.05, joined=0.35),
    "zh-kdconv_dev": Corpus(0.07, joined=0.35),
    "zh-cmrc2018_dev": Corpus(0.12, joined=0.5, paragraphs=True),
    "zh-commonvoice_zh-cn": Corpus(0.03, 20_000, 0.7),
    "zh-djangogirls_zh": Corpus(0.02, paragraphs=True),
    "nl-handelingen_tk": Corpus(0.14, joined=0.4, paragraphs=True),
    "nl-europarl_wmt_dev2006-2007": Corpus(0.22, joined=0.4),
    "nl-gencare_care_notes": Corpus(0.06, joined=0.1),
    "nl-commonvoice_nl": Corpus(0.09, joined=0.6),
    "nl-djangogirls_nl": Corpus(0.02, paragraphs=True),
    "nl-ellendigen_hugo": Corpus(0.20, joined=0.6, paragraphs=True),
    "nl-laws_prose": Corpus(0.18, 30_000, 0.4, True),
    "nl-laws_general": Corpus(0.07, 15_000, 0.4, True),
    "en-earnings22": Corpus(0.23, joined=0.75),
    "en-state_of_the_union": Corpus(0.14, joined=0.7),
    "en-qmsum_committee": Corpus(0.14, joined=0.6, paragraphs=True),
    "en-qmsum_ami_product": Corpus(0.07, joined=0.7),
    "en-qmsum_icsi_academic": Corpus(0.08, joined=0.7),
    "en-commonvoice_en": Corpus(0.06, 30_000, 0.7),
    "en-europarl_wmt_2006-2008": Corpus(0.08, joined=0.7),
    "en-sgd_dialogues": Corpus(0.05, 150_000, 0.4),
    "en-eltec_eng": Corpus(0.15, 80_000, 0.6, True),
}
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
SMOOTHED: Final = 0.6
CUT: Final = 0.3
SPOILED: Final = 0.35
_ERROR_RATE: Final = 0.04
_CONTRACTION: Final = re.compile(r"(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))")

Line = tuple[list[str], list[int]]


@dataclass(frozen=True, slots=True)
class Lines:
    """A file's lines as units (strings) and canonical mark ids, in the file's order."""

    name: str
    language: str
    corpus: Corpus
    lines: list[Line]


def read_line(text: str) -> Line:
    """Read one marked line.

    Parameters
    ----------
    text : str
        A line with punctuation.

    Returns
    -------
    units : list of str
        n lower-cased units.
    labels : list of int
        n canonical mark ids.
    """
    parsed = parse(text)
    units = [text[a:b].lower() for a, b in parsed.units]
    return units, ALL_MARKS.encode(parsed.marks)


def read_corpora(folder: Path, held_out: float = 0.01) -> tuple[list[Lines], list[Lines]]:
    """Read all training files, and keep the last lines of each apart.

    Parameters
    ----------
    folder : Path
        Where the ``*.txt.xz`` files are.
    held_out : float
        Share of each file that is never trained on (calibration, thresholds).

    Returns
    -------
    train, held : list of Lines
        One entry a file each.

    Raises
    ------
    FileNotFoundError
        None of the named files is there.
    """
    train, held = [], []
    for name, corpus in CORPORA.items():
        path = folder / f"{name}.txt.xz"
        if not path.exists():
            continue
        lines = []
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for number, text in enumerate(file):
                if number >= corpus.cap:
                    break
                line = read_line(text.rstrip("\n"))
                if line[0]:
                    lines.append(line)
        cut = len(lines) - max(5, int(len(lines) * held_out))
        language = name[:2]
        train.append(Lines(name, language, corpus, lines[:cut]))
        held.append(Lines(name, language, corpus, lines[cut:]))
    if not train:
        raise FileNotFoundError(f"No training text was found in {folder}.")
    return train, held


def draw(source: Lines, rng: random.Random, length: int) -> tuple[list[str], list[int], bool, bool]:
    """Draw one window of text, as recognisers and long transcripts give it.

    Parameters
    ----------
    source : Lines
        The file to draw from.
    rng : random.Random
        Source of chance.
    length : int
        Units at most.

    Returns
    -------
    units, labels : list of str, list of int
        At most `length` units and their canonical mark ids.
    at_start, at_end : bool
        Whether the window begins where a text begins, and ends where one ends.
    """
    at = rng.randrange(len(source.lines))
    units, labels = list(source.lines[at][0]), list(source.lines[at][1])
    if rng.random() < source.corpus.joined:
        while len(units) < 2 * length and at + 1 < len(source.lines):
            at += 1
            if source.corpus.paragraphs and labels[-1] == _PERIOD:
                labels[-1] = _PARAGRAPH
            units += source.lines[at][0]
            labels += source.lines[at][1]
        start = rng.randrange(max(1, min(len(units) - 1, length)))
    else:
        surplus = len(units) - length
        start = rng.randrange(surplus + 1) if surplus > 0 and rng.random() < 0.6 else 0
    stop = min(len(units), start + length)
    whole = stop == len(units)
    units, labels = units[start:stop], labels[start:stop]
    if source.language != "zh" and rng.random() < SMOOTHED:
        units, labels = smooth(units, labels, source.language, rng)
    if source.language == "en" and rng.random() < CUT:
        units, labels = cut_contractions(units, labels)
    if rng.random() < SPOILED:
        units, labels = spoil(units, labels, source.language, rng)
    return units, labels, start == 0, whole


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


def weights(sources: list[Lines]) -> list[float]:
    """Return how often each file is drawn from, for `random.choices`."""
    share: dict[str, float] = {}
    for source in sources:
        share[source.language] = share.get(source.language, 0.0) + source.corpus.weight
    return [
        LANGUAGE_SHARE[source.language] * source.corpus.weight / share[source.language]
        for source in sources
    ]


def all_units(sources: list[Lines]) -> Iterator[tuple[str, float]]:
    """Yield every unit with the weight of one occurrence in what is drawn."""
    for source, weight in zip(sources, weights(sources), strict=True):
        total = sum(len(units) for units, _ in source.lines)
        for units, _ in source.lines:
            for unit in units:
                yield unit, weight / total


assert set(_FILLERS) == set(LANGUAGE_SHARE)
assert BY_NAME["PARAGRAPH"].kin == "PERIOD"
