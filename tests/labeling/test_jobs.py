"""Jobs: claimed once, kept alive, cancelled, taken for dead, tried again."""

import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from sqlalchemy import event

from db import jobs as rows
from db.tables import Job, now
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.jobs import SUGGEST, cancel_job, fail_dead_jobs, get_job, list_jobs, retry_job
from labeling.permissions import SYSTEM
from labeling.running import Lost, claim, waiting_jobs
from labeling.worker_id import is_gone, this_worker


@pytest.fixture
def job(database, project):
    with database.write() as session:
        return rows.add(session, project.id, SUGGEST).id


@pytest.fixture
def stopping():
    return threading.Event()


def ended_process():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return {"host": socket.gethostname(), "pid": child.pid, "began": 1}


def test_a_job_is_claimed_by_one_of_many(database, job, stopping):
    got = []
    threads = [
        threading.Thread(target=lambda: got.append(claim(database, job, stopping)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(running is not None for running in got) == 1
    assert get_job(database, SYSTEM, job).attempts == 1


def test_progress_is_written_now_and_then_and_whole_at_the_end(database, job, stopping):
    running = claim(database, job, stopping)
    updates = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def count(_conn, _cursor, statement, *_rest):
        if statement.startswith("UPDATE job"):
            updates.append(statement)

    with running.beating():
        for step in range(1000):
            running.report(done=step, total=1000, message=f"Step {step}.")
        deadline = time.monotonic() + 20
        while "done" not in get_job(database, SYSTEM, job).progress:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert len(updates) < 20
    running.report(done=1000)
    with database.write() as session:
        running.end(session, rows.DONE)
    info = get_job(database, SYSTEM, job)
    assert (info.state, info.progress["done"], info.progress["total"]) == ("done", 1000, 1000)
    assert "worker" not in info.progress


def test_a_running_job_hears_that_it_is_to_stop(database, job, stopping):
    running = claim(database, job, stopping)
    with running.beating():
        assert not running.should_stop()
        assert cancel_job(database, SYSTEM, job).state == "running"
        assert running.cancelled.wait(20)
        assert running.should_stop()


def test_a_waiting_job_is_cancelled_at_once(database, job, stopping):
    assert cancel_job(database, SYSTEM, job).state == "cancelled"
    assert claim(database, job, stopping) is None
    with pytest.raises(BadInput, match="ended already"):
        cancel_job(database, SYSTEM, job)


def test_a_job_whose_process_is_gone_has_failed_and_says_during_what(database, job, stopping):
    running = claim(database, job, stopping)
    assert fail_dead_jobs(database) == []  # this very process is at it
    with database.write() as session:
        session.get(Job, job).progress = {
            "message": "Training: step 40 of 120.",
            "worker": ended_process(),
        }
    info = get_job(database, SYSTEM, job)
    assert info.state == "failed"
    assert info.error == "The worker stopped while training: step 40 of 120."
    with database.write() as session, pytest.raises(Lost):
        running.end(session, rows.DONE)


def test_a_job_of_another_machine_is_dead_after_a_minute_of_silence(database, job, stopping):
    claim(database, job, stopping)
    with database.write() as session:
        session.get(Job, job).progress = {"worker": {"host": "elsewhere", "pid": 1}}
    assert get_job(database, SYSTEM, job).state == "running"
    with database.write() as session:
        session.get(Job, job).heartbeat_at = now() - timedelta(seconds=61)
    assert [one.state for one in list_jobs(database, SYSTEM, 1)] == ["failed"]


def test_a_job_taken_for_dead_notices(database, job, stopping):
    running = claim(database, job, stopping)
    with running.beating():
        with database.write() as session:
            rows.end(session, job, rows.FAILED, error="taken for dead")
        running.report(done=1)
        assert running.lost.wait(20)
        assert running.should_stop()


def test_what_failed_can_be_tried_again_by_whoever_may(database, job, project, ann, stopping):
    with pytest.raises(BadInput, match="failed"):
        retry_job(database, SYSTEM, job)
    claim(database, job, stopping)
    with database.write() as session:
        rows.end(session, job, rows.FAILED, error="no memory")
    for use in (retry_job, cancel_job):
        with pytest.raises(NotAllowed):
            use(database, ann, job)
    again = retry_job(database, SYSTEM, job)
    assert (again.state, again.error, again.cancel_asked) == ("waiting", "", False)
    assert claim(database, job, stopping).attempt == 2
    with pytest.raises(NotFound):
        get_job(database, SYSTEM, 999)


def test_only_one_of_a_kind_at_a_time_in_a_project(database, job, project):
    cancel_job(database, SYSTEM, job)
    with database.write() as session:
        rows.add(session, project.id, SUGGEST)
    with pytest.raises(BadInput, match="still at it"):
        retry_job(database, SYSTEM, job)


def test_short_jobs_come_first(database, job, project):
    with database.write() as session:
        long = rows.add(session, project.id, "round").id
        short = rows.add(session, project.id, SUGGEST).id
    assert waiting_jobs(database) == [job, short, long]


def test_processes_are_told_apart():
    assert not is_gone(this_worker())
    assert is_gone(ended_process())
    assert is_gone(this_worker() | {"began": 1})  # the number was used again
    assert not is_gone(this_worker() | {"host": "elsewhere", "pid": 999_999_999})
    assert not is_gone(None)
