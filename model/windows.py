"""Cutting a long text into windows, and saying which window each slot is read from."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_UNITS = 256
OVERLAP = 32


@dataclass(frozen=True, slots=True)
class Window:
    """Units start to stop go through the model; slots keep_start to keep_stop are read."""

    start: int
    stop: int
    keep_start: int
    keep_stop: int


def plan_windows(
    lengths: Sequence[int],
    max_units: int = MAX_UNITS,
    overlap: int = OVERLAP,
    max_tokens: int = 510,
) -> list[Window]:
    """Plan windows over a text.

    Each slot is kept by the window in which it is farthest from that window's edges; the
    true start and end of the text are no edges. So every slot has context on both sides,
    at least about half the overlap, and the kept ranges join without gap or overlap.

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
        In order; empty for an empty text.

    Raises
    ------
    ValueError
        A unit is longer than `max_tokens`, or the overlap is not smaller than the window.
    """
    if not 0 <= overlap < max_units:
        raise ValueError("The overlap must be smaller than the window, and not negative.")
    if any(length > max_tokens for length in lengths):
        raise ValueError(f"A unit has more than the {max_tokens} sub-tokens that the model takes.")
    spans = _spans(lengths, max_units, overlap, max_tokens)
    return [
        Window(start, stop, keep_start, keep_stop)
        for (start, stop), (keep_start, keep_stop) in zip(
            spans, _kept(spans, len(lengths)), strict=True
        )
    ]


def _spans(
    lengths: Sequence[int], max_units: int, overlap: int, max_tokens: int
) -> list[tuple[int, int]]:
    spans = []
    start, n = 0, len(lengths)
    while start < n:
        stop, tokens = start, 0
        while stop < n and stop - start < max_units and tokens + lengths[stop] <= max_tokens:
            tokens += lengths[stop]
            stop += 1
        spans.append((start, stop))
        if stop == n:
            break
        start = stop - _shared(lengths[start:stop], overlap, max_tokens - lengths[stop])
    return spans


def _shared(lengths: Sequence[int], overlap: int, room: int) -> int:
    """Count the units at a window's end that the next one can start with and still move on.

    Long units make short windows; half a window is then all that is shared.
    """
    shared = 0
    for length in reversed(lengths[len(lengths) - min(overlap, len(lengths) // 2) :]):
        room -= length
        if room < 0:
            break
        shared += 1
    return shared


def _kept(spans: list[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    """Share the slots out. Spans move right, so the best window of a slot does so too."""

    def context(span: tuple[int, int], slot: int) -> int:
        before = slot + 1 - span[0] if span[0] else n
        after = span[1] - 1 - slot if span[1] < n else n
        return min(before, after)

    firsts: list[int] = []
    best = -1
    for slot in range(n):
        while best + 1 < len(spans) and (
            best < 0
            or (
                spans[best + 1][0] <= slot
                and context(spans[best + 1], slot) > context(spans[best], slot)
            )
        ):
            best += 1
            firsts.append(slot)
    return list(zip(firsts, [*firsts[1:], n], strict=True)) if spans else []
