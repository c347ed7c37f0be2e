"""From transcripts with labels to the lines of a file, in each format that exports have."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from labeling.lines import LINE_BREAK, LINE_SEPARATOR
from labeling.subtitles import write_srt, write_vtt
from labeling.words import to_set_ids
from labeling.written import written_text
from model.capitals import capitalize
from model.units import find_units

EXPORT_FORMATS: Final = ("jsonl", "txt", "tsv", "srt", "vtt")
BEGINNINGS: Final = {"vtt": "WEBVTT\n\n"}
_BYTE_ORDER_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class OutRow:
    """A transcript with one set of labels.

    Attributes
    ----------
    transcript_id : int
        Which.
    text : str
        Without marks.
    labels : bytes
        Canonical ids, one a slot.
    language, document : str
        As in the transcript.
    position : int
        As in the transcript.
    split : str
        pool or test.
    timing : dict or None
        As in the transcript.
    more : dict
        What a JSON row tells besides: whose the labels are and where they come from.
    """

    transcript_id: int
    text: str
    labels: bytes
    language: str
    document: str
    position: int
    split: str
    timing: dict[str, Any] | None = None
    more: dict[str, Any] = field(default_factory=dict)


Writer = Callable[[int, OutRow], tuple[str, bool]]


def writer_of(format: str, marks: Sequence[str], *, capitals: bool = False) -> Writer:
    """Return what writes rows in a format.

    Parameters
    ----------
    format : str
        One of `EXPORT_FORMATS`.
    marks : sequence of str
        The mark set to write in; what it lacks is folded.
    capitals : bool
        Whether sentences begin with a capital (txt, srt and vtt). The words are then no
        longer those of the transcript.

    Returns
    -------
    callable
        Takes a row's number, from 1, and the row. Returns its text, and whether the same
        marks can be read back. Raises `labeling.subtitles.NotASubtitle` where the row cannot
        be a subtitle.
    """
    if format == "jsonl":
        return lambda number, row: (_json(row, marks), True)
    if format == "tsv":
        return lambda number, row: (_tokens(row, marks), True)
    write = {"txt": _line, "srt": write_srt, "vtt": write_vtt}[format]

    def written(number: int, row: OutRow) -> tuple[str, bool]:
        names = [marks[i] for i in to_set_ids(row.labels, marks)]
        text, exact = written_text(row.text, names, row.language)
        return write(number, capitalize(text) if capitals else text, row.timing), exact

    return written


def _json(row: OutRow, marks: Sequence[str]) -> str:
    values = {
        "text": row.text,
        "labels": to_set_ids(row.labels, marks),
        "marks": list(marks),
        "units": find_units(row.text),
        "document": row.document,
        "position": row.position,
        "language": row.language,
        "split": row.split,
        **row.more,
    }
    if row.timing:
        values["timing"] = row.timing
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def _line(number: int, text: str, timing: dict[str, Any] | None) -> str:
    line = LINE_BREAK.sub(LINE_SEPARATOR, text) + "\n"
    # At the start of a file it would be read as the file's own mark, and not as text.
    return _BYTE_ORDER_MARK + line if number == 1 and line[0] == _BYTE_ORDER_MARK else line


def _tokens(row: OutRow, marks: Sequence[str]) -> str:
    names = [marks[i] for i in to_set_ids(row.labels, marks)]
    units = [row.text[start:end] for start, end in find_units(row.text)]
    lines = [
        f"{unit}\t{'O' if name == 'NONE' else name}\n"
        for unit, name in zip(units, names, strict=True)
    ]
    return "".join(lines) + "\n"
