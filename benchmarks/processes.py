"""A process for each way of doing a job, which rests while the others do it."""

import multiprocessing
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

# Threads spin for a while after their last answer, and would take the next one's cores.
_SPINNING = 0.3

_SET_BY_US = (
    "MKL_DEBUG_CPU_TYPE",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "FLAGS_use_stride_kernel",
    "GLOG_minloglevel",
)
USERS_OWN: Mapping[str, str] = {name: os.environ[name] for name in _SET_BY_US if name in os.environ}
"""What the user set before we set anything; true only in the process that was started first."""


def forget_set_up(users_own: Mapping[str, str]) -> None:
    """Run as other programs do: a process inherits what the one that started it has set up.

    Parameters
    ----------
    users_own : mapping of str to str
        `USERS_OWN` of the process that was started first.
    """
    for name in _SET_BY_US:
        os.environ.pop(name, None)
    os.environ.update(users_own)


class Side:
    """One way of doing a job, in a process of its own.

    Parameters
    ----------
    kind : str
        Its name.
    serve : callable
        Gets `args` and the end of a pipe, over which it sends how many threads it computes
        with, and then an answer for each question, until the question is None.
    *args
        What else `serve` needs.
    """

    def __init__(self, kind: str, serve: Callable[..., None], *args: Any):
        self.kind = kind
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(*args, theirs), daemon=True)
        self._process.start()
        theirs.close()  # with this end open here, nobody would hear that the process died
        self.threads: int = self._answer()

    def ask(self, question: Any) -> Any:
        """Let it do something; return its answer."""
        time.sleep(_SPINNING)
        self._pipe.send(question)
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()

    def _answer(self) -> Any:
        try:
            return self._pipe.recv()
        except EOFError:
            raise RuntimeError(f"“{self.kind}” ended; what it said stands above.") from None
