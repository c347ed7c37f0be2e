"""Subtitle files, SubRip (srt) and WebVTT (vtt): cues in and out, times to the millisecond.

A cue's lines become one text with line breaks. Styling (``<i>``, ``<v Jan>``,
``{\\an8}``) is not part of what was said and is left out. A text whose lines a cue cannot
hold (an empty line ends a cue) is written with U+2028 between its lines, and read back.
"""

import html
import itertools
from collections.abc import Iterator
from typing import Any, Final

import regex

from labeling.errors import BadInput
from labeling.lines import LINE_BREAK, LINE_SEPARATOR, LONGEST_SECONDS
from labeling.rows import BadRow, Row

_STAMP: Final = r"(?:([0-9]{1,9}):)?([0-9]{1,2}):([0-9]{1,2})(?:[.,]([0-9]{1,3}))?"
_TIMES: Final = regex.compile(rf"\s*{_STAMP}[ \t]*-->[ \t]*{_STAMP}(?:[ \t]+(\S.*?))?\s*")
# Meant as times, whether or not they can be read: an arrow, and something like a time beside it.
_LIKE_TIMES: Final = regex.compile(r"\s*\d+:\d.*-->.*|.*-->\s*\d+:\d.*")
_SRT_STYLE: Final = regex.compile(r"</?(?:i|b|u|s)>|<font\b[^<>]*>|</font>|\{\\[^{}]*\}", regex.I)
_VTT_STYLE: Final = regex.compile(
    r"</?(?:c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]*)?>|<(?:\d+:)?\d\d:\d\d\.\d{3}>"
)


def read_srt(text: str) -> Iterator[Row | BadRow]:
    """Read SubRip cues; blank lines inside a cue's text are kept.

    Parameters
    ----------
    text : str
        The file's text.

    Yields
    ------
    Row or BadRow
        One a cue.

    Raises
    ------
    BadInput
        The file holds no times at all.
    """
    lines = LINE_BREAK.split(text)
    starts = [i for i, line in enumerate(lines) if _LIKE_TIMES.fullmatch(line)]
    if not starts:
        raise BadInput("no_cues", "The file holds no subtitles: no line has times in it.")
    numbers = [_number_line(lines, start) for start in starts]
    positions = _positions(numbers)
    for index, start in enumerate(starts):
        stop = len(lines)
        if index + 1 < len(starts):
            stop = starts[index + 1] - (numbers[index + 1] is not None)
        body = lines[start + 1 : stop]
        while body and not body[-1].strip():
            body.pop()
        while body and not body[0].strip():
            body.pop(0)
        said = _SRT_STYLE.sub("", "\n".join(body))
        yield _cue(index + 1, positions[index], lines[start], said)


def read_vtt(text: str) -> Iterator[Row | BadRow]:
    """Read WebVTT cues; headers, notes, styles and regions are passed over.

    Parameters
    ----------
    text : str
        The file's text.

    Yields
    ------
    Row or BadRow
        One a cue.

    Raises
    ------
    BadInput
        The file does not begin with ``WEBVTT``.
    """
    lines = LINE_BREAK.split(text)
    if not regex.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
        raise BadInput("no_webvtt", "A vtt file begins with the line WEBVTT; this one does not.")
    number = 0
    for block in _blocks(lines[1:]):
        at = next((i for i, line in enumerate(block[:2]) if "-->" in line), None)
        if at is None:
            continue
        number += 1
        said = html.unescape(_VTT_STYLE.sub("", "\n".join(block[at + 1 :])))
        yield _cue(number, number, block[at], said, block[0] if at else "")


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in [*lines, ""]:
        if line:
            block.append(line)
        elif block:
            yield block
            block = []


def _number_line(lines: list[str], start: int) -> int | None:
    before = lines[start - 1].strip() if start else ""
    return int(before) if regex.fullmatch(r"[0-9]{1,9}", before) else None


def _positions(numbers: list[int | None]) -> list[int]:
    """Return the cues' own numbers where they rise all along, or else 1, 2, 3 and on."""
    known = [number for number in numbers if number is not None]
    rises = all(a < b for a, b in itertools.pairwise(known))
    if len(known) == len(numbers) and rises:
        return known
    return list(range(1, len(numbers) + 1))


def _cue(number: int, position: int, times: str, said: str, name: str = "") -> Row | BadRow:
    match = _TIMES.fullmatch(times)
    if not match:
        return BadRow(number, f"cannot read its times: {times.strip()}")
    start, end = _milliseconds(match.groups()[:4]), _milliseconds(match.groups()[4:8])
    if end < start:
        return BadRow(number, "ends before it begins")
    if end > 1000 * LONGEST_SECONDS:
        return BadRow(number, f"cannot read its times: {times.strip()}")
    timing: dict[str, Any] = {"cue": [start / 1000, end / 1000]}
    if match.group(9):
        timing["settings"] = match.group(9)
    if name.strip() and not name.strip().isdigit():
        timing["id"] = name
    said = said.replace(LINE_SEPARATOR, "\n")
    return Row(number, said, position=position, timing=timing)


def _milliseconds(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))


class NotASubtitle(ValueError):
    """A text that cannot be written as a subtitle; the message says why."""


def cue_times(timing: dict[str, Any] | None) -> tuple[float, float]:
    """Return the start and end that a transcript's subtitle has, in seconds.

    Parameters
    ----------
    timing : dict or None
        A transcript's timing; word times serve where it was no subtitle.

    Raises
    ------
    NotASubtitle
        There are no times.
    """
    timing = timing or {}
    if cue := timing.get("cue"):
        return cue[0], cue[1]
    if words := timing.get("words"):
        return words[0][0], max(end for _, end in words)
    raise NotASubtitle("has no times")


def write_srt(number: int, text: str, timing: dict[str, Any] | None) -> str:
    """Write one SubRip cue, with the empty line after it.

    Parameters
    ----------
    number : int
        The cue's number.
    text : str
        What is said, with marks.
    timing : dict or None
        The transcript's timing.

    Returns
    -------
    str
        The cue.

    Raises
    ------
    NotASubtitle
        It has no times, or the text holds what SubRip takes for styling or times.
    """
    start, end = (_stamp(seconds, ",") for seconds in cue_times(timing))
    body = _one_block(text)
    if _SRT_STYLE.search(body):
        raise NotASubtitle("holds what srt takes for styling; jsonl and vtt can hold it")
    if any(_LIKE_TIMES.fullmatch(line) for line in body.split("\n")):
        raise NotASubtitle("holds what srt takes for times; jsonl and vtt can hold it")
    return f"{number}\n{start} --> {end}\n{body}\n\n"


def write_vtt(number: int, text: str, timing: dict[str, Any] | None) -> str:
    """Write one WebVTT cue, with the empty line after it. The file begins with ``WEBVTT``.

    Parameters and errors are `write_srt`'s, except that WebVTT can hold any text.
    """
    start, end = (_stamp(seconds, ".") for seconds in cue_times(timing))
    settings = f" {timing['settings']}" if timing and timing.get("settings") else ""
    name = timing.get("id") if timing else None
    return f"{name or number}\n{start} --> {end}{settings}\n{_escape(_one_block(text))}\n\n"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _one_block(text: str) -> str:
    lines = LINE_BREAK.split(text)
    return ("\n" if all(line.strip() for line in lines) else LINE_SEPARATOR).join(lines)


def _stamp(seconds: float, point: str) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{point}{thousandths:03d}"
