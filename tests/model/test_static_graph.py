"""When a serving graph is exported, and which one is never taken; what stands in it is faked."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from model import static_graph
from model.static_graph import export_static, find_static


def model_folder(path):
    path.mkdir()
    (path / "config.json").write_text("{}")
    (path / "model_state.pdparams").write_bytes(b"weights of " + path.name.encode())
    return path


def write_graph(folder, work):
    (work / "model.json").write_text("layout")
    (work / "model.pdiparams").write_bytes(b"numbers")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return model_folder(tmp_path / "model")


@pytest.fixture
def exports(monkeypatch):
    """Give the folders that were exported so far."""
    done = []

    def export(folder, work):
        done.append(folder)
        write_graph(folder, work)

    monkeypatch.setattr(static_graph, "_export", export)
    return done


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_graph_is_exported_once(folder, exports):
    assert find_static(folder) == folder / "static"
    assert find_static(folder) == export_static(folder) == folder / "static"
    assert exports == [folder]
    assert names(folder) == ["config.json", "model_state.pdparams", "static"]


@pytest.mark.parametrize("name", ["model.json", "model.pdiparams", "made-from.json"])
@pytest.mark.parametrize("left", [None, b"", b"x"], ids=["missing", "empty", "cut off"])
def test_a_damaged_graph_is_exported_anew(folder, exports, name, left):
    damaged = find_static(folder) / name
    whole = damaged.read_bytes()
    if left is None:
        damaged.unlink()
    else:
        damaged.write_bytes(left)
    assert find_static(folder) == folder / "static"
    assert len(exports) == 2
    assert damaged.read_bytes() == whole


def test_a_graph_that_an_older_export_made_is_stale(folder, exports, monkeypatch):
    find_static(folder)
    monkeypatch.setattr(static_graph, "_VERSION", "another")
    find_static(folder)
    find_static(folder)
    assert len(exports) == 2


@pytest.mark.parametrize("failing", [False, True], ids=["nothing is said", "it fails"])
def test_a_half_written_graph_is_never_put_in_place(folder, exports, monkeypatch, failing):
    before = find_static(folder)
    (before / "model.json").write_text("stale")

    def export(folder, work):
        (work / "model.json").write_text("layout")
        (work / "model.pdiparams").touch()
        if failing:
            raise RuntimeError("killed")

    monkeypatch.setattr(static_graph, "_export", export)
    with pytest.raises(RuntimeError if failing else OSError):
        export_static(folder)
    assert (before / "model.json").read_text() == "stale"
    assert names(folder) == ["config.json", "model_state.pdparams", "static"]


def test_what_killed_exports_left_behind_goes_and_a_running_one_stays(folder, exports):
    for name, age in ((".static-killed", 7200), (".static-running", 60), (".static", 7200)):
        (folder / name / "new").mkdir(parents=True)
        os.utime(folder / name, (time.time() - age,) * 2)
    export_static(folder)
    assert names(folder) == [
        ".static",
        ".static-running",
        "config.json",
        "model_state.pdparams",
        "static",
    ]


def test_what_another_process_finished_first_is_not_taken_from_it(folder, monkeypatch):
    theirs = []

    def export(folder, work):
        write_graph(folder, work)
        if not theirs:  # as another process does, which knows nothing of this one's lock
            theirs.append(folder / "static")
            monkeypatch.setattr(static_graph, "_exporting", threading.Lock())
            export_static(folder)
            theirs.append(theirs[0].stat().st_ino)

    monkeypatch.setattr(static_graph, "_export", export)
    assert export_static(folder) == theirs[0]
    assert theirs[0].stat().st_ino == theirs[1]


def test_threads_export_one_after_another(tmp_path, folder, monkeypatch):
    other = model_folder(tmp_path / "other")
    running, most, done = [], [], []

    def export(folder, work):
        running.append(folder)
        most.append(len(running))
        time.sleep(0.05)
        write_graph(folder, work)
        done.append(running.pop())

    monkeypatch.setattr(static_graph, "_export", export)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(find_static, [folder, other, folder, other]))
    assert max(most) == 1
    assert sorted(done) == sorted([folder, other])
