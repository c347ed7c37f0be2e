import json

import numpy as np
import pytest

from model.bootstrap import rate_interval, resampled_sums
from model.evaluation import compare, evaluate_labels
from model.marks import ALL_MARKS, DEFAULT_MARKS, MarkSet, UnknownMark
from model.metrics import expected_calibration_error, text_counts

NONE, COMMA, PERIOD, QUESTION = range(4)


def texts(*rows):
    return [np.array(row, dtype=np.uint8) for row in rows]


def noisy(gold, rate, seed):
    rng = np.random.default_rng(seed)
    return [np.where(rng.random(len(t)) < rate, rng.integers(0, 4, len(t)), t) for t in gold]


def some_gold(n, length=40, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.choice(4, size=length, p=[0.84, 0.09, 0.06, 0.01]) for _ in range(n)]


def test_figures_counted_by_hand():
    gold = texts([0, COMMA, 0, PERIOD], [COMMA, 0, QUESTION], [0, PERIOD])
    predicted = texts([0, COMMA, COMMA, PERIOD], [0, 0, PERIOD], [0, PERIOD])
    metrics = evaluate_labels(gold, predicted, DEFAULT_MARKS)
    comma, period, question = (metrics.per_mark[name] for name in DEFAULT_MARKS.names[1:])
    assert (comma.precision, comma.recall, comma.f1, comma.support) == (0.5, 0.5, 0.5, 2)
    assert period.precision == pytest.approx(2 / 3)
    assert (period.recall, period.support, period.predicted) == (1.0, 2, 3)
    assert question.precision is None
    assert (question.recall, question.f1) == (0.0, 0.0)
    # 3 right; 2 false (a comma, a period for a question); 2 missed (a comma, the question).
    assert (metrics.micro.precision, metrics.micro.recall) == (0.6, 0.6)
    assert metrics.macro.f1 == pytest.approx((0.5 + 0.8 + 0.0) / 3)
    assert (metrics.substitutions, metrics.deletions, metrics.insertions) == (1, 1, 1)
    assert metrics.slot_error_rate == pytest.approx(3 / 5)
    assert metrics.sentence_end_f1 == 1.0, "a period for a question still ends the sentence"
    assert metrics.flawless_rate == pytest.approx(1 / 3)
    assert (metrics.n_texts, metrics.n_slots) == (3, 9)


def test_none_is_in_no_headline():
    gold = texts([0] * 999 + [COMMA])
    metrics = evaluate_labels(gold, texts([0] * 1000), DEFAULT_MARKS)
    assert "NONE" not in metrics.per_mark
    assert metrics.micro.f1 == 0.0
    assert metrics.macro.f1 == 0.0


def test_what_has_no_meaning_is_none_with_a_reason():
    metrics = evaluate_labels(texts([0, 0, 0]), texts([0, 0, 0]), DEFAULT_MARKS)
    for name, value in (
        ("COMMA.f1", metrics.per_mark["COMMA"].f1),
        ("micro.f1", metrics.micro.f1),
        ("macro.f1", metrics.macro.f1),
        ("sentence_end.f1", metrics.sentence_end_f1),
        ("slot_error_rate", metrics.slot_error_rate),
        ("ece", metrics.ece),
    ):
        assert value is None, name
        assert metrics.undefined[name]
    assert metrics.micro_interval is None
    assert metrics.flawless_rate == 1.0


@pytest.mark.parametrize("gold", [[], texts([], [])])
def test_nothing_to_count(gold):
    metrics = evaluate_labels(gold, gold, DEFAULT_MARKS, [np.zeros((0, 4)) for _ in gold])
    assert metrics.n_texts == 0
    assert metrics.flawless_rate is metrics.flawless_interval is metrics.micro.f1 is None
    assert {"flawless_rate", "micro.f1", "ece"} <= set(metrics.undefined)
    assert compare(gold, gold, gold, DEFAULT_MARKS).words().startswith("The test set of 0")


def test_macro_leaves_out_marks_that_nobody_uses():
    gold = texts([COMMA, 0, PERIOD])
    assert evaluate_labels(gold, gold, ALL_MARKS).macro.f1 == 1.0


def test_set_without_sentence_ends():
    marks = MarkSet.of(["COMMA"])
    metrics = evaluate_labels(texts([0, 1]), texts([0, 1]), marks)
    assert metrics.sentence_end_f1 is None
    assert metrics.micro.f1 == 1.0


def test_few_texts_give_no_interval():
    gold = some_gold(6)
    for n in (1, 2, 5):
        metrics = evaluate_labels(gold[:n], noisy(gold, 0.2, 1)[:n], DEFAULT_MARKS)
        assert metrics.micro.f1 > 0
        assert metrics.micro_interval is None
        assert metrics.undefined["micro_interval"] == f"It takes 6 texts to resample; got {n}."
        assert metrics.flawless_interval is not None, "that one is exact"
    metrics = evaluate_labels(gold, noisy(gold, 0.2, 1), DEFAULT_MARKS)
    assert metrics.micro_interval[0] < metrics.micro.f1 < metrics.micro_interval[1]
    assert "micro_interval" not in metrics.undefined


def test_texts_that_are_all_alike_give_no_interval():
    gold = some_gold(20)
    metrics = evaluate_labels(gold, gold, DEFAULT_MARKS)
    assert metrics.micro.f1 == 1.0
    assert metrics.micro_interval is None
    assert "too much alike" in metrics.undefined["micro_interval"]
    none = evaluate_labels(texts(*[[0, 0]] * 9), texts(*[[0, 0]] * 9), DEFAULT_MARKS)
    assert none.micro_interval is None
    assert none.undefined["micro_interval"] == "There are no marks."


def test_json_has_every_figure():
    gold = some_gold(8)
    values = json.loads(
        json.dumps(evaluate_labels(gold, noisy(gold, 0.2, 1), DEFAULT_MARKS).as_dict())
    )
    assert values["per_mark"]["COMMA"]["support"] > 0
    low, high = values["micro_interval"]
    assert low < values["micro"]["f1"] < high
    assert {"slot_error_rate", "sentence_end_f1", "flawless_interval", "ece"} <= set(values)


def test_calibration_error_against_a_loop():
    rng = np.random.default_rng(3)
    sure, right = rng.random(5000), rng.random(5000) < 0.7
    expected = 0.0
    for low in np.arange(15) / 15:
        inside = (sure >= low) & (sure < low + 1 / 15)
        expected += inside.sum() / 5000 * abs(sure[inside].mean() - right[inside].mean())
    assert expected_calibration_error(sure, right) == pytest.approx(expected)


def test_calibration_error_uses_the_label_that_was_chosen():
    gold = texts([COMMA] * 10)
    table = [np.tile(np.array([0.6, 0.4, 0.0, 0.0]), (10, 1))]
    # A threshold let a comma through at 0.4; it is always right: 0.6 too modest.
    assert evaluate_labels(gold, gold, DEFAULT_MARKS, table).ece == pytest.approx(0.6)


def test_certain_and_right_is_perfectly_calibrated():
    gold = texts([0, COMMA])
    table = [np.eye(4)[[0, COMMA]]]
    assert evaluate_labels(gold, gold, DEFAULT_MARKS, table).ece == 0.0


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (texts([0]), [], "1 texts"),
        (texts([0], [0, 1]), texts([0], [0]), "Text 2 has 2 slots, its prediction 1"),
        (texts([0, 4]), texts([0, 0]), "got 4"),
    ],
)
def test_unlike_things_are_refused(gold, predicted, message):
    with pytest.raises((ValueError, UnknownMark), match=message):
        evaluate_labels(gold, predicted, DEFAULT_MARKS)


def test_probabilities_of_another_set_are_refused():
    with pytest.raises(ValueError, match="Text 1 needs probabilities"):
        evaluate_labels(texts([0]), texts([0]), DEFAULT_MARKS, [np.ones((1, 10))])


def test_the_bootstrap_draws_whole_texts():
    counts = np.array([[1.0, 0], [0, 10]])
    sums = resampled_sums(counts, resamples=500, seed=1)
    assert {tuple(row) for row in sums.tolist()} == {(2.0, 0.0), (1.0, 10.0), (0.0, 20.0)}
    assert np.array_equal(sums, resampled_sums(counts, resamples=500, seed=1))
    assert not np.array_equal(sums, resampled_sums(counts, resamples=500, seed=2))


def test_a_big_bootstrap_has_the_mean_and_spread_of_the_texts():
    values = np.random.default_rng(5).normal(3, 2, (5000, 1))
    sums = resampled_sums(values, resamples=2000)[:, 0] / 5000
    assert sums.mean() == pytest.approx(values.mean(), abs=0.01)
    assert sums.std() == pytest.approx(values.std() / np.sqrt(5000), rel=0.1)


def test_intervals_of_a_rate():
    low, high = rate_interval(30, 100)
    assert 0.19 < low < 0.24
    assert 0.36 < high < 0.42
    assert rate_interval(0, 0) is None
    assert rate_interval(12, 12)[0] == pytest.approx(0.7354, abs=1e-3)  # not "certainly 100 %"
    assert rate_interval(0, 12)[1] == pytest.approx(0.2646, abs=1e-3)


def test_a_real_improvement_is_decisive_and_a_fall_too():
    gold = some_gold(200)
    bad, good = noisy(gold, 0.3, 1), noisy(gold, 0.1, 2)
    up, down = compare(gold, bad, good, DEFAULT_MARKS), compare(gold, good, bad, DEFAULT_MARKS)
    assert up.decisive
    assert up.better
    assert up.micro_interval[0] > 0
    assert up.micro_difference == pytest.approx(up.micro_after - up.micro_before)
    assert up.micro_after == evaluate_labels(gold, good, DEFAULT_MARKS).micro.f1
    assert up.flawless_after == evaluate_labels(gold, good, DEFAULT_MARKS).flawless_rate
    assert down.decisive
    assert not down.better
    assert "better" in up.words()
    assert "worse" in down.words()
    assert json.dumps(up.as_dict())


def test_too_small_to_decide_says_so_in_words():
    gold = some_gold(12)
    result = compare(gold, noisy(gold, 0.21, 1), noisy(gold, 0.2, 4), DEFAULT_MARKS)
    assert not result.decisive
    low, high = result.micro_interval
    assert result.words() == (
        "The test set of 12 transcripts is too small to decide: the difference lies between "
        f"{100 * low:+.1f} and {100 * high:+.1f} points."
    )
    assert "12 transcripten" in result.words("nl")
    assert "12 篇" in result.words("zh")


def test_pairing_sees_what_two_separate_intervals_cannot():
    gold = some_gold(300)
    before = noisy(gold, 0.3, 1)
    after = [t.copy() for t in before]
    for text, reference in zip(after[::20], gold[::20], strict=True):
        text[:] = reference
    separate = [evaluate_labels(gold, p, DEFAULT_MARKS).micro_interval for p in (before, after)]
    paired = compare(gold, before, after, DEFAULT_MARKS)
    assert paired.decisive
    (_, before_high), (after_low, _) = separate
    assert before_high > after_low, "else pairing had nothing to show"
    width = paired.micro_interval[1] - paired.micro_interval[0]
    assert width < sum(high - low for low, high in separate)


def test_few_texts_never_decide():
    gold = some_gold(5)
    result = compare(gold, [np.zeros_like(t) for t in gold], gold, DEFAULT_MARKS)
    assert result.micro_difference == 1.0
    assert not result.decisive
    assert "at least 6" in result.words()


def test_equal_predictions_are_the_same():
    gold = some_gold(20)
    result = compare(gold, gold, gold, DEFAULT_MARKS)
    assert not result.decisive
    assert "same marks" in result.words()


def test_texts_without_slots_count_for_nothing():
    gold = texts([], [COMMA, 0], [])
    assert text_counts(gold, gold).tolist() == [[1, 0, 0, 1]]
