"""Transcripts: adding them, finding them, handing them out, counting them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    CursorResult,
    Select,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    select,
    update,
)
from sqlalchemy.orm import Session

from db.tables import Assignment, Transcript

# Written out, for an index of the waiting ones alone is used only where the query says the same.
_WAITS = Transcript.places > literal_column("0")
_IDS_AT_ONCE = 500  # databases limit the parameters of one statement


def by_id(session: Session, transcript_id: int) -> Transcript | None:
    """Return the transcript with this id, if there is one."""
    return session.get(Transcript, transcript_id)


def lock(session: Session, transcript_id: int) -> None:
    """Let those who write about one transcript at the same time (PostgreSQL) do so in turn."""
    query = select(Transcript.id).where(Transcript.id == transcript_id)
    session.execute(query.with_for_update(key_share=True))


def by_ids(session: Session, transcript_ids: Sequence[int]) -> list[Transcript]:
    """Return the transcripts with these ids that there are, in the order of the ids."""
    found: dict[int, Transcript] = {}
    for start in range(0, len(transcript_ids), _IDS_AT_ONCE):
        chosen = transcript_ids[start : start + _IDS_AT_ONCE]
        for row in session.scalars(select(Transcript).where(Transcript.id.in_(chosen))):
            found[row.id] = row
    return [found[i] for i in transcript_ids if i in found]


def words_of_split(session: Session, project_id: int, split: str) -> Sequence[str]:
    """Return the words hashes of a split of a project."""
    query = select(Transcript.words_hash).where(
        Transcript.project_id == project_id, Transcript.split == split
    )
    return session.scalars(query).all()


def _waiting(project_id: int, annotator_id: int) -> Select[Transcript]:
    """Select what may be handed to an annotator: a place is free, and they never had it."""
    had = exists().where(
        Assignment.transcript_id == Transcript.id, Assignment.annotator_id == annotator_id
    )
    # Two servers that ask at once each take another row (PostgreSQL); SQLite has one writer.
    return (
        select(Transcript)
        .where(Transcript.project_id == project_id, _WAITS, ~had)
        .limit(1)
        .with_for_update(skip_locked=True, of=Transcript)
    )


def most_uncertain(session: Session, project_id: int, annotator_id: int) -> Transcript | None:
    """Return what the serving model is least certain of, among what is waiting for somebody."""
    query = _waiting(project_id, annotator_id).order_by(Transcript.uncertainty.desc())
    return session.scalar(query)


def at_random(
    session: Session, project_id: int, annotator_id: int, lot: float
) -> Transcript | None:
    """Return the first at or after a place in the fixed random order, around if need be."""
    query = _waiting(project_id, annotator_id).order_by(Transcript.lot)
    return session.scalar(query.where(Transcript.lot >= lot)) or session.scalar(query)


def take_place(session: Session, transcript_id: int) -> bool:
    """Take one of the places of a transcript; False where none is free any more."""
    taken = session.execute(
        update(Transcript)
        .where(Transcript.id == transcript_id, _WAITS)
        .values(places=Transcript.places - 1)
        .execution_options(synchronize_session=False)
    )
    return _changed(taken)


def give_place(session: Session, transcript_id: int) -> None:
    """Give one place of a transcript back; never more than it wanted at first."""
    session.execute(
        update(Transcript)
        .where(Transcript.id == transcript_id, Transcript.places < Transcript.wanted)
        .values(places=Transcript.places + 1)
        .execution_options(synchronize_session=False)
    )


def set_uncertainty(session: Session, values: Mapping[int, float]) -> None:
    """Store how uncertain the serving model is of each transcript, by id."""
    if values:
        session.connection().execute(
            update(Transcript.__table__)  # type: ignore[arg-type]
            .where(Transcript.__table__.c.id == bindparam("row"))
            .values(uncertainty=bindparam("value")),
            [{"row": i, "value": float(value)} for i, value in values.items()],
        )


@dataclass(frozen=True, slots=True)
class SplitCount:
    """How many transcripts a split has, and how many of them somebody is still wanted for."""

    total: int
    waiting: int


def counts(session: Session, project_id: int) -> dict[str, SplitCount]:
    """Count a project's transcripts by split."""
    free = func.sum(case((_WAITS, 1), else_=0))
    query = (
        select(Transcript.split, func.count(), free)
        .where(Transcript.project_id == project_id)
        .group_by(Transcript.split)
    )
    return {split: SplitCount(total, waits) for split, total, waits in session.execute(query)}


def in_order(
    session: Session, project_id: int, *, ids: Iterable[int] | None = None, at_once: int = 1000
) -> Iterable[Transcript]:
    """Go through a project's transcripts in order of document, position and id."""
    query = (
        select(Transcript)
        .where(Transcript.project_id == project_id)
        .order_by(Transcript.document, Transcript.position, Transcript.id)
        .execution_options(yield_per=at_once)
    )
    chosen = None if ids is None else set(ids)
    return (row for row in session.scalars(query) if chosen is None or row.id in chosen)


def _changed(result: Any) -> bool:
    assert isinstance(result, CursorResult)
    return result.rowcount == 1
