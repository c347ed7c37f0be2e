"""What serving says in the terminal about the engine, and what the worker inherits."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from webapp.serving import WorkerProcess

ROOT = Path(__file__).parents[2]


def test_the_terminal_shows_once_how_the_engine_is_set_up(tmp_path: Path) -> None:
    code = (
        "import logging, pathlib, sys\n"
        "from db.settings import Settings\n"
        "from labeling.errors import BadInput\n"
        "from model import processor\n"
        "from webapp.serving import serve\n"
        "try: serve(Settings(home=pathlib.Path(sys.argv[1])), host='no.such.host.invalid')\n"
        "except BadInput: pass\n"
        "assert 'paddle' not in sys.modules\n"
        "processor._import_paddle = lambda: None\n"
        "processor.prepare_processor(); processor.prepare_processor()\n"
        "logging.getLogger('other').info('not asked for')\n"
        "logging.getLogger('other').warning('went wrong')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "home")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    line, other = done.stderr.splitlines()
    assert line.startswith("INFO: processor: OMP_NUM_THREADS=")
    assert other == "WARNING: went wrong"
    assert done.stdout == ""


def test_the_worker_gets_the_environment_as_the_user_set_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    said = tmp_path / "said"
    code = (
        "import os, sys, time; open(sys.argv[1] + '.new', 'w').write("
        "f\"{os.environ.get('OMP_NUM_THREADS')} {os.environ.get('MKL_NUM_THREADS')}\");"
        "os.rename(sys.argv[1] + '.new', sys.argv[1]); time.sleep(60)"
    )
    worker = WorkerProcess([sys.executable, "-c", code, str(said)])
    monkeypatch.setenv("OMP_NUM_THREADS", "12")  # as the engine does, for this process
    worker.start()
    try:
        while not said.exists():
            assert worker.pid is not None
            time.sleep(0.05)
    finally:
        worker.stop()
    assert said.read_text() == "None 3"
