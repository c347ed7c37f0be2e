import json
import os
import shutil
import stat

import numpy as np
import pytest

from model.auto import auto_classes
from model.card import BrokenModel, Card, read_card, write_card
from model.checkpoint import load_for_training, save_checkpoint
from model.marks import ALL_MARKS, DEFAULT_MARKS
from model.predictor import Predictor, load_predictor
from model.static_graph import export_static, find_static

UNITS = [list("今天天气不错我们出去走走吧"), ["dit", "is", "een", "test"]]


@pytest.fixture
def copy(tiny_checkpoint, tmp_path):
    shutil.copytree(tiny_checkpoint, tmp_path / "model")
    return tmp_path / "model"


def test_a_card_is_read_as_it_was_written(tmp_path):
    card = Card(
        marks=DEFAULT_MARKS.names,
        temperature=1.3,
        thresholds={"COMMA": 0.4},
        lowercase=False,
        base="ernie-3.0-nano-zh",
        more={"metrics": {"micro": 71.5}, "languages": ["zh"]},
    )
    write_card(tmp_path, card)
    assert read_card(tmp_path) == card
    assert json.loads((tmp_path / "interpunct.json").read_text())["metrics"] == {"micro": 71.5}


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"marks": "NONE"}', '{"marks": ["NONE", "COMMA"], "temperature": 0}'],
)
def test_a_broken_card_is_refused(tmp_path, content):
    (tmp_path / "interpunct.json").write_text(content)
    with pytest.raises(BrokenModel):
        read_card(tmp_path)


@pytest.mark.parametrize(
    "thresholds", [{"COLON": 0.5}, {"COMMA": 0}, {"COMMA": 1.5}, {"NONE": 0.5}]
)
def test_thresholds_that_mean_nothing_are_refused(thresholds):
    with pytest.raises(BrokenModel, match="threshold"):
        Card(marks=DEFAULT_MARKS.names, thresholds=thresholds)


@pytest.mark.parametrize("missing", ["interpunct.json", "model_state.pdparams", "config.json"])
def test_a_folder_that_lacks_something_is_refused_by_name(copy, missing):
    (copy / missing).unlink()
    with pytest.raises(BrokenModel, match="no model folder"):
        load_predictor(copy)


def test_paddlenlps_auto_classes_load_the_folder(tiny_checkpoint):
    auto_model, auto_tokenizer = auto_classes()
    layer = auto_model.from_pretrained(str(tiny_checkpoint))
    assert layer.config.num_labels == len(ALL_MARKS)
    assert auto_tokenizer.from_pretrained(str(tiny_checkpoint)).tokenize("我们") == ["我", "们"]


def test_saving_and_loading_keeps_every_answer(tiny_checkpoint, tmp_path):
    layer, tokenizer = load_for_training(tiny_checkpoint, ALL_MARKS)
    card = read_card(tiny_checkpoint).changed(base="tiny")
    save_checkpoint(layer, tokenizer, tmp_path / "a", card)
    assert (tmp_path / "a" / "static" / "model.json").is_file()
    before = Predictor(tiny_checkpoint, bfloat16=False).probabilities(UNITS)
    after = Predictor(tmp_path / "a", bfloat16=False).probabilities(UNITS)
    for one, other in zip(before, after, strict=True):  # float16 on disk
        np.testing.assert_allclose(one, other, atol=0.005)
        assert (one.argmax(1) == other.argmax(1)).all()
    again, tokenizer = load_for_training(tmp_path / "a", ALL_MARKS)
    assert {str(p.dtype) for p in again.parameters()} == {"paddle.float32"}
    save_checkpoint(again, tokenizer, tmp_path / "b", card)  # and float16 loses only once
    last = Predictor(tmp_path / "b", bfloat16=False).probabilities(UNITS)
    for one, other in zip(after, last, strict=True):
        assert (one == other).all()


def test_training_over_a_folder_makes_a_new_graph(copy):
    before = load_predictor(copy).probabilities(UNITS)[0]
    layer, tokenizer = load_for_training(copy, ALL_MARKS)
    layer.classifier.bias.set_value(layer.classifier.bias + np.eye(10, dtype=np.float32)[3] * 9)
    save_checkpoint(layer, tokenizer, copy, read_card(copy))
    after = load_predictor(copy).probabilities(UNITS)[0]
    assert (before.argmax(1) != 3).any()
    assert (after.argmax(1) == 3).all()


def test_a_model_can_be_trained_for_other_marks(tiny_checkpoint):
    import paddle

    old, _ = load_for_training(tiny_checkpoint, ALL_MARKS)
    new, _ = load_for_training(tiny_checkpoint, DEFAULT_MARKS)
    ids = paddle.to_tensor([[2, 50, 60, 70, 3]])
    assert new(ids).shape == [1, 5, 4]
    np.testing.assert_allclose(new(ids).numpy(), old(ids)[:, :, :4].numpy(), atol=1e-5)


def test_outputs_that_do_not_fit_the_card_are_refused(tiny_checkpoint, tmp_path):
    layer, tokenizer = load_for_training(tiny_checkpoint, ALL_MARKS)
    with pytest.raises(BrokenModel, match="outputs"):
        save_checkpoint(layer, tokenizer, tmp_path, Card(marks=DEFAULT_MARKS.names))


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_dropout_reaches_the_encoder(tiny_checkpoint, dropout):
    layer, _ = load_for_training(tiny_checkpoint, ALL_MARKS, dropout=dropout)
    rates = [m.p for m in layer.sublayers() if type(m).__name__ == "Dropout"]
    assert max(rates) == dropout
    assert layer.dropout.p == dropout


def test_a_graph_of_other_weights_is_never_served(copy):
    graph = find_static(copy)
    old = (graph / "model.pdiparams").read_bytes()
    import paddle

    state = paddle.load(str(copy / "model_state.pdparams"))
    state["classifier.bias"] = state["classifier.bias"] + 1
    paddle.save(state, str(copy / "model_state.pdparams"))
    assert find_static(copy) == graph
    assert (graph / "model.pdiparams").read_bytes() != old


def test_exporting_twice_does_nothing(copy):
    before = (export_static(copy) / "model.json").stat().st_mtime_ns
    assert (export_static(copy) / "model.json").stat().st_mtime_ns == before


def test_a_read_only_folder_is_served_from_a_cache(copy, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.rmtree(copy / "static")
    (copy / "static").write_text("in the way: root may write everywhere")
    monkeypatch.setattr("model.static_graph.shutil.rmtree", lambda *_, **__: None)
    graph = find_static(copy)
    assert tmp_path / "cache" in graph.parents
    assert find_static(copy) == graph


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_writable_folder_at_all(copy, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.rmtree(copy / "static")
    for folder in (copy, tmp_path):
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert Predictor(copy).probabilities(UNITS)[0].shape == (13, 10)
    finally:
        for folder in (tmp_path, copy):
            folder.chmod(0o755)
