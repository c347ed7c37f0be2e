"""Jobs: background work, its state and its progress."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from db.tables import Job, now

WAITING: Final = "waiting"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"
UNFINISHED: Final = (WAITING, RUNNING)


def by_id(session: Session, job_id: int, *, lock: bool = False) -> Job | None:
    """Return the job with this id, if there is one; locked until the end where asked."""
    query = select(Job).where(Job.id == job_id)
    return session.scalar(query.with_for_update() if lock else query)


def add(
    session: Session,
    project_id: int,
    kind: str,
    *,
    arguments: dict[str, Any] | None = None,
    user_id: int | None = None,
) -> Job:
    """Add a waiting job; its id is known afterwards."""
    job = Job(project_id=project_id, kind=kind, arguments=arguments or {}, user_id=user_id)
    session.add(job)
    session.flush()
    return job


def latest(
    session: Session, project_id: int | None = None, *, kind: str | None = None, limit: int = 20
) -> Sequence[Job]:
    """Return jobs, newest first; of one project and of one kind where given."""
    query = select(Job).order_by(Job.id.desc()).limit(limit)
    if project_id is not None:
        query = query.where(Job.project_id == project_id)
    if kind is not None:
        query = query.where(Job.kind == kind)
    return session.scalars(query).all()


def unfinished(
    session: Session, project_id: int | None = None, *, kind: str | None = None
) -> Sequence[Job]:
    """Return jobs that wait or run, oldest first."""
    query = select(Job).where(Job.state.in_(UNFINISHED)).order_by(Job.id)
    if project_id is not None:
        query = query.where(Job.project_id == project_id)
    if kind is not None:
        query = query.where(Job.kind == kind)
    return session.scalars(query).all()


def claim(session: Session, job_id: int, worker: dict[str, Any]) -> bool:
    """Take a waiting job for a worker; False where somebody else has it by now."""
    moment = now()
    taken = session.execute(
        update(Job)
        .where(Job.id == job_id, Job.state == WAITING)
        .values(
            state=RUNNING,
            attempts=Job.attempts + 1,
            started_at=moment,
            heartbeat_at=moment,
            ended_at=None,
            error="",
            progress={"worker": worker},
        )
        .execution_options(synchronize_session=False)
    )
    return _changed(taken)


def beat(
    session: Session, job_id: int, progress: dict[str, Any] | None, attempt: int
) -> bool | None:
    """Say that a job still runs, with its progress where that is news.

    Returns
    -------
    bool or None
        Whether somebody asked to cancel it; None where it is not running any more (in
        this attempt), because somebody took it for dead.
    """
    values: dict[str, Any] = {"heartbeat_at": now()}
    if progress is not None:
        values["progress"] = progress
    beaten = session.execute(
        update(Job)
        .where(Job.id == job_id, Job.state == RUNNING, Job.attempts == attempt)
        .values(**values)
        .execution_options(synchronize_session=False)
    )
    if not _changed(beaten):
        return None
    return session.scalar(select(Job.cancel_asked).where(Job.id == job_id))


def running(session: Session) -> Sequence[Job]:
    """Return all jobs that run, or did when their worker was last heard of."""
    return session.scalars(select(Job).where(Job.state == RUNNING).order_by(Job.id)).all()


def end(
    session: Session,
    job_id: int,
    state: str,
    *,
    error: str = "",
    heard_of_before: datetime | None = None,
) -> bool:
    """End a running job; False where it does not run.

    With `heard_of_before`, only if nothing was heard of it since that time.
    """
    conditions = [Job.id == job_id, Job.state == RUNNING]
    if heard_of_before is not None:
        conditions.append(Job.heartbeat_at <= heard_of_before)
    ended = session.execute(
        update(Job)
        .where(*conditions)
        .values(state=state, error=error, ended_at=None if state == WAITING else now())
        .execution_options(synchronize_session=False)
    )
    return _changed(ended)


def say_failure(session: Session, job_id: int, code: str) -> None:
    """Keep the short name of why a job failed beside its error, for a translated message."""
    job = by_id(session, job_id)
    assert job is not None
    job.progress = job.progress | {"failure": {"code": code, "params": {}}}
    session.flush()


def _changed(result: Any) -> bool:
    assert isinstance(result, CursorResult)
    return result.rowcount == 1
