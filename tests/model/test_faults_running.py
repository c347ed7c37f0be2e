"""Faults that people reported of other tools: long texts, batches, threads, engines, loading."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from model import predictor as predictor_module
from model import runtime, static_graph
from model.card import BrokenModel, read_card, write_card
from model.marks import DEFAULT_MARKS
from model.predictor import Predictor, load_predictor
from model.punctuate import punctuate
from model.training_settings import Example, TrainSettings
from model.windows import plan_windows
from tests.model.test_faults_of_others import LONG_DUTCH, TEXTS, one


@pytest.fixture(scope="module")
def tiny(tiny_checkpoint) -> Predictor:
    return load_predictor(tiny_checkpoint)


@pytest.fixture
def own_folder(tiny_checkpoint, tmp_path) -> Path:
    """A copy of the model, to be broken."""
    return shutil.copytree(tiny_checkpoint, tmp_path / "model")


LONG = {
    "long Chinese": "今天天气不错" * 160,  # yeyupiaoling/PPASR#87
    "seven thousand words": "woord " * 7000,  # snakers4/silero-models#274
    "twenty thousand characters": "我们今天说一下这个问题" * 1819,  # ekhodzitsky/gigastt#237
    "long words": f"{LONG_DUTCH} " * 230,  # deepmultilingualpunctuation#4
    "hundred long words": f"{LONG_DUTCH * 3} " * 100,  # alvenirai/punctfix#4
}


@pytest.mark.parametrize("kind", LONG)
def test_a_long_text_is_read_to_its_last_word(tiny, kind):
    # What lies beyond the position table comes back untouched, or is clipped, with success.
    done = one(LONG[kind] + " ja", tiny)
    other = one(LONG[kind] + " je", tiny)
    assert np.isfinite(done.probabilities).all()
    np.testing.assert_allclose(done.probabilities.sum(1), 1, atol=1e-5)
    # Had the end not been read, another word there would make no difference.
    assert (done.probabilities[-2:] != other.probabilities[-2:]).any(axis=1).all()
    assert (done.probabilities[:-80] == other.probabilities[:-80]).all()


@pytest.mark.parametrize("kind", ["long words", "hundred long words"])
def test_no_word_is_clipped_where_words_are_long(tiny, kind):
    # Windows that count words hold more sub-tokens than the model takes.
    words = LONG[kind].split()
    places = range(0, len(words), 7)
    same = one(" ".join(words), tiny).probabilities
    # Backwards a word has as many sub-tokens, so that nothing but itself changes.
    changed = (" ".join([*words[:at], words[at][::-1], *words[at + 1 :]]) for at in places)
    for at, done in zip(places, punctuate(list(changed), tiny), strict=True):
        assert (done.probabilities[at] != same[at]).any()


def test_marks_are_put_all_along_a_long_text(tiny):
    # ekhodzitsky/gigastt#237
    done = one(LONG["twenty thousand characters"], tiny)
    assert len(done.units) > 20_000
    assert all(set(done.marks[i : i + 1000]) - {"NONE"} for i in range(0, 20_000, 1000))


@pytest.mark.parametrize("filler", ["天", "a b 天 de "])
def test_a_slot_counts_a_window_the_more_the_farther_it_is_from_its_edge(tiny, filler):
    """Tutorials shift labels by the overlap, or keep a window's edge, which lacks context.

    Where a slot lies equally deep in two windows both count alike, always
    (AppTek/SubER#12: ties that are broken by whatever a library happens to do).
    """
    units = (filler.split() * 400)[:400]
    assert (tiny.card.max_units, tiny.card.overlap) == (256, 32)
    whole = one(" ".join(units), tiny).probabilities
    first = one(" ".join(units[:256]), tiny).probabilities
    second = one(" ".join(units[224:]), tiny).probabilities
    assert (whole[:224] == first[:224]).all()
    assert (whole[256:] == second[32:]).all()
    for slot in range(224, 256):
        before, after = max(min(16, 255 - slot), 1 / 64), min(16, slot - 223)
        logs = before * np.log(first[slot]) + after * np.log(second[slot - 224])
        mean = np.exp(logs / (before + after))
        np.testing.assert_allclose(whole[slot], mean / mean.sum(), atol=1e-6)
        assert (first[slot] != second[slot - 224]).any()


def test_eight_threads_do_not_mix_texts_up(tiny):
    # PaddlePaddle/Paddle#56524: results of one thread reach another; PaddleNLP#9066,
    # Paddle#42607, FunASR#2587, ottokart/punctuator#14: lengths 5 and 300 together crash
    texts = [
        "今天天气不错",
        "a b c d e",
        "woord " * 300,
        "我们" * 150,
        "",
        "😀",
        "x" * 400,
        "一" * 700,
    ]
    serial = [(done.text, done.probabilities.tobytes()) for done in punctuate(texts, tiny)]

    def hundred(index: int) -> set[tuple[str, bytes]]:
        answers = (punctuate([texts[index]], tiny)[0] for _ in range(100))
        return {(done.text, done.probabilities.tobytes()) for done in answers}

    with ThreadPoolExecutor(8) as pool:
        for expected, got in zip(serial, pool.map(hundred, range(8)), strict=True):
            assert got == {expected}


class Learning:
    """The layer that learns, computed call by call, as a predictor: the other engine."""

    def __init__(self, folder: Path) -> None:
        from model.learner import Learner

        self._learner = Learner(folder, TrainSettings())
        self.card, self.marks = self._learner.card, self._learner.outputs

    def probabilities(self, unit_lists) -> list[np.ndarray]:
        examples = [Example(list(units), [0] * len(units)) for units in unit_lists]
        lengths = [len(units) for units in unit_lists]
        return self._learner.probabilities(self._learner.cut(examples, reading=True), lengths)


@pytest.mark.parametrize("model", ["tiny", "starter"])
def test_both_engines_put_the_same_marks(model, tiny_checkpoint, request):
    """modelscope/FunASR#2120: the exported model gives another mark than the trained one.

    In float32: what bfloat16 may change is said in the docs.
    """
    folder = tiny_checkpoint if model == "tiny" else request.getfixturevalue("starter_checkpoint")
    texts = ["see you tomorrow", "你叫什么名字", "waar woont u", "ja, dat klopt.", ""]
    texts += ["we gaan nu weg toch", "吃了吗let us go现在走", "dosis 0.30 mg", "今天天气不错" * 60]
    if model == "tiny":
        texts += [text for text in TEXTS if len(text) < 2000]
    serving = punctuate(texts, load_predictor(folder, bfloat16=False), capitalize=True)
    learning = punctuate(texts, Learning(folder), capitalize=True)
    for a, b in zip(serving, learning, strict=True):
        np.testing.assert_allclose(a.probabilities, b.probabilities, atol=1e-4)
        assert (a.text, a.marks) == (b.text, b.marks)


def test_a_warm_call_reads_and_makes_nothing_again(own_folder, monkeypatch):
    # modelscope/FunASR#1314, notAI-tech/fastPunct#13: 20 s a call
    made, exported = [], []
    create, export = runtime._create, static_graph._export
    monkeypatch.setattr(runtime, "_create", lambda *given: made.append(1) or create(*given))
    monkeypatch.setattr(static_graph, "_export", lambda *a: exported.append(1) or export(*a))
    answers = {punctuate(["你好"], load_predictor(own_folder))[0].text for _ in range(10)}
    predictor = load_predictor(own_folder)
    shutil.rmtree(own_folder)  # so whatever reads a file of it again can't
    answers |= {punctuate(["你好"], predictor)[0].text for _ in range(10)}
    assert len(answers) == 1
    assert (len(made), len(exported)) == (1, 0)


def test_a_short_text_is_a_short_sequence(tiny, monkeypatch):
    # The other way to take 20 s: two characters padded to all that the model can take.
    shapes = []
    compute = runtime.Runtime._compute
    monkeypatch.setattr(
        runtime.Runtime, "_compute", lambda own, ids: shapes.append(ids.shape) or compute(own, ids)
    )
    punctuate(["你好"], tiny)
    assert shapes == [(1, 8)]
    punctuate(["你好", "今天" * 400], tiny)
    assert sorted(shapes)[:2] == [(1, 8), (1, 8)]


# ekhodzitsky/gigastt#237: HTTP 200, and nothing done.


def test_a_model_without_weights_is_a_loud_fault(own_folder):
    (own_folder / "model_state.pdparams").unlink()
    with pytest.raises(BrokenModel):
        load_predictor(own_folder)


def test_a_model_whose_outputs_are_not_its_marks_is_a_loud_fault(own_folder):
    write_card(own_folder, read_card(own_folder).changed(marks=DEFAULT_MARKS.names))
    with pytest.raises(BrokenModel, match="outputs"):
        punctuate(["你好"], load_predictor(own_folder))


def test_a_slot_that_no_window_holds_is_a_loud_fault(tiny, monkeypatch):
    monkeypatch.setattr(predictor_module, "plan_windows", lambda *given: plan_windows(*given)[:-1])
    with pytest.raises(AssertionError, match="never"):
        punctuate(["今天" * 300], tiny)


def test_what_goes_wrong_while_computing_is_a_loud_fault(tiny, monkeypatch):
    def beyond_the_table(own, ids):
        raise ValueError("positions")

    monkeypatch.setattr(runtime.Runtime, "_compute", beyond_the_table)
    with pytest.raises(ValueError, match="positions"):
        punctuate(["", "今天", "好" * 1000], tiny)


def test_importing_the_engine_needs_no_paddle():
    code = "import sys, model.punctuate; print('paddle' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
