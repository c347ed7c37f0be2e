"""Many rows at once, for imports and exports: by the thousand, in few statements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from db.assignments import OPEN, SUBMITTED
from db.tables import Assignment, Decision, Transcript, Version, now

_AT_ONCE: Final = 500  # databases limit the parameters of one statement


class Place(NamedTuple):
    """A transcript's id and where it stands."""

    id: int
    words_hash: str
    document: str
    position: int


def places_of_words(session: Session, project_id: int, hashes: Iterable[str]) -> list[Place]:
    """Return a project's transcripts that have one of these words hashes, oldest first."""
    found: list[Place] = []
    for chosen in _chunks(sorted(set(hashes))):
        query = select(
            Transcript.id, Transcript.words_hash, Transcript.document, Transcript.position
        ).where(Transcript.project_id == project_id, Transcript.words_hash.in_(chosen))
        found += map(Place._make, session.execute(query))
    return sorted(found)


def add_transcripts(session: Session, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Add transcripts, each a mapping of column names; return their ids in the same order."""
    if not rows:
        return []
    statement = insert(Transcript).returning(Transcript.id, sort_by_parameter_order=True)
    return list(session.scalars(statement, [dict(row) for row in rows]))


def answers_of(
    session: Session, annotator_id: int, transcript_ids: Iterable[int]
) -> dict[int, list[tuple[int, bool, bytes]]]:
    """Return number, submitted and labels of an annotator's versions, oldest first, by id."""
    found: dict[int, list[tuple[int, bool, bytes]]] = {}
    for chosen in _chunks(sorted(set(transcript_ids))):
        query = (
            select(Version.transcript_id, Version.number, Version.submitted, Version.labels)
            .where(Version.annotator_id == annotator_id, Version.transcript_id.in_(chosen))
            .order_by(Version.transcript_id, Version.number)
        )
        for transcript_id, number, submitted, labels in session.execute(query):
            found.setdefault(transcript_id, []).append((number, submitted, labels))
    return found


def versions_of(session: Session, transcript_ids: Iterable[int]) -> dict[int, list[Version]]:
    """Return everybody's versions by transcript id, in order of annotator and number."""
    found: dict[int, list[Version]] = {}
    for chosen in _chunks(sorted(set(transcript_ids))):
        query = (
            select(Version)
            .where(Version.transcript_id.in_(chosen))
            .order_by(Version.transcript_id, Version.annotator_id, Version.number)
        )
        for version in session.scalars(query):
            found.setdefault(version.transcript_id, []).append(version)
    return found


def decisions_of(session: Session, transcript_ids: Iterable[int]) -> dict[int, Decision]:
    """Return the decisions that hold, by transcript id."""
    found: dict[int, Decision] = {}
    for chosen in _chunks(sorted(set(transcript_ids))):
        query = select(Decision).where(Decision.transcript_id.in_(chosen))
        for decision in session.scalars(query.order_by(Decision.number)):
            found[decision.transcript_id] = decision
    return found


def add_versions(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add versions, each a mapping of column names."""
    if rows:
        session.execute(insert(Version), [dict(row) for row in rows])


def fill_places(session: Session, annotator_id: int, transcript_ids: Iterable[int]) -> None:
    """Mark transcripts as submitted by an annotator, as `db.assignments.fill_place` does one.

    The annotator takes a free place of each, unless it was theirs already.
    """
    for chosen in _chunks(sorted(set(transcript_ids))):
        mine = (Assignment.annotator_id == annotator_id, Assignment.transcript_id.in_(chosen))
        query = select(Assignment.transcript_id, Assignment.state).where(*mine)
        held = {transcript_id: state for transcript_id, state in session.execute(query)}
        takers = [i for i in chosen if held.get(i) not in (OPEN, SUBMITTED)]
        session.execute(
            update(Transcript)
            .where(Transcript.id.in_(takers), Transcript.places > 0)
            .values(places=Transcript.places - 1)
            .execution_options(synchronize_session=False)
        )
        session.execute(
            update(Assignment)
            .where(*mine, Assignment.state != SUBMITTED)
            .values(state=SUBMITTED, touched_at=now())
            .execution_options(synchronize_session=False)
        )
        if fresh := [i for i in chosen if i not in held]:
            session.execute(
                insert(Assignment),
                [
                    {
                        "transcript_id": i,
                        "annotator_id": annotator_id,
                        "state": SUBMITTED,
                        "chosen_by": "import",
                    }
                    for i in fresh
                ],
            )


def _chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
