"""Training text for the starter: which files, how much of each, and how a recogniser spoils it.

A data folder holds ``<language>-<name>.txt.xz`` files, one utterance or paragraph a line,
with punctuation. They are read, parsed into units and marks, and drawn from by weight.
"""

import logging
import lzma
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from model.marks import ALL_MARKS, BY_NAME
from model.punctuation import parse
from model.starter.recognisers import Line, cut_contractions, say_signs, smooth, spoil

log: Final = logging.getLogger(__name__)

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


LANGUAGE_SHARE: Final = {"zh": 0.26, "en": 0.64, "nl": 0.10}
# Spoken text counts most; statutes and novels are capped; small sets that are like what people
# bring (dialogues, care notes, debates) are drawn often.
CORPORA: Final[dict[str, Corpus]] = {
    "zh-tw_legislative_yuan_t2s": Corpus(0.32, 200_000, 0.5, True),
    "zh-smilechat": Corpus(0.39, 200_000, 0.5),
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
    "en-earnings22": Corpus(0.27, joined=0.75),
    "en-state_of_the_union": Corpus(0.17, joined=0.7),
    "en-qmsum_committee": Corpus(0.14, joined=0.6, paragraphs=True),
    "en-qmsum_ami_product": Corpus(0.06, joined=0.7),
    "en-qmsum_icsi_academic": Corpus(0.06, joined=0.7),
    "en-commonvoice_en": Corpus(0.08, 30_000, 0.7),
    "en-europarl_wmt_2006-2008": Corpus(0.06, joined=0.7),
    "en-sgd_dialogues": Corpus(0.04, 150_000, 0.4),
    "en-eltec_eng": Corpus(0.14, 80_000, 0.6, True),
    "en-encyclopedia": Corpus(0.01, joined=0.6, paragraphs=True),
    "en-essays": Corpus(0.02, joined=0.6, paragraphs=True),
    "en-stories": Corpus(0.02, joined=0.6, paragraphs=True),
}
SMOOTHED: Final = 0.6
CUT: Final = 0.3
SPOILED: Final = 0.35


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
            log.warning("%s is not there; its share goes to the other files.", path)
            continue
        lines = []
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for number, text in enumerate(file):
                if number >= corpus.cap:
                    break
                # Every other line has its signs in words, since recognisers write both.
                said = say_signs(text) if name.startswith("en") and number % 2 else text
                line = read_line(said.rstrip("\n"))
                if line[0]:
                    lines.append(line)
        cut = len(lines) - max(5, int(len(lines) * held_out))
        language = name[:2]
        train.append(Lines(name, language, corpus, lines[:cut]))
        held.append(Lines(name, language, corpus, lines[cut:]))
    if not train:
        raise FileNotFoundError(f"No training text was found in {folder}.")
    return train, held


def draw(source: Lines, rng: random.Random, length: int) -> tuple[list[str], list[int], bool]:
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
    at_end : bool
        Whether the window ends where a text ends.
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
    return units, labels, whole


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


assert BY_NAME["PARAGRAPH"].kin == "PERIOD"
