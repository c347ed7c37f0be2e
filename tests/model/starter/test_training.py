"""Needs PyTorch, which only those who build the starter install."""

import sys

import pytest

torch = pytest.importorskip("torch")

from model.starter import trial  # noqa: E402
from model.starter.encoder import Encoder  # noqa: E402
from model.starter.recipe import Recipe  # noqa: E402
from model.starter.training import parameter_groups  # noqa: E402

SHAPE = {"hidden": 24, "heads": 2, "inner": 48, "positions": 32}


def an_encoder(dropout: float) -> Encoder:
    torch.manual_seed(1)
    return Encoder(SHAPE, vocabulary=50, layers=3, marks=4, dropout=dropout)


def logits(encoder: Encoder) -> torch.Tensor:
    with torch.no_grad():
        return encoder(torch.arange(20).view(2, 10), torch.ones(2, 10, dtype=torch.bool))


def test_dropout_is_for_training_only():
    encoder = an_encoder(0.5)
    learning = logits(encoder.train()), logits(encoder)
    serving = logits(encoder.eval()), logits(encoder)
    assert not torch.equal(*learning)
    assert torch.equal(*serving)
    assert torch.equal(serving[0], logits(an_encoder(0.0).train()))


def test_dropout_keeps_the_mean_of_what_it_gets():
    dropout = an_encoder(0.25).train().dropout
    for dtype in (torch.float32, torch.bfloat16):
        out = dropout(torch.ones(300, 1000, dtype=dtype)).float()
        assert sorted(out.unique().tolist()) == pytest.approx([0, 4 / 3], rel=1e-2)
        assert out.mean().item() == pytest.approx(1, abs=0.02)


def test_lower_layers_learn_more_slowly_and_words_stay():
    encoder = an_encoder(0.0)
    groups = parameter_groups(encoder, Recipe(layer_rate=0.5, head_rate=3, weight_decay=0.1))
    share = {id(p): group["share"] for group in groups for p in group["params"]}
    decay = {id(p): group["weight_decay"] for group in groups for p in group["params"]}
    assert share[id(encoder.head.weight)] == 3
    assert [share[id(block.fi.weight)] for block in encoder.blocks] == [0.25, 0.5, 1]
    assert share[id(encoder.ln.weight)] == share[id(encoder.kind)] == 0.125
    assert id(encoder.word.weight) not in share
    assert not encoder.word.weight.requires_grad
    assert decay[id(encoder.blocks[0].qkv.weight)] == 0.1
    assert decay[id(encoder.blocks[0].qkv.bias)] == 0
    assert len(share) == sum(p.requires_grad for p in encoder.parameters())


def test_words_learn_where_the_recipe_says_so():
    encoder = an_encoder(0.0)
    groups = parameter_groups(encoder, Recipe(learn_words=True))
    assert any(encoder.word.weight is p for group in groups for p in group["params"])


def test_a_trial_begins_from_no_run(tmp_path, monkeypatch, capsys):
    (tmp_path / "state.pt").write_bytes(b"weights of a run")
    arguments = ["", "--data", str(tmp_path), "--work", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit):
        trial.main()
    assert "holds a run" in capsys.readouterr().err
    assert (tmp_path / "state.pt").read_bytes() == b"weights of a run"
