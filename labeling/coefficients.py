"""The shape of an agreement: figures with their intervals, or with the reason for having none."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A figure with its 95 % interval, or the reasons why there is none.

    Attributes
    ----------
    value, low, high : float or None
        None where undefined.
    reason : str
        Why there is no value (``n/a: ...``), or nothing.
    interval_reason : str
        Why there is no interval, or nothing.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    interval_reason: str = ""

    def __str__(self) -> str:
        """Write it as ``0.812 (0.774 to 0.846)``, or as the reason."""
        if self.value is None:
            return self.reason
        if self.low is None or self.high is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class MarkAgreement:
    """Agreement on one mark: it against the rest.

    Attributes
    ----------
    mark : str
        Its name.
    placed : int
        How often anybody chose it.
    alpha, specific : Coefficient
        One-vs-rest alpha, and positive specific agreement.
    """

    mark: str
    placed: int
    alpha: Coefficient
    specific: Coefficient


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two annotators on what both submitted.

    Attributes
    ----------
    a, b : int
        Their ids.
    n_transcripts, n_slots : int
        What both submitted.
    kappa : Coefficient
        Cohen's kappa, without an interval.
    edits : dict of str to int
        `labeling.boundaries.EDITS`.
    """

    a: int
    b: int
    n_transcripts: int
    n_slots: int
    kappa: Coefficient
    edits: dict[str, int]


@dataclass(frozen=True)
class Agreement:
    """What can be said of the agreement on some transcripts.

    Attributes
    ----------
    n_annotators, n_transcripts, n_slots : int
        How much there was to agree on.
    alpha, ac1, boundary : Coefficient
        Over all marks.
    marks : list of MarkAgreement
        The marks but NONE, in the set's order.
    pairs : list of PairAgreement
        Pairs who have a transcript in common.
    edits : dict of str to int
        The edits of all pairs.
    """

    n_annotators: int
    n_transcripts: int
    n_slots: int
    alpha: Coefficient
    ac1: Coefficient
    boundary: Coefficient
    marks: list[MarkAgreement] = field(default_factory=list)
    pairs: list[PairAgreement] = field(default_factory=list)
    edits: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)
