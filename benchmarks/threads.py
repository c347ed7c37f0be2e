"""Throughput with 1, 2, 4 and 8 callers at once, whose answers must be the same bits.

    python -m benchmarks.threads [--model FOLDER] [--rounds 5]

One predictor computes one batch at a time with all its threads, so more callers should neither
gain nor lose. A ratio is taken within a round.
"""

import argparse
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.random_model import random_text, starter_sized
from benchmarks.report import SPREAD, ran_on, serving_threads, spread, table
from model.predictor import load_predictor
from model.punctuate import Punctuated, punctuate

CALLERS = (1, 2, 4, 8)
TEXTS = 48
HEADS = ("callers", "chars/s", f"throughput over one caller: {SPREAD}", "answers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    predictor = load_predictor(options.model or starter_sized())
    rng = random.Random(0)
    texts = [random_text(rng, rng.choice((20, 60, 120, 200, 300))) for _ in range(TEXTS)]
    characters = sum(map(len, texts))
    expected = [punctuate([text], predictor)[0] for text in texts]
    times: dict[int, list[float]] = {callers: [] for callers in CALLERS}
    for _ in range(options.rounds):
        for callers in rng.sample(CALLERS, len(CALLERS)):
            with ThreadPoolExecutor(callers) as pool:
                started = time.perf_counter()
                answers = list(pool.map(lambda text: punctuate([text], predictor)[0], texts))
                times[callers].append(time.perf_counter() - started)
            _check(expected, answers)
    rows = []
    for callers in CALLERS:
        ratios = np.array(times[1]) / np.array(times[callers])
        speed = characters / float(np.median(times[callers]))
        rows.append([str(callers), f"{speed:,.0f}", spread(ratios), "the same bits"])
    print(f"{TEXTS} texts, {options.rounds} rounds; " + ran_on({"ours": serving_threads()}))
    print("\n".join(table(HEADS, rows)))


def _check(expected: list[Punctuated], answers: list[Punctuated]) -> None:
    for one, other in zip(expected, answers, strict=True):
        assert one.text == other.text
        assert one.probabilities.tobytes() == other.probabilities.tobytes()


if __name__ == "__main__":
    main()
