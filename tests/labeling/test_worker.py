"""The worker as a process: woken, stopped, killed in mid-train, left by its parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labeling.jobs import get_job, retry_job
from labeling.models import list_models
from labeling.permissions import SYSTEM
from labeling.projects import get_project
from labeling.rounds import get_round, start_round
from labeling.tasks import PARENT
from tests.labeling.loop import QUICK, add_model, add_texts, decide_all

ROOT = Path(__file__).parents[2]
LONG = QUICK | {"epochs": 200, "patience": 200}


@pytest.fixture
def spawn(tmp_path):
    """Start workers on this test's database; none outlives the test."""
    started = []

    def start(**environment):
        env = os.environ | {"INTERPUNCT_HOME": str(tmp_path)} | environment
        env.pop("DATABASE_URL", None)
        process = subprocess.Popen([sys.executable, "run.py", "worker"], cwd=ROOT, env=env)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def ready(database, project, lea, tiny_checkpoint):
    add_texts(database, project.id, 12, "pool")
    add_texts(database, project.id, 6, "test")
    decide_all(database, lea, project.id)
    add_model(database, tiny_checkpoint, "tiny", project.id)
    return project


def wait_for(found, seconds=300):
    """Wait for something to come true; on a busy machine Paddle alone takes a while."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return value


def steps_of(database, job_id):
    progress = get_job(database, SYSTEM, job_id).progress
    return progress.get("done", 0) if progress.get("stage") == "training" else 0


def test_it_is_woken_stops_politely_and_goes_on(database, ready, spawn):
    worker = spawn()
    info = start_round(database, SYSTEM, ready.id, training=LONG)
    wait_for(lambda: steps_of(database, info.job_id) > 5)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(120) == 0
    assert get_job(database, SYSTEM, info.job_id).state == "waiting"
    stopped_at = steps_of(database, info.job_id)
    spawn()
    wait_for(lambda: get_job(database, SYSTEM, info.job_id).attempts == 2)
    assert wait_for(lambda: steps_of(database, info.job_id)) >= stopped_at


def test_killed_in_mid_train_the_job_has_failed_and_the_old_model_serves(database, ready, spawn):
    worker = spawn()
    info = start_round(database, SYSTEM, ready.id, promote="auto", training=LONG)
    wait_for(lambda: steps_of(database, info.job_id) > 5)
    worker.kill()
    worker.wait()
    job = get_job(database, SYSTEM, info.job_id)
    assert job.state == "failed"
    assert job.error.startswith("The worker stopped while training: step")
    assert job.progress["failure"]["code"] == "worker_stopped"
    assert job.progress["stage"] == "training", "people are told how far it was"
    assert get_round(database, SYSTEM, ready.id, 1).state == "failed"
    assert get_project(database, SYSTEM, ready.id).serving_model == "tiny"
    assert "calls-r1" not in {m.name for m in list_models(database, SYSTEM, ready.id)}
    retry_job(database, SYSTEM, info.job_id)
    spawn()
    wait_for(lambda: get_job(database, SYSTEM, info.job_id).attempts == 2)
    assert "failure" not in get_job(database, SYSTEM, info.job_id).progress
    assert wait_for(lambda: steps_of(database, info.job_id)) > 0


def test_it_ends_with_its_parent(database, ready, spawn):
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    orphan = spawn(**{PARENT: str(parent.pid)})  # not its parent: as if that were gone already
    assert orphan.wait(120) == 0
    parent.kill()
    parent.wait()
