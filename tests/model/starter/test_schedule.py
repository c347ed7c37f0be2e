"""The learning rate of a run: up, along, down, and up again."""

import pytest

from model.starter.schedule import Schedule


def a_schedule(**more) -> Schedule:
    return Schedule(peak=1.0, floor=0.1, warm_up=10, **more)


def test_it_rises_and_stays_until_an_end_is_announced():
    schedule = a_schedule()
    rates = [schedule.at(step) for step in range(1000)]
    assert rates[:10] == pytest.approx([i / 10 for i in range(1, 11)])
    assert set(rates[10:]) == {1.0}
    assert not schedule.ended(1000)


def test_it_falls_to_its_floor_and_ends():
    schedule = a_schedule()
    schedule.fall(100, 50)
    assert schedule.at(100) == 1.0
    assert schedule.at(125) == pytest.approx(0.55)
    assert schedule.at(150) == pytest.approx(0.1)
    assert not schedule.ended(149)
    assert schedule.ended(150)


def test_an_end_that_was_announced_is_not_moved_by_a_restart():
    schedule = a_schedule()
    schedule.fall(100, 50)
    schedule.fall(120, 50)
    assert schedule.at(125) == pytest.approx(0.55)


def test_a_run_that_ended_rises_again_from_where_it_is():
    schedule = a_schedule()
    schedule.fall(100, 50)
    schedule.rise_again(150, peak=0.5)
    assert schedule.at(150) == pytest.approx(0.05)
    assert schedule.at(159) == schedule.at(400) == 0.5
    schedule.fall(400, 100)
    assert schedule.at(450) == pytest.approx(0.5 * 0.55)
    assert schedule.ended(500)
    assert schedule.before == [{"peak": 1.0, "warm_from": 0, "fall_from": 100, "fall_for": 50}]


@pytest.mark.parametrize("finish", [0, 50])
def test_a_run_that_has_not_ended_does_not_rise_again(finish):
    schedule = a_schedule()
    if finish:
        schedule.fall(100, finish)
    with pytest.raises(ValueError, match="without --again"):
        schedule.rise_again(120, peak=0.5)


def test_what_a_state_keeps_makes_the_same_schedule():
    schedule = a_schedule()
    schedule.fall(100, 50)
    schedule.rise_again(150, peak=0.5)
    schedule.fall(160, 20)
    again = a_schedule(**{k: v for k, v in schedule.state().items() if k != "peak"})
    again.peak = schedule.state()["peak"]
    assert [again.at(step) for step in range(150, 200)] == [
        schedule.at(step) for step in range(150, 200)
    ]
