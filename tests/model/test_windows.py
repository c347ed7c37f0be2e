import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.windows import plan_windows

LENGTHS = st.lists(st.integers(1, 16), max_size=900)


@given(LENGTHS, st.integers(2, 300), st.integers(0, 60), st.integers(16, 510))
def test_every_slot_is_kept_once_and_no_window_is_too_large(lengths, units, overlap, tokens):
    overlap = min(overlap, units - 1)
    windows = plan_windows(lengths, units, overlap, tokens)
    kept = [slot for w in windows for slot in range(w.keep_start, w.keep_stop)]
    assert kept == list(range(len(lengths)))
    for w in windows:
        assert w.start <= w.keep_start <= w.keep_stop <= w.stop
        assert w.stop - w.start <= units
        assert sum(lengths[w.start : w.stop]) <= tokens


@given(st.integers(1, 3000))
def test_every_slot_is_kept_where_it_is_farthest_from_the_edges(n):
    windows = plan_windows([1] * n)

    def context(w, slot):
        return min(slot + 1 - w.start if w.start else n, w.stop - 1 - slot if w.stop < n else n)

    for w in windows:
        for slot in range(w.keep_start, w.keep_stop):
            assert context(w, slot) == max(context(o, slot) for o in windows)
            assert context(w, slot) >= min(16, n)


def test_a_short_text_is_one_window():
    assert [(w.start, w.stop) for w in plan_windows([1] * 256)] == [(0, 256)]


def test_neighbours_share_the_overlap_that_users_expect():
    assert [(w.start, w.stop) for w in plan_windows([1] * 600)] == [
        (0, 256),
        (224, 480),
        (448, 600),
    ]


def test_long_units_make_short_windows_with_context():
    windows = plan_windows([16] * 230)
    assert all(w.stop - w.start <= 510 // 16 for w in windows)
    assert all(w.keep_stop - w.keep_start < w.stop - w.start for w in windows)


def test_nothing_gives_nothing():
    assert plan_windows([]) == []


@pytest.mark.parametrize(("units", "overlap"), [(32, 32), (10, 40), (10, -1)])
def test_an_overlap_that_would_never_move_on_is_refused(units, overlap):
    with pytest.raises(ValueError, match="overlap"):
        plan_windows([1] * 100, units, overlap)


def test_a_unit_that_fits_in_no_window_is_refused():
    with pytest.raises(ValueError, match="sub-tokens"):
        plan_windows([1, 20], max_tokens=16)
