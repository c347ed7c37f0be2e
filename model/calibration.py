"""Probabilities that mean what they say, and thresholds that a person can move.

Temperature scaling after Guo et al. (2017, "On calibration of modern neural networks").
Thresholds follow the rule of `model.predictor.choose`: of the marks whose probability
reaches their threshold, the one that exceeds it by the largest factor; otherwise NONE.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import minimize_scalar

from model.marks import MarkSet

_SMALLEST: Final = 1e-9
_COLDEST, _HOTTEST = 0.1, 10.0
_GRID: Final = np.round(np.arange(0.05, 0.951, 0.01), 2)
_FEWEST_MARKS: Final = 20  # a threshold tuned on fewer would only remember them


def fit_temperature(
    probabilities: np.ndarray, labels: np.ndarray, fold: Sequence[int] | None = None
) -> float:
    """Find the temperature at which held-out labels are likeliest.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n_slots, n_marks)
        As the model gives them at temperature 1.
    labels : ndarray of int, shape (n_slots,)
        Mark ids of the reference.
    fold : sequence of int, optional
        The id that each of the model's marks counts for, where the reference has fewer of
        them. Serving divides the model's own logits and adds up afterwards, which is not the
        same as dividing the logits of the sums.

    Returns
    -------
    float
        From 0.1 to 10; what to divide the logits by. 1.0 when there are no slots.
    """
    if not len(labels):
        return 1.0
    logits = np.log(np.maximum(probabilities.astype(np.float64), _SMALLEST))
    logits -= logits.max(axis=1, keepdims=True)
    ids = np.arange(logits.shape[1]) if fold is None else np.asarray(fold)
    right = ids[None, :] == np.asarray(labels)[:, None]

    # Without folding convex in 1 / temperature, so that the bounded search finds the minimum.
    def loss(inverse: float) -> float:
        powers = np.exp(logits * inverse)
        likely = np.maximum((powers * right).sum(axis=1), np.finfo(float).tiny)
        return float((np.log(powers.sum(axis=1)) - np.log(likely)).mean())

    found = minimize_scalar(loss, bounds=(1 / _HOTTEST, 1 / _COLDEST), method="bounded")
    return float(1 / found.x)


def at_temperature(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """Return probabilities as another temperature would have given them.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n_slots, n_marks)
        At temperature 1.
    temperature : float
        Above 1 makes them more modest.

    Returns
    -------
    ndarray of float64, shape (n_slots, n_marks)
        Rows add up to 1.
    """
    logits = np.log(np.maximum(probabilities.astype(np.float64), _SMALLEST)) / temperature
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def tune_thresholds(
    probabilities: np.ndarray,
    labels: np.ndarray,
    marks: MarkSet,
    start: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Find the thresholds that give the best micro F1 on held-out text.

    Marks are tuned one after another, each over a grid of hundredths with the others
    fixed, until none moves. A mark that the reference has too rarely keeps its start.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n_slots, n_marks)
        Calibrated probabilities.
    labels : ndarray of int, shape (n_slots,)
        Mark ids of the reference.
    marks : MarkSet
        The set of the columns.
    start : mapping of str to float, optional
        Thresholds to begin with; by default 0.4, about half of a usual F1, which is
        where the best threshold lies (Lipton et al., 2014).

    Returns
    -------
    dict of float
        A threshold for each mark but NONE, between 0.05 and 0.95.
    """
    limits = np.array([(start or {}).get(name, DEFAULT_THRESHOLD) for name in marks.names[1:]])
    support = np.bincount(labels, minlength=len(marks))
    tunable = [k for k in range(1, len(marks)) if support[k] >= _FEWEST_MARKS]
    table = probabilities[:, 1:].astype(np.float64)
    # Slots where no mark could pass any threshold can only be misses, whatever is chosen.
    alive = table.max(axis=1, initial=0.0) >= _GRID[0]
    missed = int((labels[~alive] > 0).sum())
    table, labels = table[alive], labels[alive]
    for _ in range(4):
        before = limits.copy()
        for k in tunable:
            limits[k - 1] = _best_threshold(table, labels, limits, k, missed)
        if np.array_equal(before, limits):
            break
    return {name: float(limit) for name, limit in zip(marks.names[1:], limits, strict=True)}


DEFAULT_THRESHOLD: Final = 0.4


def _best_threshold(
    table: np.ndarray, labels: np.ndarray, limits: np.ndarray, k: int, missed: int
) -> float:
    """Return the threshold of mark k with the best micro F1 while the others stay.

    A slot goes to k when p_k / t exceeds the best ratio of the others and 1; that is, for
    every t below p_k / max(1, best other). So one sort of that bound gives all thresholds.
    """
    ratios = table / limits
    ratios[:, k - 1] = 0.0
    other = ratios.argmax(axis=1)
    best = ratios[np.arange(len(ratios)), other]
    without = np.where(best >= 1, other + 1, 0)  # what is chosen where k is not
    bound = table[:, k - 1] / np.maximum(best, 1.0)
    order = np.argsort(-bound, kind="stable")
    taken = np.searchsorted(-bound[order], -_GRID, side="right")  # slots that go to k at each t

    def running(flags: np.ndarray) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(flags[order])])[taken]

    right_without = (without > 0) & (without == labels)
    right = right_without.sum() - running(right_without) + running(labels == k)
    put = (without > 0).sum() - running(without > 0) + taken
    reference = (labels > 0).sum() + missed
    f1 = 2 * right / np.maximum(put + reference, 1)
    # Among equals the one nearest to where it was, so that thresholds don't wander for nothing.
    equal = np.flatnonzero(f1 >= f1.max() - 1e-12)
    return float(_GRID[equal[np.abs(_GRID[equal] - limits[k - 1]).argmin()]])


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """How one mark fares in one place of its curve.

    Attributes
    ----------
    precision, recall : float or None
        Of the mark; None where nothing is put, or nothing is there.
    rate : float
        Marks put for each 100 slots.
    """

    precision: float | None
    recall: float | None
    rate: float


def point(chosen: np.ndarray, labels: np.ndarray, mark: int) -> ThresholdPoint:
    """Count how one mark fares among those that were put.

    Parameters
    ----------
    chosen, labels : ndarray of int, shape (n_slots,)
        Mark ids put, and those of the reference.
    mark : int
        The id of the mark.

    Returns
    -------
    ThresholdPoint
    """
    put, there = chosen == mark, labels == mark
    return _point(int((put & there).sum()), int(put.sum()), int(there.sum()), len(labels))


def _point(right: int, put: int, there: int, slots: int) -> ThresholdPoint:
    return ThresholdPoint(
        precision=right / put if put else None,
        recall=right / there if there else None,
        rate=100 * put / slots if slots else 0.0,
    )


@dataclass(frozen=True)
class ThresholdCurve:
    """What moving one mark's threshold does, while the others stay.

    Attributes
    ----------
    thresholds : list of float
        From 0.05 to 0.95.
    precision, recall : list of float or None
        Of the mark at each threshold; None where nothing is put, or nothing is there.
    rate : list of float
        Marks put for each 100 slots.
    """

    thresholds: list[float]
    precision: list[float | None]
    recall: list[float | None]
    rate: list[float]

    def at(self, threshold: float) -> ThresholdPoint:
        """Return the point nearest to a threshold."""
        i = min(range(len(self.thresholds)), key=lambda i: abs(self.thresholds[i] - threshold))
        return ThresholdPoint(self.precision[i], self.recall[i], self.rate[i])


def threshold_curve(
    probabilities: Sequence[np.ndarray] | np.ndarray,
    labels: Sequence[np.ndarray] | np.ndarray,
    marks: MarkSet,
    mark: str,
    thresholds: Mapping[str, float] | None = None,
) -> ThresholdCurve:
    """Show a lead what a slider would do before it is moved.

    Parameters
    ----------
    probabilities : array of float, shape (n_slots, n_marks), or a sequence of them
        Calibrated probabilities of a held-out set.
    labels : array of int, shape (n_slots,), or a sequence of them
        Mark ids of its reference.
    marks : MarkSet
        The set of the columns.
    mark : str
        The mark whose threshold moves.
    thresholds : mapping of str to float, optional
        Where the others stand; 0.4 where not given.

    Returns
    -------
    ThresholdCurve
        One point a hundredth.
    """
    table = np.concatenate([np.asarray(p, dtype=np.float64) for p in _several(probabilities, 2)])
    gold = np.concatenate([np.asarray(g, dtype=np.int64) for g in _several(labels, 1)])
    k = marks.ids[mark]
    limits = np.array([(thresholds or {}).get(name, DEFAULT_THRESHOLD) for name in marks.names[1:]])
    ratios = table[:, 1:] / limits
    ratios[:, k - 1] = 0.0
    bound = table[:, k] / np.maximum(ratios.max(axis=1, initial=0.0), 1.0)
    reached = bound[:, None] >= _GRID
    put, right, there = reached.sum(axis=0), reached[gold == k].sum(axis=0), int((gold == k).sum())
    points = [_point(int(r), int(p), there, len(gold)) for r, p in zip(right, put, strict=True)]
    return ThresholdCurve(
        thresholds=_GRID.tolist(),
        precision=[one.precision for one in points],
        recall=[one.recall for one in points],
        rate=[one.rate for one in points],
    )


def _several(arrays: Sequence[np.ndarray] | np.ndarray, ndim: int) -> Sequence[np.ndarray]:
    return [arrays] if isinstance(arrays, np.ndarray) and arrays.ndim == ndim else list(arrays)
