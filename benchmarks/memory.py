"""Memory over thousands of calls of mixed lengths: peak and drift.

python -m benchmarks.memory [--model FOLDER] [--calls 5000]
"""

import argparse
import random
import resource
import tempfile
from pathlib import Path

from benchmarks.random_model import random_text, write_random_model
from model.predictor import load_predictor
from model.punctuate import punctuate


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--calls", type=int, default=5000)
    options = parser.parse_args()
    root = Path(tempfile.gettempdir()) / "interpunct-benchmarks"
    folder = options.model or write_random_model(root / "10x384", 384, 10, 12)
    before = resident_mb()
    predictor = load_predictor(folder)
    print(f"before loading {before:.0f} MB, loaded {resident_mb():.0f} MB")
    rng = random.Random(0)
    print("| calls | resident MB | since the last row | since one tenth |")
    tenth = last = 0.0
    step = max(1, options.calls // 10)
    for call in range(1, options.calls + 1):
        length = rng.randint(1, 300) if rng.random() < 0.1 else rng.randint(1, 60)
        punctuate([random_text(rng, length)], predictor)
        if call % step == 0:
            now = resident_mb()
            tenth = tenth or now
            print(f"| {call:5} | {now:11.1f} | {now - (last or now):18.1f} | {now - tenth:15.1f} |")
            last = now
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak {peak:.0f} MB, drift after the first tenth {last - tenth:+.1f} MB")


if __name__ == "__main__":
    main()
