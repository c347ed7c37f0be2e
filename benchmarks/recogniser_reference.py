"""How far a projected reference can be met at all: the model, the product and it, call by call.

    python -m benchmarks.recogniser_reference FILE.tsv.xz [--model FOLDER]

The file has a recogniser product's text, the marks of a transcript by hand projected onto it,
and the marks that the product put itself. The product has heard the call and the model has only
read its text. Where both fall together and still agree with each other, it is the reference
that stands elsewhere: in another transcriber's style, or displaced by the projection.

The last column is what the model reaches with the thresholds that are the best for that call
itself, which nobody can know beforehand.
"""

import argparse
import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.report import table
from model.evaluation_data import BadData, read_texts
from model.marks import MarkSet
from model.metrics import micro_f1, text_counts
from model.predictor import Predictor, choose, fold_probabilities

STARTER = Path(__file__).parent.parent / "model" / "starter" / "checkpoint"
HEADS = (
    "call", "units", "marks in 1,000: reference", "product", "model",
    "micro F1: product", "model", "model to product", "with its best thresholds",
)  # fmt: skip
COMMAS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
PERIODS = (0.26, 0.32, 0.38, 0.42, 0.5)


def best_counts(
    reference: np.ndarray,
    probabilities: np.ndarray,
    marks: MarkSet,
    thresholds: Mapping[str, float],
) -> np.ndarray:
    """Return the counts of the thresholds that suit a text best.

    Parameters
    ----------
    reference : ndarray of uint8, shape (n,)
        Mark ids.
    probabilities : ndarray of float, shape (n, marks)
        Of the model, in the order of `marks`.
    marks : MarkSet
        COMMA, PERIOD and QUESTION.
    thresholds : mapping of str to float
        Those that the others are tried beside; QUESTION, too rare to be moved, keeps its own.

    Returns
    -------
    ndarray of int, shape (4,)
        As `model.metrics.text_counts` gives them.
    """
    tried = [
        {**thresholds, "COMMA": comma, "PERIOD": period}
        for comma, period in itertools.product(COMMAS, PERIODS)
    ]
    found = [
        _counts(reference, np.array(choose(probabilities, marks, each)))
        for each in [thresholds, *tried]
    ]
    return max(found, key=lambda counts: float(np.nan_to_num(micro_f1(counts))))


def _counts(reference: np.ndarray, other: np.ndarray) -> np.ndarray:
    return text_counts([reference], [other])[0]


def _per_cent(counts: np.ndarray) -> str:
    return f"{100 * float(micro_f1(counts)):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path, default=STARTER)
    options = parser.parse_args()
    try:
        texts, marks = read_texts(options.file, lowercase=True, join="turn", language="en")
    except BadData as error:
        parser.error(str(error))
    if any(text.own is None for text in texts):
        parser.error(f"{options.file} has no third column.")
    predictor = Predictor(options.model, bfloat16=False)
    thresholds = {name: predictor.card.thresholds.get(name, 0.5) for name in marks.names[1:]}
    tables = predictor.probabilities([text.units for text in texts])
    rows, counts, density = [], [], []
    for number, (text, found) in enumerate(zip(texts, tables, strict=True), start=1):
        probabilities = fold_probabilities(found, predictor.marks, marks)
        ours = np.array(choose(probabilities, marks, thresholds), dtype=np.uint8)
        assert text.own is not None
        counts.append(
            np.stack(
                [
                    _counts(text.labels, text.own),
                    _counts(text.labels, ours),
                    _counts(text.own, ours),
                    best_counts(text.labels, probabilities, marks, thresholds),
                ]
            )
        )
        density.append([int((row > 0).sum()) for row in (text.labels, text.own, ours)])
        rows.append(_row(str(number), len(text.units), density[-1], counts[-1]))
    units = sum(len(text.units) for text in texts)
    rows.append(_row("all", units, np.sum(density, axis=0).tolist(), np.sum(counts, axis=0)))
    print("\n".join(table(HEADS, rows)))
    by_call = np.nan_to_num(micro_f1(np.array(counts)[:, :2]))
    if len(texts) > 2 and by_call.std(axis=0).all():
        together = float(np.corrcoef(by_call.T)[0, 1])
        print(f"The two figures go together over {len(texts)} calls: r = {together:.2f}")


def _row(name: str, units: int, marked: list[int], counts: np.ndarray) -> list[str]:
    per_thousand = [f"{1000 * number / units:.0f}" for number in marked]
    return [name, f"{units}", *per_thousand, *map(_per_cent, counts)]


if __name__ == "__main__":
    main()
