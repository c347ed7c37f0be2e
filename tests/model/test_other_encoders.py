"""Any encoder for which PaddleNLP has a token classifier: long texts, serving, learning."""

import numpy as np

from model.predictor import Predictor
from model.training import fine_tune
from model.training_settings import Example, TrainSettings

FOUR = ("NONE", "COMMA", "PERIOD", "QUESTION")
MARK_AFTER = {"了": 1, "人": 2, "吗": 3}


def some_units(seed: int, count: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return rng.choice([*"的一是了我不人吗在有", "hallo", "arbeidsongeschiktheid"], count).tolist()


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
