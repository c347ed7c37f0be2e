"""What must be set before Paddle is imported, so that it runs well on this processor.

Nothing that a user has set in the environment is ever changed.
"""

import contextlib
import ctypes
import io
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, Final, TextIO, cast

from model.cores import usable_cores

log = logging.getLogger(__name__)
_preparing: Final = threading.Lock()
_done: Final[list[str]] = []
_set_here: Final[dict[str, str]] = {}  # what stands in the environment, but not by the user


class UnknownPrecision(ValueError):
    """The environment asks for a precision that there is not."""


def prepare_processor() -> str:
    """Set Paddle's environment and import Paddle quietly; later calls do nothing.

    MKL, which Paddle multiplies with outside of Paddle Inference, takes a slow path on AMD
    processors unless it is asked for its AVX2 path, or for its AVX-512 path where there is one.
    Threads follow the cores that the process may use, containers included.

    Returns
    -------
    str
        One line that says what holds; the log gets it once.
    """
    with _preparing:
        if not _done:
            _done.append(_prepare())
            log.info(_done[0])
        return _done[0]


def set_by_user(name: str) -> bool:
    """Return whether a variable of the environment is set, and not by `prepare_processor`."""
    value = os.environ.get(name)
    return value is not None and value != _set_here.get(name)


def threads_to_use(most: int | None = None) -> int:
    """Return how many threads one computation may use.

    Parameters
    ----------
    most : int, optional
        Not more than these, unless the user says so.

    Returns
    -------
    int
        What the user set as ``OMP_NUM_THREADS`` (the first of several); the usable cores where
        nothing is set, or no whole number above zero.
    """
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    # Superscripts and the like are digits to Python, but no numbers to whoever reads these.
    if set_by_user("OMP_NUM_THREADS") and asked.isascii() and asked.isdecimal() and int(asked):
        return int(asked)
    cores = usable_cores()
    return cores if most is None else min(cores, most)


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
    tensors, and clearing pages takes longer than much of the arithmetic done in them. The
    process holds on to the most that it ever used, which batches bound in serving and in
    training. What the user set (``MALLOC_...`` or ``GLIBC_TUNABLES``) stays. Does nothing where
    the C library isn't glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is None:
        return
    if not _tuned("arena_max", "arena_test"):  # the latter means nothing beside the former
        mallopt(_M_ARENA_MAX, 1)  # the pools of other threads give their memory back regardless
    if not _tuned("mmap_threshold") and not mallopt(_M_MMAP_THRESHOLD, 1 << 30):
        mallopt(_M_MMAP_THRESHOLD, 32 << 20)  # the most that older ones take
    if not _tuned("trim_threshold"):
        mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of glibc's malloc.h


def _tuned(*names: str) -> bool:
    """Return whether the user set one of these of glibc's tunables, in either way."""
    entries = os.environ.get("GLIBC_TUNABLES", "").split(":")
    tunables = {entry.partition("=")[0].strip() for entry in entries}
    return any(
        f"glibc.malloc.{name}" in tunables
        or f"MALLOC_{name.upper()}" in os.environ
        or f"MALLOC_{name.upper()}_" in os.environ  # as the thresholds are written
        for name in names
    )


def _prepare() -> str:
    threads = str(threads_to_use())
    wanted = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    if path := _mkl_path(_processor_text()):
        wanted["MKL_DEBUG_CPU_TYPE"] = path
    # Copying a transposed view takes far longer than transposing at once.
    wanted["FLAGS_use_stride_kernel"] = "0"
    wanted["GLOG_minloglevel"] = "2"  # Paddle's notes about its own interpreter help nobody
    _set_here.update({name: value for name, value in wanted.items() if name not in os.environ})
    os.environ.update(_set_here)
    line = "processor: " + " ".join(f"{name}={os.environ[name]}" for name in wanted)
    _import_paddle()
    return line


def _mkl_path(processor: str) -> str | None:
    """Return the number by which MKL knows its fastest path on an AMD processor."""
    if "AuthenticAMD" not in processor:
        return None
    wide = all(f"avx512{part}" in processor for part in ("f", "cd", "bw", "dq", "vl"))
    return "7" if wide else "5"


def _import_paddle() -> None:
    """Import Paddle without its advice to use one thread, which is for another build of it."""
    threads = os.environ["OMP_NUM_THREADS"]
    # For good, and for this one only: to ignore all for a while would lose those of others.
    warnings.filterwarnings("ignore", "No ccache found", UserWarning)
    with signals_kept(), _root_logger_kept(), _advice_dropped():
        try:
            import paddle
        finally:  # Paddle puts 1 in place of what it can't read, such as "4,2"
            os.environ["OMP_NUM_THREADS"] = threads

        paddle.disable_signal_handler()


@contextlib.contextmanager
def _root_logger_kept() -> Iterator[None]:
    """Give the root logger a handler if it has none, or Paddle gives it its own, and a level.

    What is logged meanwhile comes out as it does without a handler.
    """
    root, handler = logging.getLogger(), logging.lastResort or logging.NullHandler()
    if not root.handlers:
        root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


@contextlib.contextmanager
def _advice_dropped() -> Iterator[None]:
    kept = sys.stderr
    # Where it is None, as it is once closed, Paddle's lines would go to the standard output.
    passing = cast(TextIO, _WithoutAdvice(kept or io.StringIO()))
    sys.stderr = passing
    try:
        yield
    finally:
        if sys.stderr is passing:  # and not what somebody else has put there meanwhile
            sys.stderr = kept


class _WithoutAdvice:
    """A standard error that passes everything on, from whichever thread, but Paddle's advice."""

    _ADVICE: Final = ("WARNING: OMP_NUM_THREADS set to", "PLEASE USE OMP_NUM_THREADS")

    def __init__(self, stream: TextIO) -> None:
        self._stream: Final = stream
        self._importing: Final = threading.get_ident()
        self._dropped = False

    def write(self, text: str) -> int:
        if threading.get_ident() != self._importing:
            return self._stream.write(text)
        dropped, self._dropped = self._dropped, text.startswith(self._ADVICE)
        if self._dropped or (dropped and text == "\n"):  # the end of a line comes by itself
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


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
