"""Figures of a round do not depend on how the machine that measures multiplies."""

import shutil

from labeling.verdict import measure
from model.marks import DEFAULT_MARKS
from model.training_settings import Example

LONG = list("我们今天去公园看花然后回家吃饭") * 40


def test_a_round_measures_alike_however_models_serve(tiny_checkpoint, tmp_path, monkeypatch):
    texts = [Example(LONG, [int(unit in "花饭") for unit in LONG])]
    found = []
    for precision in ("bfloat16", "float32"):
        monkeypatch.setenv("INTERPUNCT_PRECISION", precision)
        # A folder of its own, or the model loaded for the other one would answer.
        folder = shutil.copytree(tiny_checkpoint, tmp_path / precision)
        found.append(measure(folder, texts, DEFAULT_MARKS).metrics.as_dict())
    assert found[0] == found[1]
