"""Turning labelled transcripts into batches without waste: windows, labels, buckets.

Nothing here needs Paddle. The order of batches follows from the seed and the epoch alone,
so that a training that was stopped goes on with exactly the batches that were left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from model.encoding import Encoder
from model.windows import Window, own_slots, plan_windows, shares

IGNORED: Final = -100
_POOL: Final = 32  # batches' worth of sequences that are sorted by length together


@dataclass(frozen=True)
class Piece:
    """One window of a transcript, ready for the model.

    Attributes
    ----------
    ids : ndarray of int32, shape (n_tokens,)
        [CLS], the sub-tokens of the window's units, [SEP].
    labels : ndarray of int64, shape (n_tokens,)
        A mark id on the last sub-token of each unit that this window keeps; -100 elsewhere.
    text, start, stop : int
        Which transcript, and which of its units are kept here.
    share : ndarray of float32, shape (stop - start,)
        How much of each of their answers is this window's.
    """

    ids: np.ndarray
    labels: np.ndarray
    text: int
    start: int
    stop: int
    share: np.ndarray


def cut_pieces(
    units: Sequence[Sequence[str]],
    labels: Sequence[Sequence[int]],
    encoder: Encoder,
    *,
    max_units: int,
    overlap: int,
    max_tokens: int = 510,
    reading: bool = False,
) -> list[Piece]:
    """Cut transcripts into windows, to learn from or to read.

    Parameters
    ----------
    units : sequence of sequence of str
        The units of each transcript.
    labels : sequence of sequence of int
        A mark id for each of them.
    encoder : Encoder
        Makes sub-tokens of units.
    max_units, overlap, max_tokens : int
        As in `model.windows.plan_windows`. To learn from, windows share a quarter at most: what
        they share is computed more than once and learned from once.
    reading : bool
        Whether a slot stands in all windows that hold it, for an answer as serving gives it,
        or in one only, since more would teach it more often than others.

    Returns
    -------
    list of Piece
        In the order of the transcripts. Transcripts without units give none.
    """
    pieces = []
    begin, end = [encoder.cls_id], [encoder.sep_id]
    for text, (words, marks) in enumerate(zip(units, labels, strict=True)):
        if not words:
            continue
        encoded = encoder.encode(list(words))
        offsets = np.asarray(encoded.offsets)
        targets = np.asarray(marks, dtype=np.int64)
        lengths = encoded.lengths.tolist()
        shared = overlap if reading else min(overlap, max_units // 4)
        windows = plan_windows(lengths, max_units, shared, max_tokens)
        for window, slots, share in _read(windows) if reading else _learned(windows):
            first, last = offsets[window.start], offsets[window.stop]
            ids = np.concatenate([begin, encoded.ids[first:last], end]).astype(np.int32)
            there = np.full(len(ids), IGNORED, dtype=np.int64)
            kept = np.arange(slots.start, slots.stop)
            there[offsets[kept + 1] - first] = targets[kept]  # +1 for [CLS], -1 for the last one
            pieces.append(Piece(ids, there, text, slots.start, slots.stop, share))
    return pieces


def _read(windows: Sequence[Window]) -> Iterator[tuple[Window, range, np.ndarray]]:
    for window, share in zip(windows, shares(windows), strict=True):
        yield window, range(window.start, window.stop), share


def _learned(windows: Sequence[Window]) -> Iterator[tuple[Window, range, np.ndarray]]:
    for window, own in zip(windows, own_slots(windows), strict=True):
        yield window, own, np.ones(len(own), np.float32)


def plan_batches(
    lengths: Sequence[int], *, batch_size: int, least_tokens: int, seed: int, epoch: int
) -> list[np.ndarray]:
    """Shuffle sequences into batches of like lengths.

    Parameters
    ----------
    lengths : sequence of int
        Sub-tokens of each sequence.
    batch_size : int
        Sequences in a batch.
    least_tokens : int
        Short sequences are put together until a batch has about so many tokens, however
        many sequences that takes: a batch of eight one-word turns teaches little.
    seed, epoch : int
        The same two give the same batches.

    Returns
    -------
    list of ndarray of int64
        Indices into `lengths`; each comes exactly once.
    """
    rng = np.random.default_rng([seed, epoch])
    sizes = np.asarray(lengths, dtype=np.int64)
    order = rng.permutation(len(sizes))
    batches: list[np.ndarray] = []
    typical = max(batch_size, int(least_tokens / max(sizes.mean(), 1))) if len(sizes) else 1
    for start in range(0, len(order), _POOL * typical):
        pool = order[start : start + _POOL * typical]
        pool = pool[np.argsort(sizes[pool], kind="stable")]
        batches += _filled(pool, sizes, batch_size, least_tokens)
    return [batches[i] for i in rng.permutation(len(batches))]


def _filled(
    pool: np.ndarray, sizes: np.ndarray, batch_size: int, least_tokens: int
) -> Iterator[np.ndarray]:
    start = 0
    while start < len(pool):
        stop = start + 1
        while stop < len(pool) and (
            stop - start < batch_size or (stop - start + 1) * sizes[pool[stop]] <= least_tokens
        ):
            stop += 1
        yield pool[start:stop]
        start = stop


def padded(pieces: Sequence[Piece], pad_id: int) -> tuple[np.ndarray, np.ndarray]:
    """Pad sequences to the longest of them.

    Parameters
    ----------
    pieces : sequence of Piece
        A batch.
    pad_id : int
        The tokenizer's padding.

    Returns
    -------
    (ndarray of int64, ndarray of int64), both of shape (n_pieces, longest)
        Token ids, and labels with -100 on the padding.
    """
    shape = len(pieces), max(len(piece.ids) for piece in pieces)
    ids, labels = np.full(shape, pad_id, dtype=np.int64), np.full(shape, IGNORED, dtype=np.int64)
    for row, piece in enumerate(pieces):
        ids[row, : len(piece.ids)] = piece.ids
        labels[row, : len(piece.ids)] = piece.labels
    return ids, labels
