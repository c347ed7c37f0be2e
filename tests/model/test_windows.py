from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.windows import own_slots, plan_windows, shares

LENGTHS = st.lists(st.integers(1, 16), max_size=250)
UNITS, TOKENS = st.integers(2, 80), st.integers(16, 510)
OVERLAPS = st.integers(0, 20) | st.integers(0, 79)


def depth(w, slot, n):
    """Count the units between a slot and the nearer edge; true ends are none."""
    before = slot + 1 - w.start if w.start else n + 1
    after = w.stop - slot - 1 if w.stop < n else n + 1
    return min(before, after)


@settings(deadline=None)
@given(LENGTHS, UNITS, OVERLAPS, TOKENS)
def test_windows_are_a_chain_and_none_is_too_large(lengths, units, overlap, tokens):
    windows = plan_windows(lengths, units, min(overlap, units - 1), tokens)
    assert [w.start for w in windows[:1]] + [w.stop for w in windows[-1:]] in (
        [0, len(lengths)],
        [],
    )
    for w, after in pairwise(windows):
        assert w.start < after.start <= w.stop < after.stop
    for w in windows:
        assert w.stop - w.start <= units
        assert sum(lengths[w.start : w.stop]) <= tokens


@settings(deadline=None)
@given(LENGTHS, UNITS, OVERLAPS, TOKENS)
def test_every_slot_is_some_windows_own_and_lies_nowhere_deeper(lengths, units, overlap, tokens):
    windows = plan_windows(lengths, units, min(overlap, units - 1), tokens)
    own = own_slots(windows)
    assert [slot for slots in own for slot in slots] == list(range(len(lengths)))
    for w, slots in zip(windows, own, strict=True):
        for slot in slots:
            deepest = max(depth(o, slot, len(lengths)) for o in windows if o.start <= slot < o.stop)
            assert depth(w, slot, len(lengths)) == deepest


@settings(deadline=None)
@given(LENGTHS, UNITS, OVERLAPS, TOKENS)
def test_what_a_slot_takes_from_all_windows_adds_up_to_one(lengths, units, overlap, tokens):
    windows = plan_windows(lengths, units, min(overlap, units - 1), tokens)
    total = np.zeros(len(lengths))
    for w, share in zip(windows, shares(windows), strict=True):
        assert share.dtype == np.float32
        total[w.start : w.stop] += share
    np.testing.assert_allclose(total, 1, atol=1e-6)


@settings(deadline=None)
@given(st.integers(1, 250), UNITS, OVERLAPS)
def test_a_slot_takes_more_from_where_it_lies_deeper(n, units, overlap):
    windows = plan_windows([1] * n, units, min(overlap, units - 1))
    taken = zip(windows, shares(windows), strict=True)
    for (w, one), (o, other) in pairwise(taken):
        for slot in range(o.start, w.stop):
            weights = [max(min(16, depth(window, slot, n)), 1 / 64) for window in (w, o)]
            expected = weights[0] / weights[1]
            assert one[slot - w.start] == pytest.approx(expected * other[slot - o.start], rel=1e-5)


@settings(deadline=None)
@given(st.integers(1, 3000))
def test_by_default_every_slot_has_context(n):
    windows = plan_windows([1] * n)
    for w, slots in zip(windows, own_slots(windows), strict=True):
        assert all(depth(w, slot, n) >= min(16, n) for slot in slots)


def test_a_short_text_is_one_window_that_is_taken_as_it_is():
    windows = plan_windows([1] * 256)
    assert [(w.start, w.stop) for w in windows] == [(0, 256)]
    assert shares(windows)[0].tolist() == [1.0] * 256


def test_neighbours_share_the_overlap_that_users_expect():
    assert [(w.start, w.stop) for w in plan_windows([1] * 600)] == [
        (0, 256),
        (224, 480),
        (448, 600),
    ]


def test_with_an_overlap_of_three_quarters_slots_are_read_four_times():
    windows = plan_windows([1] * 1000, 160, 120)
    times = [sum(w.start <= slot < w.stop for w in windows) for slot in range(1000)]
    assert set(times[120:-120]) == {4}
    assert times[0] == 1, "the start is no edge"


@pytest.mark.parametrize(("units", "overlap"), [(256, 32), (160, 120), (160, 159)])
def test_long_units_make_short_windows_that_overlap_as_much(units, overlap):
    windows = plan_windows([16] * 230, units, overlap)
    assert all(w.stop - w.start <= 510 // 16 for w in windows)
    for w, after in pairwise(windows):
        shared = w.stop - after.start
        assert shared == max(15, (w.stop - w.start) * overlap // units)
    own = own_slots(windows)
    assert all(len(slots) < w.stop - w.start for w, slots in zip(windows, own, strict=True))


def test_nothing_gives_nothing():
    assert plan_windows([]) == []
    assert own_slots([]) == []
    assert shares([]) == []


@pytest.mark.parametrize(("units", "overlap"), [(32, 32), (10, 40), (10, -1)])
def test_an_overlap_that_would_never_move_on_is_refused(units, overlap):
    with pytest.raises(ValueError, match="overlap"):
        plan_windows([1] * 100, units, overlap)


def test_a_unit_that_fits_in_no_window_is_refused():
    with pytest.raises(ValueError, match="sub-tokens"):
        plan_windows([1, 20], max_tokens=16)
