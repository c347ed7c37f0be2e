"""`serve`: a page within a start, a worker beside it, and nothing left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from labeling.worker_id import is_gone

ROOT = Path(__file__).parents[2]


@pytest.fixture
def serve(home):
    """Start a server without a demo on a free port; kill what is left of it."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "run.py", *arguments],
            cwd=ROOT,
            env=os.environ | {"INTERPUNCT_PORT": "0", "INTERPUNCT_DEMO": "0"},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        address = re.search(r"http://\S+", process.stdout.readline()).group()
        return process, address

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def worker_of(process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").parent.parent
        found = [
            int(child)
            for task in children.iterdir()
            for child in (task / "children").read_text().split()
        ]
        if found:
            return {"host": socket.gethostname(), "pid": found[0]}
        time.sleep(0.1)
    raise AssertionError("no worker was started")


def wait_until_gone(worker):
    deadline = time.monotonic() + 120
    while not is_gone(worker):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_it_serves_without_a_command_says_how_to_sign_in_and_ends_clean(serve, home):
    process, address = serve()
    said = process.stdout.readline()
    assert re.fullmatch(r"Sign in as admin with the password \S{14} \(shown this once\).\n", said)
    with urllib.request.urlopen(f"{address}/health") as answer:
        assert answer.status == 200
    with urllib.request.urlopen(address) as page:  # not signed in: the page that asks to
        assert "password" in page.read().decode()
    assert (home / "interpunct.db").exists()
    worker = worker_of(process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 0
    wait_until_gone(worker)


def test_killed_it_takes_its_worker_along(serve):
    process, _ = serve("serve")
    worker = worker_of(process)
    process.kill()
    process.wait()
    wait_until_gone(worker)


def test_an_address_that_is_taken_is_said_in_one_line(refused, home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"127.0.0.1:{port} cannot" in refused("serve", "--port", port)
    assert "cannot be listened on" in refused("serve", "--host", "no.such.host.invalid")
    assert not home.exists()
