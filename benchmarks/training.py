"""A training step, and an epoch over 20 thousand units, against PyTorch.

    python -m benchmarks.training [--model FOLDER] [--steps 12] [--rounds 5] [--units 20000]

Both sides take the same batches in float32 from the same weights, and reach the same loss, with
AdamW, clipping and one schedule of the learning rate; the first loss of each must be the same,
and every loss finite. PyTorch runs as it comes, and once with its fused AdamW. The sides live
in processes of their own and take turns, in another order each time: a turn is one step of
8 x 128 sub-tokens, or all steps of an epoch, whose times are summed up. A ratio is PyTorch's
time over ours in one round, so above 1 ours is faster. Processor seconds, which waiting for
others doesn't touch, are compared as well as the clock.

Units are Chinese characters in transcripts of 8 to 400, cut into windows and put together into
batches as rounds do it. Without a model folder, random weights of the starter's size are
trained.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.processes import USERS_OWN, Side, forget_set_up
from benchmarks.random_model import starter_sized
from benchmarks.random_transcripts import random_transcripts
from benchmarks.report import SPREAD, ran_on, spread, table
from model.card import read_card
from model.checkpoint import load_tokenizer
from model.encoding import Encoder, most_tokens
from model.processor import threads_to_use
from model.training_batches import Piece, cut_pieces, plan_batches
from model.training_settings import TrainSettings

SETTINGS = TrainSettings(marks=("NONE", "COMMA", "PERIOD", "QUESTION"))
OURS, RIVALS = "ours", ("PyTorch", "PyTorch, fused AdamW")
HEADS = (
    "what",
    "against",
    "its seconds",
    "our seconds",
    f"its time over ours: {SPREAD}",
    f"processor seconds over ours: {SPREAD}",
)
STEP_UNITS = 126  # [CLS] and [SEP] make 128
LIKE_ENOUGH = 1e-4  # of the loss: float32 sums in another order

Batch = list[Piece]


class Turn(NamedTuple):
    """What a side says of some steps: seconds of all of them, and the loss before each."""

    seconds: float
    processor: float
    losses: list[float]


class Unlike(AssertionError):
    """The sides don't do the same, so that comparing their times would say nothing."""


class _Learns(Protocol):
    def learn(self, pieces: Sequence[Piece], step: int) -> float: ...


def cut(folder: Path, texts: Sequence[str]) -> list[Piece]:
    """Cut transcripts into a model's windows, and label each slot at random."""
    card, config = read_card(folder), json.loads((folder / "config.json").read_text("utf-8"))
    marks = range(len(SETTINGS.marks or ()))
    rng = random.Random(0)
    return cut_pieces(
        [list(text) for text in texts],
        [rng.choices(marks, (16, 2, 1, 1), k=len(text)) for text in texts],
        Encoder(load_tokenizer(folder), card.lowercase),
        max_units=card.max_units,
        overlap=card.overlap,
        max_tokens=most_tokens(config),
    )


def lengths_of_an_epoch(units: int) -> list[int]:
    """Return the lengths of transcripts that have so many units in all."""
    rng = random.Random(0)
    lengths: list[int] = []
    while (left := units - sum(lengths)) > 0:
        lengths.append(min(left, rng.choice((8, 15, 30, 60, 120, 250, 400))))
    return lengths


def batches_of_an_epoch(folder: Path, units: int) -> list[Batch]:
    """Plan an epoch as a round does."""
    rng = random.Random(1)
    texts = [random_transcripts(2, n, rng)[1] for n in lengths_of_an_epoch(units)]
    pieces = cut(folder, texts)
    plan = plan_batches(
        [len(piece.ids) for piece in pieces],
        batch_size=SETTINGS.batch_size,
        least_tokens=SETTINGS.least_tokens,
        seed=0,
        epoch=0,
    )
    return [[pieces[i] for i in batch] for batch in plan]


def _learner(kind: str, folder: Path, steps: int) -> _Learns:
    if kind == OURS:
        from model.learner import Learner

        learner = Learner(folder, SETTINGS)
        learner.prepare(steps)
        return learner
    from benchmarks.torch_learner import TorchLearner

    return TorchLearner(folder, SETTINGS, steps, fused="fused" in kind)


def _serve(
    kind: str, folder: Path, steps: int, users_own: Mapping[str, str], asked: Connection
) -> None:
    forget_set_up(users_own)  # ours sets the processor up anew, PyTorch runs as it comes
    threads = threads_to_use()
    learner = _learner(kind, folder, steps)
    asked.send(threads)
    number = 0
    while (batches := asked.recv()) is not None:
        seconds = processor = 0.0
        losses = []
        for batch in batches:
            clock, computed = time.perf_counter(), time.process_time()
            losses.append(learner.learn(batch, number))
            seconds += time.perf_counter() - clock
            processor += time.process_time() - computed
            number += 1
        asked.send(Turn(seconds, processor, losses))


def check_losses(turns: Mapping[str, Turn], *, first: bool = False) -> None:
    """Refuse to compare sides that don't do the same.

    Parameters
    ----------
    turns : mapping of str to Turn
        By side, over the same batches.
    first : bool
        Nobody has learned anything before: the first losses must be the same.

    Raises
    ------
    Unlike
        A loss is not finite, or the first ones differ.
    """
    for kind, turn in turns.items():
        if not np.isfinite(turn.losses).all():
            raise Unlike(f"“{kind}” has a loss that is no number: {turn.losses}")
        ours = turns[OURS].losses[0]
        if first and abs(turn.losses[0] - ours) > LIKE_ENOUGH * abs(ours):
            raise Unlike(f"“{kind}” begins with a loss of {turn.losses[0]}, ours with {ours}.")


def take_turns(sides: Sequence[Side], batches: list[Batch], rounds: int) -> list[dict[str, Turn]]:
    """Let each side take all batches, in each of some rounds, in another order each time."""
    found = []
    for number in range(rounds):
        order = random.Random(number).sample(sides, len(sides))
        turns = {side.kind: side.ask(batches) for side in order}
        check_losses(turns)
        found.append(turns)
    return found


def rows(what: str, rounds: Sequence[Mapping[str, Turn]]) -> list[list[str]]:
    """Make the table's rows, one for each rival."""
    found = []
    for rival in RIVALS:
        theirs, ours = (
            np.array([(turns[kind].seconds, turns[kind].processor) for turns in rounds])
            for kind in (rival, OURS)
        )
        ratios = theirs / ours
        seconds = [f"{np.median(times[:, 0]):.3f}" for times in (theirs, ours)]
        found.append([what, rival, *seconds, spread(ratios[:, 0]), spread(ratios[:, 1])])
    return found


def measure(folder: Path, steps: int, rounds: int, units: int) -> list[str]:
    """Compare the sides.

    Parameters
    ----------
    folder : Path
        A BERT model folder.
    steps, rounds : int
        How often one step is taken, and how often an epoch.
    units : int
        Of an epoch.

    Returns
    -------
    list of str
        What is printed: a line that says what ran, and the table.
    """
    rng = random.Random(2)
    step = cut(folder, random_transcripts(SETTINGS.batch_size + 1, STEP_UNITS, rng)[1:])
    epoch = batches_of_an_epoch(folder, units)
    warm = [step, max(epoch, key=lambda batch: sum(len(piece.ids) for piece in batch))]
    planned = len(warm) + steps + rounds * len(epoch)
    sides = [Side(kind, _serve, kind, folder, planned, USERS_OWN) for kind in (OURS, *RIVALS)]
    begun = {side.kind: side.ask(warm) for side in sides}
    check_losses(begun, first=True)
    print("The first losses are alike; measuring.", file=sys.stderr, flush=True)
    one = take_turns(sides, [step], steps)
    whole = take_turns(sides, epoch, rounds)
    for side in sides:
        side.close()
    firsts = ", ".join(f"{turn.losses[0]:.5f}" for turn in begun.values())
    lasts = ", ".join(f"{turn.losses[-1]:.5f}" for turn in whole[-1].values())
    shape = f"{len(step)} x {max(len(piece.ids) for piece in step)}"
    return [
        f"{steps} times one step, {rounds} times an epoch; first losses {firsts}; last {lasts}; "
        + ran_on({side.kind: side.threads for side in sides}),
        *table(
            HEADS,
            rows(f"one step, {shape}", one)
            + rows(f"an epoch, {units:,} units, {len(epoch)} steps", whole),
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="a BERT folder; random weights without it")
    parser.add_argument("--steps", type=int, default=12, help="how often one step is taken")
    parser.add_argument("--rounds", type=int, default=5, help="how often an epoch is")
    parser.add_argument("--units", type=int, default=20_000, help="of an epoch")
    given = parser.parse_args()
    folder = given.model or starter_sized()
    print("\n".join(measure(folder, given.steps, given.rounds, given.units)))


if __name__ == "__main__":
    main()
