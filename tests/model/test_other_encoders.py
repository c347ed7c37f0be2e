"""Any encoder for which PaddleNLP has a token classifier: long texts, serving, learning."""

import json
import shutil

import numpy as np
import pytest

from model.predictor import Predictor
from model.training import fine_tune
from model.training_settings import Example, TrainSettings

FOUR = ("NONE", "COMMA", "PERIOD", "QUESTION")
MARK_AFTER = {"了": 1, "人": 2, "吗": 3}
# BERT with room for 99 tokens; the others as they come. RoBERTa counts its positions otherwise.
KINDS = [("Ernie", 512), ("Roberta", 512), ("Electra", 512), ("Bert", 99)]


def some_units(seed: int, count: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return rng.choice([*"的一是了我不人吗在有", "hallo", "arbeidsongeschiktheid"], count).tolist()


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind[0])
def other(request, tiny_checkpoint, tmp_path_factory):
    """A model folder of another architecture, with seeded random weights."""
    from model.auto import auto_classes

    auto_classes()
    import paddle
    from paddlenlp import transformers

    kind, positions = request.param
    folder = tmp_path_factory.mktemp(kind) / "model"
    own = shutil.ignore_patterns("static", "model_state*")
    shutil.copytree(tiny_checkpoint, folder, ignore=own)
    size = json.loads((folder / "config.json").read_text())
    same = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")
    config = getattr(transformers, f"{kind}Config")(
        **{name: size[name] for name in same},
        intermediate_size=64,
        max_position_embeddings=positions,
        num_labels=10,
        initializer_range=0.2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    paddle.seed(1)
    getattr(transformers, f"{kind}ForTokenClassification")(config).save_pretrained(str(folder))
    return folder


def test_it_serves_long_and_short_texts(other):
    texts = [some_units(n, n) for n in (0, 1, 7, 64, 300, 900)]
    exact, rounded = (Predictor(other, bfloat16=asked).probabilities(texts) for asked in (0, 1))
    for units, one, two in zip(texts, exact, rounded, strict=True):
        assert one.shape == (len(units), 10)
        # Weights without sense are far from sure of anything; a trained model moves less.
        assert np.abs(one - two).mean() < 0.005 if units else not len(two)


def test_it_learns_from_long_texts(other, tmp_path):
    texts = [some_units(seed, 700) for seed in range(6)]
    examples = [Example(units, [MARK_AFTER.get(u, 0) for u in units]) for units in texts]
    settings = TrainSettings(marks=FOUR, learning_rate=3e-3, epochs=12, patience=12)
    result = fine_tune(other, tmp_path / "new", examples[:4], examples[4:], settings)
    assert result.dev_f1_after > result.dev_f1_before + 0.1
    assert len(Predictor(tmp_path / "new").probabilities([texts[0]])[0]) == 700
