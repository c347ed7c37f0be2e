"""Background work: starting it, watching it, stopping it, and noticing that it died.

A job's row is the truth. A worker claims it, says every few seconds that it is still at
it, and ends it (`labeling.running`); a job of which nothing was heard for a minute, or
whose process is gone, has failed, and can be tried again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy.orm import Session

from db import audit, jobs, rounds
from db.engine import Database
from db.tables import Job, now
from labeling.errors import BadInput, NotFound
from labeling.permissions import Actor, require
from labeling.queue import wake_worker
from labeling.worker_id import is_gone

ROUND: Final = "round"
SUGGEST: Final = "suggest"
SILENT_SECONDS: Final = 60  # after which a job is taken for dead


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job, as people see it.

    Attributes
    ----------
    id, project_id, kind, state
        As in the row; kind is round or suggest; state is waiting, running, done, failed or
        cancelled.
    progress : dict
        ``stage``, ``done``, ``total``, ``message``; for a round also ``epoch``, ``epochs``,
        ``loss``, ``dev_f1``, ``seconds_left`` and ``losses`` ([step, loss] pairs); where it
        failed for a reason that has a translation, ``failure``: its ``code`` and ``params``.
    error : str
        Why it failed, in English.
    cancel_asked : bool
        Somebody wants it to stop; it does within a step.
    attempts : int
        How often it was begun.
    created_at, started_at, heartbeat_at, ended_at : datetime or None
        In UTC.
    """

    id: int
    project_id: int
    kind: str
    state: str
    progress: dict[str, Any]
    error: str
    cancel_asked: bool
    attempts: int
    created_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    ended_at: datetime | None

    @property
    def unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in jobs.UNFINISHED


def list_jobs(
    database: Database,
    actor: Actor,
    project_id: int,
    *,
    kind: str | None = None,
    limit: int = 20,
) -> list[JobInfo]:
    """Return a project's jobs, newest first; the dead ones are shown as failed."""
    require(actor, "see_models")
    fail_dead_jobs(database)
    with database.read() as session:
        return [info_of(job) for job in jobs.latest(session, project_id, kind=kind, limit=limit)]


def get_job(database: Database, actor: Actor, job_id: int) -> JobInfo:
    """Return a job; a dead one is shown as failed.

    Raises
    ------
    NotFound
        There is no such job.
    """
    require(actor, "see_models")
    fail_dead_jobs(database)
    with database.read() as session:
        return info_of(_find(session, job_id))


def cancel_job(database: Database, actor: Actor, job_id: int) -> JobInfo:
    """Ask a job to stop: a waiting one is cancelled at once, a running one stops within a step.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such job.
    BadInput
        It has ended already.
    """
    require(actor, "run_rounds")
    fail_dead_jobs(database)
    with database.write() as session:
        job = _find(session, job_id, lock=True)
        if job.state == jobs.WAITING:
            job.state, job.ended_at = jobs.CANCELLED, now()
            _tell_round(session, job)
        elif job.state != jobs.RUNNING:
            raise BadInput("job_ended", "This has ended already.", state=job.state)
        job.cancel_asked = True
        audit.record(
            session, actor.id, "job_cancelled", subject=f"job {job.id}", project_id=job.project_id
        )
        return info_of(job)


def retry_job(database: Database, actor: Actor, job_id: int) -> JobInfo:
    """Try a job again that failed or was cancelled; a training goes on from where it was.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such job.
    BadInput
        It has not failed, or another one of its kind is at it in the same project.
    """
    require(actor, "run_rounds")
    fail_dead_jobs(database)
    with database.write() as session:
        job = _find(session, job_id, lock=True)
        if job.state not in (jobs.FAILED, jobs.CANCELLED):
            raise BadInput(
                "job_not_failed", "Only what failed or was cancelled can be tried again."
            )
        refuse_second(session, job.project_id, job.kind)
        job.state, job.error, job.cancel_asked = jobs.WAITING, "", False
        job.ended_at, job.progress = None, {}
        _tell_round(session, job)
        audit.record(
            session, actor.id, "job_retried", subject=f"job {job.id}", project_id=job.project_id
        )
        info = info_of(job)
    wake_worker(database)
    return info


def refuse_second(session: Session, project_id: int, kind: str) -> None:
    """Go on only if no job of this kind waits or runs in a project.

    Raises
    ------
    BadInput
        One does.
    """
    rounds.lock_project(session, project_id)
    if jobs.unfinished(session, project_id, kind=kind):
        what = "round" if kind == ROUND else "job"
        raise BadInput(
            f"{kind}_running", f"Another {what} of this project is still at it; wait or cancel it."
        )


def request_suggestions(session: Session, project_id: int, user_id: int | None = None) -> Job:
    """Add a job that makes a project's missing suggestions, unless one is waiting already."""
    for job in jobs.unfinished(session, project_id, kind=SUGGEST):
        if job.state == jobs.WAITING:
            return job
    return jobs.add(session, project_id, SUGGEST, user_id=user_id)


def fail_dead_jobs(database: Database) -> list[int]:
    """Mark running jobs as failed whose worker is gone; return their ids."""
    silent_since = now() - timedelta(seconds=SILENT_SECONDS)
    with database.read() as session:
        dead = [job for job in jobs.running(session) if _is_dead(job, silent_since)]
    failed = []
    for job in dead:
        doing = str(job.progress.get("message") or "working").rstrip(".")
        reason = f"The worker stopped while {doing[:1].lower()}{doing[1:]}."
        with database.write() as session:
            seen = job.heartbeat_at or now()
            if jobs.end(session, job.id, jobs.FAILED, error=reason, heard_of_before=seen):
                rounds.follow_job(session, job.id, jobs.FAILED, reason)
                jobs.say_failure(session, job.id, "worker_stopped")
                failed.append(job.id)
    return failed


def _is_dead(job: Job, silent_since: datetime) -> bool:
    heard = job.heartbeat_at
    return heard is None or heard < silent_since or is_gone(job.progress.get("worker"))


def info_of(job: Job) -> JobInfo:
    """Return a job's row as others may see it."""
    return JobInfo(
        id=job.id,
        project_id=job.project_id,
        kind=job.kind,
        state=job.state,
        progress={key: value for key, value in job.progress.items() if key != "worker"},
        error=job.error,
        cancel_asked=job.cancel_asked,
        attempts=job.attempts,
        created_at=job.created_at,
        started_at=job.started_at,
        heartbeat_at=job.heartbeat_at,
        ended_at=job.ended_at,
    )


def _find(session: Session, job_id: int, *, lock: bool = False) -> Job:
    job = jobs.by_id(session, job_id, lock=lock)
    if job is None:
        raise NotFound("no_such_job", f"There is no job {job_id}.", job=job_id)
    return job


def _tell_round(session: Session, job: Job) -> None:
    session.flush()
    rounds.follow_job(session, job.id, job.state, job.error)
