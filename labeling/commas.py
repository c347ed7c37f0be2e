"""Commas: how often each person sets one, and where people differ on them.

The comma is the mark that people agree on least. This says who sets more of them, in
which transcripts and slots people differ, and before and after which words.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from labeling.answers import MISSING, Answer, Shared
from labeling.comma_contexts import CommaContext, comma_contexts
from model.bootstrap import interval, resampled_sums

RESAMPLES: Final = 1000


@dataclass(frozen=True, slots=True)
class CommaRate:
    """How many commas one annotator sets.

    Attributes
    ----------
    annotator : int
        Their id.
    n_transcripts, n_slots, commas : int
        What they submitted, and the commas in it.
    per_100 : float or None
        Commas a hundred slots, with its 95 % interval by bootstrap over transcripts.
    low, high : float or None
        The interval; None where it takes more transcripts.
    shared_per_100, others_per_100 : float or None
        Their rate, and that of the others, on the transcripts that others submitted too:
        the rates that may be compared, for the texts are the same.
    """

    annotator: int
    n_transcripts: int
    n_slots: int
    commas: int
    per_100: float | None
    low: float | None
    high: float | None
    shared_per_100: float | None
    others_per_100: float | None


@dataclass(frozen=True, slots=True)
class CommaSlot:
    """A slot where some set a comma and others did not.

    Attributes
    ----------
    transcript, slot : int
        The transcript's id and the slot's index in it.
    with_comma, without : list of int
        The annotators' ids.
    """

    transcript: int
    slot: int
    with_comma: list[int]
    without: list[int]


@dataclass(frozen=True, slots=True)
class CommaTranscript:
    """A transcript in which people differ on commas: in `differ` of its `n_slots` slots."""

    transcript: int
    differ: int
    n_slots: int
    slots: list[int]


@dataclass(frozen=True)
class Commas:
    """What can be said of the commas; lists begin with what matters most."""

    rates: list[CommaRate] = field(default_factory=list)
    transcripts: list[CommaTranscript] = field(default_factory=list)
    slots: list[CommaSlot] = field(default_factory=list)
    contexts: list[CommaContext] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


def measure_commas(
    answers: Sequence[Answer],
    shared: Shared,
    comma: int,
    units_of: Mapping[int, Sequence[str]],
) -> Commas:
    """Count commas, and find where people differ on them.

    Parameters
    ----------
    answers : sequence of Answer
        All that anybody submitted.
    shared : Shared
        The part of it that two or more people submitted.
    comma : int
        The comma's id in the answers' mark set.
    units_of : mapping
        The unit texts of the shared transcripts, by id.

    Returns
    -------
    Commas
        Rates, transcripts, slots and contexts.
    """
    slots = differing_slots(shared, comma)
    return Commas(
        rates=comma_rates(answers, shared, comma),
        transcripts=differing_transcripts(shared, slots),
        slots=slots,
        contexts=comma_contexts(shared, comma, units_of),
    )


def comma_rates(
    answers: Iterable[Answer], shared: Shared, comma: int, *, resamples: int = RESAMPLES
) -> list[CommaRate]:
    """Count each annotator's commas.

    Parameters
    ----------
    answers : iterable of Answer
        All that anybody submitted.
    shared : Shared
        The part of it that two or more people submitted.
    comma : int
        The comma's id in the answers' mark set.
    resamples : int
        Of the bootstrap over transcripts.

    Returns
    -------
    list of CommaRate
        By annotator's id.
    """
    counted: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for answer in answers:
        pair = (int((answer.labels == comma).sum()), len(answer.labels))
        counted[answer.annotator].append(pair)
    rates = []
    for annotator, pairs in sorted(counted.items()):
        counts = np.array(pairs)
        commas, slots = (int(n) for n in counts.sum(axis=0))
        limits = None
        if len(counts) > 1 and slots:
            sums = resampled_sums(counts, resamples=resamples)
            limits = interval(100 * sums[:, 0] / sums[:, 1])
        own, others = _shared_rates(shared, annotator, comma)
        rates.append(
            CommaRate(
                annotator,
                len(pairs),
                slots,
                commas,
                100 * commas / slots if slots else None,
                low=limits[0] if limits else None,
                high=limits[1] if limits else None,
                shared_per_100=own,
                others_per_100=others,
            )
        )
    return rates


def _shared_rates(shared: Shared, annotator: int, comma: int) -> tuple[float | None, float | None]:
    if annotator not in shared.annotators:
        return None, None
    own = shared.labels[shared.annotators.index(annotator)]
    slots = own != MISSING
    theirs = np.delete(shared.labels, shared.annotators.index(annotator), axis=0)[:, slots]
    given = theirs != MISSING
    return (
        100 * float((own[slots] == comma).mean()),
        100 * float((theirs[given] == comma).mean()),
    )


def differing_slots(shared: Shared, comma: int) -> list[CommaSlot]:
    """Find the slots where some set a comma and others, who submitted it too, did not.

    Parameters
    ----------
    shared : Shared
        What two or more people submitted.
    comma : int
        The comma's id.

    Returns
    -------
    list of CommaSlot
        Those that divide people most evenly first, then by transcript and slot.
    """
    with_comma = shared.labels == comma
    without = (shared.labels != MISSING) & ~with_comma
    n_with, n_without = with_comma.sum(axis=0), without.sum(axis=0)
    where = np.flatnonzero((n_with > 0) & (n_without > 0))
    split = np.minimum(n_with, n_without)[where] / (n_with + n_without)[where]
    where = where[np.argsort(-split, kind="stable")]
    owners = np.searchsorted(shared.starts, where, side="right") - 1
    ids = np.array(shared.annotators)
    return [
        CommaSlot(
            shared.transcripts[owner],
            slot - int(shared.starts[owner]),
            ids[with_comma[:, slot]].tolist(),
            ids[without[:, slot]].tolist(),
        )
        for slot, owner in zip(where.tolist(), owners.tolist(), strict=True)
    ]


def differing_transcripts(shared: Shared, slots: Sequence[CommaSlot]) -> list[CommaTranscript]:
    """Group differing slots by transcript, the transcripts with the most of them first."""
    found: dict[int, list[int]] = defaultdict(list)
    for slot in slots:
        found[slot.transcript].append(slot.slot)
    lengths = dict(zip(shared.transcripts, np.diff(shared.starts).tolist(), strict=True))
    rows = [CommaTranscript(i, len(s), lengths[i], sorted(s)) for i, s in found.items()]
    return sorted(rows, key=lambda row: (-row.differ, -row.differ / row.n_slots, row.transcript))
