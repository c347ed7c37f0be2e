"""Measuring two models on the same texts, and what to make of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from labeling import probabilities as arrays
from labeling.words import to_set_ids
from model.comparison import Comparison
from model.evaluation import compare, evaluate_labels
from model.marks import NONE, MarkSet
from model.metrics import Metrics
from model.training_settings import Example

LANGUAGES: Final = ("en", "nl", "zh")
_UNITS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Measured:
    """What a model says of some texts, and how good that is.

    Attributes
    ----------
    labels : list of ndarray of int64, shape (n_units,)
        Ids of the mark set that was asked for.
    metrics : Metrics
    """

    labels: list[np.ndarray]
    metrics: Metrics


def measure(
    folder: Path | str,
    texts: Sequence[Example],
    marks: MarkSet,
    thresholds: Mapping[str, float] | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Measured:
    """Have a model mark texts as annotators are shown its suggestions, and count.

    Parameters
    ----------
    folder : Path or str
        A model folder.
    texts : sequence of Example
        Units, and the right ids of `marks`.
    marks : MarkSet
        What the model's own marks are folded into.
    thresholds : mapping of str to float, optional
        By mark, as a project has set them; the model's own hold for the others.
    on_progress : callable
        Gets how many texts are done, and how many there are.

    Returns
    -------
    Measured
    """
    from model.predictor import load_predictor

    predictor = load_predictor(folder, bfloat16=False)
    limits = {**predictor.card.thresholds, **(thresholds or {})}
    labels: list[np.ndarray] = []
    tables: list[np.ndarray] = []
    for batch in _batches(texts):
        for own in predictor.probabilities([text.units for text in batch]):
            shown = arrays.in_marks(own, predictor.marks.names, marks.names)
            chosen = arrays.chosen_labels(shown, marks.names, limits)
            labels.append(np.array(to_set_ids(chosen, marks.names), np.int64))
            tables.append(shown)
        on_progress(len(labels), len(texts))
    gold = gold_of(texts)
    return Measured(labels, evaluate_labels(gold, labels, marks, tables))


def gold_of(texts: Sequence[Example]) -> list[np.ndarray]:
    """Return the right ids of texts as arrays."""
    return [np.array(text.labels, np.int64) for text in texts]


def judge(
    texts: Sequence[Example], before: Measured, after: Measured, marks: MarkSet
) -> dict[str, Any]:
    """Compare two models on the same texts.

    Parameters
    ----------
    texts : sequence of Example
        The frozen test.
    before, after : Measured
        What the serving model and the new one say of them.
    marks : MarkSet
        The set of all ids.

    Returns
    -------
    dict
        Everything of `Comparison.as_dict`; ``words`` by language; ``marks``: for every mark
        the same figures with its F1 in place of the micro F1; ``worse_marks``: those that
        got worse beyond chance; ``advice``: ``promote`` (better beyond chance, and no mark
        worse), ``keep`` (worse, or some mark is) or ``undecided``.
    """
    gold = gold_of(texts)
    whole = compare(gold, before.labels, after.labels, marks)
    by_mark = {
        name: _compare_mark(i, name, gold, before.labels, after.labels)
        for i, name in enumerate(marks.names)
        if name != NONE
    }
    worse = [name for name, one in by_mark.items() if one.decisive and not one.better]
    advice = "undecided"
    if whole.decisive:
        advice = "promote" if whole.better and not worse else "keep"
    return whole.as_dict() | {
        "words": {language: whole.words(language) for language in LANGUAGES},
        "marks": {name: _f1_alone(one) for name, one in by_mark.items()},
        "worse_marks": worse,
        "advice": advice,
    }


def _compare_mark(
    mark: int,
    name: str,
    gold: Sequence[np.ndarray],
    before: Sequence[np.ndarray],
    after: Sequence[np.ndarray],
) -> Comparison:
    gold, before, after = (
        [(labels == mark).astype(np.int64) for labels in side] for side in (gold, before, after)
    )
    return compare(gold, before, after, MarkSet((NONE, name)))


def _f1_alone(one: Comparison) -> dict[str, Any]:
    return {
        "before": one.micro_before,
        "after": one.micro_after,
        "difference": one.micro_difference,
        "interval": one.micro_interval and list(one.micro_interval),
        "decisive": one.decisive,
    }


def _batches(texts: Sequence[Example]) -> list[list[Example]]:
    batches: list[list[Example]] = [[]]
    units = 0
    for text in texts:
        if units >= _UNITS_AT_ONCE:
            batches.append([])
            units = 0
        batches[-1].append(text)
        units += len(text.units)
    return [batch for batch in batches if batch]
