"""What is loaded once, what anew, and who waits for it; the models themselves are faked."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from model import predictor
from model.predictor import load_predictor

FILES = (
    "interpunct.json",
    "model_state.pdparams",
    "config.json",
    "vocab.txt",
    "tokenizer_config.json",
    "sentencepiece.bpe.model",
)


def model_folder(path):
    path.mkdir()
    for name in FILES:
        (path / name).write_text("as it was")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(predictor, "_loaded", {})
    return model_folder(tmp_path / "model")


@pytest.fixture
def loads(monkeypatch):
    """Give what was loaded so far, and what a folder's loading waits for: events by folder."""
    done, gates = [], {}

    class Loaded:
        def __init__(self, folder, *, bfloat16, overlap):
            done.append(folder)
            if folder in gates:
                assert gates[folder].wait(60)
            if (folder / ".broken").exists():
                raise OSError("broken")

    monkeypatch.setattr(predictor, "Predictor", Loaded)
    return done, gates


@pytest.mark.parametrize("name", [*FILES, "added_tokens.json"])
def test_a_folder_whose_files_changed_is_loaded_anew(folder, loads, name):
    first = load_predictor(folder)
    assert load_predictor(str(folder)) is first
    (folder / name).write_text("other content")
    second = load_predictor(folder)
    assert second is not first
    assert load_predictor(folder) is second
    (folder / name).unlink()
    assert load_predictor(folder) is not second


def test_a_new_serving_graph_changes_no_answer(folder, loads):
    first = load_predictor(folder)
    (folder / "static").mkdir()
    (folder / ".static-0123").mkdir()
    (folder / ".hidden").write_text("of an editor")
    assert load_predictor(folder) is first


def test_nobody_waits_for_another_model(folder, loads, tmp_path):
    done, gates = loads
    slow = model_folder(tmp_path / "slow")
    ready = load_predictor(folder)
    gates[slow] = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        asked = threads.submit(load_predictor, slow)
        try:
            while slow not in done:
                assert not asked.done()
                time.sleep(0.01)
            assert threads.submit(load_predictor, folder).result(10) is ready
            third = model_folder(tmp_path / "third")
            assert threads.submit(load_predictor, third).result(10)
            assert not asked.done()
        finally:
            gates[slow].set()
    assert asked.result() is load_predictor(slow)


def test_all_who_ask_for_one_model_share_one_loading(folder, loads, tmp_path):
    done, gates = loads
    gates[folder] = threading.Event()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(load_predictor, folder) for _ in range(8)]
        while not done:
            time.sleep(0.01)
        for number in range(predictor._CACHED_PREDICTORS + 1):  # what is loading isn't dropped
            load_predictor(model_folder(tmp_path / f"other {number}"))
        late = load_predictor_soon(folder)
        gates[folder].set()
    assert len({one.result() for one in asked} | {late()}) == 1
    assert done.count(folder) == 1


def load_predictor_soon(folder):
    """Ask in a thread; return what waits for the answer."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(load_predictor(folder)))
    thread.start()

    def answer():
        thread.join()
        return answers[0]

    return answer


def test_a_model_that_could_not_be_loaded_is_tried_again(folder, loads):
    done, gates = loads
    (folder / ".broken").touch()  # a dot: the files that count stay as they are
    gates[folder] = threading.Event()
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(load_predictor, folder) for _ in range(3)]
        gates[folder].set()
    assert all(isinstance(one.exception(), OSError) for one in asked)
    with pytest.raises(OSError, match="broken"):
        load_predictor(folder)
    before = len(done)
    (folder / ".broken").unlink()
    assert load_predictor(folder) is load_predictor(folder)
    assert len(done) == before + 1


def test_the_few_that_were_used_last_are_kept(folder, loads, tmp_path):
    done, _ = loads
    others = [
        model_folder(tmp_path / f"other {number}") for number in range(predictor._CACHED_PREDICTORS)
    ]
    for other in (folder, *others[:-1], folder, others[-1]):
        load_predictor(other)
    assert len(predictor._loaded) == predictor._CACHED_PREDICTORS
    load_predictor(folder)
    assert done.count(folder) == 1
    load_predictor(others[0])
    assert done.count(others[0]) == 2
