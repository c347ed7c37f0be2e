"""Reading texts with reference marks: ``.tsv``, ``.tsv.xz`` and ``.jsonl``.

A tsv line is a token, a TAB and its label, with what a recogniser put there itself in an
optional third column; a blank line ends a text. A jsonl row is one text, with labels or
with the marks written in it. Texts come out as units with mark ids, whatever the tokens
were: the words of a file are never trusted to be ours.
"""

import io
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from model.marks import ALL_MARKS, BY_NAME, DEFAULT_MARKS, NONE, MarkSet, UnknownMark
from model.punctuation import parse
from model.units import find_units, is_han, unit_texts

JOINS: Final = ("document", "turn", "stream")
MAPPINGS: Final = ("default", "none")

# What files of the field call the marks. An ellipsis is nobody's mark, so it is NONE.
_NAMES: Final = {name: name for name in BY_NAME} | {
    "O": NONE,
    "": NONE,
    "EXCLAM": "EXCLAMATION",
    "ENUM": "ENUMERATION",
    "ELLIPSIS": NONE,
}

_CONTRACTION: Final = re.compile(r"['’](?:s|re|ve|ll|d|m)|n['’]t", re.IGNORECASE)
_AFTER_DUTCH_S: Final = re.compile(
    r"avonds|ochtends|morgens|middags|nachts|zomers|winters|\w+dags|lands|heren|graven|hertogen",
    re.IGNORECASE,
)


class BadData(ValueError):
    """A file of texts can't be read; the message names the file and the line, from 1."""


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


@dataclass
class _Words:
    """A text in the making: tokens with the names of their marks, and where it belongs."""

    tokens: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    document: str | None = None


def read_texts(
    path: Path | str,
    *,
    marks: MarkSet | None = None,
    mapping: str = "default",
    lowercase: bool = False,
    join: str = "turn",
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
    path = Path(path)
    target = DEFAULT_MARKS if mapping == "default" else marks or ALL_MARKS
    texts = _joined(_read(path), join)
    found = [_cut(text, target, lowercase) for text in texts]
    found = [text for text in found if text.units]
    if not found:
        raise BadData(f"{path} holds no text.")
    return found, target


def _read(path: Path) -> Iterator[_Words]:
    suffixes = [suffix for suffix in path.suffixes if suffix != ".xz"]
    kind = suffixes[-1] if suffixes else ""
    readers = {".tsv": _read_tsv, ".jsonl": _read_jsonl}
    if kind not in readers:
        raise BadData(f"{path}: texts come as .tsv, .tsv.xz or .jsonl, not as {kind or 'this'}.")
    return readers[kind](path, _lines(path))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines of a file with their numbers, from 1."""
    try:
        data = path.read_bytes()
        if path.suffix == ".xz":
            data = lzma.decompress(data)
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}.") from None
    except lzma.LZMAError:
        raise BadData(f"{path} is not a whole xz file.") from None
    # Only line feeds end lines: a text may well hold U+2028 or a lone carriage return.
    for number, line in enumerate(io.BytesIO(data), start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise BadData(f"{path}, line {number}: this is not UTF-8.") from None
        yield number, text.rstrip("\r\n")


def _read_tsv(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[_Words]:
    words, columns = _Words(), 0
    for number, line in lines:
        if not line.strip():
            if words.tokens:
                yield words
                words = _Words()
            continue
        cells = line.split("\t")
        columns = columns or len(cells)
        if len(cells) < 2:
            raise BadData(f"{path}, line {number}: a token, a TAB and a label; got {line[:40]!r}.")
        if len(cells) > 3 or len(cells) != columns:
            raise BadData(f"{path}, line {number}: {columns} columns so far, {len(cells)} here.")
        words.tokens.append(cells[0])
        words.labels.append(_name(cells[1], path, number))
        if columns == 3:
            words.own.append(_name(cells[2], path, number))
    if words.tokens:
        yield words


def _name(label: str, path: Path, number: int) -> str:
    try:
        return _NAMES[label.strip().upper()]
    except KeyError:
        known = ", ".join(sorted(set(_NAMES) - {""}))
        raise BadData(
            f"{path}, line {number}: there is no label {label!r}. The labels are: {known}."
        ) from None


def _read_jsonl(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[_Words]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadData(f"{path}, line {number}: this is not JSON ({error.msg}).") from None
        except RecursionError:
            raise BadData(f"{path}, line {number}: this JSON is nested too deep.") from None
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise BadData(f"{path}, line {number}: a row is an object with a 'text'.")
        document = row.get("document")
        units = unit_texts(row["text"])
        yield _Words(
            tokens=units,
            labels=_row_labels(row, len(units), path, number),
            document=None if document is None else str(document),
        )


def _row_labels(row: dict[str, Any], n_units: int, path: Path, number: int) -> list[str]:
    """Return the names of a row's labels: given by name, by id, or written in its text."""
    labels, marks = row.get("labels"), row.get("marks")
    if labels is None and isinstance(marks, list) and "units" in row:
        labels = marks  # what `punctuate --json` writes: a mark's name for every unit
    if labels is None:
        return parse(row["text"]).marks
    if not isinstance(labels, list) or len(labels) != n_units:
        got = len(labels) if isinstance(labels, list) else type(labels).__name__
        raise BadData(f"{path}, line {number}: {n_units} units need {n_units} labels; got {got}.")
    names = row.get("mark_set")
    if names is None:  # exports name the set of their ids in "marks"
        names = marks if "labels" in row and isinstance(marks, list) else list(ALL_MARKS.names)
    try:
        known = MarkSet(tuple(names))
        if all(isinstance(label, int) and not isinstance(label, bool) for label in labels):
            return known.decode(labels)
        return [_name(str(label), path, number) for label in labels]
    except (UnknownMark, TypeError) as error:
        raise BadData(f"{path}, line {number}: {error}") from None


def _joined(texts: Iterable[_Words], join: str) -> Iterator[_Words]:
    if join == "turn":
        yield from texts
        return
    groups: dict[object, list[_Words]] = {}
    for index, text in enumerate(texts):
        # A text without a document stands alone; its number can't be another's document.
        key = None if join == "stream" else text.document if text.document is not None else index
        groups.setdefault(key, []).append(text)
    for group in groups.values():
        yield _Words(
            tokens=[token for text in group for token in text.tokens],
            labels=[label for text in group for label in text.labels],
            own=[label for text in group for label in text.own],
        )


def _cut(words: _Words, marks: MarkSet, lowercase: bool) -> ReferenceText:
    """Cut a text into units; a token's mark goes to the last of its units.

    A mark on a token without a unit (a lone dash or bracket) goes left, where the stronger
    mark stays.
    """
    text, ends = _rebuilt(words.tokens)
    spans = find_units(text)
    starts = np.array([start for start, _ in spans], dtype=np.int64)
    # The last unit that starts before each token's end; -1 before the first unit.
    slots = np.searchsorted(starts, np.array(ends, dtype=np.int64), side="left") - 1
    units = [text[start:end] for start, end in spans]
    if lowercase:
        units = [unit.lower() for unit in units]
    return ReferenceText(
        units,
        _placed(words.labels, slots, len(spans), marks),
        _placed(words.own, slots, len(spans), marks) if words.own else None,
    )


def _rebuilt(tokens: Sequence[str]) -> tuple[str, list[int]]:
    """Write tokens as a text, Han characters without spaces; and where each token ends."""
    pieces: list[str] = []
    ends: list[int] = []
    length, before_han = 0, True
    for index, token in enumerate(tokens):
        han = is_han(token)
        alone = not pieces or (han and before_han) or _clings(token, tokens[index + 1 : index + 2])
        gap = "" if alone else " "
        pieces += gap, token
        length += len(gap) + len(token)
        ends.append(length)
        before_han = bool(token) and is_han(token[-1])
    return "".join(pieces), ends


def _clings(token: str, following: Sequence[str]) -> bool:
    """Whether a token is the end of an English contraction that a treebank cut off.

    ``we 're`` is one word to people; the Dutch ``'s`` of ``'s avonds`` begins one.
    """
    if not _CONTRACTION.fullmatch(token):
        return False
    return not (token[1:].lower() == "s" and following and _AFTER_DUTCH_S.match(following[0]))


def _placed(labels: Sequence[str], slots: np.ndarray, n_units: int, marks: MarkSet) -> np.ndarray:
    strongest = [NONE] * n_units
    for name, slot in zip(labels, slots.tolist(), strict=True):
        if slot >= 0 and BY_NAME[name].strength > BY_NAME[strongest[slot]].strength:
            strongest[slot] = name
    return np.array(marks.encode(strongest), dtype=np.uint8)
