"""The figures that marks are judged by, and the counts that they are made of.

NONE is most of every text and easy, so no headline holds it. A figure that has no
meaning (the recall of a mark that the reference never uses) is None with its reason in
`Metrics.undefined`, never 0 or 1.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from model.bootstrap import Interval
from model.marks import MarkSet, UnknownMark

ECE_BINS: Final = 15


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 (0 to 1, None where undefined) with what they rest on.

    Attributes
    ----------
    support, predicted : int
        Slots that carry the mark in the reference, and in the prediction.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    support: int
    predicted: int


@dataclass(frozen=True)
class Metrics:
    """Everything that is said about one prediction of one set of texts.

    Attributes
    ----------
    marks : tuple of str
        The mark set, NONE first.
    per_mark : dict of Score
        By name, without NONE.
    micro : Score
        Over all marks but NONE, counted together. A wrong mark is both a false one and a
        missed one.
    macro : Score
        The mean over marks without NONE, of each figure over the marks for which it has a
        meaning: precision over those that the prediction has, recall over those that the
        reference has, F1 over those that either has. So macro F1 is the mean of the marks' F1
        (scikit-learn's ``average="macro"`` with ``zero_division=nan``), not the F1 of macro
        precision and macro recall.
    micro_interval : (float, float) or None
        95 % of the micro F1, bootstrapped over texts. None where that can't be done: with
        too few texts (one text, drawn again and again, would always be as good), or where
        all of them are alike.
    slot_error_rate : float or None
        (substitutions + deletions + insertions) / marks in the reference (Makhoul et al.,
        1999).
    sentence_end : Score
        PERIOD, QUESTION, EXCLAMATION and PARAGRAPH as one mark.
    flawless_rate, flawless_interval
        Share of texts with every slot right, and its 95 % interval.
    ece : float or None
        Expected calibration error (Naeini et al., 2015): 15 bins of equal width over the
        probability of the chosen label.
    undefined : dict of str
        The reason for each figure that is None, by its name.
    """

    marks: tuple[str, ...]
    per_mark: dict[str, Score]
    micro: Score
    macro: Score
    micro_interval: Interval | None
    slot_error_rate: float | None
    substitutions: int
    deletions: int
    insertions: int
    sentence_end: Score
    flawless_rate: float | None
    flawless_interval: Interval | None
    ece: float | None
    n_texts: int
    n_slots: int
    undefined: dict[str, str] = field(default_factory=dict)

    @property
    def sentence_end_f1(self) -> float | None:
        """F1 of the sentence ends."""
        return self.sentence_end.f1

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: figures from 0 to 1, None where undefined."""
        return asdict(self) | {
            "marks": list(self.marks),
            "micro_interval": _as_list(self.micro_interval),
            "sentence_end_f1": self.sentence_end_f1,
            "flawless_interval": _as_list(self.flawless_interval),
        }


def expected_calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Mean distance between how sure and how right, over 15 bins of equal width.

    Parameters
    ----------
    confidence : ndarray of float, shape (n_slots,)
        Probability of the label that was chosen, 0 to 1.
    right : ndarray of bool, shape (n_slots,)
        Whether that label is the reference's.

    Returns
    -------
    float
        Weighted by the slots in each bin.
    """
    bins = np.minimum((confidence * ECE_BINS).astype(np.int64), ECE_BINS - 1)
    sure = np.bincount(bins, weights=confidence, minlength=ECE_BINS)
    correct = np.bincount(bins, weights=right, minlength=ECE_BINS)
    return float(np.abs(sure - correct).sum() / len(confidence))


# Columns of `text_counts`.
TP, FP, FN, FLAWLESS = range(4)


def text_counts(gold: Sequence[np.ndarray], predicted: Sequence[np.ndarray]) -> np.ndarray:
    """Count, in each text that has slots, what micro F1 and the flawless rate are made of.

    Parameters
    ----------
    gold, predicted : sequence of array of int, shape (n_units,)
        Mark ids, 0 = NONE.

    Returns
    -------
    ndarray of int64, shape (n_texts, 4)
        Right marks, false marks, missed marks, and 1 for a text with every slot right.
    """
    lengths = np.array([len(labels) for labels in gold], dtype=np.int64)
    lengths = lengths[lengths > 0]
    text = np.repeat(np.arange(len(lengths)), lengths)
    a, b = flat(gold), flat(predicted)
    counts = np.empty((len(lengths), 4), dtype=np.int64)
    for column, slots in (
        (TP, (a > 0) & (a == b)),
        (FP, (b > 0) & (a != b)),
        (FN, (a > 0) & (a != b)),
        (FLAWLESS, a != b),
    ):
        counts[:, column] = np.bincount(text[slots], minlength=len(lengths))
    counts[:, FLAWLESS] = counts[:, FLAWLESS] == 0
    return counts


def micro_f1(counts: np.ndarray) -> np.ndarray:
    """Micro F1 of sums of `text_counts`; NaN where neither side has a mark.

    Parameters
    ----------
    counts : ndarray of int or float, shape (..., 4)
        Sums over texts.

    Returns
    -------
    ndarray of float64, shape (...)
        From 0 to 1.
    """
    twice = 2.0 * counts[..., TP]
    whole = twice + counts[..., FP] + counts[..., FN]
    return np.divide(twice, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def check_alike(
    gold: Sequence[np.ndarray], predicted: Sequence[np.ndarray], marks: MarkSet
) -> None:
    """Refuse references and predictions that can't be compared slot by slot.

    Raises
    ------
    ValueError
        The number of texts or of slots differs.
    UnknownMark
        An id is not in the set.
    """
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} texts can't be compared with {len(predicted)}.")
    for number, (a, b) in enumerate(zip(gold, predicted, strict=True), start=1):
        if len(a) != len(b):
            raise ValueError(f"Text {number} has {len(a)} slots, its prediction {len(b)}.")
    for slots in (flat(gold), flat(predicted)):
        if len(slots) and not (slots.min() >= 0 and slots.max() < len(marks)):
            worst = int(slots.max() if slots.max() >= len(marks) else slots.min())
            raise UnknownMark(f"Mark ids here go from 0 to {len(marks) - 1}; got {worst}.")


def flat(texts: Sequence[np.ndarray]) -> np.ndarray:
    """Put the mark ids of all texts behind each other, as int64."""
    return np.concatenate([np.asarray(t, dtype=np.int64).reshape(-1) for t in texts] or [_EMPTY])


_EMPTY: Final = np.empty(0, dtype=np.int64)


def score_of(
    gold: np.ndarray, predicted: np.ndarray, name: str, undefined: dict[str, str]
) -> Score:
    """Score one mark.

    Parameters
    ----------
    gold, predicted : ndarray of bool, shape (n_slots,)
        Where the mark is.
    name : str
        What `undefined` calls it.
    undefined : dict of str
        Takes the reason for each figure that has no meaning.
    """
    figures = (np.nan,) * 3
    if len(gold):
        figures = precision_recall_fscore_support(
            gold, predicted, average="binary", pos_label=True, zero_division=np.nan
        )[:3]
    return score_with_reasons(figures, int(gold.sum()), int(predicted.sum()), name, undefined)


def score_with_reasons(
    figures: Sequence[float], support: int, there: int, name: str, undefined: dict[str, str]
) -> Score:
    """Make a score of precision, recall and F1, in which NaN becomes None with its reason."""
    reasons = (
        "The prediction has none.",
        "The reference has none.",
        "Neither the reference nor the prediction has any.",
    )
    plain: list[float | None] = []
    for figure, which, reason in zip(figures, ("precision", "recall", "f1"), reasons, strict=True):
        plain.append(None if np.isnan(figure) else float(figure))
        if plain[-1] is None:
            undefined[f"{name}.{which}"] = reason
    return Score(plain[0], plain[1], plain[2], support, there)


def _as_list(pair: Interval | None) -> list[float] | None:
    return None if pair is None else list(pair)
