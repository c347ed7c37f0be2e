"""Build the starter: ``python -m model.starter.build --help``.

Each step can be run again by itself: ``train`` (resumable), ``write`` (the folder, with
temperature and thresholds from held-out text), ``measure`` (the tables of its card).
"""

import argparse
import json
import random
import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np

from model.calibration import at_temperature, fit_temperature, threshold_curve
from model.marks import ALL_MARKS, DEFAULT_MARKS
from model.processor import prepare_processor, usable_cores
from model.starter import CHECKPOINT, figures
from model.starter.corpora import CUT
from model.starter.recipe import Recipe
from model.starter.recognisers import cut_contractions, smooth, spoil

_ERRORS = 0.1  # a word in ten is what recognisers get wrong in calls and meetings
# F1 that a lower threshold may cost on held-out text.
_HARDLY: Final = {"PERIOD": 0.001}


def train(options: argparse.Namespace) -> None:
    """Train, or go on training, in the work folder."""
    import torch

    from model.starter.training import Run

    torch.set_num_threads(usable_cores())
    run = Run(options.data, options.work, Recipe())
    run.go(options.minutes, options.finish, options.again)


def write(options: argparse.Namespace) -> None:
    """Write the checkpoint folder from snapshots of the run, calibrated on held-out text."""
    from model.predictor import Predictor, fold_probabilities
    from model.starter.convert import read_snapshots, write_folder
    from model.starter.training import prepare

    recipe = Recipe()
    files = [options.work / f"{name}.pt" for name in options.mean]
    snapshot = read_snapshots(files)
    _, held = prepare(options.data, options.work, recipe)
    vocabulary = (options.work / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    about: dict[str, Any] = {
        # Places in longer windows than it learned from would be new to it.
        "max_units": recipe.window,
        "overlap": recipe.window * 3 // 4,  # most slots of a long text are read four times
        "base": f"intfloat/multilingual-e5-small (MIT), first {len(recipe.layers)} layers",
        "training": json.loads((options.work / "run.json").read_text()) | {"mean_of": options.mean},
    }
    shutil.rmtree(options.into, ignore_errors=True)
    write_folder(snapshot, vocabulary, options.into, about)
    predictor = Predictor(options.into, bfloat16=False)
    fold = [DEFAULT_MARKS.fold[name] for name in ALL_MARKS.names]
    tables, truths = [], []
    for language in sorted({lines.language for lines in held}):
        texts, labels = held_out_texts([lines for lines in held if lines.language == language])
        tables.append(np.concatenate(predictor.probabilities(texts)))
        truths.append(np.array([fold[i] for row in labels for i in row]))
    # That of the language in which it is the surest of itself: to be too modest harms less.
    temperature = max(
        fit_temperature(table, truth, fold) for table, truth in zip(tables, truths, strict=True)
    )
    own = at_temperature(np.concatenate(tables), temperature)
    folded = fold_probabilities(own, ALL_MARKS, DEFAULT_MARKS)
    thresholds = best_for_each(folded, np.concatenate(truths))
    about |= {"temperature": round(float(temperature), 4), "thresholds": thresholds}
    shutil.rmtree(options.into, ignore_errors=True)
    write_folder(snapshot, vocabulary, options.into, about)
    print(json.dumps({"temperature": temperature, "thresholds": thresholds}))


def best_for_each(probabilities: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Tune each mark's threshold for that mark's own F1.

    Rounds tune for micro F1 on text of their own kind. The starter meets text of any kind,
    where it is right less often; then lower thresholds serve it better (the best one is half
    of the F1 that it gives: Lipton, Elkan and Narayanaswamy, 2014). Full stops lose the most
    there, so theirs is the lowest that held-out text can hardly tell from the best.

    Parameters
    ----------
    probabilities : ndarray of float, (n, len(DEFAULT_MARKS))
        Calibrated.
    labels : ndarray of int, (n,)
        The right mark ids.

    Returns
    -------
    dict of str to float
        By mark, NONE left out.
    """
    limits = dict.fromkeys(DEFAULT_MARKS.names[1:], 0.4)
    for _ in range(3):  # a threshold moves what the others compete with
        for mark in limits:
            curve = threshold_curve(probabilities, labels, DEFAULT_MARKS, mark, limits)
            pairs = zip(curve.precision, curve.recall, strict=True)
            f1 = [2 * p * r / (p + r) if p and r else 0.0 for p, r in pairs]
            near = np.flatnonzero(np.array(f1) >= max(f1) - _HARDLY.get(mark, 0.0))
            limits[mark] = curve.thresholds[int(near[0])]
    return limits


def held_out_texts(
    held: list, texts_a_file: int = 150, seed: int = 3
) -> tuple[list[list[str]], list[list[int]]]:
    """Draw whole texts from the lines that training never saw, as recognisers would give them.

    Returns
    -------
    units, labels : list of list of str, list of list of int
        A text each: its units and canonical mark ids.
    """
    rng = random.Random(seed)
    units, labels = [], []
    for source in held:
        for _ in range(texts_a_file):
            at = rng.randrange(len(source.lines))
            count = rng.choice((1, 1, 4, 12))
            lines = source.lines[at : at + count]
            text = [unit for line in lines for unit in line[0]]
            marks = [mark for line in lines for mark in line[1]]
            if source.language != "zh":
                text, marks = smooth(text, marks, source.language, rng)
            if source.language == "en" and rng.random() < CUT:
                text, marks = cut_contractions(text, marks)
            text, marks = spoil(text, marks, source.language, rng, _ERRORS)
            units.append(text)
            labels.append(marks)
    return units, labels


def measure(options: argparse.Namespace) -> None:
    """Print every set's figures, and write them into the starter's card.

    Raises
    ------
    FileNotFoundError
        A set is not there: a card without its row would look as if it had never been there.
    """
    missing = [name for name in figures.SETS if not (options.dev / f"{name}.tsv.xz").exists()]
    if missing:
        raise FileNotFoundError(f"{options.dev} lacks {', '.join(missing)} (.tsv.xz).")
    from model.evaluation_run import evaluate_file
    from model.predictor import Predictor

    predictor = Predictor(options.into, bfloat16=False)
    rows, own = {}, {}
    print(*figures.HEAD, sep="\n", flush=True)
    for name, one in figures.SETS.items():
        path = options.dev / f"{name}.tsv.xz"
        how: Any = {"lowercase": True, "join": one.join, "language": one.language}
        rows[name] = evaluate_file(predictor, path, **how).as_dict()
        print(figures.row(name, rows[name]), flush=True)
        if one.product:
            own[name] = evaluate_file(None, path, column=3, **how).micro.f1 or 0.0
    print("", *figures.goal_rows(rows, own), sep="\n")
    if options.into.resolve() == CHECKPOINT:
        figures.write_figures(rows, own, CHECKPOINT.parent)


def main() -> None:
    """Read the command line."""
    prepare_processor()
    parser = argparse.ArgumentParser(prog="python -m model.starter.build", description=__doc__)
    steps = parser.add_subparsers(required=True)
    for step in (train, write, measure):
        sub = steps.add_parser(step.__name__, help=step.__doc__)
        sub.set_defaults(step=step)
        if step is not measure:
            sub.add_argument("--data", type=Path, required=True, help="folder of *.txt.xz files")
            sub.add_argument("--work", type=Path, required=True, help="folder of the run")
        if step is train:
            sub.add_argument("--minutes", type=float, default=600, help="stop after that long")
            sub.add_argument("--finish", type=int, default=0, help="let the rate fall over N steps")
            sub.add_argument(
                "--again", type=float, default=0.0, help="after an end, warm up to this rate again"
            )
        else:
            sub.add_argument("--into", type=Path, default=CHECKPOINT, help="the checkpoint folder")
        if step is write:
            sub.add_argument(
                "--mean",
                nargs="+",
                default=["snapshot"],
                metavar="NAME",
                help="take the mean of these snapshots of the run (snapshot-37677)",
            )
        if step is measure:
            sub.add_argument("--dev", type=Path, required=True, help="folder of *.tsv.xz sets")
    options = parser.parse_args()
    try:
        options.step(options)
    except (FileNotFoundError, ValueError) as reason:
        parser.error(str(reason))


if __name__ == "__main__":
    main()
