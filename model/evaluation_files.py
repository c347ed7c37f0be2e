"""The files of reference texts: tsv lines, jsonl rows, and what their labels are called.

Everything that is wrong is refused with the file's name and the line's number: a figure
over half of a file, or over labels that somebody forgot, looks like any other.
"""

import io
import json
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from model.contractions import contraction_ends
from model.marks import ALL_MARKS, BY_NAME, NONE, MarkSet, UnknownMark
from model.punctuation import parse
from model.units import unit_texts

# What files of the field call the marks. An ellipsis is nobody's mark, so it is NONE.
_NAMES: Final = {name: name for name in BY_NAME} | {
    "O": NONE,
    "EXCLAM": "EXCLAMATION",
    "ENUM": "ENUMERATION",
    "ELLIPSIS": NONE,
}
_Lines = Iterable[tuple[str, str]]


class BadData(ValueError):
    """A file of texts can't be read; the message names the file and the line, from 1."""


@dataclass
class Words:
    """A text as its file has it.

    Attributes
    ----------
    tokens : list of str
        Its n tokens, whatever the file calls one.
    labels : list of str, n
        The name of each token's mark.
    own : list of str, n or none
        The marks of a third column.
    document : str or None
        Where it belongs.
    clings : list of bool, n, or None
        Whether a token is written to the one before it (``we 're``). None where the tokens
        are units already.
    """

    tokens: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    document: str | None = None
    clings: list[bool] | None = None


def read_words(path: Path, language: str | None = None) -> list[Words]:
    """Read the texts of a file.

    Parameters
    ----------
    path : Path
        ``.tsv`` or ``.jsonl``, either also packed as ``.xz``.
    language : str, optional
        What they are in; guessed if None.

    Raises
    ------
    BadData
        The file can't be read, or a line of it is wrong.
    """
    suffixes = [suffix for suffix in map(str.lower, path.suffixes) if suffix != ".xz"]
    kind = suffixes[-1] if suffixes else ""
    if kind == ".jsonl":
        return list(_read_jsonl(_lines(path)))
    if kind != ".tsv":
        raise BadData(f"{path}: texts come as .tsv, .tsv.xz or .jsonl, not as {kind or 'this'}.")
    texts = list(_read_tsv(_lines(path)))
    ends = contraction_ends([text.tokens for text in texts], language)
    for text, clings in zip(texts, ends, strict=True):
        text.clings = clings
    return texts


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Give the lines of a file, each with what to call it: the file and its number, from 1."""
    try:
        data = path.read_bytes()
        if path.suffix.lower() == ".xz":
            data = _unpacked(data)
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}.") from None
    except lzma.LZMAError:
        raise BadData(f"{path} is not a whole xz file.") from None
    # Only line feeds end lines: a text may well hold U+2028 or a lone carriage return.
    if b"\n" not in data and b"\r" in data.rstrip(b"\r"):
        raise BadData(f"{path}: its lines end with carriage returns alone; line feeds are needed.")
    for number, line in enumerate(io.BytesIO(data), start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise BadData(f"{path}, line {number}: this is not UTF-8.") from None
        yield f"{path}, line {number}", text.rstrip("\r\n")


def _unpacked(data: bytes) -> bytes:
    """Unpack an xz file, which is one stream or several, with null bytes after each.

    `lzma.decompress` leaves out what follows a whole stream if it can't be read.

    Raises
    ------
    LZMAError
        Something else follows, or a stream is broken or cut short.
    """
    parts = []
    while True:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        parts.append(stream.decompress(data))
        if not stream.eof:
            raise lzma.LZMAError("The stream is cut short.")
        data = stream.unused_data.lstrip(b"\0")
        if not data:
            return b"".join(parts)


def _read_tsv(lines: _Lines) -> Iterator[Words]:
    words, columns = Words(), 0
    for where, line in lines:
        if "\t" not in line and not line.strip():
            if words.tokens:
                yield words
                words = Words()
            continue
        cells = line.split("\t")
        if len(cells) < 2:
            raise BadData(f"{where}: a token, a TAB and a label; got {line[:40]!r}.")
        if len(cells) > 3:
            raise BadData(
                f"{where}: {len(cells)} columns; there are a token, a label and, in a third one, "
                "what a recogniser put."
            )
        columns = columns or len(cells)
        if len(cells) != columns:
            raise BadData(f"{where}: {columns} columns so far, {len(cells)} here.")
        words.tokens.append(cells[0])
        words.labels.append(_name(cells[1], where))
        if columns == 3:
            words.own.append(_name(cells[2], where))
    if words.tokens:
        yield words


def _name(label: str, where: str) -> str:
    given = label.strip()
    if not given:
        raise BadData(f"{where}: a label is missing; where there is no mark it is O or {NONE}.")
    try:
        return _NAMES[given.upper()]
    except KeyError:
        known = ", ".join(sorted(_NAMES))
        raise BadData(
            f"{where}: there is no label {label[:40]!r}. The labels are: {known}."
        ) from None


def _read_jsonl(lines: _Lines) -> Iterator[Words]:
    for where, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadData(f"{where}: this is not JSON ({error.msg}).") from None
        except ValueError:  # what Python says of an integer of thousands of digits
            raise BadData(f"{where}: a number in this JSON is too long.") from None
        except RecursionError:
            raise BadData(f"{where}: this JSON is nested too deep.") from None
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise BadData(f"{where}: a row is an object with a 'text'.")
        document = row.get("document")
        if document is not None and not isinstance(document, str | int | float):
            raise BadData(f"{where}: a 'document' is a name or a number.")
        units = unit_texts(row["text"])
        yield Words(
            tokens=units,
            labels=_row_labels(row, len(units), where),
            document=None if document is None else str(document),
        )


def _row_labels(row: dict[str, Any], n_units: int, where: str) -> list[str]:
    """Return the names of a row's labels: given by name, by id, or written in its text."""
    marks = row.get("marks")
    if "labels" in row:
        labels = row["labels"]
    elif isinstance(marks, list) and "units" in row:
        labels = marks  # what `punctuate --json` writes: a mark's name for every unit
    else:
        return parse(row["text"]).marks
    if not isinstance(labels, list) or len(labels) != n_units:
        got = len(labels) if isinstance(labels, list) else _kind(labels)
        raise BadData(f"{where}: {n_units} units need {n_units} labels; got {got}.")
    names = row.get("mark_set")
    if names is None:  # exports name the set of their ids in "marks"
        names = marks if "labels" in row and isinstance(marks, list) else list(ALL_MARKS.names)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadData(f"{where}: a mark set is a list of names.")
    try:
        known = MarkSet(tuple(names))
        return [_row_label(label, known, where) for label in labels]
    except UnknownMark as error:
        raise BadData(f"{where}: {error}") from None


def _row_label(label: object, marks: MarkSet, where: str) -> str:
    if isinstance(label, str):
        return _name(label, where)
    if isinstance(label, int) and not isinstance(label, bool):
        return marks.decode([label])[0]
    raise BadData(f"{where}: a label is the name or the id of a mark, not {_kind(label)}.")


def _kind(value: object) -> str:
    """Say what JSON calls a kind of value."""
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else kinds.get(type(value), f"the number {value}")
