"""Loading Paddle leaves signals to whoever had them, from any thread."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_loading_paddle_and_paddlenlp_in_a_thread_keeps_the_handlers(name):
    code = (
        "import os, signal, threading, time\n"
        "got = []\n"
        f"signal.signal(signal.{name}, lambda number, frame: got.append(number))\n"
        "from model.auto import auto_classes\n"
        "thread = threading.Thread(target=auto_classes); thread.start(); thread.join()\n"
        f"os.kill(os.getpid(), signal.{name}); time.sleep(0.1)\n"
        "print(len(got))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr
