"""Memory over thousands of calls, of one to many texts of mixed lengths: drift and peak.

    python -m benchmarks.memory [--model FOLDER] [--calls 5000]

Resident memory is read after every call, and each tenth of the calls is a row. The model has
warmed up when the first tenth is over, for memory that a batch took is kept for the next one;
from there on it should stay where it is. A shape of a batch (texts, sub-tokens) that was never
there takes some memory once, so the shapes are counted: what grows without new ones is a leak.
Every row is also a ratio to the middle of that first tenth. The peak is that of the whole
process, what a call needs in passing included.
"""

import argparse
import multiprocessing
import random
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.random_model import random_text, starter_sized
from benchmarks.report import SPREAD, ran_on, serving_threads, spread, table
from model.predictor import Predictor
from model.punctuate import punctuate
from model.runtime import Runtime
from model.static_graph import find_static

TENTHS = 10
MOST_TEXTS = 96
HEADS = ("calls", "shapes so far", f"resident MB: {SPREAD}", f"over the first tenth: {SPREAD}")


class Watched:
    """A runtime that remembers which shapes of batches it was given."""

    def __init__(self, runtime: Runtime):
        self._runtime = runtime
        self.shapes: set[tuple[int, ...]] = set()

    def run(self, feeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        return self._runtime.run(self._noted(feeds))

    def _noted(self, feeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        for feed in feeds:
            self.shapes.add(feed.shape)
            yield feed


def texts_of_a_call(rng: random.Random) -> list[str]:
    """Make what one call brings: mostly a few short texts, now and then many, or long ones."""
    count = rng.randint(16, MOST_TEXTS) if rng.random() < 0.02 else rng.randint(1, 8)
    lengths = [rng.randint(1, 300 if rng.random() < 0.1 else 60) for _ in range(count)]
    return [random_text(rng, length) for length in lengths]


def watch(predictor: Predictor, calls: int) -> tuple[np.ndarray, list[int]]:
    """Call a model again and again.

    Parameters
    ----------
    predictor : Predictor
        The model; it is watched from then on.
    calls : int
        How often; at least `TENTHS`.

    Returns
    -------
    ndarray of float, shape (calls,)
        Resident MB after each call.
    list of int
        How many shapes of batches there had been, after each call.
    """
    watched = Watched(predictor._runtime)
    predictor._runtime = watched  # type: ignore[assignment]
    rng = random.Random(0)
    resident, shapes = np.zeros(calls), []
    for call in range(calls):
        punctuate(texts_of_a_call(rng), predictor)
        resident[call] = resident_mb()
        shapes.append(len(watched.shapes))
    return resident, shapes


def rows(
    loaded: float, resident: np.ndarray, shapes: Sequence[int], peak: float
) -> list[list[str]]:
    """Make the table's rows.

    Parameters
    ----------
    loaded, peak : float
        MB after loading, and at the most.
    resident : ndarray of float, shape (calls,)
        MB after each call.
    shapes : sequence of int
        As `watch` gives them.

    Returns
    -------
    list of list of str
        After loading, each tenth of the calls, the drift from the first to the last, the peak.
    """
    ends = [len(resident) * part // TENTHS for part in range(TENTHS + 1)]
    parts = [resident[start:end] for start, end in pairwise(ends)]
    warm = float(np.median(parts[0]))
    drift, new = parts[-1] - warm, shapes[-1] - shapes[ends[1] - 1]
    found = [["after loading", "0", f"{loaded:.1f}", f"{loaded / warm:.2f}"]]
    for end, part in zip(ends[1:], parts, strict=True):
        found.append([f"to {end}", str(shapes[end - 1]), _megabytes(part), spread(part / warm)])
    found.append(["drift, last tenth", f"+{new}", _megabytes(drift, "+"), spread(drift / warm)])
    found.append(["peak", str(shapes[-1]), f"{peak:.1f}", f"{peak / warm:.2f}"])
    return found


def _megabytes(values: np.ndarray, sign: str = "") -> str:
    return " / ".join(f"{value:{sign}.1f}" for value in np.quantile(values, [0, 0.5, 1]))


def resident_mb() -> float:
    """Return how much memory this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def peak_mb() -> float:
    """Return the most that this process ever held, and none of those that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def folder_to_measure(model: Path | None) -> Path:
    """Make sure that there is a model with its serving graph."""
    folder = model or starter_sized()
    find_static(folder)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--calls", type=int, default=5000)
    options = parser.parse_args()
    if options.calls < TENTHS:
        parser.error(f"--calls is at least {TENTHS}")
    # Elsewhere: exporting a graph takes more memory than serving it ever does.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as elsewhere:
        folder = elsewhere.submit(folder_to_measure, options.model).result()
    predictor = Predictor(folder)
    loaded = resident_mb()
    began = time.monotonic()
    resident, shapes = watch(predictor, options.calls)
    took = time.monotonic() - began
    peak = max(peak_mb(), resident.max())  # the system adds up its own count now and then
    print(
        f"{options.calls:,} calls of 1 to {MOST_TEXTS} texts in {took:,.0f} seconds; "
        + ran_on({"ours": serving_threads()})
    )
    print("\n".join(table(HEADS, rows(loaded, resident, shapes, peak))))


if __name__ == "__main__":
    main()
