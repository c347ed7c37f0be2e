"""Characters a second of the engine, beside other ways to run the same weights.

Every engine does all of every text, and is timed from the text to the probabilities. The
tutorial loop takes one window after another, and reads each slot once where we read it up to
four times; it runs once as people run it (Paddle computes
with one thread then) and once with our processor set-up. PyTorch and ONNX Runtime take the
windows and batches that our engine makes. "Ours" is as people get it: in bfloat16 where the
processor multiplies in it, which ONNX Runtime can't on a processor; "ours, float32" is beside
it.

    python -m benchmarks.inference [--model FOLDER] [--rounds 9]

Without a model folder, random weights of the starter's size (10 layers, 384 wide) are
measured, and of a base-size encoder (12 layers, 768 wide). All engines live at once in
processes of their own and are asked in turn, in another order each round; a ratio is taken
within a round, so that what else runs on the machine weighs on both sides of it.
"""

import argparse
import random
import sys
from pathlib import Path

import numpy as np

from benchmarks.engines import Answer, start_engine
from benchmarks.random_model import random_text, starter_sized, write_random_model
from benchmarks.report import SPREAD, ran_on, spread, table
from model.processor import bfloat16_to_use

KINDS = ("ours", "ours, float32", "tutorial", "tutorial, set up", "onnxruntime", "pytorch")
HEADS = ("model", "texts", "engine", "chars/s", "seconds", f"its time over ours: {SPREAD}")


def workloads() -> dict[str, list[str]]:
    """Return the texts of each workload, by its name."""
    rng = random.Random(0)
    lengths = [rng.choice((8, 15, 30, 60, 120, 250, 400)) for _ in range(64)]
    return {
        "200 characters": [random_text(rng, 200)],
        "64 texts, 8 to 400": [random_text(rng, n) for n in lengths],
        "20,000 characters": [random_text(rng, 20_000)],
    }


def measure(
    name: str, folder: Path, rounds: int, chosen: dict[str, list[str]]
) -> tuple[dict[str, int], list[list[str]]]:
    """Ask all engines.

    Parameters
    ----------
    name : str
        Of the model, for the table.
    folder : Path
        The model.
    rounds : int
        How often each engine is asked for each workload.
    chosen : dict of str to list of str
        Texts by workload.

    Returns
    -------
    dict of str to int
        Threads by engine.
    list of list of str
        The table's rows.
    """
    engines = [start_engine(kind, folder) for kind in KINDS]
    rows = []
    for workload, texts in chosen.items():
        characters = sum(map(len, texts))
        times: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for number in range(rounds + 1):
            order = random.Random(number).sample(engines, len(engines))
            answers = {engine.kind: engine.ask(texts) for engine in order}
            check_answers(answers, characters)
            for kind, answer in answers.items() if number else ():  # the first round warms up
                times[kind].append(answer.seconds)
        for kind in KINDS:
            ratios = np.array(times[kind]) / np.array(times["ours"])
            seconds = float(np.median(times[kind]))
            speed = f"{characters / seconds:,.0f}"
            rows.append([name, workload, kind, speed, f"{seconds:.4f}", spread(ratios)])
        print(f"{name}, {workload}: measured", file=sys.stderr, flush=True)
    for engine in engines:
        engine.close()
    return {engine.kind: engine.threads for engine in engines}, rows


def check_answers(answers: dict[str, Answer], characters: int) -> None:
    """Refuse to compare engines that did not do the same.

    Parameters
    ----------
    answers : dict of str to Answer
        By engine, for the same texts.
    characters : int
        Of all the texts, each of them one unit and one sub-token.

    Raises
    ------
    AssertionError
        Somebody left characters out, or the same batches gave another answer.
    """
    for kind, answer in answers.items():
        if answer.slots != characters:
            raise AssertionError(f"“{kind}” did {answer.slots} of {characters} characters.")
    for kind in ("onnxruntime", "pytorch"):
        np.testing.assert_allclose(answers[kind].first, answers["ours, float32"].first, atol=1e-4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    chosen = workloads()
    if options.model:
        threads, rows = measure(str(options.model), options.model, options.rounds, chosen)
    else:
        threads, rows = measure("10 layers, 384", starter_sized(), options.rounds, chosen)
        short = {"200 characters": chosen["200 characters"]}
        base = write_random_model("12x768", 768, 12, 12)
        rows += measure("12 layers, 768", base, options.rounds, short)[1]
    precision = "bfloat16" if bfloat16_to_use() else "float32"
    print(f"{options.rounds} rounds; ours computes in {precision}; {ran_on(threads)}")
    print("\n".join(table(HEADS, rows)))


if __name__ == "__main__":
    main()
