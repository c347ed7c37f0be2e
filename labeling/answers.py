"""What several people submitted for the same transcripts, as arrays to count in."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

MISSING: Final = 255


class Answer(NamedTuple):
    """One annotator's marks for one transcript.

    Attributes
    ----------
    transcript, annotator : int
        Ids.
    labels : ndarray of uint8, shape (n,)
        Mark ids of the set that is counted in, one a slot.
    """

    transcript: int
    annotator: int
    labels: np.ndarray


@dataclass(frozen=True)
class Shared:
    """The slots of all transcripts that two or more people submitted.

    Attributes
    ----------
    annotators : list of int
        Ids of the a people who submitted any of them, in order.
    transcripts : list of int
        Ids of the t transcripts, in order.
    starts : ndarray of int64, shape (t + 1,)
        Transcript i has the slots from starts[i] to starts[i + 1].
    labels : ndarray of uint8, shape (a, s)
        Every annotator's mark ids of all s slots; `MISSING` where they did not submit.
    """

    annotators: list[int]
    transcripts: list[int]
    starts: np.ndarray
    labels: np.ndarray

    @property
    def people(self) -> np.ndarray:
        """How many people submitted each transcript, int64, shape (t,)."""
        if not self.transcripts:
            return np.zeros(0, dtype=np.int64)
        return (self.labels[:, self.starts[:-1]] != MISSING).sum(axis=0)

    @property
    def n_slots(self) -> int:
        """How many slots there are in all."""
        return int(self.starts[-1])


def share(answers: Iterable[Answer]) -> Shared:
    """Put the answers to transcripts that two or more people answered side by side.

    Parameters
    ----------
    answers : iterable of Answer
        At most one for each transcript and annotator. Answers to transcripts that nobody
        else answered are left out.

    Returns
    -------
    Shared
        Transcripts and annotators in order of their ids.

    Raises
    ------
    ValueError
        Two answers to one transcript differ in length, or one has no slots.
    """
    by_transcript: dict[int, list[Answer]] = {}
    for answer in answers:
        by_transcript.setdefault(answer.transcript, []).append(answer)
    shared = {i: given for i, given in sorted(by_transcript.items()) if len(given) > 1}
    annotators = sorted({answer.annotator for given in shared.values() for answer in given})
    row_of = {annotator: row for row, annotator in enumerate(annotators)}
    starts = np.concatenate([[0], np.cumsum([len(g[0].labels) for g in shared.values()])])
    starts = starts.astype(np.int64)
    labels = np.full((len(annotators), int(starts[-1])), MISSING, dtype=np.uint8)
    for index, (transcript, given) in enumerate(shared.items()):
        start, stop = starts[index], starts[index + 1]
        for answer in given:
            if len(answer.labels) != stop - start or start == stop:
                raise ValueError(f"The answers to transcript {transcript} differ in length.")
            labels[row_of[answer.annotator], start:stop] = answer.labels
    return Shared(annotators, list(shared), starts, labels)
