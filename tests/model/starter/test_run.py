"""A whole training in small: from a source's weights to a folder that suggests marks.

Needs PyTorch, which only those who build the starter install.
"""

import argparse
import json
import lzma

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from model.predictor import Predictor  # noqa: E402
from model.starter import build, training  # noqa: E402
from model.starter.encoder import Encoder  # noqa: E402
from model.starter.recipe import Recipe  # noqa: E402
from model.starter.source import Source  # noqa: E402

HIDDEN, INNER = 16, 32
ROWS = 250_002  # the last is what the vocabulary takes for a mask
RECIPE = Recipe(vocabulary=200, layers=(1, 0), window=24, tokens_a_step=128, peak=0.01, warm_up=1)
PLACES = "amsterdam utrecht leiden delft zwolle groningen arnhem breda tilburg".split()
PIECES = ["<s>", "<pad>", "</s>", "<unk>", *"ik ging naar maar niet".split(), *PLACES]


@pytest.fixture(autouse=True)
def small_source(monkeypatch):
    """An encoder of two layers with weights by chance in place of the one that is installed."""
    rng = np.random.default_rng(4)
    pieces = [f"▁{piece}" if piece.isalpha() else piece for piece in PIECES]
    pieces += [f"{start}{letter}" for letter in map(chr, range(97, 123)) for start in ("▁", "")]
    sizes = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN)}
    sizes |= {"ao": (HIDDEN, HIDDEN), "fi": (INNER, HIDDEN), "fo": (HIDDEN, INNER)}
    tensors = {
        "emb.word": rng.normal(size=(ROWS, HIDDEN)),
        "emb.pos": rng.normal(size=(64, HIDDEN)),
        "emb.type": rng.normal(size=(1, HIDDEN)),
        "emb.ln.w": np.ones(HIDDEN),
        "emb.ln.b": np.zeros(HIDDEN),
    }
    for layer in (0, 1):
        for part, size in sizes.items():
            tensors[f"l{layer}.{part}.w"] = rng.normal(size=size, scale=0.1)
            tensors[f"l{layer}.{part}.b"] = np.zeros(size[0])
        for part in ("aln", "oln"):
            tensors[f"l{layer}.{part}.w"] = np.ones(HIDDEN)
            tensors[f"l{layer}.{part}.b"] = np.zeros(HIDDEN)
    shape = {"hidden": HIDDEN, "layers": 2, "heads": 2, "inner": INNER, "positions": 64}
    source = Source(
        shape | {"vocabulary": len(pieces)},
        pieces,
        {name: value.astype(np.float32) for name, value in tensors.items()},
    )
    monkeypatch.setattr(training, "locate", lambda: "here")
    monkeypatch.setattr(training, "read_source", lambda _: source)
    monkeypatch.setattr(build, "Recipe", lambda: RECIPE)
    monkeypatch.setattr(training.signal, "signal", lambda *_: None)


@pytest.fixture
def data(tmp_path):
    lines = [f"Ik ging naar {here}, maar niet naar {to}." for here in PLACES for to in PLACES]
    text = "\n".join(lines) + "\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "nl-commonvoice_nl.txt.xz").write_bytes(lzma.compress(text.encode()))
    return tmp_path / "data"


def train(data, work, minutes=0.0, finish=0, again=0.0):
    build.train(
        argparse.Namespace(data=data, work=work, minutes=minutes, finish=finish, again=again)
    )


def mean_weights(file):
    return torch.load(file, weights_only=True)["mean"]


def test_each_start_goes_on_from_the_last_and_leaves_a_snapshot(tmp_path, data):
    work = tmp_path / "work"
    train(data, work)  # no time: one step
    first = mean_weights(work / "snapshot-1.pt")
    train(data, work)
    second = mean_weights(work / "snapshot-2.pt")
    assert torch.equal(mean_weights(work / "snapshot.pt")["head.weight"], second["head.weight"])
    assert torch.equal(mean_weights(work / "snapshot-1.pt")["head.weight"], first["head.weight"])
    assert not torch.equal(first["head.weight"], second["head.weight"])
    assert json.loads((work / "run.json").read_text())["step"] == 2
    steps = [json.loads(line) for line in (work / "log.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in steps if "held" in entry] == [1, 2]
    assert sorted(work.glob("*.part")) == []


def test_a_run_goes_on_from_its_weights_and_from_their_mean(tmp_path, data):
    work = tmp_path / "work"
    train(data, work, minutes=60, finish=20)
    before = torch.load(work / "state.pt", weights_only=True)
    train(data, work, again=1e-12)  # a step that teaches nothing
    after = torch.load(work / "state.pt", weights_only=True)
    share = (20 + 1) / (20 + 10)  # what a mean over so few steps keeps of itself, see `one_step`
    for name, now in after["encoder"].items():
        assert torch.allclose(now, before["encoder"][name], atol=1e-6), name
        mean = share * before["mean"][name] + (1 - share) * now
        assert torch.allclose(after["mean"][name], mean, atol=1e-6), name
    learned = [state["step"].item() for state in after["optimiser"]["state"].values()]
    assert set(learned) == {21}, "the optimiser goes on, too"


def test_a_run_begins_from_the_layers_that_are_named(tmp_path, data):
    run = training.Run(data, tmp_path / "work", RECIPE)
    source = training.read_source("here")
    for block, number in zip(run.encoder.blocks, (1, 0), strict=True):
        assert torch.equal(block.fi.weight, torch.from_numpy(source.tensors[f"l{number}.fi.w"]))


def test_a_run_stops_where_its_rate_has_fallen_and_rises_only_then(tmp_path, data):
    work = tmp_path / "work"
    train(data, work)
    with pytest.raises(ValueError, match="has not ended"):
        train(data, work, again=1e-4)
    train(data, work, minutes=60, finish=3)
    assert (work / "snapshot-4.pt").exists()
    train(data, work, again=1e-4)
    assert json.loads((work / "run.json").read_text())["peak"] == 1e-4


def test_what_was_learned_is_what_the_written_folder_says(tmp_path, data):
    work, into = tmp_path / "work", tmp_path / "checkpoint"
    train(data, work, minutes=60, finish=800)
    train(data, work, again=1e-4)
    names = ["snapshot-800", "snapshot-801"]
    build.write(argparse.Namespace(data=data, work=work, into=into, mean=names))
    card = json.loads((into / "interpunct.json").read_text())
    assert (card["max_units"], card["overlap"]) == (24, 18)
    assert card["training"]["mean_of"] == names

    units = "ik ging naar breda maar niet naar zwolle".split()
    ids, _ = training.Tokens(work).window(units, [0] * len(units), len(units))
    kept = [torch.load(work / f"{name}.pt", weights_only=True) for name in names]
    encoder = Encoder(**kept[0]["shape"]).eval()
    encoder.load_state_dict(
        {name: (value + kept[1]["mean"][name]) / 2 for name, value in kept[0]["mean"].items()}
    )
    with torch.no_grad():
        real = torch.ones(1, len(ids), dtype=torch.bool)
        logits = encoder(torch.tensor([ids]), real)[0, 1:-1] / card["temperature"]
    (found,) = Predictor(into, bfloat16=False).probabilities([units])
    assert np.abs(found - torch.softmax(logits, -1).numpy()).max() < 5e-3  # kept in half precision
    best = found.argmax(-1).tolist()
    assert [unit for unit, mark in zip(units, best, strict=True) if mark] == ["breda", "zwolle"]
