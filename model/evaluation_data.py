"""Reference texts as units with mark ids, from files whose tokens are never trusted to be ours.

A tsv line is a token, a TAB and its label, with what a recogniser put there itself in an
optional third column; a blank line ends a text. A jsonl row is one text, with labels or
with the marks written in it. `model.evaluation_files` reads both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from model.evaluation_files import BadData, Words, read_words
from model.language import LANGUAGES
from model.marks import ALL_MARKS, BY_NAME, DEFAULT_MARKS, NONE, MarkSet
from model.units import find_units, is_han

JOINS: Final = ("document", "turn", "stream")
MAPPINGS: Final = ("default", "none")


@dataclass(frozen=True)
class ReferenceText:
    """One text with the marks that it should have.

    Attributes
    ----------
    units : list of str
        Its n units.
    labels : ndarray of uint8, shape (n,)
        Reference mark ids of the set that was asked for.
    own : ndarray of uint8, shape (n,), or None
        The marks of the third column.
    """

    units: list[str]
    labels: np.ndarray
    own: np.ndarray | None = None


def read_texts(
    path: Path | str,
    *,
    marks: MarkSet | None = None,
    mapping: str = "default",
    lowercase: bool = False,
    join: str = "turn",
    language: str | None = None,
) -> tuple[list[ReferenceText], MarkSet]:
    """Read texts with their reference marks.

    Parameters
    ----------
    path : Path or str
        A ``.tsv``, ``.tsv.xz``, ``.jsonl`` or ``.jsonl.xz`` file in UTF-8.
    marks : MarkSet, optional
        The set that labels are given in with ``mapping="none"``; the ten by default.
    mapping : str
        ``default`` counts as the field does, in COMMA, PERIOD and QUESTION: EXCLAMATION,
        SEMICOLON and PARAGRAPH as PERIOD, COLON and ENUMERATION as COMMA, DASH and an
        ellipsis as NONE. ``none`` keeps the marks; only what `marks` lacks is folded.
    lowercase : bool
        Lower-case the units, as most recognisers give them.
    join : str
        ``turn``: each text of the file is one. ``document``: rows of a jsonl file with the
        same ``document`` are one text, in the order of the file (a tsv file's blank lines
        end documents already). ``stream``: the whole file is one text.
    language : str, optional
        ``en``, ``nl`` or ``zh``; guessed text by text if None. It decides whether a tsv
        file's ``'s``, ``'m`` and ``'d`` are ends of English words or Dutch words.

    Returns
    -------
    (list of ReferenceText, MarkSet)
        Texts that have at least one unit, and the set that their labels are ids of.

    Raises
    ------
    BadData
        The file can't be read, or a line of it is wrong.
    """
    if join not in JOINS:
        raise BadData(f"Texts can be joined by {', '.join(JOINS)}; not by {join!r}.")
    if mapping not in MAPPINGS:
        raise BadData(f"Marks can be mapped by {' or '.join(MAPPINGS)}; not by {mapping!r}.")
    if language not in (None, *LANGUAGES):
        raise BadData(f"Texts are in {', '.join(LANGUAGES)}; not in {language!r}.")
    path = Path(path)
    target = DEFAULT_MARKS if mapping == "default" else marks or ALL_MARKS
    texts = _joined(read_words(path, language), join)
    found = [_cut(text, target, lowercase) for text in texts]
    found = [text for text in found if text.units]
    if not found:
        raise BadData(f"{path} holds no text.")
    return found, target


def _joined(texts: Iterable[Words], join: str) -> Iterator[Words]:
    if join == "turn":
        yield from texts
        return
    groups: dict[object, list[Words]] = {}
    for index, text in enumerate(texts):
        # A text without a document stands alone; its number can't be another's document.
        key = None if join == "stream" else text.document if text.document is not None else index
        groups.setdefault(key, []).append(text)
    for group in groups.values():
        yield Words(
            tokens=[token for text in group for token in text.tokens],
            labels=[label for text in group for label in text.labels],
            own=[label for text in group for label in text.own],
            clings=[clinging for text in group for clinging in text.clings or ()] or None,
        )


def _cut(words: Words, marks: MarkSet, lowercase: bool) -> ReferenceText:
    """Cut a text into units; a token's mark goes to the last of its units.

    A mark on a token without a unit (a lone dash or bracket) goes left, where the stronger
    mark stays.
    """
    units, slots = words.tokens, np.arange(len(words.tokens))
    if words.clings is not None:
        text, ends = _rebuilt(words.tokens, words.clings)
        spans = find_units(text)
        units = [text[start:end] for start, end in spans]
        starts = np.array([start for start, _ in spans], dtype=np.int64)
        # The last unit that starts before each token's end; -1 before the first unit.
        slots = np.searchsorted(starts, np.array(ends, dtype=np.int64), side="left") - 1
    return ReferenceText(
        [unit.lower() for unit in units] if lowercase else units,
        _placed(words.labels, slots, len(units), marks),
        _placed(words.own, slots, len(units), marks) if words.own else None,
    )


def _rebuilt(tokens: Sequence[str], clings: Sequence[bool]) -> tuple[str, list[int]]:
    """Write tokens as a text, Han characters without spaces; and where each token ends."""
    pieces: list[str] = []
    ends: list[int] = []
    length, before_han = 0, True
    for token, clinging in zip(tokens, clings, strict=True):
        alone = not pieces or clinging or (before_han and is_han(token))
        gap = "" if alone else " "
        pieces += gap, token
        length += len(gap) + len(token)
        ends.append(length)
        before_han = bool(token) and is_han(token[-1])
    return "".join(pieces), ends


def _placed(labels: Sequence[str], slots: np.ndarray, n_units: int, marks: MarkSet) -> np.ndarray:
    strongest = [NONE] * n_units
    for name, slot in zip(labels, slots.tolist(), strict=True):
        if slot >= 0 and BY_NAME[name].strength > BY_NAME[strongest[slot]].strength:
            strongest[slot] = name
    return np.array(marks.encode(strongest), dtype=np.uint8)
