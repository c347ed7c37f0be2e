"""How many processor cores this process may use, in containers and under systemd too."""

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")


def usable_cores(groups: Path = _GROUPS, own: Path = _OWN) -> int:
    """Count the processor cores that this process may use.

    Parameters
    ----------
    groups : Path
        Where the system shows its control groups (cgroup v2, v1, or both).
    own : Path
        The file that says in which of them this process is.

    Returns
    -------
    int
        The size of the affinity mask, or the smallest quota of the process's control group
        and of those above it where that is less; at least 1.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quotas = [_quota(group) for group in _own_groups(groups, own)]
    return max(1, math.ceil(min(cores or 1, *quotas, math.inf)))


def _own_groups(groups: Path, own: Path) -> Iterator[Path]:
    """Give the folders of the process's control groups, and of all those above them."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        lines = ["0::/", "0:cpu:/"]
    for line in lines:
        _, controllers, path = line.split(":", 2)
        mounts = []
        if not controllers:  # v2; beside v1 it is mounted lower
            mounts = [groups, groups / "unified"]
        elif "cpu" in controllers.split(","):  # v1: cpu alone, or together with cpuacct
            mounts = [mount for mount in groups.glob("*cpu*") if "cpu" in mount.name.split(",")]
        parts = PurePosixPath(path).parts[1:]
        if ".." in parts:  # a group outside of what a container is shown
            parts = ()
        for mount in mounts:
            yield from (mount.joinpath(*parts[:depth]) for depth in range(len(parts) + 1))


def _quota(group: Path) -> float:
    """Return how many cores' time a control group may use, or infinity."""
    try:
        quota, period = (group / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (group / "cpu.cfs_quota_us").read_text()
            period = (group / "cpu.cfs_period_us").read_text()
        except OSError:
            return math.inf
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # "max": no limit
        return math.inf
    return cores if cores > 0 else math.inf
