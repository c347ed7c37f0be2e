"""The worker: a process that does waiting jobs, one after another.

Huey only wakes it. What there is to do, and how far it is, stands in the database, so
that a lost message loses nothing and a message too many does no harm.
"""

import logging
import logging.handlers
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from huey.consumer import Consumer

from db import jobs, suggestions
from db import projects as project_rows
from db.engine import Database
from labeling.errors import Refused
from labeling.home import home_of
from labeling.jobs import ROUND, SUGGEST, fail_dead_jobs, request_suggestions
from labeling.queue import make_queue
from labeling.running import Lost, Running, claim, waiting_jobs
from model.card import BrokenModel
from model.training_settings import TrainingRefused

PARENT: Final = "INTERPUNCT_WORKER_PARENT"
_STOP_SECONDS: Final = 30  # a step of a training, and a file or two
log: Final = logging.getLogger(__name__)


def do_job(running: Running, *, when_stopped: str = jobs.WAITING) -> None:
    """Do a claimed job to its end, whatever that is, and write that down.

    Parameters
    ----------
    running : Running
        As `labeling.running.claim` gave it.
    when_stopped : str
        The state of a job that ends because this program is being stopped: ``waiting``,
        for the next start to go on with it, or ``cancelled``.
    """
    database = running.database
    log.info("Job %d (%s) begins.", running.job_id, running.kind)
    state, error = jobs.DONE, ""
    with running.beating():
        try:
            _runner(running.kind)(running)
            if running.cancelled.is_set():
                state = jobs.CANCELLED
            elif running.should_stop():
                state = when_stopped
        except Lost:
            log.warning("Job %d was taken for dead; what it made is not stored.", running.job_id)
            return
        except (Refused, TrainingRefused, BrokenModel) as reason:
            state, error = jobs.FAILED, str(reason)
            if not isinstance(reason, BrokenModel):
                params = {key: str(value) for key, value in getattr(reason, "params", {}).items()}
                running.report(failure={"code": reason.code, "params": params})
        except Exception as reason:
            log.exception("Job %d failed", running.job_id)
            state, error = jobs.FAILED, f"{type(reason).__name__}: {reason}"
    try:
        with database.write() as session:
            row = jobs.by_id(session, running.job_id)
            if row is not None and row.state == jobs.RUNNING:  # a round ends with its figures
                running.end(session, state, error)
    except Lost:
        return
    log.info("Job %d (%s): %s. %s", running.job_id, running.kind, state, error)


def do_waiting_jobs(database: Database, stopping: threading.Event) -> int:
    """Do all waiting jobs; return how many there were.

    Jobs that died are marked as failed first; projects that lack suggestions get a job.
    """
    fail_dead_jobs(database)
    _ask_for_suggestions(database)
    done = 0
    while not stopping.is_set():
        waiting = waiting_jobs(database)
        if not waiting:
            break
        running = claim(database, waiting[0], stopping)
        if running is not None:
            do_job(running)
            done += 1
    return done


def work(database: Database, redis_url: str = "") -> None:
    """Be the worker, until told to stop (SIGINT, SIGTERM) or until the parent is gone.

    A job in hand stops within a step and waits for the next start. Call it in the main
    thread of a process of its own.
    """
    _log_to_file(database)
    stopping = threading.Event()

    def look() -> None:
        try:
            do_waiting_jobs(database, stopping)
        except Exception:
            log.exception("The worker could not look for jobs")

    queue = make_queue(home_of(database), redis_url, look)
    consumer = _PoliteConsumer(
        queue.huey,
        workers=1,
        initial_delay=0.1,
        max_delay=1.0,
        shutdown_timeout=_STOP_SECONDS,
        graceful_signal="TERM",
    )
    consumer.stopping = stopping
    queue.wake()  # what was waiting while no worker ran
    log.info("The worker has started, process %d.", os.getpid())
    consumer.run()
    log.info("The worker has stopped.")


class _PoliteConsumer(Consumer):
    """Huey's consumer; whatever stops it, the job in hand is told first and waited for."""

    stopping: threading.Event

    def start(self) -> None:
        """Start working; only then are signals handled, and the parent is watched."""
        super().start()
        _watch_parent(self.stopping)

    def stop(self, graceful: bool = False) -> None:
        """Stop taking work, have the job in hand stop within a step, and wait for it."""
        self.stopping.set()
        super().stop(graceful=True)


def _watch_parent(stopping: threading.Event) -> None:
    """Stop when the process that started this one is gone, killed or not."""
    parent = os.environ.get(PARENT, "")
    if not parent.isdigit():
        return

    def watch() -> None:
        while os.getppid() == int(parent):
            if stopping.wait(1):
                return
        log.warning("The server is gone; the worker stops too.")
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_STOP_SECONDS + 5)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


def _ask_for_suggestions(database: Database) -> None:
    """Add a job for every project whose serving model has not seen all its transcripts.

    Not where the last such job failed: that is for people to look at and try again.
    """
    with database.read() as session:
        lacking = [
            project.id
            for project in project_rows.everything(session)
            if project.serving_model_id is not None
            and suggestions.missing(session, project.id, project.serving_model_id, 1)
            and not any(
                job.state in (*jobs.UNFINISHED, jobs.FAILED, jobs.CANCELLED)
                for job in jobs.latest(session, project.id, kind=SUGGEST, limit=1)
            )
        ]
    for project_id in lacking:
        with database.write() as session:
            request_suggestions(session, project_id)


def _runner(kind: str) -> Callable[[Running], Any]:
    if kind == ROUND:
        from labeling.round_job import run_round_job

        return run_round_job
    from labeling.suggestions import run_suggest_job

    return run_suggest_job


def _log_to_file(database: Database) -> None:
    folder = home_of(database)
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        folder / "worker.log", maxBytes=2_000_000, backupCount=2, encoding="utf-8"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("huey").setLevel(logging.WARNING)
