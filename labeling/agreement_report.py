"""The agreement of a project: read from the database, computed anew every time.

Only what each annotator submitted alone counts, and of that the newest version: no
drafts, no decisions, no version that was restored or saved but not submitted, and no
suggestion that nobody opened. `run.py agreement PROJECT --json` prints all of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from db import decisions, transcripts, users, versions
from db.engine import Database
from labeling.agreement import measure_agreement
from labeling.answers import MISSING, Answer, Shared, share
from labeling.coefficients import Agreement
from labeling.comma_contexts import CommaContext
from labeling.commas import CommaRate, Commas, CommaTranscript, measure_commas
from labeling.permissions import Actor, require
from labeling.projects import find_project
from labeling.words import to_set_ids
from model.marks import MarkSet
from model.units import is_han, unit_texts

LIMIT: Final = 200
_AROUND: Final = 6  # units on each side of a slot that is shown


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A slot in which people chose different marks.

    Attributes
    ----------
    transcript, slot : int
        The transcript's id and the slot's index in it: where a link leads.
    document, position
        Of the transcript.
    before, after : str
        The words around the slot.
    marks : dict of str to str
        The mark that each annotator chose, by their name.
    comma : bool
        Whether some of them, but not all, chose a comma.
    decided : bool
        Whether a lead has decided on the transcript.
    """

    transcript: int
    slot: int
    document: str
    position: int
    before: str
    after: str
    marks: dict[str, str]
    comma: bool
    decided: bool


@dataclass(frozen=True)
class AgreementReport:
    """The agreement of a project.

    Attributes
    ----------
    project : str
        Its name.
    marks : list of str
        Its mark set, in which everything is counted.
    people : dict of int to str
        Names of the annotators, by the ids that the figures carry.
    agreement : Agreement
        Coefficients, by mark and by pair.
    comma_rates : list of CommaRate
        By annotator.
    comma_transcripts : list of CommaTranscript
        Those in which people differ most on commas first; the first `LIMIT`.
    comma_contexts : list of CommaContext
        Words before and after which people differ on commas, the most frequent first.
    disagreements : list of Disagreement
        The first `LIMIT` slots in which people differ: those that nobody has decided on
        first, and of them commas, those of the transcripts with the most of them before the
        others.
    n_disagreements, n_comma_disagreements, n_comma_transcripts : int
        How many there are in all.
    n_answers : int
        Newest submitted versions, those of transcripts with one answer included.
    """

    project: str
    marks: list[str]
    people: dict[int, str]
    agreement: Agreement
    comma_rates: list[CommaRate] = field(default_factory=list)
    comma_transcripts: list[CommaTranscript] = field(default_factory=list)
    comma_contexts: list[CommaContext] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    n_disagreements: int = 0
    n_comma_disagreements: int = 0
    n_comma_transcripts: int = 0
    n_answers: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON."""
        return asdict(self)

    def kappa_matrix(self) -> list[list[float | None]]:
        """Return Cohen's kappa of every two annotators, in the order of `people`.

        Returns
        -------
        list of list of float or None
            Symmetric; None on the diagonal, where two have nothing in common, and where
            kappa is undefined.
        """
        order = {person: i for i, person in enumerate(self.people)}
        matrix: list[list[float | None]] = [[None] * len(order) for _ in order]
        for pair in self.agreement.pairs:
            i, j = order[pair.a], order[pair.b]
            matrix[i][j] = matrix[j][i] = pair.kappa.value
        return matrix

    def __str__(self) -> str:
        """Say what matters in English, one thing a line."""
        found = self.agreement
        lines = [
            f"{self.project}: {found.n_transcripts} transcripts with {found.n_slots} slots "
            f"were submitted by two or more of {found.n_annotators} people.",
            f"Krippendorff's alpha: {found.alpha}",
            f"Gwet's AC1: {found.ac1}",
            f"Boundary similarity: {found.boundary}",
        ]
        lines += [
            f"{mark.mark}: alpha {mark.alpha}; specific agreement {mark.specific}; "
            f"chosen {mark.placed} times"
            for mark in found.marks
        ]
        lines += [
            f"{self.people[pair.a]} and {self.people[pair.b]}: kappa {pair.kappa} on "
            f"{pair.n_transcripts} transcripts, {pair.n_slots} slots"
            for pair in found.pairs
        ]
        lines += [
            f"{self.people[rate.annotator]}: {rate.per_100:.2f} commas per 100 slots "
            f"in {rate.n_transcripts} transcripts"
            for rate in self.comma_rates
            if rate.per_100 is not None
        ]
        lines += [
            f"{context.side} {context.words}: people differ on a comma in {context.differ} "
            f"of {context.seen} slots"
            for context in self.comma_contexts[:10]
        ]
        return "\n".join(lines)


def agreement_report(
    database: Database,
    actor: Actor,
    project_id: int | str,
    *,
    resamples: int = 1000,
    limit: int = LIMIT,
) -> AgreementReport:
    """Measure how far the annotators of a project agree.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who asks.
    project_id : int or str
        The project's id, or its name.
    resamples : int
        Of the bootstrap over transcripts behind the intervals.
    limit : int
        How many disagreements and transcripts to list.

    Returns
    -------
    AgreementReport
        What is undefined has a reason instead of a value.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not see this; no such project.
    """
    require(actor, "see_agreement")
    with database.read() as session:
        project = find_project(session, project_id)
        marks, name = list(project.marks), project.name
        answers = [
            Answer(
                row.transcript_id,
                row.annotator_id,
                np.array(to_set_ids(row.labels, marks), dtype=np.uint8),
            )
            for row in versions.submitted(session, project.id)
        ]
        shared = share(answers)
        rows = transcripts.by_ids(session, shared.transcripts)
        places = {row.id: (row.document, row.position) for row in rows}
        units = {row.id: unit_texts(row.text) for row in rows}
        people = users.names(session, {answer.annotator for answer in answers})
        decided = decisions.of_project(session, project.id).keys()
    comma = MarkSet(tuple(marks)).ids.get("COMMA")
    found = Commas() if comma is None else measure_commas(answers, shared, comma, units)
    slots = _differing(shared)
    order = {row.transcript: i for i, row in enumerate(found.transcripts)}
    split_by_comma = {(slot.transcript, slot.slot) for slot in found.slots}
    slots.sort(
        key=lambda at: (
            at[0] in decided,
            at not in split_by_comma,
            order.get(at[0], len(order)),
            *at,
        )
    )
    return AgreementReport(
        project=name,
        marks=marks,
        people=dict(sorted(people.items(), key=lambda item: item[1])),
        agreement=measure_agreement(shared, marks, resamples=resamples),
        comma_rates=found.rates,
        comma_transcripts=found.transcripts[:limit],
        comma_contexts=found.contexts,
        disagreements=[
            _disagreement(
                shared, at, marks, people, units, places, at in split_by_comma, at[0] in decided
            )
            for at in slots[:limit]
        ],
        n_disagreements=len(slots),
        n_comma_disagreements=len(found.slots),
        n_comma_transcripts=len(found.transcripts),
        n_answers=len(answers),
    )


def _differing(shared: Shared) -> list[tuple[int, int]]:
    """Find the transcript and slot of everything that people chose different marks for."""
    given = shared.labels != MISSING
    highest = np.where(given, shared.labels, 0).max(axis=0, initial=0)
    lowest = np.where(given, shared.labels, MISSING).min(axis=0, initial=MISSING)
    where = np.flatnonzero(highest > lowest)
    owners = np.searchsorted(shared.starts, where, side="right") - 1
    return [
        (shared.transcripts[owner], int(slot - shared.starts[owner]))
        for slot, owner in zip(where.tolist(), owners.tolist(), strict=True)
    ]


def _disagreement(
    shared: Shared,
    at: tuple[int, int],
    marks: Sequence[str],
    people: Mapping[int, str],
    units: Mapping[int, Sequence[str]],
    places: Mapping[int, tuple[str, int]],
    comma: bool,
    decided: bool,
) -> Disagreement:
    transcript, slot = at
    column = shared.labels[:, shared.starts[shared.transcripts.index(transcript)] + slot]
    words = units[transcript]
    before, after = words[max(0, slot + 1 - _AROUND) : slot + 1], words[slot + 1 :][:_AROUND]
    return Disagreement(
        transcript=transcript,
        slot=slot,
        document=places[transcript][0],
        position=places[transcript][1],
        before=_joined(before),
        after=_joined(after),
        marks={
            people[annotator]: marks[label]
            for annotator, label in zip(shared.annotators, column.tolist(), strict=True)
            if label != MISSING
        },
        comma=comma,
        decided=decided,
    )


def _joined(units: Sequence[str]) -> str:
    """Join units for the eye: Han characters without spaces between them."""
    text = ""
    for unit in units:
        text += unit if not text or (is_han(unit) and is_han(text[-1])) else f" {unit}"
    return text
