"""The benchmark of training: both sides do the same, whatever time they take for it."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.random_transcripts import random_transcripts
from benchmarks.training import (
    OURS,
    RIVALS,
    SETTINGS,
    Turn,
    Unlike,
    batches_of_an_epoch,
    check_losses,
    cut,
    lengths_of_an_epoch,
    measure,
    rows,
)

STEPS = 6


@pytest.fixture(scope="module")
def folder(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model with a temperature: whoever leaves it out has another loss."""
    from model.card import read_card, write_card

    folder = tmp_path_factory.mktemp("warm") / "tiny"
    shutil.copytree(tiny_checkpoint, folder)
    write_card(folder, read_card(folder).changed(temperature=1.7))
    return folder


@pytest.mark.parametrize("fused", [False, True])
def test_both_sides_learn_alike(folder: Path, fused: bool) -> None:
    pytest.importorskip("torch")
    from benchmarks.torch_learner import TorchLearner
    from model.learner import Learner

    ours, theirs = Learner(folder, SETTINGS), TorchLearner(folder, SETTINGS, STEPS, fused=fused)
    ours.prepare(STEPS)
    texts = random_transcripts(3, 40, random.Random(0)) + random_transcripts(2, 9, random.Random(1))
    pieces = cut(folder, texts)
    losses = [[side.learn(pieces, number) for side in (ours, theirs)] for number in range(STEPS)]
    assert np.isfinite(losses).all()
    # Later ones too: another rate, decay or clipping would show only there.
    np.testing.assert_allclose(*np.transpose(losses), rtol=2e-5)
    assert losses[-1][0] < losses[0][0] - 0.01, "nothing was learned, so steps are not compared"


def test_all_outputs_count(folder: Path) -> None:
    """Ten outputs are folded into the four marks; four of the ten would be another loss."""
    torch = pytest.importorskip("torch")
    from benchmarks.torch_learner import TorchLearner

    learner = TorchLearner(folder, SETTINGS, STEPS)
    logits = torch.zeros(1, 3, 10)
    labels = np.array([[-100, 2, -100]])
    # A full stop has four of the outputs: its own, !, ; and the end of a paragraph.
    adjusted = np.array([0.2 * 1, 3, 4, 1.5 * 1])
    adjusted[0] = 0.2 * 2  # nothing, and the dash
    assert float(learner.loss(logits, labels)) == pytest.approx(-np.log(4 / adjusted.sum()))


@pytest.mark.parametrize(
    ("theirs", "first"),
    [([1.01, 0.5], True), ([float("nan"), 0.5], True), ([1.0, float("inf")], False)],
)
def test_sides_that_differ_are_not_compared(theirs: list[float], first: bool) -> None:
    turns = {OURS: Turn(1, 1, [1.0, 0.5]), RIVALS[0]: Turn(1, 1, theirs)}
    with pytest.raises(Unlike, match=RIVALS[0]):
        check_losses(turns, first=first)
    check_losses({**turns, RIVALS[0]: Turn(1, 1, [1.00001, 0.7])}, first=first)


def test_an_epoch_has_so_many_units(folder: Path) -> None:
    lengths = lengths_of_an_epoch(1_000)
    assert sum(lengths) == 1_000
    assert len(set(lengths)) > 3
    batches = batches_of_an_epoch(folder, 1_000)
    labelled = [int((piece.labels >= 0).sum()) for batch in batches for piece in batch]
    assert sum(labelled) == 1_000, "every unit is learned from once"


def test_an_epoch_is_compared_as_a_whole() -> None:
    turns = {OURS: Turn(2, 4, [1.0]), RIVALS[0]: Turn(3, 3, [1.0]), RIVALS[1]: Turn(1, 8, [1.0])}
    faster = {**turns, OURS: Turn(1, 4, [1.0])}
    plain, fused = rows("an epoch", [turns, faster, faster])
    assert plain == [
        "an epoch",
        "PyTorch",
        "3.000",
        "1.000",
        "1.50 / 3.00 / 3.00",
        "0.75 / 0.75 / 0.75",
    ]
    assert fused[4:] == ["0.50 / 1.00 / 1.00", "2.00 / 2.00 / 2.00"]


def test_the_benchmark_runs(folder: Path) -> None:
    pytest.importorskip("torch")
    head, *lines = measure(folder, steps=1, rounds=1, units=300)
    assert "threads: " in head
    assert len(lines) == 2 + 2 * len(RIVALS)
    assert len({len(line) for line in lines}) == 1
    assert "one step, 8 x 128" in lines[2]
    assert "an epoch, 300 units" in lines[-1]
