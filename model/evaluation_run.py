"""Measuring a model on a file of texts with reference marks, as the command line does."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from model.bootstrap import Interval
from model.evaluation import evaluate_labels
from model.evaluation_data import BadData, ReferenceText, read_texts
from model.marks import MarkSet
from model.metrics import Metrics, Score

if TYPE_CHECKING:
    from model.predictor import Predictor


def evaluate_file(
    model: "Predictor | Path | str | None",
    path: Path | str,
    *,
    mapping: str = "default",
    lowercase: bool = False,
    join: str = "turn",
    language: str | None = None,
    thresholds: Mapping[str, float] | None = None,
    column: int = 2,
    overlap: int | None = None,
    seed: int = 0,
) -> Metrics:
    """Measure a model, or a recogniser's own marks, on a file.

    Parameters
    ----------
    model : Predictor, Path, str or None
        A predictor or a model folder; None is enough with ``column=3``.
    path : Path or str
        ``.tsv``, ``.tsv.xz`` or ``.jsonl``, as `model.evaluation_data.read_texts` reads.
    mapping, lowercase, join, language
        As in `read_texts`. With ``mapping="none"`` labels are the model's own marks.
    thresholds : mapping of str to float, optional
        By mark; the model's own hold for the others.
    column : int
        2 predicts with the model; 3 takes the marks of the file's third column, so that
        a recogniser product is measured on the very same slots.
    overlap : int, optional
        Units that windows of a long text share; as the card says if None. It counts where
        `model` is a folder: a predictor has its own.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Metrics
        Over all texts of the file.

    Raises
    ------
    BadData
        The file can't be read, or has no third column.
    BrokenModel
        The folder is no model folder, or the overlap is not smaller than its windows.
    """
    if column == 3:
        texts, marks = read_texts(
            path, mapping=mapping, lowercase=lowercase, join=join, language=language
        )
        own = [text.own for text in texts if text.own is not None]
        if len(own) != len(texts):
            raise BadData(f"{path} has no third column.")
        return evaluate_labels([text.labels for text in texts], own, marks, seed=seed)
    if column != 2 or model is None:
        raise BadData("Column 2 is measured with a model, column 3 without one.")
    from model.predictor import Predictor, load_predictor

    predictor = (
        model
        if isinstance(model, Predictor)
        else load_predictor(model, bfloat16=False, overlap=overlap)
    )
    texts, marks = read_texts(
        path,
        marks=predictor.marks,
        mapping=mapping,
        lowercase=lowercase,
        join=join,
        language=language,
    )
    limits = {**predictor.card.thresholds, **(thresholds or {})}
    return evaluate_texts(predictor, texts, marks, limits, seed=seed)


def evaluate_texts(
    predictor: "Predictor",
    texts: list[ReferenceText],
    marks: MarkSet,
    thresholds: Mapping[str, float],
    *,
    seed: int = 0,
) -> Metrics:
    """Measure a predictor on texts, for example the frozen test of a round.

    Parameters
    ----------
    predictor : Predictor
        The model.
    texts : list of ReferenceText
        With labels of `marks`.
    marks : MarkSet
        What is measured; the model's probabilities are folded into it.
    thresholds : mapping of str to float
        By mark; empty puts the likeliest mark.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Metrics
        Over all texts.
    """
    from model.predictor import choose, fold_probabilities

    tables = [
        fold_probabilities(table, predictor.marks, marks)
        for table in predictor.probabilities([text.units for text in texts])
    ]
    chosen = [np.array(choose(table, marks, thresholds), dtype=np.uint8) for table in tables]
    return evaluate_labels([text.labels for text in texts], chosen, marks, tables, seed=seed)


def heading(about: Mapping[str, Any]) -> str:
    """Say in one line what was measured, on what, and how it was read.

    Parameters
    ----------
    about : mapping
        ``model``, ``data``, ``language`` (None if it was not said), ``join``, ``map``,
        ``lowercase``, and ``overlap`` (None for the model's own).

    Returns
    -------
    str
        What stands above `metrics_table`.
    """
    return (
        f"{about['model']} on {about['data']}: language {about['language'] or 'not said'}, "
        f"join {about['join']}, map {about['map']}, "
        f"{'lower-cased' if about['lowercase'] else 'case as written'}"
        + ("" if about["overlap"] is None else f", overlap {about['overlap']}")
    )


def metrics_table(metrics: Metrics) -> str:
    """Lay metrics out for a terminal: per cent, ``n/a`` with its reason where undefined.

    Parameters
    ----------
    metrics : Metrics
        What `evaluate_file` returned.

    Returns
    -------
    str
        Lines of at most 80 columns.
    """
    lines = [f"{'mark':<16}{'precision':>10}{'recall':>10}{'F1':>10}{'support':>10}"]
    rows = [*metrics.per_mark.items(), ("micro", metrics.micro), ("macro", metrics.macro)]
    lines += [_row(name, score) for name, score in [*rows, ("sentence end", metrics.sentence_end)]]
    micro = _per_cent(metrics.micro.f1) + _range(metrics.micro_interval)
    flawless = _per_cent(metrics.flawless_rate) + _range(metrics.flawless_interval)
    lines += [
        "",
        f"micro F1            {micro}",
        f"slot error rate     {_per_cent(metrics.slot_error_rate)}  "
        f"(substituted {metrics.substitutions}, missed {metrics.deletions}, "
        f"too many {metrics.insertions})",
        f"flawless texts      {flawless}",
        f"calibration error   {'n/a' if metrics.ece is None else format(metrics.ece, '.4f')}",
        f"{metrics.n_texts} texts, {metrics.n_slots} slots",
    ]
    lines += [f"n/a: {name}: {reason}" for name, reason in metrics.undefined.items()]
    return "\n".join(lines)


def _row(name: str, score: Score) -> str:
    figures = "".join(f"{_per_cent(x):>10}" for x in (score.precision, score.recall, score.f1))
    return f"{name:<16}{figures}{score.support:>10}"


def _per_cent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f}"


def _range(bounds: Interval | None) -> str:
    if bounds is None:
        return "  (95 %: n/a)"
    return f"  (95 %: {100 * bounds[0]:.1f} to {100 * bounds[1]:.1f})"
