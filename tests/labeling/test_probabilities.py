"""Suggestions there and back, and in a project's own marks."""

import numpy as np
import pytest

from labeling.errors import BadInput
from labeling.probabilities import chosen_labels, doubtful, in_marks, pack, unpack
from model.marks import ALL_MARKS

FOUR = ("NONE", "COMMA", "PERIOD", "QUESTION")


def test_there_and_back() -> None:
    array = np.random.default_rng(0).dirichlet(np.ones(4), 30)
    stored = pack(array)
    assert len(stored) == 30 * 4 * 2
    assert unpack(stored, 30, 4) == pytest.approx(array, abs=1e-3)
    assert unpack(pack(array.T.copy().T), 30, 4) == pytest.approx(array, abs=1e-3)
    with pytest.raises(BadInput):
        unpack(stored, 30, 5)


def test_marks_that_the_project_lacks_count_for_their_kin() -> None:
    array = np.arange(1, 11, dtype=np.float32)[None] / 55
    folded = in_marks(array, ALL_MARKS.names, FOUR) * 55
    # COMMA takes COLON and ENUMERATION, PERIOD takes EXCLAMATION, SEMICOLON and PARAGRAPH,
    # NONE takes DASH.
    assert folded == pytest.approx(np.array([[1 + 6, 2 + 5 + 7, 3 + 8 + 9 + 10, 4]]))
    assert in_marks(array[:, :2], FOUR[:2], FOUR) * 55 == pytest.approx(np.array([[1, 2, 0, 0]]))


def test_chosen_labels_are_canonical() -> None:
    marks = ("NONE", "EXCLAMATION", "COMMA")
    array = np.array([[0.2, 0.7, 0.1], [0.4, 0.2, 0.4], [0.1, 0.2, 0.7]], np.float32)
    assert chosen_labels(array, marks, {}) == bytes([7, 0, 1])
    assert chosen_labels(array, marks, {"EXCLAMATION": 0.9, "COMMA": 0.35}) == bytes([0, 1, 1])
    assert chosen_labels(np.zeros((0, 3)), marks, {}) == b""


def test_doubts() -> None:
    array = np.array([[0.69, 0.31], [0.71, 0.29]])
    assert doubtful(array, 0.7) == [True, False]
    assert doubtful(np.zeros((0, 2)), 0.7) == []
