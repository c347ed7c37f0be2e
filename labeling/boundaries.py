"""Boundary similarity: agreement that gives half of a near miss its due.

Chris Fournier, "Evaluating Text Segmentation using Boundary Edit Distance", ACL 2013,
https://aclanthology.org/P13-1167/. The boundaries are the marks, their types the mark
names (nominal, so a substitution costs 1), and n_t = 2: a mark that stands one slot away
is a transposition, which costs 1/2. Pairs are found as the paper's own program finds them.
"""

from typing import Final

import numpy as np

# The columns of what is counted.
EDITS: Final = ("matched", "missed", "moved", "other_mark")
_WEIGHTS: Final = np.array([0.0, 1.0, 0.5, 1.0])


def boundary_edits(a: np.ndarray, b: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Count, a transcript, by which edits one person's marks become another's.

    Parameters
    ----------
    a, b : ndarray of uint8, shape (s,)
        Mark ids of all slots, 0 = NONE.
    starts : ndarray of int64, shape (t,)
        The first slot of each of the t transcripts, which follow one another.

    Returns
    -------
    ndarray of int64, shape (t, 4)
        `EDITS`: the same mark in the same slot; a mark that the other has not; a mark that
        the other has one slot further on or back; another mark in the same slot.
    """
    transcript = np.zeros(len(a), dtype=np.int64)
    transcript[starts[1:]] = 1
    transcript = np.cumsum(transcript)
    a_left, b_left = _transposed(a, b, transcript)
    counts = np.zeros((len(starts), len(EDITS)), dtype=np.int64)
    a_open, b_open = a_left > 0, b_left > 0
    matched = a_open & (a_left == b_left)
    moved = ((a > 0) & ~a_open).astype(np.int64)
    for column, where in enumerate((matched, a_open ^ b_open, moved, a_open & b_open & ~matched)):
        counts[:, column] = np.bincount(transcript, weights=where, minlength=len(starts))
    return counts


def _transposed(
    a: np.ndarray, b: np.ndarray, transcript: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Take out the pairs of marks that stand one slot apart, from left to right.

    Two neighbouring slots that both hold different marks are two substitutions, not two
    crossed transpositions.
    """
    left, right = a.copy(), b.copy()
    if len(a) < 2:
        return left, right
    differs = a != b
    near = differs[:-1] & differs[1:] & (transcript[:-1] == transcript[1:])
    forward = (a[:-1] > 0) & (a[:-1] == b[1:])
    backward = (b[:-1] > 0) & (b[:-1] == a[1:])
    for i in np.flatnonzero(near & (forward | backward)).tolist():
        j = i + 1
        for first, second in ((left, right), (right, left)):
            mark = first[i]
            if not mark or second[j] != mark or first[j] == mark or second[i] == mark:
                continue
            if second[i] and first[j]:
                continue
            first[i] = second[j] = 0
    return left, right


def similarity(counts: np.ndarray) -> np.ndarray:
    """Return boundary similarity B for counts of edits.

    Parameters
    ----------
    counts : ndarray of float, shape (..., 4)
        Sums of `boundary_edits`.

    Returns
    -------
    ndarray of float64, shape (...)
        1 - (weighted edits) / (edits and matches); NaN where nobody placed a mark.
    """
    total = counts.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, 1 - counts @ _WEIGHTS / total, np.nan)
