"""While Paddle is imported, its advice is dropped; nothing else is."""

import contextlib
import io
import subprocess
import sys
import threading
from pathlib import Path

from model.processor import _advice_dropped

ADVICE = (
    "WARNING: OMP_NUM_THREADS set to 2, not 1. The computation speed will not be optimized.",
    "PLEASE USE OMP_NUM_THREADS WISELY.",
)


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_only_the_advice_is_dropped(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with _advice_dropped():
        print(ADVICE[0], file=sys.stderr)
        in_a_thread(lambda: print("of another thread", file=sys.stderr))
        print(ADVICE[1], file=sys.stderr)
        print("an error of Paddle's", file=sys.stderr)
        print(file=sys.stderr)
        kept_by_somebody = sys.stderr
        assert kept_by_somebody.isatty() is False
    assert sys.stderr is stream
    print("later", file=kept_by_somebody)
    assert stream.getvalue() == "of another thread\nan error of Paddle's\n\nlater\n"


def test_what_somebody_else_put_in_its_place_stays(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    other = io.StringIO()
    with _advice_dropped():
        sys.stderr = other
    assert sys.stderr is other


def test_the_advice_is_dropped_too_where_there_is_no_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), _advice_dropped():
        print(ADVICE[0], file=sys.stderr)
        print("an error of Paddle's", file=sys.stderr)
    assert sys.stderr is None
    assert out.getvalue() == ""


def test_what_others_say_while_paddle_is_imported_and_after_arrives():
    code = (
        "import logging, sys, threading, time, warnings\n"
        "from model.processor import prepare_processor\n"
        "warnings.simplefilter('always'); done = threading.Event(); said = 0\n"
        "root = logging.getLogger(); before = root.handlers[:], root.level\n"
        "thread = threading.Thread(target=lambda: (prepare_processor(), done.set()))\n"
        "thread.start()\n"
        "last = False\n"
        "while not last:\n"
        "    last = done.is_set()\n"
        "    print(f'line {said}', file=sys.stderr)\n"
        "    warnings.warn(f'warning {said}')\n"
        "    logging.getLogger('other').warning(f'logged {said}')\n"
        "    logging.getLogger('other').info('not asked for')\n"
        "    said += 1; time.sleep(0.01)\n"
        "assert (root.handlers, root.level) == before\n"
        "print(said)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    lines = done.stderr.splitlines()
    said = int(done.stdout)
    assert said > 1
    for word in ("line", "logged"):
        assert [one for one in lines if one.startswith(word)] == [
            f"{word} {n}" for n in range(said)
        ]
    assert sum("UserWarning: warning " in line for line in lines) == said
    assert not any(word in done.stderr for word in ("WISELY", "processor:", "not asked for"))
