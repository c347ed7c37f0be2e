"""What goes into a training and what comes out of it; plain data, without Paddle."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

CLASS_WEIGHTS: Final = {"NONE": 0.2, "QUESTION": 1.5}  # every other mark has 1


class TrainingRefused(ValueError):
    """There is nothing to learn from, or an example is wrong.

    Parameters
    ----------
    code : str
        A short name, the key of the translated message.
    message : str
        The same in plain English.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


NOTES: Final = {
    "calibrated": "Temperature {temperature}, fitted on {slots} dev slots.",
    "tuned": "Thresholds, tuned on {marks} dev marks.",
    "too_few_to_tune": (
        "The dev texts ({slots} slots) are too few to fit a temperature or thresholds; "
        "the thresholds are the parent's, or {threshold} where it has none."
    ),
    "parent_stays": "No epoch was better on the dev texts than the parent; its weights stay.",
}


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a training that people should know.

    Attributes
    ----------
    code : str
        A short name, the key of the translated sentence.
    text : str
        The same in plain English.
    params : dict of str to str
        What the translated sentence fills in.
    """

    code: str
    text: str
    params: dict[str, str]

    @classmethod
    def of(cls, code: str, **params: str) -> "Note":
        """Make the note of `NOTES` that has this code."""
        return cls(code, NOTES[code].format(**params), params)


class Example(NamedTuple):
    """A transcript with its marks: n units, and n ids of the mark set that is trained."""

    units: list[str]
    labels: list[int]


@dataclass(frozen=True)
class TrainSettings:
    """How to fine-tune.

    Attributes
    ----------
    marks : tuple of str, or None
        The mark set of the examples' ids and of the new model; None = the parent's.
    epochs : int or None
        How often the examples are read. None: 3 times, or more often when there are few,
        until 120 steps are taken (20 times at most).
    learning_rate : float
        At its highest, after the warm-up; it falls to 0 in a straight line.
    batch_size, least_tokens : int
        Sequences in a batch, and the sub-tokens up to which short ones are put together.
    warmup : float
        Share of all steps in which the learning rate rises.
    weight_decay : float
        Of AdamW; biases and layer norms have none.
    layer_decay : float
        The learning rate of each layer as a share of that of the layer above it; 1 = alike.
    class_weights : dict of str to float
        By mark. Marks that are not named have 1.
    dropout : float
        0 by default: it is slow on a CPU, and a few epochs hardly need it.
    patience : int
        Stop after so many epochs without a better micro F1 on the dev texts.
    seed : int
        The same seed on the same machine gives the same model.
    max_units : int or None
        Of a window, of which neighbours then share as large a part as the parent's; None = the
        parent's.
    """

    marks: tuple[str, ...] | None = None
    epochs: int | None = None
    learning_rate: float = 8e-5
    batch_size: int = 8
    least_tokens: int = 512
    warmup: float = 0.1
    weight_decay: float = 0.01
    layer_decay: float = 1.0
    class_weights: dict[str, float] = field(default_factory=lambda: dict(CLASS_WEIGHTS))
    dropout: float = 0.0
    patience: int = 3
    seed: int = 0
    max_units: int | None = None


@dataclass(frozen=True)
class Progress:
    """Where a training is.

    Attributes
    ----------
    step, steps, epoch, epochs : int
        Done and planned; early stopping can end it sooner.
    loss : float
        Of the last steps, smoothed.
    dev_f1 : float or None
        Micro F1 on the dev texts at the end of the last epoch; before the first, the
        parent's.
    seconds_left : float or None
        Estimated; None before the first step.
    """

    step: int
    steps: int
    epoch: int
    epochs: int
    loss: float | None
    dev_f1: float | None
    seconds_left: float | None


@dataclass(frozen=True)
class TrainResult:
    """What came of a training.

    Attributes
    ----------
    state : str
        ``finished`` or ``cancelled`` (start again with the same data to go on).
    folder : Path
        The new model, when finished.
    steps, epochs : int
        Taken.
    best_step : int
        The step whose weights were kept; 0 = the parent's own were best.
    dev_f1_before, dev_f1_after : float or None
        Micro F1 on the dev texts of the parent and of the new model.
    history : list of dict
        ``step``, ``epoch``, ``loss``, ``dev_f1`` by epoch.
    seconds : float
        Over all starts.
    notes : list of Note
        What a person should know.
    """

    state: str
    folder: Path
    steps: int
    epochs: int
    best_step: int
    dev_f1_before: float | None
    dev_f1_after: float | None
    history: list[dict[str, Any]]
    seconds: float
    notes: list[Note]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self) | {"folder": str(self.folder)}
