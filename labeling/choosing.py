"""What to label next: how uncertain a transcript is, and when to draw at random instead."""

import random

import numpy as np


def slot_uncertainty(probabilities: np.ndarray) -> np.ndarray:
    """Measure how uncertain a model is of each slot: one minus its margin.

    The margin is the distance between the likeliest and the second likeliest mark
    (Scheffer, Decomain and Wrobel 2001; "breaking ties" in Luo et al. 2005). Unlike the
    entropy it does not rise because many unlikely marks share what is left.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n, K)
        Slots by marks, K at least 2.

    Returns
    -------
    ndarray of float32, shape (n,)
        From 0 (certain) to 1 (two marks equally likely).
    """
    if not len(probabilities):
        return np.zeros(0, np.float32)
    top = np.partition(probabilities.astype(np.float32, copy=False), -2, axis=1)
    return 1 - (top[:, -1] - top[:, -2])


def transcript_uncertainty(probabilities: np.ndarray, top_k: int = 5) -> float:
    """Measure how uncertain a model is of a transcript: the mean of its least certain slots.

    A mean of all slots would rank by how short a transcript is, for most slots of any
    text are certain; a maximum would rank by single odd words.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n, K)
        Slots by marks.
    top_k : int
        How many slots count; all where there are fewer.

    Returns
    -------
    float
        From 0 to 1; 0 for a transcript without slots.
    """
    slots = slot_uncertainty(probabilities)
    if not slots.size:
        return 0.0
    k = min(top_k, slots.size)
    return float(np.partition(slots, slots.size - k)[slots.size - k :].mean())


def draw_lot(random_share: float, chance: random.Random) -> float | None:
    """Decide whether the next transcript is drawn at random.

    Parameters
    ----------
    random_share : float
        How often, 0 to 1.
    chance : random.Random
        Where randomness comes from.

    Returns
    -------
    float or None
        A place in the transcripts' fixed random order, in [0, 1); None to go by
        uncertainty.
    """
    return chance.random() if chance.random() < random_share else None
