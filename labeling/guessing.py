"""A brake on guessing passwords."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from labeling.errors import NotAllowed

TRIES: Final = 10
MINUTES: Final = 10
_REMEMBERED: Final = 10_000


class Brake:
    """Counts failed sign-ins by who tries and from where, in this process.

    Counting by both lets nobody lock somebody else out from another place. Several web
    processes count for themselves, so that the limit is at most that many times as high.

    Parameters
    ----------
    clock : callable
        Seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._failed: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, name: str, place: str) -> None:
        """Refuse another try where ten have failed within ten minutes.

        Raises
        ------
        NotAllowed
            ``too_many_tries``; the password is not even looked at.
        """
        with self._lock:
            failed = self._failed.get((name.casefold(), place), deque())
            while failed and failed[0] < self._clock() - 60 * MINUTES:
                failed.popleft()
            if len(failed) >= TRIES:
                raise NotAllowed(
                    "too_many_tries",
                    f"Too many tries. Wait {MINUTES} minutes, or ask an admin for a new password.",
                    minutes=MINUTES,
                )

    def failed(self, name: str, place: str) -> None:
        """Remember a failed try; the longest unused are forgotten beyond ten thousand."""
        with self._lock:
            key = (name.casefold(), place)
            self._failed.setdefault(key, deque(maxlen=TRIES)).append(self._clock())
            self._failed.move_to_end(key)
            if len(self._failed) > _REMEMBERED:
                self._failed.popitem(last=False)

    def succeeded(self, name: str, place: str) -> None:
        """Forget the failures of somebody who got in."""
        with self._lock:
            self._failed.pop((name.casefold(), place), None)
