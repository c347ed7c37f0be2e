"""What each benchmark prints: a line that says what ran on how many threads, and one table."""

from collections.abc import Mapping, Sequence

import numpy as np

from model.processor import threads_to_use
from model.runtime import _MOST_THREADS

SPREAD = "min / median / max"


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
    return min(threads_to_use(), _MOST_THREADS)


def threads_of(sides: Mapping[str, int]) -> str:
    """Say how many threads each side computes with.

    Parameters
    ----------
    sides : mapping of str to int
        Threads by name.

    Returns
    -------
    str
        Such as ``threads: 2``, or with the names where not all have as many.
    """
    counts = sorted(set(sides.values()), reverse=True)
    if len(counts) == 1:
        return f"threads: {counts[0]}"
    names = {count: [name for name, n in sides.items() if n == count] for count in counts}
    return "threads: " + "; ".join(f"{count} ({', '.join(names[count])})" for count in counts)
