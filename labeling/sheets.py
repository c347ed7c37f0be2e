"""Tables of texts (csv, tsv) and of tokens with their labels (tsv).

A table of texts has a header with a column ``text``, or one column and no header. A
token table has a token and its label on a line, and an empty line between texts.
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import regex

from labeling.errors import BadInput
from labeling.lines import LINE_BREAK
from labeling.rows import BadRow, Row
from model.marks import ALL_MARKS, MARKS
from model.units import find_units, has_letter, is_han

# The module's own limit of 131,072 characters a cell is for the whole process, whoever sets it.
csv.field_size_limit(sys.maxsize)

_DELIMITERS: Final = ",;\t|"
_LOOK_AT: Final = 50
# What a column may be called, so that a line of text with a comma in it is no header.
_COLUMN_NAME: Final = regex.compile(r"\w[\w.-]{0,40}")
_LABELS: Final = ALL_MARKS.ids | {
    "O": 0,
    "ELLIPSIS": 0,
    "ENUM": ALL_MARKS.ids["ENUMERATION"],
    "EXCLAM": ALL_MARKS.ids["EXCLAMATION"],
}
_STRENGTH: Final = [mark.strength for mark in MARKS]


def read_csv(text: str, *, delimiters: str = _DELIMITERS) -> Iterator[Row | BadRow]:
    """Read a table of texts, with or without a header.

    The columns ``document``, ``position``, ``language``, ``split`` and ``annotator`` are
    read where the header has them, others left alone. The delimiter is the one under which
    the header has a column ``text``, or else the one under which there is one column.

    Parameters
    ----------
    text : str
        The file's text.
    delimiters : str
        The delimiters to try, in this order.

    Yields
    ------
    Row or BadRow
        Numbered by row, the header being row 1; empty rows are left out.

    Raises
    ------
    BadInput
        There are several columns and none is called ``text``, or a quote never ends.
    """
    first = next((line for line in LINE_BREAK.split(text) if line.strip()), "")
    for delimiter in delimiters:
        names = _names(first.split(delimiter))
        if "text" in names:
            try:
                return _with_header(names, _records(text, delimiter))
            except csv.Error as error:
                raise BadInput(
                    "broken_table", f"The table cannot be read: {error}.", reason=str(error)
                ) from None
        if len(names) > 1 and all(_COLUMN_NAME.fullmatch(name) for name in names):
            raise BadInput(
                "no_text_column",
                f"No column of the table is called text; they are: {', '.join(names)}.",
                columns=", ".join(names),
            )
    for delimiter in (*delimiters, "\x1f"):
        for quoted in (True, False):
            try:
                records = _records(text, delimiter, quoted=quoted)
            except csv.Error:
                continue
            if all(len(record) < 2 for record in records):
                return _one_column(records)
    raise BadInput(
        "no_text_column",
        "No column of the table is called text. Its first row must name the columns.",
        columns="",
    )


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().strip('"').lower() for cell in cells]


def read_tsv(text: str) -> Iterator[Row | BadRow]:
    """Read a token table where the second column holds labels, or else a table of texts.

    Parameters
    ----------
    text : str
        The file's text.

    Yields
    ------
    Row or BadRow
        As `read_tokens` or `read_csv`.

    Raises
    ------
    BadInput
        As `read_csv`.
    """
    return read_tokens(text) if _is_token_table(text) else read_csv(text, delimiters="\t")


def read_tokens(text: str) -> Iterator[Row | BadRow]:
    """Read token<TAB>label lines, an empty line between texts; more columns are left alone.

    Tokens are joined as the script asks for: Han characters and digits without a space,
    other words with one. Labels are mark names in any case, O for none; the labels of a
    token without letters or digits count for the unit before it.

    Parameters
    ----------
    text : str
        The file's text.

    Yields
    ------
    Row or BadRow
        One a text, numbered by its first line; its position is its place in the file.
    """
    block: list[tuple[int, str]] = []
    position = 0
    for number, line in enumerate([*LINE_BREAK.split(text), ""], start=1):
        if line.strip():
            block.append((number, line))
        elif block:
            position += 1
            yield _token_text(block, position)
            block = []


def _is_token_table(text: str) -> bool:
    lines = [line for line in LINE_BREAK.split(text[:20_000]) if line.strip()][:_LOOK_AT]
    if len(lines) == _LOOK_AT or len(text) > 20_000:
        lines = lines[:-1]  # the last may be cut off
    cells = [line.split("\t") for line in lines]
    labelled = sum(len(row) > 1 and row[1].strip().upper() in _LABELS for row in cells)
    return labelled > 0 and labelled >= 0.8 * len(cells)


def _token_text(block: list[tuple[int, str]], position: int) -> Row | BadRow:
    tokens: list[tuple[str, int]] = []
    for number, line in block:
        cells = line.split("\t")
        token, label = cells[0].strip(), cells[1].strip() if len(cells) > 1 else ""
        if not token or label.upper() not in _LABELS:
            why = f"there is no mark {label!r}" if token else "there is no token"
            return BadRow(block[0][0], f"line {number}: {why}")
        tokens.append((token, _LABELS[label.upper()]))
    text, ends = _join([token for token, _ in tokens])
    units = find_units(text)
    labels = bytearray(len(units))
    at = -1
    for end, (_, mark) in zip(ends, tokens, strict=True):
        while at + 1 < len(units) and units[at + 1][0] < end:
            at += 1
        if at >= 0 and _STRENGTH[mark] > _STRENGTH[labels[at]]:
            labels[at] = mark
    return Row(block[0][0], text, labels=bytes(labels), position=position)


def _join(tokens: Sequence[str]) -> tuple[str, list[int]]:
    """Join tokens; return the text and where each token ends in it."""
    pieces: list[str] = []
    ends: list[int] = []
    length = 0
    for before, token in zip(["", *tokens], tokens, strict=False):
        space = " " if before and not _close(before, token) else ""
        pieces += space, token
        length += len(space) + len(token)
        ends.append(length)
    return "".join(pieces), ends


def _close(before: str, after: str) -> bool:
    if is_han(before):
        return is_han(after) or not has_letter(after)
    return is_han(after) and not has_letter(before)


def _records(text: str, delimiter: str, *, quoted: bool = True) -> list[list[str]]:
    """Cut a table into cells. Quotes are the double ones; a tsv may hold loose ones."""
    if quoted:
        try:
            return list(csv.reader(io.StringIO(text, ""), delimiter=delimiter, strict=True))
        except csv.Error:
            if delimiter != "\t":
                raise
    plain = csv.reader(io.StringIO(text, ""), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return list(plain)


def _with_header(header: list[str], records: list[list[str]]) -> Iterator[Row | BadRow]:
    start = next(i for i, record in enumerate(records) if any(record)) + 1
    for number, record in enumerate(records[start:], start=start + 1):
        if not any(record):
            continue
        if len(record) > len(header):
            yield BadRow(number, f"has {len(record)} cells for {len(header)} columns")
            continue
        cells: dict[str, Any] = dict(zip(header, record, strict=False))
        position = cells.get("position", "").strip()
        if position and not (position.isascii() and position.isdigit() and len(position) < 12):
            yield BadRow(number, f"the position {position!r} is not a whole number")
            continue
        yield Row(
            number,
            cells.get("text", ""),
            document=cells.get("document"),
            position=int(position) if position else number,
            language=cells.get("language", "").strip() or None,
            split=cells.get("split", "").strip() or None,
            annotator=cells.get("annotator", "").strip() or None,
        )


def _one_column(records: list[list[str]]) -> Iterator[Row | BadRow]:
    for number, record in enumerate(records, start=1):
        if record and record[0].strip():
            yield Row(number, record[0], position=number)
