import os
import subprocess
import sys
from pathlib import Path

import pytest

from model import processor
from model.cores import usable_cores
from model.processor import UnknownPrecision, _mkl_path, bfloat16_to_use, threads_to_use

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
    assert "ccache" not in done.stderr
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


# Paddle itself would put 1 in place of what it cannot read.
@pytest.mark.parametrize("said", ["7", "4,2"])
def test_what_a_user_has_set_stays(said):
    code = (
        "import os; from model.processor import prepare_processor as p, threads_to_use; p();"
        "print(os.environ['OMP_NUM_THREADS'], os.environ.get('MKL_DEBUG_CPU_TYPE'),"
        "threads_to_use())"
    )
    expected = f"{said} 4 {said[0]}"
    assert run(code, OMP_NUM_THREADS=said, MKL_DEBUG_CPU_TYPE="4") == expected


@pytest.mark.parametrize(
    ("said", "threads"),
    [
        ("3", 3),
        ("2,1", 2),
        (" 4 ", 4),
        ("16", 16),
        ("0", None),
        ("-1", None),
        ("2.5", None),
        ("²", None),
        ("٤", None),
        ("many", None),
        ("", None),
        (None, None),
    ],
)
def test_a_computation_uses_the_threads_that_the_user_set(monkeypatch, said, threads):
    if said is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
    monkeypatch.setattr(processor, "usable_cores", lambda: 12)
    assert threads_to_use() == (threads or 12)
    assert threads_to_use(most=8) == (threads or 8)


def test_what_was_set_for_paddle_is_not_taken_for_the_users_word():
    code = (
        "import os; from model import processor; processor.usable_cores = lambda: 12;"
        "processor._import_paddle = lambda: None; processor.prepare_processor();"
        "print(os.environ['OMP_NUM_THREADS'], processor.threads_to_use(most=8))"
    )
    assert run(code, OMP_NUM_THREADS=None) == "12 8"


def test_threads_that_begin_together_import_and_log_once():
    code = (
        "import logging, sys, threading, time; from model import processor\n"
        "logging.basicConfig(level='INFO', stream=sys.stdout, format='%(message)s')\n"
        "processor._import_paddle = lambda: (time.sleep(0.2), print('imported'))\n"
        "every = [threading.Thread(target=processor.prepare_processor) for _ in range(4)]\n"
        "[thread.start() for thread in every]; [thread.join() for thread in every]\n"
    )
    imported, line = run(code, OMP_NUM_THREADS="3").splitlines()
    assert imported == "imported"
    assert line.startswith("processor: OMP_NUM_THREADS=3 ")


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
