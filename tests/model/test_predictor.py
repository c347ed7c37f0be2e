import random
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from model import runtime
from model.card import read_card, write_card
from model.checkpoint import load_for_training
from model.marks import ALL_MARKS, DEFAULT_MARKS, MarkSet
from model.predictor import Predictor, choose, fold_probabilities, load_predictor
from model.processor import bfloat16_to_use
from model.windows import plan_windows

KINDS = "我 们 今 天 hallo dit is iPhone15 3.5 zo'n arbeidsongeschiktheidsverzekering 龘 the"
WORDS = KINDS.split(" ")


@pytest.fixture(scope="module", params=[False, True], ids=["float32", "bfloat16"])
def predictor(request, tiny_checkpoint):
    return Predictor(tiny_checkpoint, bfloat16=request.param)


@pytest.fixture(scope="module")
def exact(tiny_checkpoint):
    return Predictor(tiny_checkpoint, bfloat16=False)


def some_texts(seed: int, lengths: list[int]) -> list[list[str]]:
    rng = random.Random(seed)
    return [rng.choices(WORDS, k=n) for n in lengths]


MIXED = some_texts(1, [0, 1, 2, 3, 5, 17, 64, 64, 200, 255, 256, 257, 300, 700, 9, 0, 31])


@pytest.fixture(scope="module")
def alone(predictor):
    return [predictor.probabilities([units])[0] for units in MIXED]


def test_every_slot_has_a_row_that_sums_to_one(alone):
    for units, rows in zip(MIXED, alone, strict=True):
        assert rows.shape == (len(units), 10)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(rows.sum(1), 1, atol=1e-6)


def test_a_batch_gives_the_same_bits_as_one_by_one(predictor, alone):
    for one, other in zip(alone, predictor.probabilities(MIXED), strict=True):
        assert one.tobytes() == other.tobytes()
    backwards = predictor.probabilities(MIXED[::-1])[::-1]
    for one, other in zip(alone, backwards, strict=True):
        assert one.tobytes() == other.tobytes()


def test_eight_threads_give_the_same_bits(predictor, alone):
    def work(seed: int) -> list[bool]:
        order = random.Random(seed).sample(range(len(MIXED)), len(MIXED))
        half = len(order) // 2
        answers = [predictor.probabilities([MIXED[i]])[0] for i in order[:half]]
        answers += predictor.probabilities([MIXED[i] for i in order[half:]])
        return [a.tobytes() == alone[i].tobytes() for a, i in zip(answers, order, strict=True)]

    with ThreadPoolExecutor(8) as pool:
        for same in pool.map(work, range(16)):
            assert all(same)


@pytest.mark.parametrize(
    ("asked", "setting", "computed"),
    [
        (None, "bfloat16", True),
        (None, "float32", False),
        (False, "bfloat16", False),
        (True, "float32", True),
    ],
)
def test_who_says_how_a_model_multiplies(tiny_checkpoint, monkeypatch, asked, setting, computed):
    taken = []
    monkeypatch.setenv("INTERPUNCT_PRECISION", setting)
    monkeypatch.setattr(runtime, "_create", lambda *given: taken.append(given[-1]))
    Predictor(tiny_checkpoint, bfloat16=asked)
    assert taken == [computed]


def test_one_model_can_serve_in_both_ways_at_once(tiny_checkpoint):
    exact = load_predictor(tiny_checkpoint, bfloat16=False)
    assert load_predictor(tiny_checkpoint, bfloat16=True) is not exact
    assert load_predictor(tiny_checkpoint, bfloat16=False) is exact


@pytest.mark.skipif(not bfloat16_to_use(), reason="this processor has no bfloat16")
def test_bfloat16_is_what_is_computed_where_the_processor_has_it(tiny_checkpoint, exact):
    rounded = Predictor(tiny_checkpoint, bfloat16=True).probabilities(MIXED)
    assert any(
        one.tobytes() != other.tobytes()
        for one, other in zip(rounded, exact.probabilities(MIXED), strict=True)
    )


@pytest.mark.parametrize(("bfloat16", "off"), [(False, 1e-6), (True, 1e-2)])
@pytest.mark.parametrize("threads", [1, 3, 9])
def test_the_number_of_threads_changes_nothing(tiny_checkpoint, threads, bfloat16, off):
    few, many = (
        Predictor(tiny_checkpoint, n, bfloat16=bfloat16).probabilities(MIXED) for n in (2, threads)
    )
    for one, other in zip(few, many, strict=True):
        np.testing.assert_allclose(one, other, atol=off)


@pytest.mark.parametrize("overlap", [32, 192])
def test_answers_are_those_of_the_layer_itself(tiny_checkpoint, overlap):
    """The graph, the windows and the mapping back against the plainest way to compute them."""
    import paddle
    from paddle.nn.functional import softmax

    layer, tokenizer = load_for_training(tiny_checkpoint, ALL_MARKS)
    units = some_texts(2, [400])[0]
    pieces = [tokenizer.tokenize(unit.lower()) for unit in units]
    pieces = [p if len(p) <= 16 else p[:8] + p[-8:] for p in pieces]
    expected, total = np.zeros((400, 10)), np.zeros((400, 1))
    for w in plan_windows([len(p) for p in pieces], 256, overlap):
        tokens = [token for p in pieces[w.start : w.stop] for token in p]
        ids = tokenizer.convert_tokens_to_ids(["[CLS]", *tokens, "[SEP]"])
        with paddle.no_grad():
            rows = layer(paddle.to_tensor([ids]))[0].numpy()
        last = np.cumsum([len(p) for p in pieces[w.start : w.stop]])
        for slot in range(w.start, w.stop):
            before = slot + 1 - w.start if w.start else 16
            after = w.stop - slot - 1 if w.stop < 400 else 16
            weight = max(min(before, after, 16), 1 / 64)
            expected[slot] += weight * rows[last[slot - w.start]]
            total[slot] += weight
    expected = softmax(paddle.to_tensor(expected / total)).numpy()
    exact = Predictor(tiny_checkpoint, bfloat16=False, overlap=overlap)
    np.testing.assert_allclose(exact.probabilities([units])[0], expected, atol=1e-5)


@pytest.mark.parametrize("overlap", [0, 1, 31, 32, 192, 255])
def test_a_long_text_is_whole_however_much_windows_overlap(tiny_checkpoint, tmp_path, overlap):
    folder = tmp_path / "model"
    shutil.copytree(tiny_checkpoint, folder)
    write_card(folder, read_card(folder).changed(overlap=overlap))
    texts = some_texts(3, [700 if overlap < 255 else 300, 3, 256])
    predictor = Predictor(folder)
    together = predictor.probabilities(texts)
    for text, rows in zip(texts, together, strict=True):
        assert rows.shape == (len(text), 10)
        assert predictor.probabilities([text])[0].tobytes() == rows.tobytes()


def test_the_temperature_makes_a_model_less_sure(tiny_checkpoint, tmp_path):
    folder = tmp_path / "warm"
    shutil.copytree(tiny_checkpoint, folder)
    write_card(folder, read_card(folder).changed(temperature=4.0))
    predictors = load_predictor(tiny_checkpoint), load_predictor(folder)
    cold, warm = (predictor.probabilities([MIXED[8]])[0] for predictor in predictors)
    expected = np.log(cold) / 4
    expected = np.exp(expected) / np.exp(expected).sum(1, keepdims=True)
    np.testing.assert_allclose(warm, expected, atol=1e-5)


def test_bfloat16_stays_near(predictor, exact, alone):
    for one, other in zip(alone, exact.probabilities(MIXED), strict=True):
        np.testing.assert_allclose(one, other, atol=0.1)


def test_an_error_reaches_the_caller_and_harms_nobody_else(predictor, alone):
    beyond_the_vocabulary = np.full((1, 8), 10**6)
    with pytest.raises(ValueError, match="embedding"):
        list(predictor._runtime.run([beyond_the_vocabulary] * 3))
    assert predictor.probabilities([MIXED[8]])[0].tobytes() == alone[8].tobytes()


def test_a_model_is_loaded_once(tiny_checkpoint, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny_checkpoint, folder)
    first = load_predictor(folder)
    assert load_predictor(str(folder)) is first
    write_card(folder, read_card(folder).changed(base="other"))
    assert load_predictor(folder).card.base == "other"


def rows(*given: tuple[float, ...]) -> np.ndarray:
    return np.array(given, np.float32)


@pytest.mark.parametrize(
    ("row", "thresholds", "name"),
    [
        ((0.5, 0.3, 0.1, 0.1), {}, "NONE"),
        ((0.3, 0.4, 0.2, 0.1), {}, "COMMA"),
        ((0.4, 0.4, 0.1, 0.1), {}, "NONE"),
        ((0.5, 0.3, 0.1, 0.1), {"COMMA": 0.3}, "COMMA"),
        ((0.3, 0.6, 0.05, 0.05), {"COMMA": 0.7}, "NONE"),
        ((0.2, 0.45, 0.35, 0.0), {"COMMA": 0.4, "PERIOD": 0.2}, "PERIOD"),
        ((0.2, 0.35, 0.45, 0.0), {"COMMA": 0.4}, "PERIOD"),
        ((1.0, 0.0, 0.0, 0.0), {"DASH": 0.1}, "NONE"),
    ],
)
def test_choosing(row, thresholds, name):
    assert DEFAULT_MARKS.decode(choose(rows(row), DEFAULT_MARKS, thresholds)) == [name]


def test_without_thresholds_the_likeliest_mark_is_put(alone):
    for given in alone:
        assert choose(given, ALL_MARKS) == given.argmax(1).tolist()


def test_a_higher_threshold_never_puts_more(alone):
    given = np.concatenate(alone)
    counts = [
        choose(given, ALL_MARKS, {"COMMA": t}).count(ALL_MARKS.ids["COMMA"])
        for t in (0.01, 0.05, 0.1, 0.3, 0.9)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_marks_that_are_not_allowed_count_for_their_kin():
    marks = MarkSet(("NONE", "COMMA", "PERIOD", "EXCLAMATION", "COLON"))
    given = rows((0.3, 0.1, 0.25, 0.35, 0.0), (0.4, 0.3, 0.0, 0.0, 0.3), (0.9, 0, 0, 0, 0.1))
    allowed = MarkSet(("NONE", "COMMA", "PERIOD"))
    assert marks.decode(choose(given, marks, allowed=allowed)) == ["PERIOD", "COMMA", "NONE"]
    folded = fold_probabilities(given, marks, allowed)
    np.testing.assert_allclose(folded, rows((0.3, 0.1, 0.6), (0.4, 0.6, 0), (0.9, 0.1, 0)))


def test_folding_into_a_larger_set_gives_the_others_nothing():
    folded = fold_probabilities(rows((0.5, 0.2, 0.2, 0.1)), DEFAULT_MARKS, ALL_MARKS)
    np.testing.assert_allclose(folded[0], [0.5, 0.2, 0.2, 0.1, 0, 0, 0, 0, 0, 0])


def test_stored_probabilities_are_chosen_from_too(alone):
    assert choose(alone[8].astype(np.float16), ALL_MARKS) == alone[8].argmax(1).tolist()
    assert choose(np.empty((0, 4), np.float16), DEFAULT_MARKS) == []
