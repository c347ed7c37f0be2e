"""How uncertain a transcript is, worked by hand."""

import random

import numpy as np
import pytest

from labeling.choosing import draw_lot, slot_uncertainty, transcript_uncertainty


def test_a_slot_is_as_uncertain_as_its_margin_is_small() -> None:
    probabilities = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3]])
    assert slot_uncertainty(probabilities) == pytest.approx([0, 1, 0.8, 0.9])


def test_the_least_certain_slots_count_and_the_length_does_not() -> None:
    sure, torn = [0.98, 0.02], [0.5, 0.5]
    short = np.array([torn] * 2 + [sure] * 8, np.float16)
    long = np.array([torn] * 2 + [sure] * 400, np.float16)
    assert transcript_uncertainty(short, 5) == pytest.approx((2 * 1 + 3 * 0.04) / 5, abs=1e-3)
    assert transcript_uncertainty(long, 5) == pytest.approx(transcript_uncertainty(short, 5))
    assert transcript_uncertainty(short, 2) == 1
    assert transcript_uncertainty(short[:1], 5) == 1


def test_a_transcript_without_slots_is_certain() -> None:
    assert transcript_uncertainty(np.zeros((0, 4))) == 0.0


def test_the_share_of_random_draws() -> None:
    chance = random.Random(5)
    lots = [draw_lot(0.15, chance) for _ in range(4000)]
    drawn = [lot for lot in lots if lot is not None]
    assert 510 <= len(drawn) <= 690  # 600 expected; four standard deviations either way
    assert np.mean(drawn) == pytest.approx(0.5, abs=0.05)
    assert all(draw_lot(0.0, chance) is None for _ in range(100))
    assert all(draw_lot(1.0, chance) is not None for _ in range(100))
