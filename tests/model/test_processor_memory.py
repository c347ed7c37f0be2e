"""The C library keeps freed memory, except where the user said how it should go about that."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from model import processor
from model.processor import reuse_freed_memory

TRIM, MMAP, ARENAS = -1, -3, -8  # of glibc's malloc.h


def page_faults(before: str, **settings: str) -> int:
    code = (
        f"import resource, numpy as np; from model.processor import reuse_freed_memory as r; "
        f"{before}\n"
        "for _ in range(10): [np.ones(1 << 18) for _ in range(40)]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)"
    )
    root = Path(__file__).parents[2]
    return int(
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env=os.environ | settings,
            capture_output=True,
            check=True,
        ).stdout
    )


@pytest.mark.skipif(sys.platform != "linux", reason="glibc only")
def test_freed_memory_is_used_again_unless_the_user_says_otherwise():
    untouched = page_faults("")
    assert page_faults("r()") < untouched - 50_000
    assert page_faults("r()", MALLOC_MMAP_THRESHOLD_="131072") > untouched - 50_000


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("MALLOC_ARENA_MAX", "8", [ARENAS]),
        ("MALLOC_ARENA_TEST", "4", [ARENAS]),
        ("MALLOC_MMAP_THRESHOLD_", "65536", [MMAP]),
        ("MALLOC_TRIM_THRESHOLD_", "65536", [TRIM]),
        ("GLIBC_TUNABLES", "glibc.malloc.arena_max=8", [ARENAS]),
        (
            "GLIBC_TUNABLES",
            "glibc.malloc.mmap_threshold=65536:glibc.malloc.trim_threshold=65536",
            [MMAP, TRIM],
        ),
        ("GLIBC_TUNABLES", "glibc.malloc.check=3", []),
        ("MALLOC_PERTURB_", "1", []),
    ],
)
def test_what_the_user_said_about_memory_is_not_set(monkeypatch, name, value, left):
    for setting in [key for key in os.environ if key.startswith(("MALLOC_", "GLIBC_TUN"))]:
        monkeypatch.delenv(setting)
    monkeypatch.setenv(name, value)
    done = []
    library = SimpleNamespace(mallopt=lambda option, _: done.append(option) or 1)
    monkeypatch.setattr(processor.ctypes, "CDLL", lambda _: library)
    reuse_freed_memory()
    assert set(done) == {ARENAS, MMAP, TRIM} - set(left)
