"""Characters a second of the engine, beside other ways to run the same weights.

The tutorial loop runs once as people run it and once with our processor set-up. "Ours" is as
people get it: in bfloat16 where the processor multiplies in it, which ONNX Runtime can't on a
processor; "ours, float32" is beside it.

    python -m benchmarks.inference [--model FOLDER] [--rounds 9]

Without a model folder, random weights of the starter's size (10 layers, 384 wide) are
measured, and of a base-size encoder (12 layers, 768 wide). All engines live at once in
processes of their own and are asked in turn, in another order each round; a ratio is taken
within a round, so that what else runs on the machine weighs on both sides of it.
"""

import argparse
import random
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.engines import Engine
from benchmarks.random_model import random_text, write_random_model
from model.processor import bfloat16_to_use

KINDS = ("ours", "ours, float32", "tutorial", "tutorial, set up", "onnxruntime", "pytorch")


def workloads() -> dict[str, list[str]]:
    rng = random.Random(0)
    lengths = [rng.choice((8, 15, 30, 60, 120, 250, 400)) for _ in range(64)]
    return {
        "200 characters": [random_text(rng, 200)],
        "64 texts, 8 to 400": [random_text(rng, n) for n in lengths],
        "20,000 characters": [random_text(rng, 20_000)],
    }


def measure(folder: Path, rounds: int, names: list[str]) -> None:
    rng = random.Random(1)
    engines = [Engine(kind, folder) for kind in KINDS]
    print("ours computes in", "bfloat16" if bfloat16_to_use() else "float32")
    print(f"| {'workload':19} | {'engine':16} | chars/s | median s | min / median / max of ")
    print("|                     |                  |         |          | its time over ours    |")
    for name, texts in workloads().items():
        if name not in names:
            continue
        characters = sum(map(len, texts))
        times: dict[str, list[float]] = {kind: [] for kind in KINDS}
        answers: dict[str, np.ndarray] = {}
        for number in range(rounds + 1):
            for engine in rng.sample(engines, len(engines)):
                seconds, rows = engine.seconds(texts)
                answers[engine.kind] = rows
                if number:  # the first round warms up
                    times[engine.kind].append(seconds)
        for kind in ("onnxruntime", "pytorch"):  # or the ratios would mean nothing
            np.testing.assert_allclose(answers[kind], answers["ours, float32"], atol=1e-4)
        for kind in KINDS:
            ratios = np.array(times[kind]) / np.array(times["ours"])
            median = float(np.median(times[kind]))
            spread = f"{ratios.min():.2f} / {np.median(ratios):.2f} / {ratios.max():.2f}"
            print(
                f"| {name:19} | {kind:16} | {characters / median:7.0f} | {median:8.4f} | {spread}"
            )
    for engine in engines:
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if options.model:
        measure(options.model, options.rounds, list(workloads()))
        return
    root = Path(tempfile.gettempdir()) / "interpunct-benchmarks"
    print("10 layers, 384 wide, random weights")
    measure(write_random_model(root / "10x384", 384, 10, 12), options.rounds, list(workloads()))
    print("12 layers, 768 wide, random weights")
    measure(write_random_model(root / "12x768", 768, 12, 12), options.rounds, ["200 characters"])


if __name__ == "__main__":
    main()
