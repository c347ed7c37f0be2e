"""Needs PyTorch, which only those who build the starter install."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from model.starter.convert import read_snapshots  # noqa: E402


def snapshot(path, value, size=3):
    state = {"mean": {"ln.bias": torch.full((size,), value)}, "shape": {"layers": 1}}
    torch.save(state, path)
    return path


def test_one_snapshot_is_taken_as_it_is(tmp_path):
    found = read_snapshots([snapshot(tmp_path / "a.pt", 0.1)])
    assert found.weights["ln.bias"].dtype == np.float32
    assert found.weights["ln.bias"].tolist() == [np.float32(0.1)] * 3
    assert found.shape == {"layers": 1}


def test_of_several_snapshots_it_is_the_mean_of_all(tmp_path):
    values = (1.0, 2.0, 6.0)
    files = [snapshot(tmp_path / f"{value}.pt", value) for value in values]
    assert read_snapshots(files).weights["ln.bias"].tolist() == [3.0] * 3


def test_snapshots_of_encoders_that_differ_are_refused(tmp_path):
    files = [snapshot(tmp_path / "a.pt", 1.0), snapshot(tmp_path / "b.pt", 1.0, size=4)]
    with pytest.raises(ValueError, match=r"b\.pt is of another encoder than .*a\.pt"):
        read_snapshots(files)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="No snapshot was named"):
        read_snapshots([])
    with pytest.raises(FileNotFoundError):
        read_snapshots([tmp_path / "snapshot-7.pt"])
