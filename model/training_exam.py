"""How well a model in training does on the dev texts, and its calibration on them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from model.calibration import DEFAULT_THRESHOLD, at_temperature, fit_temperature, tune_thresholds
from model.metrics import micro_f1, text_counts
from model.training_settings import Example, Note

if TYPE_CHECKING:
    from model.learner import Learner

MEASURE: Final = "mean of windows"  # how slots are read; figures read otherwise don't compare
_FEWEST_SLOTS: Final = 2_000  # dev slots from which a temperature is worth fitting
_FEWEST_MARKS: Final = 200  # marks on them from which thresholds are worth tuning


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What the dev texts say of a model that has learned.

    Attributes
    ----------
    temperature : float
        What to divide its logits by.
    thresholds : dict of str to float
        By mark.
    f1 : float or None
        Micro F1 with both; None where the dev texts are too few for either.
    notes : tuple of Note
    """

    temperature: float
    thresholds: dict[str, float]
    f1: float | None
    notes: tuple[Note, ...]


class Exam:
    """The dev texts, and how well the learner does on them now.

    Parameters
    ----------
    learner : Learner
        What learns; asked anew each time.
    dev : sequence of Example
        May be empty.
    """

    def __init__(self, learner: "Learner", dev: Sequence[Example]):
        self._learner = learner
        self._pieces = learner.cut(dev, reading=True)
        self._lengths = [len(example.units) for example in dev]
        self.gold = [np.asarray(example.labels, dtype=np.int64) for example in dev]
        # On a few texts F1 jumps by a mark or two; how likely the right marks are is steadier.
        self.by_loss = sum(self._lengths) < _FEWEST_SLOTS
        known = learner.card.thresholds
        self.thresholds = {
            name: known.get(name, DEFAULT_THRESHOLD) for name in learner.marks.names[1:]
        }

    def take(self) -> tuple[float | None, float | None]:
        """Return micro F1 and mean loss; both None without dev texts."""
        if not self._pieces:
            return None, None
        tables = [self._folded(table) for table in self._probabilities()]
        table, gold = np.concatenate(tables), np.concatenate(self.gold)
        likelihood = np.maximum(table[np.arange(len(gold)), gold], 1e-9)
        return self._f1(tables, self.thresholds), float(-np.log(likelihood).mean())

    def calibrate(self) -> Calibrated:
        """Fit a temperature and tune thresholds, where there are enough dev texts for them."""
        gold = np.concatenate(self.gold) if self.gold else np.zeros(0, dtype=np.int64)
        if len(gold) < _FEWEST_SLOTS:
            few = {"slots": str(len(gold)), "threshold": str(DEFAULT_THRESHOLD)}
            return Calibrated(1.0, self.thresholds, None, (Note.of("too_few_to_tune", **few),))
        own = self._probabilities()
        marks, outputs = self._learner.marks, self._learner.outputs
        temperature = fit_temperature(
            np.concatenate(own), gold, [marks.fold[name] for name in outputs.names]
        )
        notes = [Note.of("calibrated", temperature=f"{temperature:.3f}", slots=str(len(gold)))]
        tables = [self._folded(at_temperature(table, temperature)) for table in own]
        thresholds = self.thresholds
        if (gold > 0).sum() >= _FEWEST_MARKS:
            thresholds = tune_thresholds(np.concatenate(tables), gold, marks, thresholds)
            notes.append(Note.of("tuned", marks=str(int((gold > 0).sum()))))
        return Calibrated(temperature, thresholds, self._f1(tables, thresholds), tuple(notes))

    def _probabilities(self) -> list[np.ndarray]:
        return self._learner.probabilities(self._pieces, self._lengths)

    def _folded(self, table: np.ndarray) -> np.ndarray:
        from model.predictor import fold_probabilities

        return fold_probabilities(table, self._learner.outputs, self._learner.marks)

    def _f1(self, tables: Sequence[np.ndarray], thresholds: dict[str, float]) -> float | None:
        from model.predictor import choose

        chosen = [np.array(choose(t, self._learner.marks, thresholds)) for t in tables]
        value = float(micro_f1(text_counts(self.gold, chosen).sum(axis=0)))
        return None if math.isnan(value) else value
