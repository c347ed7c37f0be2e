"""The cores that a process may use: its affinity mask, and the limits of its control groups."""

import os

import pytest

from model import cores
from model.cores import usable_cores

UNLIMITED = 64
HALF_V1 = {"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n"}
TWO_V1 = {"cpu.cfs_quota_us": "200000\n", "cpu.cfs_period_us": "100000\n"}
NONE_V1 = {"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}


@pytest.fixture
def count(tmp_path, monkeypatch):
    """Count the cores on a machine of 64, given a tree of files and what the process is in."""
    monkeypatch.setattr(
        cores.os, "sched_getaffinity", lambda _: set(range(UNLIMITED)), raising=False
    )

    def on(files, own=None):
        for name, content in files.items():
            path = tmp_path / "cgroup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        if own is not None:
            (tmp_path / "own").write_text(own)
        return usable_cores(tmp_path / "cgroup", tmp_path / "own")

    return on


def under(folder, files):
    return {f"{folder}/{name}": content for name, content in files.items()}


@pytest.mark.parametrize("own", [None, "0::/\n"])
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("150000 100000\n", 2),
        ("10000 100000\n", 1),
        ("max 100000\n", UNLIMITED),
        ("0 100000\n", UNLIMITED),
        ("100000 0\n", UNLIMITED),
        ("", UNLIMITED),
        ("99000000 100000\n", UNLIMITED),
    ],
)
def test_a_container_that_sees_its_own_group_only(count, own, said, expected):
    assert count({"cpu.max": said}, own) == expected


def test_the_smallest_limit_from_the_processes_group_up_counts(count):
    limits = {
        "system.slice/cpu.max": "300000 100000\n",
        "system.slice/product.service/cpu.max": "400000 100000\n",
        "system.slice/product.service/worker/cpu.max": "max 100000\n",
        "system.slice/other.service/cpu.max": "100000 100000\n",
    }
    assert count(limits, "0::/system.slice/product.service/worker\n") == 3
    assert count({"system.slice/product.service/cpu.max": "200000 100000\n"}) == 2


def test_a_group_that_is_not_shown_leaves_those_that_are(count):
    assert count({"cpu.max": "200000 100000\n"}, "0::/docker/0123\n") == 2
    sibling = {"other/cpu.max": "100000 100000\n"}
    assert count(sibling, "0::/../other\n") == 2


@pytest.mark.parametrize(
    ("mount", "controllers"),
    [
        ("cpu", "cpu"),
        ("cpu,cpuacct", "cpu,cpuacct"),
        ("cpuacct,cpu", "cpu,cpuacct"),
        ("cpu", "cpu,cpuacct"),
    ],
)
def test_the_older_kind_of_groups(count, mount, controllers):
    own = f"5:cpuset:/\n4:{controllers}:/docker/0123\n1:name=systemd:/init\n"
    files = under(mount, NONE_V1) | under(f"{mount}/docker/0123", TWO_V1)
    assert count(files | under("cpuset/docker/0123", HALF_V1), own) == 2
    assert count(under(mount, HALF_V1)) == 1


def test_the_older_kind_beside_the_newer(count):
    own = "4:cpu:/a\n0::/b\n"
    assert count(under("cpu/a", NONE_V1), own) == UNLIMITED
    assert count({"unified/b/cpu.max": "300000 100000\n"}) == 3
    assert count(under("cpu/a", TWO_V1)) == 2


def test_without_control_groups_the_mask_counts(count):
    assert count({}) == UNLIMITED


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux only")
def test_this_process():
    assert 1 <= usable_cores() <= len(os.sched_getaffinity(0))
