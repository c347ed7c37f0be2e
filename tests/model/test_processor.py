import os
import subprocess
import sys
from pathlib import Path

import pytest

from model import processor
from model.processor import (
    UnknownPrecision,
    _container_quota,
    _mkl_path,
    bfloat16_to_use,
    threads_to_use,
    usable_cores,
)

ROOT = Path(__file__).parents[2]


def run(code: str, **changes: str | None) -> str:
    environment = {**os.environ, **{k: v for k, v in changes.items() if v is not None}}
    for name, value in changes.items():
        if value is None:
            environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "OMP_NUM_THREADS" not in done.stderr
    return done.stdout.strip()


def test_threads_follow_the_cores_that_may_be_used():
    code = (
        "import os; from model.processor import prepare_processor as p; line = p();"
        "assert p() is line; print(os.environ['OMP_NUM_THREADS'], os.environ['MKL_NUM_THREADS'])"
    )
    unset = {"OMP_NUM_THREADS": None, "MKL_NUM_THREADS": None}
    assert run(code, **unset) == f"{usable_cores()} {usable_cores()}"
    one = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});" + code
    assert run(one, **unset) == "1 1"


def test_what_a_user_has_set_stays():
    code = (
        "import os; from model.processor import prepare_processor as p; p();"
        "print(os.environ['OMP_NUM_THREADS'], os.environ.get('MKL_DEBUG_CPU_TYPE'))"
    )
    assert run(code, OMP_NUM_THREADS="7", MKL_DEBUG_CPU_TYPE="4") == "7 4"


@pytest.mark.parametrize(
    ("said", "threads"), [("3", 3), ("2,1", 2), ("0", None), ("many", None), (None, None)]
)
def test_a_computation_uses_the_threads_that_the_user_set(monkeypatch, said, threads):
    if said is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert threads_to_use() == (threads or usable_cores())


@pytest.mark.parametrize(
    ("said", "flags", "expected"),
    [
        (None, "avx512f avx512_bf16", True),
        (None, "avx512f amx_bf16", True),
        (None, "avx2 avx512f", False),
        (None, "", False),
        ("auto", "avx512_bf16", True),
        ("", "avx2", False),
        ("float32", "avx512_bf16", False),
        ("BFloat16 ", "avx2", True),
    ],
)
def test_bfloat16_serves_where_the_processor_has_it_or_the_user_says_so(
    monkeypatch, said, flags, expected
):
    monkeypatch.setattr(processor, "_processor_text", lambda: flags)
    if said is None:
        monkeypatch.delenv("INTERPUNCT_PRECISION", raising=False)
    else:
        monkeypatch.setenv("INTERPUNCT_PRECISION", said)
    assert bfloat16_to_use() is expected


def test_a_precision_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("INTERPUNCT_PRECISION", "fp32")
    with pytest.raises(UnknownPrecision, match=r"bfloat16, float32 or auto, not fp32"):
        bfloat16_to_use()


@pytest.mark.parametrize(
    "module", ["model.predictor", "model.punctuate", "model.checkpoint", "model.processor"]
)
def test_importing_is_cheap(module):
    code = f"import sys, {module}; print([m for m in sys.modules if m.startswith('paddle')])"
    assert run(code) == "[]"


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, float("inf")),
        ({"cpu/cpu.cfs_quota_us": "400000", "cpu/cpu.cfs_period_us": "100000"}, 4),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, float("inf")),
        ({}, float("inf")),
    ],
)
def test_a_container_has_fewer_cores(tmp_path, files, cores):
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    assert _container_quota(tmp_path) == cores


@pytest.mark.parametrize(
    ("processor", "path"),
    [
        ("vendor_id : GenuineIntel flags : avx2 avx512f", None),
        ("vendor_id : AuthenticAMD flags : avx2", "5"),
        ("vendor_id : AuthenticAMD flags : avx2 avx512f avx512cd", "5"),
        ("vendor_id : AuthenticAMD flags : avx2 avx512f avx512cd avx512bw avx512dq avx512vl", "7"),
    ],
)
def test_the_widest_path_that_an_amd_processor_has(processor, path):
    assert _mkl_path(processor) == path


@pytest.mark.skipif(sys.platform != "linux", reason="glibc only")
def test_freed_memory_is_used_again():
    code = (
        "import resource, numpy as np; from model.processor import reuse_freed_memory as r; {}\n"
        "for _ in range(10): [np.ones(1 << 18) for _ in range(40)]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)"
    )
    assert int(run(code.format("r()"))) < int(run(code.format(""))) - 50_000
