"""What every benchmark prints."""

import os

import pytest

from benchmarks.processes import forget_set_up
from benchmarks.report import ran_on, spread, table


def test_a_table_is_as_wide_as_its_cells() -> None:
    assert table(("a", "bbb"), [("cc", "d"), ("e", "ffff")]) == [
        "| a  | bbb  |",
        "| -  | ---  |",
        "| cc | d    |",
        "| e  | ffff |",
    ]


def test_spread_is_told() -> None:
    assert spread([3.0, 1.0, 1.25]) == "1.00 / 1.25 / 3.00"


def test_threads_and_load_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.report.LOAD_BEFORE", 1.234)
    assert ran_on({"ours": 2, "pytorch": 2}) == "threads: 2; load before: 1.2"
    assert ran_on({"ours": 8, "ours, float32": 8, "tutorial": 1}) == (
        "threads: 8 (ours; ours, float32), 1 (tutorial); load before: 1.2"
    )


def test_only_what_the_user_set_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("MKL_NUM_THREADS", "7")
    monkeypatch.setenv("MKL_DEBUG_CPU_TYPE", "5")
    monkeypatch.setenv("FLAGS_use_stride_kernel", "0")
    monkeypatch.setenv("GLOG_minloglevel", "2")
    forget_set_up({"OMP_NUM_THREADS": "3"})
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_DEBUG_CPU_TYPE" not in os.environ
