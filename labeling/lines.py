"""Formats with one text a line: plain text and JSON Lines.

A line of plain text cannot hold a line break, so one inside a text is written as U+2028,
Unicode's own line separator, and read back as a line break. U+2029 is the PARAGRAPH mark
and stays what it is. Only CR and LF end a line, whatever else Python would split at.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import regex

from labeling.rows import BadRow, Row
from model.marks import ALL_MARKS, BY_NAME
from model.units import find_units

LINE_BREAK: Final = regex.compile(r"\r\n|\n|\r")
LINE_SEPARATOR: Final = "\u2028"
# A hundred thousand hours: more is no time in a recording, and a larger number might not be
# written as one (1e308 seconds have no milliseconds).
LONGEST_SECONDS: Final = 360_000_000
# What cannot be stored, or would end the line of a subtitle that it stands in.
_NOT_A_NAME: Final = regex.compile(r"[\x00\ud800-\udfff\n\v\f\r\x1c-\x1e\x85\u2028\u2029]|-->")


def read_txt(text: str) -> Iterator[Row]:
    """Read plain text, one text a line; lines without anything but spaces are left out.

    Parameters
    ----------
    text : str
        The file's text.

    Yields
    ------
    Row
        Spaces at the start and end of a line are part of its text.
    """
    for number, line in enumerate(LINE_BREAK.split(text), start=1):
        if line.strip():
            yield Row(number, line.replace(LINE_SEPARATOR, "\n"), position=number)


def read_jsonl(text: str, marks: Sequence[str]) -> Iterator[Row | BadRow]:
    """Read JSON Lines: an object a line, or one JSON array of such objects.

    Keys: ``text``; ``labels``, mark names or mark ids by unit, where ids count in the
    row's ``marks`` or else in `marks`; ``marks``, the names of the mark set, or without
    ``labels`` one name a unit, as `run.py punctuate --json` writes; ``document``,
    ``position``, ``language``, ``split``, ``annotator``, ``submitted``; ``words``, start and
    end in seconds of every word, or ``timing``, as exports write. Other keys are left alone.

    Parameters
    ----------
    text : str
        The file's text.
    marks : sequence of str
        The mark set that ids count in where a row names none.

    Yields
    ------
    Row or BadRow
        In the file's order.
    """
    for number, value in _objects(text):
        if isinstance(value, BadRow):
            yield value
            continue
        try:
            yield _row(number, value, marks)
        except _Unusable as error:
            yield BadRow(number, str(error))


class _Unusable(ValueError):
    """What a bad row is told."""


def _objects(text: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), start=1)
            return
        except (ValueError, RecursionError):
            pass  # an array a line is reported line by line
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            yield number, BadRow(number, f"broken JSON at column {error.colno}: {error.msg}")
        except (ValueError, RecursionError) as error:
            yield number, BadRow(number, f"broken JSON: {error}")


def _row(number: int, value: Any, marks: Sequence[str]) -> Row:
    if not isinstance(value, dict):
        raise _Unusable('not a JSON object with a "text"')
    text = value.get("text")
    if not isinstance(text, str):
        raise _Unusable('has no "text"' if text is None else '"text" is not a string')
    return Row(
        number=number,
        text=text,
        labels=_labels(value, text, marks),
        document=_optional(value, "document", str),
        position=_position(value, number),
        language=_optional(value, "language", str),
        timing=_timing(value),
        split=_optional(value, "split", str),
        annotator=_optional(value, "annotator", str),
        submitted=value.get("submitted", True) is not False,
    )


def _optional(value: dict[str, Any], key: str, kind: type) -> Any:
    found = value.get(key)
    if found is not None and not isinstance(found, kind):
        raise _Unusable(f'"{key}" is not a {"string" if kind is str else kind.__name__}')
    return found


def _position(value: dict[str, Any], number: int) -> int:
    found = value.get("position")
    if found is None:
        return number
    if isinstance(found, bool) or not isinstance(found, int):
        raise _Unusable('"position" is not a whole number')
    return found


def _labels(value: dict[str, Any], text: str, marks: Sequence[str]) -> bytes | None:
    given, own_set = value.get("labels"), value.get("marks")
    if own_set is not None and not (
        isinstance(own_set, list) and all(isinstance(name, str) for name in own_set)
    ):
        raise _Unusable('"marks" is not a list of mark names')
    if given is None:
        if own_set is None or own_set == list(marks) or len(own_set) != len(find_units(text)):
            return None
        given = own_set
    if not isinstance(given, list):
        raise _Unusable('"labels" is not a list')
    count = len(find_units(text))
    if len(given) != count:
        raise _Unusable(f"has {len(given)} labels for {count} units")
    names = own_set if own_set and value.get("labels") is not None else marks
    return bytes(_canonical(label, names) for label in given)


def _canonical(label: Any, names: Sequence[str]) -> int:
    if isinstance(label, int) and not isinstance(label, bool):
        if not 0 <= label < len(names):
            raise _Unusable(f"label {label} is not from 0 to {len(names) - 1}")
        label = names[label]
    if not isinstance(label, str) or label.upper() not in BY_NAME:
        raise _Unusable(f"there is no mark {label!r}")
    return ALL_MARKS.ids[label.upper()]


def _timing(value: dict[str, Any]) -> dict[str, Any] | None:
    found = _optional(value, "timing", dict)
    words = _optional(value, "words", list)
    timing = {key: found[key] for key in ("words", "cue") if found and key in found}
    timing |= {
        key: found[key]
        for key in ("settings", "id", "audio")
        if found and isinstance(found.get(key), str) and not _NOT_A_NAME.search(found[key])
    }
    if words:
        timing["words"] = words
    if not isinstance(timing.get("words", []), list):
        raise _Unusable('"words" is not a list')
    for start_end in [*timing.get("words", []), *([timing["cue"]] if "cue" in timing else [])]:
        if not _is_span(start_end):
            raise _Unusable("a time is not a start and an end in seconds")
    return timing or None


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(x, int | float) and not isinstance(x, bool) for x in value)
        and 0 <= value[0] <= value[1] < LONGEST_SECONDS
    )
