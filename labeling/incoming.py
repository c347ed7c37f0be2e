"""From a file's rows to texts that can be stored: checked, without marks, with their draws.

What is drawn for a transcript (its split, how many people are wanted for it, its place in
the random order) comes from a hash of what it is, so that the same text in the same place
is always drawn the same.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import regex

from labeling.projects import LANGUAGES, ProjectSettings
from labeling.rows import BadRow, Row
from labeling.words import words_hash
from model.language import detect_language
from model.marks import ALL_MARKS
from model.punctuation import parse, unmark
from model.units import find_units

LONGEST_DOCUMENT: Final = 255
# Some five hours of speech. A file without line breaks would else be one transcript that no
# page can show, and that keeps the worker from everybody's suggestions.
LONGEST_TEXT: Final = 250_000
_LARGEST_POSITION: Final = 2**31 - 1
# Every mark is punctuation, a symbol or U+2029; what has none of these need not be parsed.
_MAY_HOLD_MARKS: Final = regex.compile(r"[\p{P}\p{S}\u2029]")
UNSTORABLE: Final = regex.compile(r"[\x00\ud800-\udfff]")


@dataclass(slots=True)
class IncomingText:
    """A row that can be used.

    Attributes
    ----------
    row : Row
        As the file has it.
    text : str
        Its text without marks.
    unit_count : int
        How many slots it has.
    words : str
        Its words hash.
    labels : bytes
        Canonical ids, one a slot.
    had_marks : bool
        Whether any label is not NONE.
    document, language : str
        The row's own, or what stands in for it.
    """

    row: Row
    text: str
    unit_count: int
    words: str
    labels: bytes
    had_marks: bool
    document: str
    language: str

    @property
    def place(self) -> tuple[str, str, int]:
        """What names the transcript in its project: words, document and position."""
        return self.words, self.document, self.row.position


def usable_texts(
    rows: Iterable[Row | BadRow], name: str, language: str
) -> tuple[list[IncomingText], list[BadRow]]:
    """Sort rows into texts that can be stored, and bad rows with a reason.

    Parameters
    ----------
    rows : iterable of Row or BadRow
        As a reader gives them.
    name : str
        The document of rows that name none.
    language : str
        Of rows that name none; ``auto`` has it detected.

    Returns
    -------
    (list of IncomingText, list of BadRow)
        Both in the file's order.
    """
    good: list[IncomingText] = []
    bad: list[BadRow] = []
    for row in rows:
        if isinstance(row, BadRow):
            bad.append(row)
            continue
        if len(row.text) > LONGEST_TEXT:
            bad.append(BadRow(row.number, f"is longer than {LONGEST_TEXT} characters; cut it up"))
            continue
        count = len(find_units(row.text))
        if reason := _problem(row, count):
            bad.append(BadRow(row.number, reason))
        else:
            good.append(_text_of(row, count, name, language))
    return good, bad


def _problem(row: Row, count: int) -> str:
    document = row.document or ""
    if unstorable := UNSTORABLE.search(row.text + document):
        what = "a NUL character" if unstorable.group() == "\0" else "half a surrogate pair"
        return f"holds {what}, which cannot be stored"
    if not count:
        return "has no letter or digit that a mark could follow"
    if row.labels is not None and len(row.labels) != count:
        return f"has {len(row.labels)} labels for {count} units"
    if len(document) > LONGEST_DOCUMENT:
        return f"the document's name is longer than {LONGEST_DOCUMENT} characters"
    if not 0 <= row.position <= _LARGEST_POSITION:
        return f"the position {row.position} is not from 0 to {_LARGEST_POSITION}"
    if row.language not in (None, *LANGUAGES):
        return f"there is no language {row.language!r}"
    if row.split not in (None, "pool", "test"):
        return f"the split {row.split!r} is neither pool nor test"
    return ""


def _text_of(row: Row, count: int, name: str, language: str) -> IncomingText:
    text, labels = row.text, row.labels
    if _MAY_HOLD_MARKS.search(text):
        if labels is None:
            labels = bytes(ALL_MARKS.ids[mark] for mark in parse(text).marks)
        text = unmark(text)  # the units stay the same
    labels = labels or bytes(count)
    return IncomingText(
        row=row,
        text=text,
        unit_count=count,
        words=words_hash(text),
        labels=labels,
        had_marks=any(labels),
        document=name if row.document is None else row.document,
        language=row.language or (detect_language(text) if language == "auto" else language),
    )


def transcript_row(
    project_id: int, settings: ProjectSettings, text: IncomingText
) -> dict[str, Any]:
    """Return the columns of a new transcript, its draws among them."""
    place = "\x1f".join((text.words, text.document, str(text.row.position)))
    # A real document stays in one split, so that a test never knows its neighbours. A list of
    # texts is a document in name only, and goes text by text.
    is_document = text.row.document or "cue" in (text.row.timing or {})
    test = _lot("split", text.document if is_document else text.words) < settings.test_share
    wanted = 2 if _lot("overlap", place) < settings.overlap_share else 1
    return {
        "project_id": project_id,
        "text": text.text,
        "words_hash": text.words,
        "unit_count": text.unit_count,
        "language": text.language,
        "document": text.document,
        "position": text.row.position,
        "split": text.row.split or ("test" if test else "pool"),
        "wanted": wanted,
        "places": wanted,
        "lot": _lot("lot", place),
        "timing": text.row.timing,
    }


def _lot(purpose: str, what: str) -> float:
    """Draw a number in [0, 1) that is always the same for the same thing."""
    digest = hashlib.blake2b(f"{purpose}\x1f{what}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
