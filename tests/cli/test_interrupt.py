"""Ctrl+C while `punctuate` waits for its input: 130 in silence, and no answer is lost."""

import array
import contextlib
import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from model.punctuation import strip_marks

ROOT = Path(__file__).parents[2]
SOON = 60  # seconds; a test that fails should do so before somebody ends it


@pytest.fixture
def started(tiny_checkpoint, home):
    """Start `punctuate`; whatever was started is ended with the test."""
    running = []
    # Where the tests run in the background, Ctrl+C is ignored, by whatever they start as well.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def start(*arguments, **how):
        command = [sys.executable, "run.py", "punctuate", "--model", tiny_checkpoint, *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, cwd=ROOT, **{"stdout": pipe, "stderr": pipe} | how)
        running.append(process)
        return process

    yield start
    signal.signal(signal.SIGINT, before)
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


def wait_until_read(pipe):
    """Wait until a pipe is empty: whoever reads it has all of it, and waits for more."""
    left, end = array.array("i", [1]), time.monotonic() + SOON
    while left[0]:
        assert time.monotonic() < end
        time.sleep(0.05)
        fcntl.ioctl(pipe, termios.FIONREAD, left)
    time.sleep(0.2)


def ended_quietly(process, answers):
    """Whether it has ended as the contract says, with these answers written."""
    assert process.wait(SOON) == 130
    assert process.stderr.read() == b""
    assert strip_marks(process.stdout.read().decode()) == answers
    return True


def test_on_a_pipe_that_stays_open(started):
    process = started(stdin=subprocess.PIPE)
    process.stdin.write(b"een twee\ndrie vier\nvijf")
    process.stdin.flush()
    for line in ("een twee\n", "drie vier\n"):
        assert strip_marks(process.stdout.readline().decode()) == line
    process.send_signal(signal.SIGINT)
    assert ended_quietly(process, "")


def test_where_one_text_is_answered_as_an_object(started):
    process = started("-", "--json", stdin=subprocess.PIPE)
    process.stdin.write(b"\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b'{"text": ""')
    process.send_signal(signal.SIGINT)
    assert ended_quietly(process, "")


@pytest.mark.parametrize("options", [[], ["--whole"]], ids=["line by line", "whole"])
def test_on_a_file_that_is_a_pipe(started, tmp_path, options):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    process = started(path, *options)
    with path.open("wb", buffering=0) as writing:  # waits for the reader
        writing.write(b"een twee")
        wait_until_read(writing)
        process.send_signal(signal.SIGINT)
        assert ended_quietly(process, "")


def test_at_a_terminal(started):
    ours, theirs = pty.openpty()
    with open(ours, "r+b", buffering=0) as terminal, open(theirs, "rb", buffering=0) as stdin:
        process = started(
            stdin=stdin,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        for line in ("een twee\n", "drie\n"):
            terminal.write(line.encode())
            assert strip_marks(process.stdout.readline().decode()) == line
        terminal.write(b"vier")
        time.sleep(0.2)
        terminal.write(b"\x03")
        assert ended_quietly(process, "")


def test_what_ends_a_terminals_input_ends_it_at_once(started):
    ours, theirs = pty.openpty()
    with open(ours, "r+b", buffering=0) as terminal, open(theirs, "rb", buffering=0) as stdin:
        process = started(stdin=stdin)
        terminal.write(b"een twee\ndrie")
        assert strip_marks(process.stdout.readline().decode()) == "een twee\n"
        terminal.write(b"\x04\x04")  # Ctrl+D, once for the line that is begun
        assert process.wait(SOON) == 0
    assert strip_marks(process.stdout.read().decode()) == "drie\n"


def test_a_pipe_that_somebody_asked_not_to_wait_loses_nothing(started):
    """That is a flag of the pipe's end, not of a program: who shares the end shares the flag."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(reading, "rb") as stdin, open(writing, "wb", buffering=0) as pipe:
        process = started(stdin=stdin)
        for line in ("een twee\n", "drie\n"):
            pipe.write(line.encode())
            assert strip_marks(process.stdout.readline().decode()) == line
            time.sleep(0.2)
    assert process.wait(SOON) == 0


def test_in_the_middle_of_an_import_that_makes_another_error_of_it(run, starter, monkeypatch):
    """What Paddle's own import does: `ImportError: initialization failed`."""

    def load(*_given, **_options):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr("model.predictor.load_predictor", load)
    done = run("punctuate", stdin=b"een twee\n")
    assert (done.status, done.out, done.err) == (130, "", "")


AT_THE_FIRST_BATCH = """
import sys, threading, run

start = threading.Thread.start

def begin(thread):
    start(thread)
    if thread.name.startswith("punctuation"):
        raise KeyboardInterrupt

threading.Thread.start = begin
sys.exit(run.main())
"""


def test_when_the_first_batch_begins(tiny_checkpoint, home):
    """Its thread is then not known to its pool yet, which would never tell it to stop."""
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_FIRST_BATCH, "punctuate", "--model", tiny_checkpoint],
        cwd=ROOT,
        input=b"een twee\n",
        capture_output=True,
        timeout=SOON,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
