"""Which process does a job, and whether it is still there."""

import os
import socket
from pathlib import Path
from typing import Any


def this_worker() -> dict[str, Any]:
    """Name this process so that another one can tell whether it is still there.

    Returns
    -------
    dict
        ``host``, ``pid``, and ``began`` (None where the system does not tell): process ids
        are used again, but not with the same start.
    """
    pid = os.getpid()
    return {"host": socket.gethostname(), "pid": pid, "began": _began(pid)}


def is_gone(worker: dict[str, Any] | None) -> bool:
    """Tell whether a process is certainly gone.

    Parameters
    ----------
    worker : dict or None
        As `this_worker` names it.

    Returns
    -------
    bool
        False also where one cannot know: on another machine, or without a name.
    """
    if not worker or worker.get("host") != socket.gethostname():
        return False
    pid = worker.get("pid")
    if not isinstance(pid, int):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    began = worker.get("began")
    return began is not None and _began(pid) not in (None, began)


def _began(pid: int) -> int | None:
    """Return when a process started, in ticks since the machine did; -1 if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, which may hold anything.
    fields = stat.rpartition(")")[2].split()
    return -1 if fields[0] in "ZX" else int(fields[19])
