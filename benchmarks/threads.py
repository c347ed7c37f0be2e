"""Throughput with 1, 2, 4 and 8 callers at once, and whether their answers are the same.

python -m benchmarks.threads [--model FOLDER] [--rounds 5]
"""

import argparse
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.random_model import random_text, write_random_model
from model.predictor import load_predictor
from model.punctuate import punctuate

CALLERS = (1, 2, 4, 8)
TEXTS = 48


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    root = Path(tempfile.gettempdir()) / "interpunct-benchmarks"
    folder = options.model or write_random_model(root / "10x384", 384, 10, 12)
    predictor = load_predictor(folder)
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
            for one, other in zip(expected, answers, strict=True):
                assert one.text == other.text
                assert one.probabilities.tobytes() == other.probabilities.tobytes()
    print("| callers | chars/s | throughput over one caller: min / median / max | answers      |")
    for callers in CALLERS:
        ratios = np.array(times[1]) / np.array(times[callers])
        spread = f"{ratios.min():.2f} / {np.median(ratios):.2f} / {ratios.max():.2f}"
        speed = characters / float(np.median(times[callers]))
        print(f"| {callers:7} | {speed:7.0f} | {spread:47} | the same bits |")


if __name__ == "__main__":
    main()
