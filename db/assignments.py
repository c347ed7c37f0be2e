"""Assignments: who holds which transcript, and the drafts in them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Select, func, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from db import transcripts
from db.tables import Assignment, Transcript, now

OPEN: Final = "open"
SUBMITTED: Final = "submitted"
SKIPPED: Final = "skipped"
EXPIRED: Final = "expired"


def of(
    session: Session, transcript_id: int, annotator_id: int, *, lock: bool = False
) -> Assignment | None:
    """Return an annotator's assignment of a transcript; locked until the end where asked."""
    query = select(Assignment).where(
        Assignment.transcript_id == transcript_id, Assignment.annotator_id == annotator_id
    )
    return session.scalar(query.with_for_update() if lock else query)


def of_transcript(session: Session, transcript_id: int) -> Sequence[Assignment]:
    """Return all assignments of a transcript, oldest first."""
    query = select(Assignment).where(Assignment.transcript_id == transcript_id)
    return session.scalars(query.order_by(Assignment.id)).all()


def add(
    session: Session,
    transcript_id: int,
    annotator_id: int,
    *,
    state: str = OPEN,
    chosen_by: str = "uncertain",
    model_id: int | None = None,
) -> Assignment:
    """Give a transcript to an annotator; the place is taken separately."""
    assignment = Assignment(
        transcript_id=transcript_id,
        annotator_id=annotator_id,
        state=state,
        chosen_by=chosen_by,
        model_id=model_id,
    )
    session.add(assignment)
    session.flush()
    return assignment


def last_open(session: Session, project_id: int, annotator_id: int) -> Assignment | None:
    """Return what an annotator has open, the one touched last."""
    return session.scalar(_held(project_id, annotator_id, OPEN))


def last_expired(session: Session, project_id: int, annotator_id: int) -> Assignment | None:
    """Return what an annotator let expire and nobody has been handed since."""
    return session.scalar(_held(project_id, annotator_id, EXPIRED).where(Transcript.places > 0))


def _held(project_id: int, annotator_id: int, state: str) -> Select[Assignment]:
    return (
        select(Assignment)
        .join(Transcript, Transcript.id == Assignment.transcript_id)
        .where(
            Assignment.annotator_id == annotator_id,
            Assignment.state == state,
            Transcript.project_id == project_id,
        )
        .order_by(Assignment.touched_at.desc())
        .limit(1)
    )


def unfinished(session: Session, project_id: int, annotator_id: int) -> Sequence[Assignment]:
    """Return what an annotator holds or let expire, or has a draft of, touched last first."""
    return session.scalars(
        select(Assignment)
        .join(Transcript, Transcript.id == Assignment.transcript_id)
        .where(
            Assignment.annotator_id == annotator_id,
            Assignment.state.in_((OPEN, EXPIRED)) | Assignment.draft.is_not(None),
            Assignment.state != SKIPPED,
            Transcript.project_id == project_id,
        )
        .order_by(Assignment.touched_at.desc())
    ).all()


def expire(session: Session, project_id: int, untouched_since: datetime) -> int:
    """Give back the places of open assignments that nobody touched since; return how many."""
    stale = session.execute(
        select(Assignment.id, Assignment.transcript_id)
        .join(Transcript, Transcript.id == Assignment.transcript_id)
        .where(
            Assignment.state == OPEN,
            Assignment.touched_at < untouched_since,
            Transcript.project_id == project_id,
        )
    ).all()
    freed = 0
    for assignment_id, transcript_id in stale:
        done = session.execute(
            update(Assignment)
            .where(
                Assignment.id == assignment_id,
                Assignment.state == OPEN,
                Assignment.touched_at < untouched_since,
            )
            .values(state=EXPIRED)
        )
        assert isinstance(done, CursorResult)
        if done.rowcount == 1:
            transcripts.give_place(session, transcript_id)
            freed += 1
    return freed


def fill_place(
    session: Session, transcript_id: int, annotator_id: int, *, chosen_by: str = "import"
) -> Assignment:
    """Mark a transcript as submitted by an annotator, who takes a place if one is free.

    For versions that come from elsewhere (an import). Whoever held the transcript already
    keeps the place that they have.
    """
    assignment = of(session, transcript_id, annotator_id, lock=True)
    if assignment is None:
        assignment = add(session, transcript_id, annotator_id, chosen_by=chosen_by, state=EXPIRED)
    if assignment.state not in (OPEN, SUBMITTED):
        transcripts.take_place(session, transcript_id)
    assignment.state = SUBMITTED
    assignment.touched_at = now()
    return assignment


def in_hand(session: Session, project_id: int) -> dict[str, int]:
    """Count, by split, the transcripts that are full but that somebody has not submitted yet."""
    query = (
        select(Transcript.split, func.count(Assignment.transcript_id.distinct()))
        .join(Transcript, Transcript.id == Assignment.transcript_id)
        .where(
            Assignment.state == OPEN, Transcript.project_id == project_id, Transcript.places == 0
        )
        .group_by(Transcript.split)
    )
    return {split: number for split, number in session.execute(query)}


def submitted_by(
    session: Session, project_id: int, annotator_id: int, since: datetime | None = None
) -> int:
    """Count the transcripts of a project that an annotator submitted, since a time if given."""
    query = (
        select(func.count())
        .select_from(Assignment)
        .join(Transcript, Transcript.id == Assignment.transcript_id)
        .where(
            Assignment.annotator_id == annotator_id,
            Assignment.state == SUBMITTED,
            Transcript.project_id == project_id,
        )
    )
    if since is not None:
        query = query.where(Assignment.touched_at >= since)
    return session.scalar(query) or 0
