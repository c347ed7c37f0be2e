"""The formats that transcripts come in: which one a file is, and its rows."""

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

import regex

from labeling import lines, sheets, subtitles
from labeling.errors import BadInput
from labeling.rows import BadRow, Row

FORMATS: Final = ("txt", "jsonl", "csv", "tsv", "srt", "vtt")
_BY_ENDING: Final = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".srt": "srt",
    ".vtt": "vtt",
}
_SRT_START: Final = regex.compile(r"\s*\d+\s*\r?\n\s*\d+:\d+:\d+[,.]\d+\s*-->")


def detect_format(name: str, text: str) -> str:
    """Say which format a file has: by its name's ending, or else by what it begins with.

    Parameters
    ----------
    name : str
        The file's name; may be empty.
    text : str
        The file's text.

    Returns
    -------
    str
        One of `FORMATS`. A file called ``.txt`` is plain text unless it plainly is JSON
        Lines or subtitles; so is anything that resembles nothing else.
    """
    ending = PurePath(name).suffix.lower()
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    if text.startswith("WEBVTT"):
        return "vtt"
    if _SRT_START.match(text):
        return "srt"
    first = next((line for line in text[:100_000].split("\n") if line.strip()), "")
    if first.lstrip().startswith("{") and _is_json_object(first):
        return "jsonl"
    if ending == ".txt":
        return "txt"
    if "\t" in first:
        return "tsv"
    header = [cell.strip(' "').lower() for cell in regex.split("[,;|]", first.strip())]
    return "csv" if "text" in header else "txt"


def read_rows(text: str, format: str, marks: Sequence[str]) -> Iterator[Row | BadRow]:
    """Read a file's rows.

    Parameters
    ----------
    text : str
        The file's text, as `labeling.encodings.decode` gives it.
    format : str
        One of `FORMATS`.
    marks : sequence of str
        The mark set that label ids count in where the file names none.

    Yields
    ------
    Row or BadRow
        In the file's order.

    Raises
    ------
    BadInput
        There is no such format, or the file as a whole is not in it.
    """
    if format == "txt":
        return lines.read_txt(text)
    if format == "jsonl":
        return lines.read_jsonl(text, marks)
    if format == "csv":
        return sheets.read_csv(text)
    if format == "tsv":
        return sheets.read_tsv(text)
    if format == "srt":
        return subtitles.read_srt(text)
    if format == "vtt":
        return subtitles.read_vtt(text)
    raise BadInput(
        "unknown_format",
        f"There is no format {format!r}. The formats are: auto, {', '.join(FORMATS)}.",
        format=format,
    )


def _is_json_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
