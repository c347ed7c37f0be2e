"""Rounds: one retraining each, numbered within their project."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, defer

from db.tables import Project, Round, now

_ENDED: Final = ("done", "failed", "cancelled")


def by_id(session: Session, round_id: int) -> Round | None:
    """Return the round with this id, if there is one."""
    return session.get(Round, round_id)


def by_number(session: Session, project_id: int, number: int) -> Round | None:
    """Return a project's round of this number, if there is one."""
    query = select(Round).where(Round.project_id == project_id, Round.number == number)
    return session.scalar(query)


def of_job(session: Session, job_id: int) -> Round | None:
    """Return the round that a job is for, if it is for one."""
    return session.scalar(select(Round).where(Round.job_id == job_id))


def of_project(session: Session, project_id: int, limit: int = 100) -> Sequence[Round]:
    """Return a project's rounds, newest first, without their lists of rows."""
    return session.scalars(
        select(Round)
        .where(Round.project_id == project_id)
        .options(defer(Round.snapshot, raiseload=True))
        .order_by(Round.number.desc())
        .limit(limit)
    ).all()


def lock_project(session: Session, project_id: int) -> None:
    """Make others who start a round in this project wait (where the database has rows to lock)."""
    session.execute(select(Project.id).where(Project.id == project_id).with_for_update())


def add(
    session: Session,
    project_id: int,
    *,
    job_id: int,
    parent_model_id: int,
    settings: dict[str, Any],
    snapshot: dict[str, Any],
    user_id: int | None,
) -> Round:
    """Add a round with the next number of its project; its id is known afterwards."""
    last = session.scalar(select(func.max(Round.number)).where(Round.project_id == project_id))
    row = Round(
        project_id=project_id,
        number=(last or 0) + 1,
        job_id=job_id,
        parent_model_id=parent_model_id,
        settings=settings,
        snapshot=snapshot,
        user_id=user_id,
    )
    session.add(row)
    session.flush()
    return row


def follow_job(session: Session, job_id: int, state: str, error: str = "") -> None:
    """Give the round of a job, if it is for one, the job's state."""
    session.execute(
        update(Round)
        .where(Round.job_id == job_id)
        .values(state=state, error=error, ended_at=now() if state in _ENDED else None)
        .execution_options(synchronize_session=False)
    )
