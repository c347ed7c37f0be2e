"""What an import did, for people and for programs."""

from dataclasses import asdict, dataclass, field
from typing import Any

from labeling.rows import BadRow


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes
    ----------
    name, format : str
        The file.
    added : int
        New transcripts.
    already_there : int
        Rows whose transcript was there.
    versions_added : int
        New versions of the annotator.
    versions_already_there : int
        Rows whose marks the annotator had submitted before.
    marks_dropped : int
        Texts whose marks were left out, for no annotator was named.
    same_words : int
        New transcripts whose words the project had already, in another place.
    test : int
        New transcripts that are frozen for tests.
    other_rows : int
        Rows that are somebody else's, or were not submitted, and were passed over.
    bad_rows : list of (int, str)
        Number and reason of every row that could not be used.
    """

    name: str
    format: str
    added: int = 0
    already_there: int = 0
    versions_added: int = 0
    versions_already_there: int = 0
    marks_dropped: int = 0
    same_words: int = 0
    test: int = 0
    other_rows: int = 0
    bad_rows: list[BadRow] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, bad rows as [number, reason]."""
        return asdict(self) | {"bad_rows": [list(row) for row in self.bad_rows]}

    def __str__(self) -> str:
        """Say it in English, one thing a line."""
        nothing = not self.added and not self.versions_added
        lines = [
            f"{self.name}: nothing new; {self.already_there} transcripts were there already."
            if nothing
            else f"{self.name}: {self.added} transcripts added ({self.test} of them frozen for "
            f"tests), {self.already_there} were there already."
        ]
        if self.versions_added or self.versions_already_there:
            lines.append(
                f"{self.versions_added} versions added, "
                f"{self.versions_already_there} were there already."
            )
        if self.same_words:
            lines.append(f"{self.same_words} of the new ones have words that were there already.")
        if self.marks_dropped:
            lines.append(
                f"{self.marks_dropped} texts had marks, which were left out: "
                "name an annotator to keep them."
            )
        if self.other_rows:
            lines.append(f"{self.other_rows} rows are somebody else's or were not submitted.")
        lines += [f"Row {number} was left out: {reason}." for number, reason in self.bad_rows]
        return "\n".join(lines)
