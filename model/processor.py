"""What must be set before Paddle is imported, so that it runs well on this processor.

Nothing that a user has set in the environment is ever changed.
"""

import contextlib
import ctypes
import io
import logging
import math
import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger(__name__)
_done: list[str] = []


class UnknownPrecision(ValueError):
    """The environment asks for a precision that there is not."""


def usable_cores() -> int:
    """Count the processor cores that this process may use.

    Returns
    -------
    int
        The size of the affinity mask, or the container's quota (cgroup v2 or v1) where
        that is smaller; at least 1.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = _container_quota(Path("/sys/fs/cgroup"))
    return max(1, math.ceil(min(cores or 1, quota)))


def prepare_processor() -> str:
    """Set Paddle's environment and import Paddle quietly; later calls do nothing.

    MKL, which Paddle multiplies with outside of Paddle Inference, takes a slow path on AMD
    processors: asking for its AVX2 path makes training three to six times as fast, and its
    AVX-512 path half as fast again where there is one. Threads follow the cores that the
    process may use, containers included.

    Returns
    -------
    str
        One line that says what holds, for the log.
    """
    if _done:
        return _done[0]
    threads = str(threads_to_use())
    wanted = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    if path := _mkl_path(_processor_text()):
        wanted["MKL_DEBUG_CPU_TYPE"] = path
    # Copying a transposed view takes sixty times as long as transposing at once.
    wanted["FLAGS_use_stride_kernel"] = "0"
    wanted["GLOG_minloglevel"] = "2"  # Paddle's notes about its own interpreter help nobody
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
    line = "processor: " + " ".join(f"{name}={os.environ[name]}" for name in wanted)
    _import_paddle()
    _done.append(line)
    log.info(line)
    return line


def threads_to_use() -> int:
    """Return how many threads one computation may use: what the user set, or the usable cores."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(asked) if asked.isdigit() and int(asked) else usable_cores()


def bfloat16_to_use() -> bool:
    """Return whether a model that serves multiplies in bfloat16.

    ``INTERPUNCT_PRECISION`` says so (``bfloat16`` or ``float32``); where it says ``auto`` or
    nothing, what the processor itself multiplies fastest: bfloat16 on AMD from Zen 4 and Intel
    from Cooper Lake on. Others with AVX-512 would imitate it, and Paddle takes float32 on those
    without.

    Raises
    ------
    UnknownPrecision
        It says something else.
    """
    asked = os.environ.get("INTERPUNCT_PRECISION", "").strip().lower()
    if asked in ("bfloat16", "float32"):
        return asked == "bfloat16"
    if asked not in ("", "auto"):
        raise UnknownPrecision(f"INTERPUNCT_PRECISION is bfloat16, float32 or auto, not {asked}.")
    flags = _processor_text()
    return "avx512_bf16" in flags or "amx_bf16" in flags


def reuse_freed_memory() -> None:
    """Let the C library keep the memory of tensors that are gone, for those that come next.

    Otherwise it asks the system for new pages at each of a forward pass's hundreds of large
    tensors, and clearing pages takes longer than much of the arithmetic done in them: a softmax
    takes six times as long, an addition twenty times. The process holds on to the most that it
    ever used, which batches bound in serving and in training. Does nothing where the C library
    isn't glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)  # the pools of other threads give their memory back regardless
        if not mallopt(_M_MMAP_THRESHOLD, 1 << 30):
            mallopt(_M_MMAP_THRESHOLD, 32 << 20)  # the most that older ones take
        mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of glibc's malloc.h


def _mkl_path(processor: str) -> str | None:
    """Return the number by which MKL knows its fastest path on an AMD processor."""
    if "AuthenticAMD" not in processor:
        return None
    wide = all(f"avx512{part}" in processor for part in ("f", "cd", "bw", "dq", "vl"))
    return "7" if wide else "5"


def _import_paddle() -> None:
    """Import Paddle without its advice to use one thread, which is for another build of it."""
    with signals_kept(), warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        import paddle

        paddle.disable_signal_handler()


@contextlib.contextmanager
def signals_kept() -> Iterator[None]:
    """Put back who handles SIGTERM and SIGINT, after imports that change it.

    Paddle takes signals over when it is imported, and ends the process with the report of a
    crash where a server or worker would have ended cleanly; told not to, it leaves none of
    the handlers that were there; PaddleNLP has it do that again. Python itself can set handlers
    in its main thread only.
    """
    sigaction = getattr(ctypes.CDLL(None), "sigaction", None) if os.name == "posix" else None
    kept = {number: ctypes.create_string_buffer(512) for number in (signal.SIGTERM, signal.SIGINT)}
    for number, action in kept.items():
        if sigaction is not None:
            sigaction(int(number), None, action)
    try:
        yield
    finally:
        for number, action in kept.items():
            if sigaction is not None:
                sigaction(int(number), action, None)


def _processor_text() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return file.read(8000)
    except OSError:
        return ""


def _container_quota(root: Path) -> float:
    """Return how many cores a container may use, or infinity."""
    try:
        quota, period = (root / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (root / "cpu" / "cpu.cfs_quota_us").read_text().strip()
            period = (root / "cpu" / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return math.inf
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # "max": no limit
        return math.inf
    return cores if cores > 0 else math.inf
