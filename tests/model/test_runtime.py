"""What the user says about threads and notes holds for Paddle Inference too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from model import processor, runtime
from model.runtime import Runtime
from model.static_graph import find_static


@pytest.mark.parametrize(
    ("said", "given", "threads"),
    [(None, None, 8), ("16", None, 16), ("3", None, 3), (None, 12, 12), ("3", 12, 12)],
)
def test_only_the_cores_that_nobody_chose_are_capped(tmp_path, monkeypatch, said, given, threads):
    if said is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
    taken = []
    monkeypatch.setattr(processor, "usable_cores", lambda: 64)
    monkeypatch.setattr(runtime, "prepare_processor", lambda: None)
    monkeypatch.setattr(runtime, "reuse_freed_memory", lambda: None)
    monkeypatch.setattr(runtime, "_create", lambda _graph, count, _bfloat16: taken.append(count))
    Runtime(tmp_path, given)
    assert taken == [threads]


@pytest.mark.parametrize(("said", "noted"), [(None, False), ("0", True)])
def test_paddles_notes_come_only_if_the_user_asks_for_them(tiny_checkpoint, said, noted):
    graph = find_static(tiny_checkpoint)
    environment = {key: value for key, value in os.environ.items() if key != "GLOG_minloglevel"}
    code = (
        "import sys; from pathlib import Path; from model.runtime import Runtime;"
        "Runtime(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(graph)],
        cwd=Path(__file__).parents[2],
        env=environment | ({} if said is None else {"GLOG_minloglevel": said}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    assert ("pass" in done.stderr) is noted
