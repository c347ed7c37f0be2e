"""A training step, and an epoch over 20 thousand units, against PyTorch.

    python -m benchmarks.training MODEL_FOLDER [--pairs 12] [--units 20000]

Both sides start from the folder's weights, take the same batches and the same loss, AdamW
and gradient clipping. They run in two processes that take turns step by step, so that
whatever else the machine does hits both; every figure is PyTorch's time divided by
Paddle's for one pair of steps (above 1: Paddle is faster). `cpu` compares processor
seconds, which waiting for others doesn't touch; `wall` compares the clock.
"""

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

MARKS = ("NONE", "COMMA", "PERIOD", "QUESTION")
WEIGHTS = (0.2, 1.0, 1.0, 1.5)


def sequences(units: int, vocabulary: int, fixed: int | None) -> list[np.ndarray]:
    """Random token ids, of transcripts of mixed length or of one length."""
    rng = np.random.default_rng(0)
    lengths: list[int] = []
    while sum(lengths) < units:
        lengths.append(fixed or int(rng.integers(10, 257)))
    return [rng.integers(5, vocabulary, n).astype(np.int32) for n in lengths]


def paddle_step(folder: Path) -> Callable[[list[np.ndarray], int], float]:
    from model.learner import Learner
    from model.training_batches import Piece
    from model.training_settings import TrainSettings

    learner = Learner(folder, TrainSettings(marks=MARKS))
    learner.prepare(1000)

    def step(batch: list[np.ndarray], number: int) -> float:
        pieces = [Piece(ids, labels_of(ids), i, 0, len(ids)) for i, ids in enumerate(batch)]
        return learner.learn(pieces, number)

    return step


def torch_step(folder: Path) -> Callable[[list[np.ndarray], int], float]:
    import torch
    import torch.nn.functional as F

    from benchmarks.torch_bert import load_torch_bert
    from model.processor import usable_cores

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or usable_cores()))
    model = load_torch_bert(folder)
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-6, weight_decay=0.01)
    weights = torch.tensor(WEIGHTS)

    def step(batch: list[np.ndarray], number: int) -> float:
        shape = len(batch), max(map(len, batch))
        ids, labels = np.zeros(shape, np.int64), np.full(shape, -100)
        for row, sequence in enumerate(batch):
            ids[row, : len(sequence)] = sequence
            labels[row, : len(sequence)] = labels_of(sequence)
        tokens = torch.from_numpy(ids)
        mask = (tokens == 0)[:, None, None, :] * -1e4
        probabilities = model(tokens, mask)[..., : len(MARKS)]
        loss = F.cross_entropy(
            torch.log(probabilities.reshape(-1, len(MARKS)) + 1e-9),
            torch.from_numpy(labels.reshape(-1)),
            weight=weights,
        )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return float(loss)

    return step


def labels_of(ids: np.ndarray) -> np.ndarray:
    """A label at every token but the first and the last."""
    labels = (ids % 4).astype(np.int64)
    labels[[0, -1]] = -100
    return labels


def serve(side: str, folder: Path, pipe: Connection) -> None:
    """Take steps when asked; answer with wall and processor seconds."""
    step = {"paddle": paddle_step, "torch": torch_step}[side](folder)
    number = 0
    while batches := pipe.recv():
        wall, cpu = time.perf_counter(), time.process_time()
        for batch in batches:
            step(batch, number)
            number += 1
        pipe.send((time.perf_counter() - wall, time.process_time() - cpu))
        time.sleep(0.25)  # idle threads spin for a while; the other side's turn comes after


def ratios(folder: Path, turns: list[list[list[np.ndarray]]]) -> np.ndarray:
    """Wall and cpu seconds of PyTorch over Paddle, shape (turns, 2)."""
    context = multiprocessing.get_context("spawn")
    pipes, workers = {}, []
    for side in ("paddle", "torch"):
        pipes[side], theirs = context.Pipe()
        workers.append(context.Process(target=serve, args=(side, folder, theirs), daemon=True))
        workers[-1].start()
    times: dict[str, list[tuple[float, float]]] = {"paddle": [], "torch": []}
    for turn, batches in enumerate([turns[0][:2], turns[0][:2], *turns]):  # two to warm up
        for side in sorted(pipes, reverse=turn % 2 == 1):
            pipes[side].send(batches)
            seconds = pipes[side].recv()
            if turn >= 2:
                times[side].append(seconds)
            time.sleep(0.3)
    for side, worker in zip(pipes, workers, strict=True):
        pipes[side].send([])
        worker.join()
    for side, all_seconds in times.items():
        wall, cpu = np.median(all_seconds, axis=0)
        print(f"  {side:<7} median {wall:.2f} s, {cpu:.2f} processor seconds a turn")
    return np.array(times["torch"]) / np.array(times["paddle"])


def report(name: str, found: np.ndarray) -> None:
    for column, kind in enumerate(("wall", "cpu")):
        low, middle, high = np.quantile(found[:, column], [0.1, 0.5, 0.9])
        print(f"{name:<28}{kind:<6}{middle:>6.2f}x   (10 to 90 %: {low:.2f} to {high:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--units", type=int, default=20_000)
    parser.add_argument("--skip-epoch", action="store_true")
    given = parser.parse_args()
    from model.training_batches import plan_batches

    vocabulary = 5_000 if not (given.folder / "vocab.txt").is_file() else 0
    vocabulary = vocabulary or len((given.folder / "vocab.txt").read_text("utf-8").splitlines())
    one = sequences(8 * 128, vocabulary, 128)
    report("one step of 8 x 128", ratios(given.folder, [[one]] * given.pairs))
    if given.skip_epoch:
        return
    mixed = sequences(given.units, vocabulary, None)
    plan = plan_batches(
        [len(ids) for ids in mixed], batch_size=8, least_tokens=512, seed=0, epoch=0
    )
    epoch = [[mixed[i] for i in batch] for batch in plan]
    found = ratios(given.folder, [[batch] for batch in epoch])
    report(f"steps of an epoch of {given.units}", found)


if __name__ == "__main__":
    main()
