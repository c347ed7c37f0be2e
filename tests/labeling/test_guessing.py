"""The brake on guessing passwords."""

import pytest

from labeling.errors import NotAllowed
from labeling.guessing import MINUTES, TRIES, Brake


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_after_ten_failures_one_waits_ten_minutes():
    clock = Clock()
    brake = Brake(clock)
    for _ in range(TRIES):
        brake.check("Anna", "10.0.0.1")
        brake.failed("anna", "10.0.0.1")
    with pytest.raises(NotAllowed) as refused:
        brake.check("ANNA", "10.0.0.1")
    assert refused.value.code == "too_many_tries"
    brake.check("anna", "10.0.0.2")  # nobody is locked out by somebody elsewhere
    brake.check("bram", "10.0.0.1")
    clock.now = 60 * MINUTES + 1
    brake.check("anna", "10.0.0.1")


def test_who_gets_in_starts_anew():
    brake = Brake(Clock())
    for _ in range(TRIES - 1):
        brake.failed("anna", "here")
    brake.succeeded("anna", "here")
    brake.failed("anna", "here")
    brake.check("anna", "here")
