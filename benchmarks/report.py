"""What each benchmark prints: a line that says what ran on how many threads, and one table."""

import os
from collections.abc import Mapping, Sequence

import numpy as np

from model.processor import threads_to_use
from model.runtime import _MOST_THREADS

SPREAD = "min / median / max"
# On two cores, a load of 2 before anything is measured means that half of all is waiting.
LOAD_BEFORE = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def spread(values: Sequence[float] | np.ndarray) -> str:
    """Say how far figures of one kind lie apart.

    Parameters
    ----------
    values : sequence of float
        Ratios, each taken within one round.

    Returns
    -------
    str
        As `SPREAD` says.
    """
    return " / ".join(f"{value:.2f}" for value in np.quantile(values, [0, 0.5, 1]))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out a table that is read in a terminal as well as in Markdown.

    Parameters
    ----------
    heads : sequence of str
        Of the columns.
    rows : sequence of sequence of str
        A cell for each head.

    Returns
    -------
    list of str
        Its lines, all of one width.
    """
    rule = ["-" * len(head) for head in heads]
    lines = [heads, rule, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return [
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]


def serving_threads() -> int:
    """Return how many threads a model that serves computes with."""
    return threads_to_use(_MOST_THREADS)


def ran_on(sides: Mapping[str, int]) -> str:
    """Say on how many threads each side computed, and how busy the machine was before.

    Parameters
    ----------
    sides : mapping of str to int
        Threads by name.

    Returns
    -------
    str
        Such as ``threads: 2; load before: 0.1``, with the names where not all have as many.
    """
    counts = sorted(set(sides.values()), reverse=True)
    text = str(counts[0])
    if len(counts) > 1:
        names = {count: [name for name, n in sides.items() if n == count] for count in counts}
        text = ", ".join(f"{count} ({'; '.join(names[count])})" for count in counts)
    return f"threads: {text}; load before: {LOAD_BEFORE:.1f}"
