"""Cutting a long text into windows, and saying how much each slot takes from which of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MAX_UNITS = 256
OVERLAP = 32

# Beyond some units of context more of it hardly makes an answer better; and a slot that has none
# on its right weighs next to nothing, but not nothing, since no other window may hold it.
_LEAST, _ENOUGH = 2**-6, 16


@dataclass(frozen=True, slots=True)
class Window:
    """Units start to stop of a text go through the model together."""

    start: int
    stop: int


def plan_windows(
    lengths: Sequence[int],
    max_units: int = MAX_UNITS,
    overlap: int = OVERLAP,
    max_tokens: int = 510,
) -> list[Window]:
    """Plan windows over a text.

    Parameters
    ----------
    lengths : sequence of int
        Sub-tokens of each of the n units; each at least 1.
    max_units, overlap : int
        Units of a window, and units that neighbouring windows share.
    max_tokens : int
        Sub-tokens that the model takes, special ones not counted. A window that would
        hold more ends earlier; one unit alone is never cut, so no length may exceed it.

    Returns
    -------
    list of Window
        In order, each beginning and ending after the one before; empty for an empty text.

    Raises
    ------
    ValueError
        A unit is longer than `max_tokens`, or the overlap is not smaller than the window.
    """
    if not 0 <= overlap < max_units:
        raise ValueError("The overlap must be smaller than the window, and not negative.")
    if any(length > max_tokens for length in lengths):
        raise ValueError(f"A unit has more than the {max_tokens} sub-tokens that the model takes.")
    windows = []
    start, n = 0, len(lengths)
    while start < n:
        stop, tokens = start, 0
        while stop < n and stop - start < max_units and tokens + lengths[stop] <= max_tokens:
            tokens += lengths[stop]
            stop += 1
        windows.append(Window(start, stop))
        if stop == n:
            break
        wanted = _overlap_of(stop - start, max_units, overlap)
        start = stop - _shared(lengths[start:stop], wanted, max_tokens - lengths[stop])
    return windows


def shares(windows: Sequence[Window]) -> list[np.ndarray]:
    """Say what share of its answer each slot takes from each window that holds it.

    Logits are what is shared, so that the answer is a weighted geometric mean of the windows'
    probabilities, and a temperature comes to the same before and after. A slot weighs a window
    by the units between it and that window's nearer edge, up to 16.

    With an overlap of three quarters most slots of a long text are read four times, each time
    with other context, and the mean of such answers is right more often than one of them, as that
    of several models is (Lakshminarayanan et al., 2017, https://arxiv.org/abs/1612.01474).

    Parameters
    ----------
    windows : sequence of Window
        All windows of one text, as `plan_windows` gives them.

    Returns
    -------
    list of ndarray of float32, (stop - start,)
        One a window. What a slot takes from all windows adds up to 1; exactly 1 where only
        one holds it.
    """
    weights = [np.clip(context, _LEAST, _ENOUGH) for context in _contexts(windows)]
    total = np.zeros(windows[-1].stop if windows else 0)
    for window, weight in zip(windows, weights, strict=True):
        total[window.start : window.stop] += weight
    return [
        (weight / total[window.start : window.stop]).astype(np.float32)
        for window, weight in zip(windows, weights, strict=True)
    ]


def own_slots(windows: Sequence[Window]) -> list[range]:
    """Give each slot to the one window in which it is farthest from that window's edges.

    Parameters
    ----------
    windows : sequence of Window
        All windows of one text, as `plan_windows` gives them.

    Returns
    -------
    list of range
        One a window, within it; together they are all slots of the text, each once.
    """
    n = windows[-1].stop if windows else 0
    farthest, owner = np.full(n, -1), np.zeros(n, np.int64)
    for i, (window, context) in enumerate(zip(windows, _contexts(windows), strict=True)):
        here = slice(window.start, window.stop)
        better = context > farthest[here]
        farthest[here][better] = context[better]
        owner[here][better] = i
    # Windows begin and end ever later, so that whose a slot is never goes back.
    firsts = np.searchsorted(owner, np.arange(len(windows) + 1)).tolist()
    return [range(a, b) for a, b in pairwise(firsts)]


def _contexts(windows: Sequence[Window]) -> Iterator[np.ndarray]:
    """Yield the units between each slot and a window's nearer edge; true ends are no edges.

    A slot lies behind its unit, which is one of those on its left.
    """
    n = windows[-1].stop if windows else 0
    for window in windows:
        slots = np.arange(window.start, window.stop)
        left = slots + 1 - window.start if window.start > 0 else n + 1
        right = window.stop - 1 - slots if window.stop < n else n + 1
        yield np.broadcast_to(np.minimum(left, right), slots.shape)


def _overlap_of(units: int, max_units: int, overlap: int) -> int:
    """Return what a window of so many units shares with the next one.

    Long units make short windows. They share half, or the same part as others if that is more.
    """
    return min(overlap, max(units // 2, units * overlap // max_units))


def _shared(lengths: Sequence[int], overlap: int, room: int) -> int:
    """Count the units at a window's end that the next one can start with and still move on."""
    shared = 0
    for length in reversed(lengths[len(lengths) - overlap :]):
        room -= length
        if room < 0:
            break
        shared += 1
    return shared
