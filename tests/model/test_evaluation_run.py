import shutil

import pytest

from model.evaluation_data import BadData
from model.evaluation_run import evaluate_file, heading, metrics_table
from model.marks import ALL_MARKS, DEFAULT_MARKS
from model.predictor import Predictor, choose, fold_probabilities

ROWS = "我\tO\tO\n是\tCOMMA\tCOMMA\n人\tEXCLAM\tO\n\nHello\tO\tCOMMA\nworld\tPERIOD\tPERIOD\n"

LONG = "的一是了我不人在有他" * 40


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_the_recognisers_own_marks(data):
    metrics = evaluate_file(None, data, column=3)
    assert metrics.per_mark["COMMA"].precision == 0.5
    assert metrics.per_mark["PERIOD"].recall == 0.5
    assert metrics.micro.f1 == pytest.approx(2 / 3)
    assert metrics.ece is None


def test_a_model_is_measured_as_it_serves(tiny_checkpoint, data):
    predictor = Predictor(tiny_checkpoint)
    tables = predictor.probabilities([["我", "是", "人"], ["Hello", "world"]])
    folded = [fold_probabilities(t, ALL_MARKS, DEFAULT_MARKS) for t in tables]
    gold = [[0, 1, 2], [0, 2]]
    chosen = [choose(t, DEFAULT_MARKS, {"COMMA": 0.05}) for t in folded]
    right = sum(
        a == b > 0 for g, c in zip(gold, chosen, strict=True) for a, b in zip(g, c, strict=True)
    )
    metrics = evaluate_file(predictor, data, thresholds={"COMMA": 0.05})
    assert metrics.micro.support == 3
    assert metrics.micro.predicted == sum(x > 0 for c in chosen for x in c)
    assert metrics.micro.recall == pytest.approx(right / 3)
    assert metrics.marks == DEFAULT_MARKS.names
    assert metrics.ece is not None


def test_figures_are_the_same_however_the_model_serves(tiny_checkpoint, tmp_path, monkeypatch):
    text = tmp_path / "long.tsv"
    text.write_text("".join(f"{unit}\t{'COMMA' if unit == '我' else 'O'}\n" for unit in LONG))
    figures = []
    for precision in ("bfloat16", "float32"):
        monkeypatch.setenv("INTERPUNCT_PRECISION", precision)
        # A folder of its own, or the model loaded for the other one would answer.
        folder = shutil.copytree(tiny_checkpoint, tmp_path / precision)
        figures.append(evaluate_file(folder, text).as_dict())
    assert figures[0] == figures[1]


def test_a_models_own_marks_without_mapping(tiny_checkpoint, data):
    metrics = evaluate_file(tiny_checkpoint, data, mapping="none", join="stream")
    assert metrics.marks == ALL_MARKS.names
    assert metrics.per_mark["EXCLAMATION"].support == 1
    assert metrics.n_texts == 1


def test_no_third_column_and_no_model_are_said(tmp_path, data):
    two = tmp_path / "two.tsv"
    two.write_text("a\tO\n", encoding="utf-8")
    with pytest.raises(BadData, match="no third column"):
        evaluate_file(None, two, column=3)
    with pytest.raises(BadData, match="with a model"):
        evaluate_file(None, data)


def test_the_table_says_everything(data):
    table = metrics_table(evaluate_file(None, data, column=3))
    for word in ("COMMA", "50.0", "micro", "macro", "slot error rate", "sentence end", "flawless"):
        assert word in table
    assert "micro F1            66.7  (95 %: n/a)" in table
    assert "n/a: micro_interval: It takes 6 texts to resample; got 2." in table
    assert "n/a: QUESTION.f1: Neither the reference nor the prediction has any." in table
    assert max(map(len, table.splitlines())) <= 80


def test_the_heading_says_what_was_read_and_how():
    about = {"model": "starter", "data": "a.tsv", "language": "nl", "join": "stream"}
    about |= {"map": "none", "lowercase": True, "overlap": None}
    assert heading(about) == "starter on a.tsv: language nl, join stream, map none, lower-cased"
    about |= {"language": None, "lowercase": False, "overlap": 32}
    assert heading(about).endswith(", overlap 32")
    assert "language not said" in heading(about)
    assert "case as written" in heading(about)


def test_the_language_decides_how_tokens_are_read(tiny_checkpoint, tmp_path):
    path = tmp_path / "short.tsv"
    path.write_text("zo\tO\tO\n's\tCOMMA\tO\n", encoding="utf-8")
    for language, slots in (("nl", 2), ("en", 1)):
        assert evaluate_file(None, path, column=3, language=language).n_slots == slots
        assert evaluate_file(tiny_checkpoint, path, language=language).n_slots == slots
