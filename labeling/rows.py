"""What a file of transcripts holds, whatever its format: rows, good and bad."""

from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Row:
    """One text of a file, as it stands there.

    Attributes
    ----------
    number : int
        Where it stands, counted from 1: the line of a txt or jsonl file, the row of a
        table (its header is row 1), the first line of a token table's text, the cue of a
        subtitle file.
    text : str
        The text, with the marks that it may carry.
    labels : bytes or None
        Canonical ids, one a unit, where the file states them apart from the text.
    document : str or None
        The document that the row names; None where it names none.
    position : int
        The place in that document; the number of the row where the file says nothing.
    language : str or None
        The language that the row names.
    timing : dict or None
        ``words``: start and end in seconds of every word; ``cue``: start and end of the
        subtitle, with its ``settings`` and ``id`` where it has them.
    split : str or None
        ``pool`` or ``test``, where the row says which.
    annotator : str or None
        Whose marks they are, where the row says so.
    submitted : bool
        False for a saved version that its annotator did not submit.
    """

    number: int
    text: str
    labels: bytes | None = None
    document: str | None = None
    position: int = 0
    language: str | None = None
    timing: dict[str, Any] | None = None
    split: str | None = None
    annotator: str | None = None
    submitted: bool = True


class BadRow(NamedTuple):
    """A row that cannot be used: its number, counted as in `Row`, and why."""

    number: int
    reason: str
