"""Decisions: what reviewers settled. Rows are only ever added."""

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Decision, Transcript

_IDS_AT_ONCE = 500  # databases limit the parameters of one statement


def latest(session: Session, transcript_id: int) -> Decision | None:
    """Return the decision that holds for a transcript, if there is one."""
    return session.scalar(
        select(Decision)
        .where(Decision.transcript_id == transcript_id)
        .order_by(Decision.number.desc())
        .limit(1)
    )


def of_transcript(session: Session, transcript_id: int) -> Sequence[Decision]:
    """Return all decisions on a transcript, oldest first."""
    query = select(Decision).where(Decision.transcript_id == transcript_id)
    return session.scalars(query.order_by(Decision.number)).all()


def add(
    session: Session,
    transcript_id: int,
    reviewer_id: int,
    labels: bytes,
    *,
    number: int,
    note: str = "",
) -> Decision:
    """Add a decision; its id is known afterwards."""
    decision = Decision(
        transcript_id=transcript_id,
        reviewer_id=reviewer_id,
        labels=labels,
        number=number,
        note=note,
    )
    session.add(decision)
    session.flush()
    return decision


def of_project(session: Session, project_id: int) -> dict[int, Decision]:
    """Return the decisions that hold in a project, by transcript id."""
    query = (
        select(Decision)
        .join(Transcript, Transcript.id == Decision.transcript_id)
        .where(Transcript.project_id == project_id)
        .order_by(Decision.transcript_id, Decision.number)
    )
    return {decision.transcript_id: decision for decision in session.scalars(query)}


def labels_of(session: Session, ids: Iterable[int]) -> dict[int, bytes]:
    """Return the labels of decisions by their ids."""
    wanted = sorted(set(ids))
    found: dict[int, bytes] = {}
    for start in range(0, len(wanted), _IDS_AT_ONCE):
        chosen = wanted[start : start + _IDS_AT_ONCE]
        query = select(Decision.id, Decision.labels).where(Decision.id.in_(chosen))
        found.update((i, labels) for i, labels in session.execute(query))
    return found
