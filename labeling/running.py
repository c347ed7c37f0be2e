"""A job in the process that does it: claimed, kept alive, told to stop, ended."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy.orm import Session

from db import jobs, rounds
from db.engine import Database
from db.tables import Job
from labeling.jobs import ROUND
from labeling.worker_id import this_worker

_BEAT_SECONDS: Final = 5
_LOOK_SECONDS: Final = 0.5
log: Final = logging.getLogger(__name__)


class Lost(Exception):
    """Somebody took this job for dead or ended it; what it made must not be stored."""


class Running:
    """A job that this process runs. Made by `running`.

    What is reported is written by a thread of its own, at most twice a second, so that
    the work never waits for the database.
    """

    def __init__(self, database: Database, job: Job, stopping: threading.Event) -> None:
        self.database: Final = database
        self.job_id: Final = job.id
        self.kind: Final = job.kind
        self.project_id: Final = job.project_id
        self.arguments: Final = dict(job.arguments)
        self.attempt: Final = job.attempts
        self.listener: Callable[[dict[str, Any]], None] = lambda progress: None
        self.cancelled: Final = threading.Event()
        self.lost: Final = threading.Event()
        self._stopping: Final = stopping
        self._over: Final = threading.Event()
        self._progress: dict[str, Any] = dict(job.progress)
        self._news = False
        self._thread: Final = threading.Thread(
            target=self._beat, name=f"heartbeat of job {job.id}", daemon=True
        )

    def report(self, **progress: Any) -> None:
        """Say how far it is; keys that are not named stay as they were."""
        self._progress = {**self._progress, **progress}
        self._news = True
        self.listener(self._progress)

    def should_stop(self) -> bool:
        """Tell the work whether to stop: cancelled, lost, or the program is stopping."""
        return self.cancelled.is_set() or self.lost.is_set() or self._stopping.is_set()

    def end(self, session: Session, state: str, error: str = "") -> None:
        """End the job, in the transaction that stores what it made.

        Raises
        ------
        Lost
            It is not this worker's any more.
        """
        job = jobs.by_id(session, self.job_id, lock=True)
        if job is None or job.state != jobs.RUNNING or job.attempts != self.attempt:
            raise Lost
        job.progress = self._progress
        session.flush()
        jobs.end(session, self.job_id, state, error=error)
        rounds.follow_job(session, self.job_id, state, error)

    def _beat(self) -> None:
        since = 0.0
        while not self._over.wait(_LOOK_SECONDS):
            since += _LOOK_SECONDS
            news, self._news = self._news, False
            try:
                if news or since >= _BEAT_SECONDS:
                    since = 0.0
                    with self.database.write() as session:
                        progress = self._progress if news else None
                        asked = jobs.beat(session, self.job_id, progress, self.attempt)
                    if asked is None:
                        self.lost.set()
                        return
                else:
                    with self.database.read() as session:
                        job = jobs.by_id(session, self.job_id)
                        asked = job is not None and job.cancel_asked
                if asked:
                    self.cancelled.set()
            except Exception:
                log.exception("The heartbeat of job %d could not be written", self.job_id)
                self._news = self._news or news

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Say every few seconds that the job is alive, until the end of the block."""
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()


def claim(database: Database, job_id: int, stopping: threading.Event) -> Running | None:
    """Take a waiting job for this process; None where another one has it."""
    with database.write() as session:
        if not jobs.claim(session, job_id, this_worker()):
            return None
        rounds.follow_job(session, job_id, jobs.RUNNING)
        job = jobs.by_id(session, job_id)
        assert job is not None
        return Running(database, job, stopping)


def waiting_jobs(database: Database) -> list[int]:
    """Return the ids of waiting jobs: the short ones (suggestions) first, then by age."""
    with database.read() as session:
        found: Sequence[Job] = jobs.unfinished(session)
        waiting = [job for job in found if job.state == jobs.WAITING]
    return [job.id for job in sorted(waiting, key=lambda job: (job.kind == ROUND, job.id))]
