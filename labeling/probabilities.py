"""Suggestions as arrays: how they are stored, and what they say in a project's own marks."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from labeling.errors import BadInput
from labeling.words import from_set_ids
from model.marks import MarkSet
from model.predictor import choose, fold_probabilities
from model.punctuation import parse

# An export asks for every transcript, always with the same few sets.
_set_of: Final = lru_cache(maxsize=64)(MarkSet)


def pack(probabilities: np.ndarray) -> bytes:
    """Turn probabilities into what the database keeps.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n, K)
        Slots by marks of the model.

    Returns
    -------
    bytes
        float16, little-endian, slot by slot.
    """
    return np.ascontiguousarray(probabilities, dtype="<f2").tobytes()


def unpack(stored: bytes, unit_count: int, mark_count: int) -> np.ndarray:
    """Turn what the database keeps back into probabilities.

    Returns
    -------
    ndarray of float32, shape (unit_count, mark_count)

    Raises
    ------
    BadInput
        The size is not that of so many slots and marks.
    """
    flat = np.frombuffer(stored, dtype="<f2")
    if flat.size != unit_count * mark_count:
        raise BadInput(
            "bad_suggestion",
            f"A suggestion of {flat.size} numbers does not fit "
            f"{unit_count} slots of {mark_count} marks.",
        )
    return flat.reshape(unit_count, mark_count).astype(np.float32)


def in_marks(probabilities: np.ndarray, own: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Say probabilities over a model's marks in another set's.

    A mark that the other set lacks adds to its nearest kin; one that the model lacks is 0.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n, len(own))
        Over the model's marks.
    own, wanted : sequence of str
        The model's mark set, and the other.

    Returns
    -------
    ndarray of float32, shape (n, len(wanted))
        Rows add up to what they added up to before.
    """
    given = probabilities.astype(np.float32, copy=False)
    return fold_probabilities(given, _set_of(tuple(own)), _set_of(tuple(wanted)))


def chosen_labels(
    probabilities: np.ndarray, marks: Sequence[str], thresholds: Mapping[str, float]
) -> bytes:
    """Choose a mark for every slot, by the same rule as everywhere (`model.predictor.choose`).

    Parameters
    ----------
    probabilities : ndarray of float, shape (n, K)
        Over the marks given.
    marks : sequence of str
        K mark names, NONE first.
    thresholds : mapping of str to float
        By mark name; may be empty.

    Returns
    -------
    bytes
        n canonical ids.
    """
    return from_set_ids(choose(probabilities, _set_of(tuple(marks)), thresholds), marks)


def without_barred(labels: bytes, text: str) -> bytes:
    """Take out marks where none is to be suggested: inside a number range, a name, code.

    Parameters
    ----------
    labels : bytes
        n canonical ids.
    text : str
        The text, of n slots.

    Returns
    -------
    bytes
        n canonical ids.
    """
    barred = parse(text).barred
    if not any(barred):
        return labels
    return bytes(0 if shut else label for label, shut in zip(labels, barred, strict=True))


def doubtful(probabilities: np.ndarray, threshold: float) -> list[bool]:
    """Tell, for each slot, whether its likeliest mark is less likely than a threshold."""
    if not len(probabilities):
        return []
    return (probabilities.max(axis=1) < threshold).tolist()
