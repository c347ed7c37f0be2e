"""The benchmark of memory: what it calls with, and what it makes of the readings."""

from pathlib import Path

import numpy as np

from benchmarks.memory import peak_mb, rows, watch
from model.predictor import Predictor


def test_many_shapes_are_seen(tiny_checkpoint: Path) -> None:
    resident, shapes = watch(Predictor(tiny_checkpoint), calls=60)
    assert len(resident) == len(shapes) == 60
    assert shapes == sorted(shapes)
    assert shapes[-1] > 20
    assert 0 < resident.min() <= resident.max()
    # The system counts pages in passing, and adds up what it counted now and then.
    assert resident.max() < peak_mb() + 2


def test_drift_is_told_from_warming_up() -> None:
    resident = np.repeat([90.0, *[100.0] * 8, 108.0], 5)
    resident[1:5] = 100.0
    found = rows(80.0, resident, list(range(50)), 120.0)
    assert found[0] == ["after loading", "0", "80.0", "0.80"]
    assert found[1] == ["to 5", "4", "90.0 / 100.0 / 100.0", "0.90 / 1.00 / 1.00"]
    assert found[-2] == ["drift, last tenth", "+45", "+8.0 / +8.0 / +8.0", "0.08 / 0.08 / 0.08"]
    assert found[-1] == ["peak", "49", "120.0", "1.20"]
    assert len(found) == 13
