"""How far people agree on marks, in figures that can be defended.

The unit is the slot; all slots of the transcripts that two or more people submitted are
pooled, NONE included, and who did not submit a transcript is missing there. Sources:

- alpha: Klaus Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, nominal.
- specific agreement: John Uebersax, "A Design-Independent Method for Measuring the
  Reliability of Psychiatric Diagnosis", Journal of Psychiatric Research 17, 1982; for two
  people it is the F1 of one against the other.
- AC1: Kilem Gwet, "Computing inter-rater reliability and its variance in the presence of
  high agreement", British Journal of Mathematical and Statistical Psychology 61, 2008.
- kappa: Jacob Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and
  Psychological Measurement 20, 1960, with scikit-learn.
- boundary similarity: `labeling.boundaries`.

All but kappa are functions of sums over transcripts, so that the bootstrap is one matrix
product. What is undefined has no value but a reason, and never 0 or 1 in its place.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from sklearn.metrics import cohen_kappa_score

from labeling.answers import MISSING, Shared
from labeling.boundaries import EDITS, boundary_edits, similarity
from labeling.coefficients import Agreement, Coefficient, MarkAgreement, PairAgreement
from model.bootstrap import interval, resampled_sums
from model.marks import NONE

RESAMPLES: Final = 1000
_NOBODY: Final = "n/a: no transcript was submitted by two or more people"
# Above this share of resamples without a value, the others do not speak for all.
_MOST_UNDEFINED: Final = 0.05


class _Columns:
    """Where each sum stands in the rows that are counted a transcript.

    With n_c people of m choosing mark c in a slot: `chosen` sums n_c, `paired`
    n_c (n_c - 1) / (m - 1), `both` n_c (n_c - 1), `either` n_c (m - 1), `share` n_c / m,
    `agreed` the share of agreeing pairs, `slots` 1, and `edits` those of all pairs.
    """

    def __init__(self, n_marks: int) -> None:
        blocks = [slice(i * n_marks, (i + 1) * n_marks) for i in range(5)]
        self.chosen, self.paired, self.both, self.either, self.share = blocks
        self.agreed, self.slots = 5 * n_marks, 5 * n_marks + 1
        self.edits = slice(5 * n_marks + 2, 5 * n_marks + 2 + len(EDITS))
        self.width = self.edits.stop


def measure_agreement(
    shared: Shared, marks: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0
) -> Agreement:
    """Measure the agreement on transcripts that two or more people submitted.

    Parameters
    ----------
    shared : Shared
        Their answers.
    marks : sequence of str
        The mark set that the answers' ids count in.
    resamples : int
        Of the bootstrap over transcripts.
    seed : int
        The same seed gives the same intervals.

    Returns
    -------
    Agreement
        Every figure that is defined, and a reason for each that is not.
    """
    at = _Columns(len(marks))
    pairs, edits = _pairs(shared, marks)
    counts = _counts(shared, at)
    counts[:, at.edits] = edits
    total = counts.sum(axis=0)
    drawn = resampled_sums(counts, resamples=resamples, seed=seed) if len(counts) > 1 else None

    def coefficient(figure: Callable[[np.ndarray], np.ndarray], reason: str) -> Coefficient:
        if not len(counts):
            return Coefficient(None, reason=_NOBODY, interval_reason=_NOBODY)
        return _coefficient(figure, total, drawn, reason)

    chosen = total[at.chosen]
    only = [name for name, n in zip(marks, chosen, strict=True) if n]
    alone = f"n/a: everybody chose {only[0] if only else NONE} in every slot"

    def by_mark(i: int, mark: str) -> MarkAgreement:
        nobody = f"n/a: nobody chose {mark}"
        return MarkAgreement(
            mark,
            int(chosen[i]),
            alpha=coefficient(lambda sums: _alpha_of(sums, at, i), alone if chosen[i] else nobody),
            specific=coefficient(lambda sums: _specific(sums, at, i), nobody),
        )

    return Agreement(
        n_annotators=len(shared.annotators),
        n_transcripts=len(shared.transcripts),
        n_slots=shared.n_slots,
        alpha=coefficient(lambda sums: _alpha(sums, at), alone),
        ac1=coefficient(lambda sums: _ac1(sums, at), alone),
        boundary=coefficient(lambda sums: similarity(sums[..., at.edits]), "n/a: nobody set marks"),
        marks=[by_mark(i, mark) for i, mark in enumerate(marks) if mark != NONE],
        pairs=pairs,
        edits={name: int(n) for name, n in zip(EDITS, total[at.edits], strict=True)},
    )


def _counts(shared: Shared, at: _Columns) -> np.ndarray:
    counts = np.zeros((len(shared.transcripts), at.width))
    if not len(counts):
        return counts
    m = shared.people[:, None].astype(np.float64)
    starts = shared.starts[:-1]
    for mark in range(at.chosen.stop):
        n = (shared.labels == mark).sum(axis=0, dtype=np.int64)
        counts[:, mark] = np.add.reduceat(n, starts)
        counts[:, at.both.start + mark] = np.add.reduceat(n * (n - 1), starts)
    chosen, both = counts[:, at.chosen], counts[:, at.both]
    counts[:, at.paired] = both / (m - 1)
    counts[:, at.either] = chosen * (m - 1)
    counts[:, at.share] = chosen / m
    counts[:, at.agreed] = (both / (m * (m - 1))).sum(axis=1)
    counts[:, at.slots] = np.diff(shared.starts)
    return counts


def _alpha(sums: np.ndarray, at: _Columns) -> np.ndarray:
    chosen = sums[..., at.chosen]
    n = chosen.sum(axis=-1)
    observed = n - sums[..., at.paired].sum(axis=-1)
    expected = n**2 - (chosen**2).sum(axis=-1)
    return _one_minus((n - 1) * observed, expected)


def _alpha_of(sums: np.ndarray, at: _Columns, mark: int) -> np.ndarray:
    n = sums[..., at.chosen].sum(axis=-1)
    own = sums[..., at.chosen][..., mark]
    observed = own - sums[..., at.paired][..., mark]
    return _one_minus((n - 1) * observed, own * (n - own))


def _specific(sums: np.ndarray, at: _Columns, mark: int) -> np.ndarray:
    both, either = sums[..., at.both][..., mark], sums[..., at.either][..., mark]
    return _one_minus(either - both, either)


def _ac1(sums: np.ndarray, at: _Columns) -> np.ndarray:
    slots = sums[..., at.slots]
    agreed = sums[..., at.agreed] / slots
    share = sums[..., at.share] / slots[..., None]
    by_chance = (share * (1 - share)).sum(axis=-1) / (share.shape[-1] - 1)
    # Gwet's figure is 1 where everybody always chose one and the same mark, which says nothing.
    alone = (share > 1 - 1e-12).any(axis=-1)
    return np.where(alone, np.nan, (agreed - by_chance) / (1 - by_chance))


def _one_minus(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, 1 - part / whole, np.nan)


def _coefficient(
    figure: Callable[[np.ndarray], np.ndarray],
    total: np.ndarray,
    drawn: np.ndarray | None,
    reason: str,
) -> Coefficient:
    value = float(figure(total))
    if np.isnan(value):
        return Coefficient(None, reason=reason, interval_reason=reason)
    if drawn is None:
        return Coefficient(value, interval_reason="n/a: it takes two or more transcripts")
    samples = figure(drawn)
    limits = interval(samples)
    if limits is None or np.isnan(samples).mean() > _MOST_UNDEFINED:
        return Coefficient(value, interval_reason="n/a: too few transcripts hold these marks")
    if limits[1] - limits[0] < 1e-9:
        return Coefficient(value, interval_reason="n/a: the transcripts are all alike in this")
    return Coefficient(value, *limits)


def _pairs(shared: Shared, marks: Sequence[str]) -> tuple[list[PairAgreement], np.ndarray]:
    """Compare every two annotators; return that, and the edits of all pairs a transcript."""
    edits = np.zeros((len(shared.transcripts), len(EDITS)))
    pairs = []
    lengths = np.diff(shared.starts)
    submitted = shared.labels[:, shared.starts[:-1]] != MISSING
    for a, b in itertools.combinations(range(len(shared.annotators)), 2):
        both = submitted[a] & submitted[b]
        if not both.any():
            continue
        slots = np.repeat(both, lengths)
        ours, theirs = shared.labels[a, slots], shared.labels[b, slots]
        starts = np.concatenate([[0], np.cumsum(lengths[both])[:-1]])
        counts = boundary_edits(ours, theirs, starts)
        edits[both] += counts
        pairs.append(
            PairAgreement(
                a=shared.annotators[a],
                b=shared.annotators[b],
                n_transcripts=int(both.sum()),
                n_slots=len(ours),
                kappa=_kappa(ours, theirs, marks),
                edits={name: int(n) for name, n in zip(EDITS, counts.sum(axis=0), strict=True)},
            )
        )
    return pairs, edits


def _kappa(a: np.ndarray, b: np.ndarray, marks: Sequence[str]) -> Coefficient:
    first = int(a[0])
    if (a == first).all() and (b == first).all():
        return Coefficient(None, reason=f"n/a: both chose {marks[first]} in every slot")
    return Coefficient(float(cohen_kappa_score(a, b, labels=list(range(len(marks))))))
