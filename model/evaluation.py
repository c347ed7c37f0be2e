"""How good marks are, and whether one set of marks is better than another."""

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from model.bootstrap import RESAMPLES, Interval, interval, rate_interval, resampled_sums
from model.comparison import FEWEST_TEXTS, Comparison
from model.marks import SENTENCE_END, MarkSet
from model.metrics import (
    FLAWLESS,
    Metrics,
    Score,
    check_alike,
    expected_calibration_error,
    flat,
    micro_f1,
    score_of,
    score_with_reasons,
    text_counts,
)


def evaluate_labels(
    gold: Sequence[np.ndarray],
    predicted: Sequence[np.ndarray],
    marks: MarkSet,
    probabilities: Sequence[np.ndarray] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Metrics:
    """Compare predicted marks with a reference.

    Parameters
    ----------
    gold, predicted : sequence of array of int, one a text, shape (n_units,)
        Ids of `marks`.
    marks : MarkSet
        The set that ids and columns of probabilities belong to.
    probabilities : sequence of array of float, shape (n_units, len(marks)), optional
        What the calibration error is computed from.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    Metrics
        Over all slots at once, never a mean over batches. Texts without units don't count.

    Raises
    ------
    ValueError
        The number of texts, slots or columns differs; the message names the text, from 1.
    UnknownMark
        An id is not in the set.
    """
    check_alike(gold, predicted, marks)
    slots_gold, slots_predicted = flat(gold), flat(predicted)
    counts = text_counts(gold, predicted)
    undefined: dict[str, str] = {}
    per_mark, micro, macro = _scores(slots_gold, slots_predicted, marks, undefined)
    ends = [marks.ids[name] for name in marks.names if name in SENTENCE_END]
    sentence_end = score_of(
        np.isin(slots_gold, ends), np.isin(slots_predicted, ends), "sentence_end", undefined
    )
    both = (slots_gold > 0) & (slots_predicted > 0)
    substitutions = int((both & (slots_gold != slots_predicted)).sum())
    deletions = int(((slots_gold > 0) & (slots_predicted == 0)).sum())
    insertions = int(((slots_gold == 0) & (slots_predicted > 0)).sum())
    n_texts, flawless = len(counts), int(counts[:, FLAWLESS].sum())
    if not micro.support:
        undefined["slot_error_rate"] = "The reference has no marks."
    if not n_texts:
        undefined["flawless_rate"] = "There is no text with a slot."
    return Metrics(
        marks=marks.names,
        per_mark=per_mark,
        micro=micro,
        macro=macro,
        micro_interval=_micro_interval(counts, resamples, seed, undefined),
        slot_error_rate=(
            (substitutions + deletions + insertions) / micro.support if micro.support else None
        ),
        substitutions=substitutions,
        deletions=deletions,
        insertions=insertions,
        sentence_end=sentence_end,
        flawless_rate=flawless / n_texts if n_texts else None,
        flawless_interval=rate_interval(flawless, n_texts, resamples=resamples, seed=seed),
        ece=_calibration(slots_gold, predicted, marks, probabilities, undefined),
        n_texts=n_texts,
        n_slots=len(slots_gold),
        undefined=undefined,
    )


def _scores(
    gold: np.ndarray, predicted: np.ndarray, marks: MarkSet, undefined: dict[str, str]
) -> tuple[dict[str, Score], Score, Score]:
    per_mark = {
        name: score_of(gold == i, predicted == i, name, undefined)
        for name, i in marks.ids.items()
        if i > 0
    }
    ids = list(range(1, len(marks)))
    support, there = int((gold > 0).sum()), int((predicted > 0).sum())
    micro = score_with_reasons(
        precision_recall_fscore_support(
            gold, predicted, labels=ids, average="micro", zero_division=np.nan
        )[:3]
        if len(gold)
        else (np.nan,) * 3,
        support,
        there,
        "micro",
        undefined,
    )

    def mean(name: str) -> float:
        values = [getattr(score, name) for score in per_mark.values()]
        defined = [value for value in values if value is not None]
        return float(np.mean(defined)) if defined else np.nan

    figures = mean("precision"), mean("recall"), mean("f1")
    return per_mark, micro, score_with_reasons(figures, support, there, "macro", undefined)


def _micro_interval(
    counts: np.ndarray, resamples: int, seed: int, undefined: dict[str, str]
) -> Interval | None:
    """Bootstrap the micro F1, unless that would claim a certainty that is not there."""
    n_texts = len(counts)
    if n_texts < FEWEST_TEXTS:
        undefined["micro_interval"] = f"It takes {FEWEST_TEXTS} texts to resample; got {n_texts}."
        return None
    found = interval(micro_f1(resampled_sums(counts, resamples=resamples, seed=seed)))
    if found is None:
        undefined["micro_interval"] = "There are no marks."
    elif found[0] == found[1]:
        undefined["micro_interval"] = "The texts are too much alike to resample."
        return None
    return found


def _calibration(
    gold: np.ndarray,
    predicted: Sequence[np.ndarray],
    marks: MarkSet,
    probabilities: Sequence[np.ndarray] | None,
    undefined: dict[str, str],
) -> float | None:
    if probabilities is None or not len(gold):
        undefined["ece"] = "There are no probabilities." if len(gold) else "There is no slot."
        return None
    for number, (labels, rows) in enumerate(zip(predicted, probabilities, strict=True), start=1):
        if np.shape(rows) != (len(labels), len(marks)):
            raise ValueError(
                f"Text {number} needs probabilities of shape {(len(labels), len(marks))}; "
                f"got {np.shape(rows)}."
            )
    chosen = flat(predicted)
    table = np.concatenate([np.asarray(rows, dtype=np.float64) for rows in probabilities])
    return expected_calibration_error(table[np.arange(len(chosen)), chosen], chosen == gold)


def compare(
    gold: Sequence[np.ndarray],
    before: Sequence[np.ndarray],
    after: Sequence[np.ndarray],
    marks: MarkSet,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare two predictions of the same texts by paired bootstrap.

    Parameters
    ----------
    gold, before, after : sequence of array of int, one a text, shape (n_units,)
        Ids of `marks`.
    marks : MarkSet
        The set that the ids belong to.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    Comparison
        Differences are after minus before.

    Raises
    ------
    ValueError, UnknownMark
        As `evaluate_labels`.
    """
    check_alike(gold, before, marks)
    check_alike(gold, after, marks)
    old, new = text_counts(gold, before), text_counts(gold, after)
    n_texts = len(old)
    if not n_texts:
        return Comparison(None, None, None, None, None, None, None, None, 0, False)
    sums = resampled_sums(np.hstack([old, new]), resamples=resamples, seed=seed)
    old_sums, new_sums = np.split(sums, 2, axis=1)
    f1 = [float(micro_f1(counts.sum(axis=0))) for counts in (old, new)]
    micro = [None if np.isnan(value) else value for value in f1]
    difference = None if np.isnan(f1[1] - f1[0]) else f1[1] - f1[0]
    bounds = None if difference is None else interval(micro_f1(new_sums) - micro_f1(old_sums))
    flawless = [float(counts[:, FLAWLESS].mean()) for counts in (old, new)]
    return Comparison(
        micro_before=micro[0],
        micro_after=micro[1],
        micro_difference=difference,
        micro_interval=bounds,
        flawless_before=flawless[0],
        flawless_after=flawless[1],
        flawless_difference=flawless[1] - flawless[0],
        flawless_interval=interval((new_sums - old_sums)[:, FLAWLESS] / n_texts),
        n_texts=n_texts,
        decisive=(
            n_texts >= FEWEST_TEXTS and bounds is not None and not bounds[0] <= 0 <= bounds[1]
        ),
    )
