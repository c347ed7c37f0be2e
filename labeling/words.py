"""A transcript's words and labels: their fingerprint, and marks in canonical ids."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from labeling.errors import BadInput
from model.marks import ALL_MARKS, MarkSet
from model.units import unit_texts


def words_hash(text: str) -> str:
    """Name a text by its units alone: gaps and marks do not count.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        32 hexadecimal digits, the same for texts with the same units in the same order.
    """
    joined = "\x1f".join(unit_texts(text))
    # A lone surrogate can come out of broken JSON, and must not stop an import here.
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def pack_labels(labels: bytes | Iterable[int]) -> bytes:
    """Turn canonical ids into the bytes that the database keeps, one a slot.

    Raises
    ------
    BadInput
        Something is not a whole number from 0 to 9.
    """
    try:
        # Not bytes(labels): of a number that makes so many zeros.
        packed = labels if isinstance(labels, bytes) else bytes(iter(labels))
    except (TypeError, ValueError):
        packed = b"\xff"
    if packed and max(packed) >= len(ALL_MARKS):
        raise BadInput(
            "bad_labels", f"Labels are whole numbers from 0 to {len(ALL_MARKS) - 1}, one a slot."
        )
    return packed


def check_labels(labels: bytes | Iterable[int], unit_count: int, marks: Sequence[str]) -> bytes:
    """Check labels that come from outside, and pack them.

    Parameters
    ----------
    labels : bytes or iterable of int
        Canonical ids, one a slot.
    unit_count : int
        How many slots the transcript has.
    marks : sequence of str
        The project's mark set.

    Returns
    -------
    bytes
        The labels, packed.

    Raises
    ------
    BadInput
        The length differs, an id is not one of the ten, or its mark is not in the set.
    """
    packed = pack_labels(labels)
    if len(packed) != unit_count:
        raise BadInput(
            "wrong_length",
            f"This transcript has {unit_count} slots; got {len(packed)} labels.",
            slots=unit_count,
            labels=len(packed),
        )
    if strange := set(packed) - _allowed(tuple(marks)):
        names = ", ".join(ALL_MARKS.names[i] for i in sorted(strange))
        raise BadInput("mark_not_in_set", f"This project does not use {names}.", marks=names)
    return packed


def fold_labels(labels: bytes, marks: Sequence[str]) -> bytes:
    """Fold canonical ids into a project's marks; what the set lacks goes to its nearest kin.

    Parameters
    ----------
    labels : bytes
        Canonical ids, one a slot.
    marks : sequence of str
        The project's mark set.

    Returns
    -------
    bytes
        Canonical ids, all of marks in the set.
    """
    return labels.translate(_fold_table(tuple(marks)))


def to_set_ids(labels: bytes, marks: Sequence[str]) -> list[int]:
    """Turn canonical ids into a mark set's own ids, folding what it lacks.

    Parameters
    ----------
    labels : bytes
        Canonical ids, one a slot.
    marks : sequence of str
        The mark set.

    Returns
    -------
    list of int
        Ids in the set's order, 0 = NONE.
    """
    table = _set_ids(tuple(marks))
    return [table[i] for i in labels]


def from_set_ids(ids: Iterable[int], marks: Sequence[str]) -> bytes:
    """Turn a mark set's own ids into canonical ids.

    Raises
    ------
    BadInput
        An id is not in the set.
    """
    table = [ALL_MARKS.ids[name] for name in marks]
    try:
        return bytes(table[i] for i in ids)
    except IndexError:
        raise BadInput("bad_labels", "A label is not in the mark set.") from None


@lru_cache(maxsize=64)
def _allowed(marks: tuple[str, ...]) -> frozenset[int]:
    return frozenset(ALL_MARKS.ids[name] for name in marks)


@lru_cache(maxsize=64)
def _set_ids(marks: tuple[str, ...]) -> tuple[int, ...]:
    ids = MarkSet(marks).fold
    return tuple(ids[name] for name in ALL_MARKS.names)


@lru_cache(maxsize=64)
def _fold_table(marks: tuple[str, ...]) -> bytes:
    chosen = MarkSet(marks)
    table = bytearray(range(256))
    for name, own in chosen.fold.items():
        table[ALL_MARKS.ids[name]] = ALL_MARKS.ids[chosen.names[own]]
    return bytes(table)
