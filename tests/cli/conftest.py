"""The command line in this process, with a home of its own and the tiny model as its starter."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from run import main


@dataclass
class Done:
    """What a command left: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("INTERPUNCT_HOME", str(folder))
    for name in ("DATABASE_URL", "REDIS_URL", "INTERPUNCT_PORT"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run a command; nothing ships in this home unless `starter` is asked for."""
    monkeypatch.setattr("labeling.starter.STARTER_FOLDER", home / "no starter")

    def call(*arguments: str | Path, stdin: bytes = b"") -> Done:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            status = main([str(argument) for argument in arguments])
        for stream in (out, err):
            stream.seek(0)
        return Done(status, out.read(), err.read())

    return call


@pytest.fixture
def starter(run: Callable[..., Done], tiny_checkpoint: Path, monkeypatch) -> Path:
    monkeypatch.setattr("labeling.starter.STARTER_FOLDER", tiny_checkpoint)
    return tiny_checkpoint


@pytest.fixture
def refused(run: Callable[..., Done]) -> Callable[..., str]:
    """Run a command that cannot be done; it says why in one line and writes nothing else."""

    def call(*arguments: str | Path, status: int = 1, stdin: bytes = b"") -> str:
        done = run(*arguments, stdin=stdin)
        assert done.status == status, done
        assert done.out == ""
        assert done.err.count("\n") == 1, done.err
        return done.err

    return call
