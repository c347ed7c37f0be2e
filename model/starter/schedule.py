"""How fast a run learns at each step: up, along, down when its end is announced, and up again."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Schedule:
    """The learning rate by step.

    It warms up and stays, so that the length of a run need not be known when it begins, and
    falls in a straight line when the end is announced.

    Attributes
    ----------
    peak, floor : float
        The rate while it stays, and what it falls to, as a share of `peak`.
    warm_up : int
        Steps until `peak`.
    warm_from : int
        The step at which the warming up began.
    fall_from : int or None
        The step at which the fall began; None while there is no end in sight.
    fall_for : int
        Steps of the fall.
    before : list of dict
        The same of earlier rises, each with its fall.
    """

    peak: float
    floor: float
    warm_up: int
    warm_from: int = 0
    fall_from: int | None = None
    fall_for: int = 0
    before: list[dict[str, Any]] = field(default_factory=list)

    def at(self, step: int) -> float:
        """Return the rate of a step."""
        rate = self.peak * min(1.0, (step + 1 - self.warm_from) / self.warm_up)
        if self.fall_from is not None:
            left = 1 - min(1.0, (step - self.fall_from) / self.fall_for)
            rate *= self.floor + (1 - self.floor) * left
        return rate

    def ended(self, step: int) -> bool:
        """Say whether the rate has fallen all the way."""
        return self.fall_from is not None and step >= self.fall_from + self.fall_for

    def fall(self, step: int, steps: int) -> None:
        """Announce the end, unless that was done before: fall from now on, over so many steps."""
        if self.fall_from is None:
            self.fall_from, self.fall_for = step, steps

    def rise_again(self, step: int, peak: float) -> None:
        """Let the rate rise once more, to `peak`, after it has fallen.

        A run that has ended goes on from its best weights (Loshchilov and Hutter, 2017).

        Raises
        ------
        ValueError
            The rate has not fallen yet, so that the run only needs to be gone on with.
        """
        if not self.ended(step):
            raise ValueError("The run has not ended yet: go on with it without --again.")
        self.before.append({key: value for key, value in self.state().items() if key != "before"})
        self.peak, self.warm_from = peak, step
        self.fall_from, self.fall_for = None, 0

    def state(self) -> dict[str, Any]:
        """Return what a run's state keeps of it."""
        kept = ("peak", "warm_from", "fall_from", "fall_for", "before")
        return {key: value for key, value in asdict(self).items() if key in kept}
