"""A model folder with one damaged file: one line that names it, however the folder is loaded."""

import json
import shutil

import pytest

from model.card import CARD, BrokenModel, read_card, write_card
from model.checkpoint import load_for_training, load_tokenizer, save_checkpoint
from model.marks import ALL_MARKS
from model.predictor import Predictor, load_predictor

WEIGHTS = "model_state.pdparams"


@pytest.fixture
def folder(tiny_checkpoint, tmp_path):
    return shutil.copytree(tiny_checkpoint, tmp_path / "model")


def cut(length):
    return lambda path: path.write_bytes(path.read_bytes()[:length])


def to(content):
    return lambda path: path.write_bytes(content)


def lines(count):
    return lambda path: path.write_bytes(b"".join(path.read_bytes().splitlines(True)[:count]))


def fields(**changes):
    return lambda path: path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def fewer_weights(path):
    import paddle

    state = paddle.load(str(path))
    del state["bert.encoder.layers.1.linear1.weight"]
    paddle.save(state, str(path))


DAMAGES = {
    "weights are not there": (WEIGHTS, lambda path: path.unlink()),
    "weights of 0 bytes": (WEIGHTS, cut(0)),
    "weights of 10 bytes": (WEIGHTS, cut(10)),
    "weights of 10,000 bytes": (WEIGHTS, cut(10_000)),
    "weights without the last byte": (WEIGHTS, cut(-1)),
    "weights are a page of a website": (WEIGHTS, to(b"<html>\n" * 50)),
    "weights are nothing": (WEIGHTS, to(bytes(5000))),
    "weights lack one": (WEIGHTS, fewer_weights),
    "config is not there": ("config.json", lambda path: path.unlink()),
    "config of 0 bytes": ("config.json", cut(0)),
    "config is cut": ("config.json", to(b"{")),
    "config is a list": ("config.json", to(b"[]")),
    "config is null": ("config.json", to(b"null")),
    "config says nothing": ("config.json", to(b"{}")),
    "config of another model": ("config.json", fields(architectures=["Nobodys"])),
    "config of another size": ("config.json", fields(hidden_size=64)),
    "config of no size": ("config.json", fields(hidden_size="64")),
    "config of more layers": ("config.json", fields(num_hidden_layers=3)),
    "config of fewer rows": ("config.json", fields(vocab_size=100)),
    "config of more rows": ("config.json", fields(vocab_size=10_000)),
    "config of no positions": ("config.json", fields(max_position_embeddings="many")),
    "tokenizer is not there": ("tokenizer_config.json", lambda path: path.unlink()),
    "tokenizer is cut": ("tokenizer_config.json", to(b"{")),
    "tokenizer is a list": ("tokenizer_config.json", to(b"[]")),
    "tokenizer is nobody's": ("tokenizer_config.json", fields(tokenizer_class="Nobodys")),
    "vocabulary is not there": ("vocab.txt", lambda path: path.unlink()),
    "vocabulary of 0 bytes": ("vocab.txt", cut(0)),
    "vocabulary is not UTF-8": ("vocab.txt", to("é\n".encode("latin-1") * 300)),
    "vocabulary of 3 lines": ("vocab.txt", lines(3)),
    "vocabulary of 100 lines": ("vocab.txt", lines(100)),
    "vocabulary lacks a line": ("vocab.txt", lines(-1)),
    "vocabulary has a line more": ("vocab.txt", lambda p: p.write_text(p.read_text() + "more\n")),
    "vocabulary is another's": ("vocab.txt", to(b"".join(b"w%d\n" % i for i in range(5000)))),
    "card is cut": (CARD, cut(20)),
}
# What names the file where another file is as likely at fault.
NAMED = {
    "config of more rows": "config.json",
    "tokenizer is nobody's": "tokenizer",
    "config of fewer rows": "config.json",
}


def damaged(folder, name):
    file, damage = DAMAGES[name]
    damage(folder / file)
    return NAMED.get(name, file)


def refused(load, folder, file):
    with pytest.raises(BrokenModel) as caught:
        load(folder)
    said = str(caught.value)
    assert "\n" not in said
    assert str(folder) in said
    assert file in said
    return said


@pytest.mark.parametrize("name", DAMAGES)
def test_it_is_refused_by_name_when_it_is_to_serve(folder, name):
    refused(load_predictor, folder, damaged(folder, name))


# Without a card it is a bare encoder, which learns anew what it lacks.
CARDLESS = ("card is cut", "weights are not there", "config is not there")


@pytest.mark.parametrize("name", [name for name in DAMAGES if name not in CARDLESS])
def test_it_is_refused_by_name_when_it_is_to_learn(folder, name):
    file = damaged(folder, name)
    refused(lambda place: load_for_training(place, ALL_MARKS), folder, file)


def test_a_refused_folder_stays_as_it_was(folder):
    before = sorted(path.name for path in folder.iterdir())
    refused(load_predictor, folder, damaged(folder, "weights of 10,000 bytes"))
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("left", [0, 100, -1])
def test_safetensors_too(tiny_checkpoint, folder, left):
    from safetensors.numpy import save_file

    layer, _ = load_for_training(tiny_checkpoint, ALL_MARKS)
    (folder / WEIGHTS).unlink()
    path = folder / "model.safetensors"
    save_file({name: value.numpy() for name, value in layer.state_dict().items()}, str(path))
    cut(left)(path)
    for load in (load_predictor, lambda place: load_for_training(place, ALL_MARKS)):
        refused(load, folder, path.name)


def test_a_vocabulary_that_was_saved_here_is_known_by_its_length(other, tmp_path):
    """Rows to spare are usual for other encoders, so that only the card can tell."""
    layer, tokenizer = load_for_training(other, ALL_MARKS)
    saved = tmp_path / "saved"
    save_checkpoint(layer, tokenizer, saved, read_card(other))
    load_tokenizer(saved)
    for load in (load_predictor, lambda place: load_for_training(place, ALL_MARKS)):
        said = refused(load, saved, damaged(saved, "vocabulary of 100 lines"))
        assert "has 100 tokens instead of" in said


@pytest.fixture
def spare_rows(folder):
    """A bare BERT with rows to spare, as some are published."""
    import paddle

    state = paddle.load(str(folder / WEIGHTS))
    words = "bert.embeddings.word_embeddings.weight"
    rows = state[words].shape[0]
    state[words] = paddle.concat([state[words], state[words][:8]])
    paddle.save(state, str(folder / WEIGHTS))
    fields(vocab_size=rows + 8)(folder / "config.json")
    shutil.rmtree(folder / "static")
    (folder / CARD).unlink()
    return folder


def test_rows_to_spare_are_right_where_the_card_says_so(tiny_checkpoint, spare_rows, tmp_path):
    layer, tokenizer = load_for_training(spare_rows, ALL_MARKS)
    card = read_card(tiny_checkpoint)
    save_checkpoint(layer, tokenizer, tmp_path / "new", card)
    again = load_for_training(tmp_path / "new", ALL_MARKS)  # as the next round does
    save_checkpoint(*again, tmp_path / "newer", read_card(tmp_path / "new"))
    for name in ("new", "newer"):
        (table,) = Predictor(tmp_path / name).probabilities([["dit", "is", "een", "test"]])
        assert table.shape == (4, 10)
    write_card(spare_rows, card)  # by hand
    tokens = read_card(tmp_path / "newer").more["tokens"]
    said = refused(load_predictor, spare_rows, "vocab.txt")
    assert f'put "tokens": {tokens} into {CARD}' in said
    write_card(spare_rows, card.changed(more={"tokens": tokens}))
    load_predictor(spare_rows)


@pytest.mark.parametrize("kind", ["ErnieTokenizer", "RobertaChineseTokenizer", "ElectraTokenizer"])
@pytest.mark.parametrize("name", [name for name in DAMAGES if name.startswith("vocabulary")])
def test_other_tokenizers_too(folder, kind, name):
    fields(tokenizer_class=kind)(folder / "tokenizer_config.json")
    refused(load_tokenizer, folder, damaged(folder, name))
