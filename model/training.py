"""Fine-tuning a checkpoint on people's corrections.

The loss weighs marks over NONE, which would make a model put marks too often and be too
sure of them. So the logarithm of each weight is added to the logits inside the loss
(Menon et al., 2021, "Long-tail learning via logit adjustment"): the weights say where to
look hardest, while the logits outside the loss stay those of honest probabilities.
"""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from model.marks import MarkSet
from model.training_batches import plan_batches
from model.training_exam import MEASURE, Exam
from model.training_settings import (
    Example,
    Note,
    Progress,
    TrainingRefused,
    TrainResult,
    TrainSettings,
)
from model.training_state import TrainState, fingerprint, forget_state, load_state, save_state

if TYPE_CHECKING:
    from model.learner import Learner

_LEAST_STEPS: Final = 120  # what a small set of transcripts needs; it is read several times then
_MOST_EPOCHS: Final = 20
_SAVE_EVERY: Final = 120.0  # seconds that a crash may cost


def fine_tune(
    parent_folder: Path | str,
    out_folder: Path | str,
    train: Sequence[Example],
    dev: Sequence[Example],
    settings: TrainSettings | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> TrainResult:
    """Fine-tune a model on labelled transcripts and save it with its card.

    Parameters
    ----------
    parent_folder : Path or str
        A model folder, or, where there is internet, the name of a PaddleNLP encoder.
    out_folder : Path or str
        Where the new model goes. A training that was stopped there goes on where it was,
        when data, settings and parent are the same.
    train, dev : sequence of Example
        What to learn from, and what to stop early, calibrate and set thresholds by. No text
        should be in both; neither may hold a frozen test.
    settings : TrainSettings, optional
        How.
    on_progress : callable, optional
        Gets a `Progress` after each step.
    should_stop : callable, optional
        Asked after each step; True stops with everything saved to go on from.

    Returns
    -------
    TrainResult
        The folder holds a model only when its state is ``finished``.

    Raises
    ------
    TrainingRefused
        No example, no mark in any example, or labels that don't fit.
    """
    settings = settings or TrainSettings()
    report, stopped = on_progress or (lambda _: None), should_stop or (lambda: False)
    _check(train, dev)  # before Paddle is loaded: who can't train should hear it at once
    from model.learner import Learner

    learner = Learner(parent_folder, settings)
    _check_ids([*train, *dev], learner.marks)
    pieces = learner.cut(train)
    batches, ends = _plan([len(piece.ids) for piece in pieces], settings)
    learner.prepare(len(batches))
    out, exam = Path(out_folder), Exam(learner, dev)
    state, best = _begun(out, learner, exam, train, dev, str(parent_folder))
    watch = _Watch(state.seconds, state.step, len(batches))

    def tell(loss: float | None) -> None:
        epoch = sum(end <= state.step for end in ends)
        left = watch.seconds_left(state.step)
        f1 = state.history[-1]["dev_f1"]
        report(Progress(state.step, len(batches), epoch, len(ends), loss, f1, left))

    def keep() -> None:
        state.seconds = watch.seconds()
        save_state(out, state, learner.weights(), best, learner.optimizer_state())

    tell(None)
    saved, smooth = time.monotonic(), None
    while state.step < len(batches) and state.without_gain < settings.patience:
        if stopped():
            keep()
            return _result("cancelled", out, state, ends, None, [])
        loss = learner.learn([pieces[i] for i in batches[state.step]], state.step)
        smooth = loss if smooth is None else 0.9 * smooth + 0.1 * loss
        state.step += 1
        if state.step in ends:
            f1, dev_loss = exam.take()
            state.history.append(
                {"step": state.step, "epoch": ends.index(state.step) + 1, "loss": smooth}
                | {"dev_f1": f1, "dev_loss": dev_loss}
            )
            if _better(f1, dev_loss, state, exam.by_loss):
                state.best_f1, state.best_loss, state.best_step = f1, dev_loss, state.step
                state.without_gain, best = 0, learner.weights()
            else:
                state.without_gain += 1
        if time.monotonic() - saved > _SAVE_EVERY:
            keep()
            saved = time.monotonic()
        tell(smooth)
    if best is not None:
        learner.use(best)
    state.seconds = watch.seconds()
    after, notes = _finish(learner, exam, out, state)
    forget_state(out)
    return _result("finished", out, state, ends, after, notes)


class _Watch:
    """Time spent, over all starts, and an estimate of what is left."""

    def __init__(self, spent: float, step: int, steps: int):
        self._spent, self._first, self._steps = spent, step, steps
        self._began = time.monotonic()

    def seconds(self) -> float:
        return self._spent + time.monotonic() - self._began

    def seconds_left(self, step: int) -> float | None:
        done = step - self._first
        if not done:
            return None
        return (time.monotonic() - self._began) / done * (self._steps - step)


def _check(train: Sequence[Example], dev: Sequence[Example]) -> None:
    if not any(len(example.units) for example in train):
        raise TrainingRefused("nothing_to_learn", "There is no transcript to learn from.")
    for what, examples in (("training", train), ("dev", dev)):
        for number, (units, labels) in enumerate(examples, start=1):
            if len(units) != len(labels):
                raise TrainingRefused(
                    "labels_do_not_fit",
                    f"{what.capitalize()} transcript {number} has {len(units)} units "
                    f"and {len(labels)} labels.",
                )
    if not any(label for example in train for label in example.labels):
        raise TrainingRefused(
            "no_mark_to_learn", "There is no mark in any of the training transcripts."
        )


def _check_ids(examples: Sequence[Example], marks: MarkSet) -> None:
    for example in examples:
        if any(not 0 <= label < len(marks) for label in example.labels):
            names = ", ".join(marks.names)
            raise TrainingRefused(
                "unknown_label", f"A label is not an id of the mark set ({names})."
            )


def _plan(lengths: list[int], settings: TrainSettings) -> tuple[list[np.ndarray], list[int]]:
    """Lay out all batches of all epochs, and the steps at which epochs end."""

    def batches_of(epoch: int) -> list[np.ndarray]:
        return plan_batches(
            lengths,
            batch_size=settings.batch_size,
            least_tokens=settings.least_tokens,
            seed=settings.seed,
            epoch=epoch,
        )

    first = batches_of(0)
    wanted = min(_MOST_EPOCHS, max(3, math.ceil(_LEAST_STEPS / len(first))))
    batches, ends = list(first), [len(first)]
    for epoch in range(1, settings.epochs or wanted):
        batches += batches_of(epoch)
        ends.append(len(batches))
    return batches, ends


def _begun(
    out: Path,
    learner: "Learner",
    exam: Exam,
    train: Sequence[Example],
    dev: Sequence[Example],
    parent: str,
) -> tuple[TrainState, dict[str, Any] | None]:
    """Go on from what an earlier start left, or begin by measuring the parent."""
    data = ((units, list(map(int, labels))) for units, labels in (*train, *dev))
    parts = [MEASURE, learner.settings, learner.card, parent, len(train), *data]
    mine = fingerprint(parts)
    found = load_state(out, mine)
    if found:
        state, weights, best, optimizer = found
        learner.use(weights)
        learner.use_optimizer(optimizer)
        return state, best
    f1, loss = exam.take()
    start = {"step": 0, "epoch": 0, "loss": None, "dev_f1": f1, "dev_loss": loss}
    best = learner.weights() if loss is not None else None
    return TrainState(mine, best_f1=f1, best_loss=loss, history=[start]), best


def _better(f1: float | None, loss: float | None, state: TrainState, by_loss: bool) -> bool:
    """Whether dev texts got better: in F1 or, where that is equal, in loss; if few, in loss.

    Without dev texts every epoch counts as better, so that the last one is kept.
    """
    if loss is None or state.best_loss is None:
        return True
    if by_loss or f1 is None or state.best_f1 is None:
        return loss < state.best_loss
    return (f1, -loss) > (state.best_f1, -state.best_loss)


def _finish(
    learner: "Learner", exam: Exam, out: Path, state: TrainState
) -> tuple[float | None, list[Note]]:
    """Calibrate where the dev texts allow it, and save the model with its card."""
    found = exam.calibrate()
    notes = list(found.notes)
    if state.best_step == 0 and exam.gold:
        notes.append(Note.of("parent_stays"))
    plain = [note.text for note in notes]
    story = {"steps": state.step, "best_step": state.best_step, "notes": plain}
    learner.save(out, found.temperature, found.thresholds, story | {"history": state.history})
    return state.best_f1 if found.f1 is None else found.f1, notes


def _result(
    how: str,
    out: Path,
    state: TrainState,
    ends: list[int],
    after: float | None,
    notes: list[Note],
) -> TrainResult:
    return TrainResult(
        state=how,
        folder=out,
        steps=state.step,
        epochs=sum(end <= state.step for end in ends),
        best_step=state.best_step,
        dev_f1_before=state.history[0]["dev_f1"],
        dev_f1_after=after,
        history=state.history,
        seconds=state.seconds,
        notes=notes,
    )
