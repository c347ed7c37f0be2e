import numpy as np
import pytest

from model.calibration import (
    at_temperature,
    fit_temperature,
    point,
    threshold_curve,
    tune_thresholds,
)
from model.evaluation import evaluate_labels
from model.marks import DEFAULT_MARKS


def slots(n=20_000, seed=0):
    """Probabilities that are honest by construction, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    logits = rng.normal([3.0, 0.8, 0.4, -1.5], 1.5, (n, 4))
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (honest.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return honest.astype(np.float32), labels


def chosen(table, thresholds):
    """The rule in its plainest form."""
    out = []
    for row in table:
        passing = {
            k: row[k] / thresholds[name]
            for k, name in enumerate(DEFAULT_MARKS.names)
            if k and row[k] >= thresholds[name]
        }
        out.append(max(passing, key=passing.get) if passing else 0)
    return np.array(out)


def micro(table, labels, thresholds):
    return evaluate_labels([labels], [chosen(table, thresholds)], DEFAULT_MARKS).micro.f1


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_temperature_is_found_again(temperature):
    honest, labels = slots()
    too_sure = at_temperature(honest, 1 / temperature)
    found = fit_temperature(too_sure, labels)
    assert found == pytest.approx(temperature, rel=0.05)
    assert np.allclose(at_temperature(too_sure, temperature), honest, atol=2e-3)


def test_temperature_mends_the_calibration_error():
    honest, labels = slots()
    too_sure = at_temperature(honest, 0.4)

    def error(table):
        return evaluate_labels([labels], [table.argmax(1)], DEFAULT_MARKS, [table]).ece

    mended = at_temperature(too_sure, fit_temperature(too_sure, labels))
    assert error(too_sure) > 0.05
    assert error(mended) < 0.015


def test_temperature_of_nothing_and_of_certainty():
    assert fit_temperature(np.zeros((0, 4)), np.zeros(0, dtype=int)) == 1.0
    certain = np.eye(4)[[0, 1, 2, 3]]
    assert 0.1 <= fit_temperature(certain, np.arange(4)) <= 10
    assert np.isfinite(at_temperature(certain, 3.0)).all()


def test_tuned_thresholds_beat_any_other_one_at_a_time():
    table, labels = slots(3000)
    tuned = tune_thresholds(table, labels, DEFAULT_MARKS)
    best = micro(table, labels, tuned)
    assert best > micro(table, labels, dict.fromkeys(tuned, 0.5)) + 0.02
    for name in tuned:
        for value in np.arange(0.05, 0.96, 0.05):
            assert micro(table, labels, tuned | {name: value}) <= best + 1e-9


def test_a_rare_mark_keeps_its_threshold():
    table, labels = slots(2000)
    labels[labels == 3] = 0
    tuned = tune_thresholds(table, labels, DEFAULT_MARKS, {"QUESTION": 0.62})
    assert tuned["QUESTION"] == 0.62
    assert tuned["COMMA"] != 0.4
    empty = tune_thresholds(np.zeros((0, 4)), np.zeros(0, dtype=int), DEFAULT_MARKS)
    assert set(empty.values()) == {0.4}


def test_the_curve_says_what_the_rule_does():
    table, labels = slots(3000)
    others = {"COMMA": 0.4, "PERIOD": 0.3, "QUESTION": 0.5}
    curve = threshold_curve(table, labels, DEFAULT_MARKS, "COMMA", others)
    for i in (0, 25, 50, 80):
        limits = others | {"COMMA": curve.thresholds[i]}
        score = evaluate_labels([labels], [chosen(table, limits)], DEFAULT_MARKS).per_mark["COMMA"]
        assert curve.precision[i] == pytest.approx(score.precision, abs=2e-3)
        assert curve.recall[i] == pytest.approx(score.recall, abs=2e-3)
        assert curve.rate[i] == pytest.approx(100 * score.predicted / 3000, abs=0.1)
    assert curve.recall == sorted(curve.recall, reverse=True)


def test_a_point_of_the_curve_is_what_is_counted_of_what_was_put():
    table, labels = slots(3000)
    limits = {"COMMA": 0.37, "PERIOD": 0.3, "QUESTION": 0.5}
    curve = threshold_curve(table, labels, DEFAULT_MARKS, "COMMA", limits)
    counted = point(chosen(table, limits), labels, DEFAULT_MARKS.ids["COMMA"])
    assert curve.at(0.37) == counted
    assert curve.at(0.374) == counted, "the nearest one"
    assert curve.at(0.376) != counted
    nothing = point(np.zeros(0, int), np.zeros(0, int), 1)
    assert (nothing.precision, nothing.recall, nothing.rate) == (None, None, 0.0)


def test_the_curve_takes_texts_and_has_gaps_where_nothing_is():
    table = [np.array([[0.9, 0.1, 0, 0]]), np.array([[0.8, 0.2, 0, 0]])]
    curve = threshold_curve(table, [np.array([0]), np.array([0])], DEFAULT_MARKS, "COMMA")
    assert curve.recall == [None] * len(curve.thresholds)
    assert curve.precision[0] == 0.0
    assert curve.precision[-1] is None


def test_temperature_of_marks_that_count_for_others_is_that_of_the_models_own_logits():
    """Serving divides the model's own logits and folds afterwards: so must fitting."""
    rng = np.random.default_rng(5)
    logits = rng.normal([2.0, 0.8, 0.9, 0.9], 1.5, (40_000, 4))
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    drawn = (honest.cumsum(axis=1) < rng.random((len(honest), 1))).sum(axis=1)
    fold = np.array([0, 1, 2, 2])  # the last two count for one mark
    modest = at_temperature(honest, 2.0)
    assert fit_temperature(modest, fold[drawn], fold) == pytest.approx(0.5, rel=0.02)
    summed = np.stack([modest[:, 0], modest[:, 1], modest[:, 2:].sum(axis=1)], axis=1)
    assert fit_temperature(summed, fold[drawn]) > 0.53, "folding first finds another one"
