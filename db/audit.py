"""Who did what: audit events, in the order in which they were written."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import AuditEvent


def record(
    session: Session,
    user_id: int | None,
    action: str,
    *,
    subject: str = "",
    project_id: int | None = None,
    **detail: Any,
) -> None:
    """Write one event, in the transaction of what it tells of.

    Parameters
    ----------
    session : Session
        A writing session.
    user_id : int or None
        Who; None for the command line.
    action : str
        What, in at most 40 characters.
    subject : str
        To what, such as ``transcript 7``.
    project_id : int, optional
        In which project.
    **detail
        Anything that JSON can hold.
    """
    session.add(
        AuditEvent(
            user_id=user_id,
            action=action,
            subject=subject[:120],
            project_id=project_id,
            detail=detail,
        )
    )


def latest(
    session: Session,
    project_id: int | None = None,
    *,
    before_id: int | None = None,
    limit: int = 100,
) -> Sequence[AuditEvent]:
    """Return events, newest first; of one project, or of all."""
    query = select(AuditEvent).order_by(AuditEvent.id.desc()).limit(limit)
    if project_id is not None:
        query = query.where(AuditEvent.project_id == project_id)
    if before_id is not None:
        query = query.where(AuditEvent.id < before_id)
    return session.scalars(query).all()


def happened(session: Session, action: str) -> bool:
    """Tell whether something of this kind was ever done."""
    query = select(AuditEvent.id).where(AuditEvent.action == action).limit(1)
    return session.scalar(query) is not None
