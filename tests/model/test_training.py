import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from model.card import read_card, write_card
from model.evaluation_data import ReferenceText
from model.evaluation_run import evaluate_texts
from model.marks import MarkSet
from model.predictor import load_predictor
from model.training import fine_tune
from model.training_settings import Example, TrainingRefused, TrainSettings

FOUR = ("NONE", "COMMA", "PERIOD", "QUESTION")
MARK_AFTER = {"了": 1, "人": 2, "吗": 3}
QUICK = TrainSettings(marks=FOUR, learning_rate=3e-3, epochs=4, patience=9)


def examples(n, seed=0, length=60):
    """Transcripts in which a mark follows certain characters: easy, and only to be learned."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        units = rng.choice(list("的一是了我不人吗在有"), length).tolist()
        out.append(Example(units, [MARK_AFTER.get(unit, 0) for unit in units]))
    return out


def weights_of(folder):
    import paddle

    return {k: v.numpy() for k, v in paddle.load(str(folder / "model_state.pdparams")).items()}


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


def test_thirty_short_transcripts_are_enough_to_learn_from(tiny_checkpoint, tmp_path):
    seen = []
    settings = TrainSettings(marks=FOUR, learning_rate=3e-3, patience=20)
    result = fine_tune(
        tiny_checkpoint, tmp_path / "new", examples(30), examples(50, 1), settings, seen.append
    )
    assert result.state == "finished"
    assert result.dev_f1_before < 0.5
    assert result.dev_f1_after > 0.95
    assert [p.step for p in seen] == list(range(result.steps + 1))
    assert seen[0].dev_f1 == result.dev_f1_before
    assert seen[-1].loss < seen[1].loss / 3
    assert seen[-1].steps >= seen[-1].step
    assert seen[1].seconds_left > 0
    assert not (tmp_path / "new" / ".training").exists()
    json.dumps(result.as_dict())

    from model.predictor import Predictor, choose, fold_probabilities

    predictor = Predictor(tmp_path / "new")
    assert len(predictor.marks) == 10, "the parent's other marks are not forgotten"
    fresh = examples(10, seed=2)
    tables = [
        fold_probabilities(table, predictor.marks, MarkSet(FOUR))
        for table in predictor.probabilities([e.units for e in fresh])
    ]
    right = [
        label == chosen
        for e, table in zip(fresh, tables, strict=True)
        for label, chosen in zip(e.labels, choose(table, MarkSet(FOUR)), strict=True)
    ]
    assert np.mean(right) > 0.97
    card = json.loads((tmp_path / "new" / "interpunct.json").read_text())
    assert card["thresholds"].keys() == set(FOUR[1:])  # 3,000 dev slots: enough to tune on
    assert card["training"]["settings"]["seed"] == 0
    assert "dev" in " ".join(card["training"]["notes"])


def test_same_seed_same_model_and_another_seed_another(tiny_checkpoint, tmp_path):
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        settings = TrainSettings(marks=FOUR, epochs=2, seed=seed, dropout=0.1)
        fine_tune(tiny_checkpoint, tmp_path / name, examples(12), [], settings)
    a, b, c = (weights_of(tmp_path / name) for name in "abc")
    assert same(a, b)
    assert not same(a, c)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_a_stopped_training_goes_on_to_the_same_model(tiny_checkpoint, tmp_path, dropout):
    settings = TrainSettings(marks=FOUR, epochs=3, learning_rate=1e-3, dropout=dropout)
    train, dev = examples(40), examples(5, 1)
    whole = fine_tune(tiny_checkpoint, tmp_path / "whole", train, dev, settings)
    out = tmp_path / "parts"
    for stop_after in (3, 8):
        steps = []
        part = fine_tune(
            tiny_checkpoint,
            out,
            train,
            dev,
            settings,
            lambda p, steps=steps: steps.append(p.step),
            lambda steps=steps, stop_after=stop_after: steps[-1] >= stop_after,
        )
        assert part.state == "cancelled"
        assert part.steps == stop_after
        assert not (out / "interpunct.json").exists()
    first = []
    rest = fine_tune(tiny_checkpoint, out, train, dev, settings, lambda p: first.append(p.step))
    assert first[0] == 8, "it went on instead of beginning anew"
    assert same(weights_of(tmp_path / "whole"), weights_of(out))
    assert [h["dev_f1"] for h in rest.history] == [h["dev_f1"] for h in whole.history]


def test_a_training_that_was_measured_otherwise_begins_anew(tiny_checkpoint, tmp_path, monkeypatch):
    stop = iter([False] * 3 + [True])
    args = (tiny_checkpoint, tmp_path / "new", examples(30), examples(20, 1), QUICK)
    assert fine_tune(*args, should_stop=lambda: next(stop)).state == "cancelled"
    seen = []
    monkeypatch.setattr("model.training.MEASURE", "nearest window")
    assert fine_tune(*args, seen.append).state == "finished"
    assert seen[0].step == 0


def test_another_training_does_not_go_on_from_a_stopped_one(tiny_checkpoint, tmp_path):
    steps = []
    stop = {"should_stop": lambda: steps[-1] >= 2}
    note = {"on_progress": lambda p: steps.append(p.step)}
    fine_tune(tiny_checkpoint, tmp_path, examples(30), [], QUICK, **note, **stop)
    steps.clear()
    fine_tune(tiny_checkpoint, tmp_path, examples(30, seed=9), [], QUICK, **note)
    assert steps[0] == 0


def test_when_nothing_gets_better_the_parent_stays(tiny_checkpoint, tmp_path):
    learned = tmp_path / "learned"
    well = TrainSettings(marks=FOUR, learning_rate=3e-3, epochs=20, patience=20)
    fine_tune(tiny_checkpoint, learned, examples(40), examples(5, 1), well)
    wrong = [Example(e.units, [(x + 1) % 4 for x in e.labels]) for e in examples(80, 3)]
    settings = TrainSettings(learning_rate=3e-3, patience=2)
    result = fine_tune(learned, tmp_path / "worse", wrong, examples(5, 1), settings)
    assert (result.best_step, result.epochs) == (0, 2), "it stopped as soon as its patience ended"
    assert result.dev_f1_after == result.dev_f1_before
    assert same(weights_of(learned), weights_of(tmp_path / "worse"))
    assert "parent" in " ".join(note.text for note in result.notes)


def test_a_round_that_learns_nothing_serves_as_its_parent_did(tiny_checkpoint, tmp_path):
    """Also where the project knows fewer marks than its parent."""
    from model.predictor import Predictor, choose, fold_probabilities

    wrong = [Example(e.units, [(x + 1) % 4 for x in e.labels]) for e in examples(80, 3)]
    texts = [e.units for e in examples(3, 5)]
    before = Predictor(tiny_checkpoint, bfloat16=False).probabilities(texts)
    # Dev labels are what the parent says itself, so no epoch can be better.
    own = MarkSet(FOUR)
    tables = [fold_probabilities(t, Predictor(tiny_checkpoint).marks, own) for t in before]
    limits = dict.fromkeys(FOUR[1:], 0.4)
    dev = [Example(u, choose(t, own, limits)) for u, t in zip(texts, tables, strict=True)]
    settings = TrainSettings(marks=FOUR, learning_rate=3e-3, patience=1)
    result = fine_tune(tiny_checkpoint, tmp_path / "same", wrong, dev, settings)
    assert result.best_step == 0
    after = Predictor(tmp_path / "same", bfloat16=False).probabilities(texts)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)  # saved in half precision


def test_a_model_learns_and_answers_in_windows_of_the_size_that_is_set(tiny_checkpoint, tmp_path):
    """Its parent reads every slot four times; so does it, in windows a quarter as long."""
    parent = tmp_path / "parent"
    shutil.copytree(tiny_checkpoint, parent)
    write_card(parent, read_card(parent).changed(overlap=192))
    settings = replace(QUICK, epochs=1, max_units=64)
    dev = examples(20, 1, length=300)
    result = fine_tune(parent, tmp_path / "new", examples(9, length=200), dev, settings)
    assert result.state == "finished"
    card = read_card(tmp_path / "new")
    assert (card.max_units, card.overlap) == (64, 48)
    predictor = load_predictor(tmp_path / "new", bfloat16=False)
    texts = [ReferenceText(text.units, np.array(text.labels, np.uint8)) for text in dev]
    served = evaluate_texts(predictor, texts, MarkSet(FOUR), card.thresholds)
    assert result.dev_f1_after == pytest.approx(served.micro.f1, abs=1e-3)


def test_without_dev_texts_the_last_epoch_is_kept(tiny_checkpoint, tmp_path):
    result = fine_tune(tiny_checkpoint, tmp_path, examples(8), [], QUICK)
    assert result.best_step == result.steps
    assert result.dev_f1_after is None
    assert not same(weights_of(tiny_checkpoint), weights_of(tmp_path))


def test_the_marks_of_the_parent_are_kept_unless_told(tiny_checkpoint, tmp_path):
    fine_tune(tiny_checkpoint, tmp_path, examples(8), [], TrainSettings(epochs=1))
    card = json.loads((tmp_path / "interpunct.json").read_text())
    assert len(card["marks"]) == 10


@pytest.mark.parametrize(
    ("train", "dev", "message"),
    [
        ([], [], "no transcript to learn from"),
        ([Example([], [])], [], "no transcript to learn from"),
        ([Example(["a", "b"], [0, 0])], [], "no mark in any"),
        ([Example(["a", "b"], [1])], [], "transcript 1 has 2 units and 1 labels"),
        ([Example(["a"], [1])], [Example(["a"], [])], "Dev transcript 1 has 1 units and 0"),
        ([Example(["a"], [4])], [], "not an id of the mark set"),
    ],
)
def test_what_nobody_can_learn_from_is_refused(tiny_checkpoint, tmp_path, train, dev, message):
    with pytest.raises(TrainingRefused, match=message):
        fine_tune(tiny_checkpoint, tmp_path / "new", train, dev, QUICK)
    assert not (tmp_path / "new").exists()


def test_the_loss_weighs_marks_and_leaves_honest_logits_alone(tiny_checkpoint):
    import paddle

    from model.learner import Learner

    learner = Learner(tiny_checkpoint, TrainSettings(marks=FOUR))
    logits = np.random.default_rng(0).normal(size=(2, 5, 10)).astype(np.float32)
    kin = [[0, 5], [1, 4, 6], [2, 7, 8, 9], [3]]  # of NONE, COMMA, PERIOD, QUESTION
    folded = np.stack([np.log(np.exp(logits[..., k]).sum(-1)) for k in kin], axis=-1)
    labels = np.array([[-100, 0, 1, 3, -100], [-100, 2, 0, -100, -100]])
    weights = np.array([0.2, 1.0, 1.0, 1.5])
    total = share = 0.0
    for row, column in np.argwhere(labels != -100):
        x = folded[row, column] + np.log(weights)
        y = labels[row, column]
        total += weights[y] * (np.log(np.exp(x).sum()) - x[y])
        share += weights[y]
    loss = float(learner.loss(paddle.to_tensor(logits), labels))
    assert loss == pytest.approx(total / share, rel=1e-5)
