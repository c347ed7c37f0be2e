"""Texts from files or a pipe, one a line, in batches: as large as what is there, never waiting."""

import io
import os
import queue
import select
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final, NamedTuple

_MOST_TEXTS: Final = 256
_MOST_CHARACTERS: Final = 40_000
_BYTES_AT_ONCE: Final = 1 << 16
_BOM: Final = b"\xef\xbb\xbf"


class BadText(ValueError):
    """A file cannot be read or is not UTF-8; the message names it, and the line."""


class Text(NamedTuple):
    """One text, and what ended its line in the input."""

    text: str
    ending: str


def open_all(paths: Iterable[Path], stdin: IO[bytes], stack: ExitStack) -> list[tuple[str, IO]]:
    """Open all files before the first is read, so that a missing one is known at once.

    Parameters
    ----------
    paths : iterable of Path
        ``-`` is the standard input; none at all is, too.
    stdin : binary file
        The standard input.
    stack : ExitStack
        Closes what was opened here.

    Returns
    -------
    list of (str, binary file)
        A name for messages, and the file.

    Raises
    ------
    BadText
        A file is not there or cannot be read.
    """
    opened: list[tuple[str, IO]] = []
    for path in paths:
        if str(path) == "-":
            opened.append(("standard input", stdin))
            continue
        try:
            if path.is_dir():
                raise IsADirectoryError(21, "Is a directory")
            opened.append((str(path), stack.enter_context(path.open("rb", buffering=0))))
        except OSError as error:
            raise BadText(f"{path}: {error.strerror or error}.") from None
    return opened or [("standard input", stdin)]


def read_texts(files: Iterable[tuple[str, IO]], *, whole: bool = False) -> Iterator[Text]:
    r"""Read texts.

    Parameters
    ----------
    files : iterable of (str, binary file)
        As `open_all` gives them.
    whole : bool
        A file is one text, with its line breaks; otherwise a line is one. Only ``\n`` and
        ``\r\n`` end lines. What ends a whole file is a line break where it has none of its own
        and another file follows, or the two would run together.

    Yields
    ------
    Text
        In order. A byte order mark at the start of a file is left out.

    Raises
    ------
    BadText
        Something is not UTF-8.
    """
    files = list(files)
    for place, (name, file) in enumerate(files, start=1):
        lines: Iterable[bytes] = [b"".join(_pieces(file))] if whole else _lines(file)
        for number, line in enumerate(lines, start=1):
            data = line.removeprefix(_BOM) if number == 1 else line
            body = data if whole else data.removesuffix(b"\n").removesuffix(b"\r")
            ending = "\r\n" if data.endswith(b"\r\n") else "\n"
            if whole and (place == len(files) or not body or body.endswith(b"\n")):
                ending = ""
            try:
                yield Text(body.decode("utf-8"), ending)
            except UnicodeDecodeError as error:
                at = number + body[: error.start].count(b"\n")
                raise BadText(
                    f"{name}, line {at}: this is not UTF-8 (byte 0x{body[error.start]:02X}). "
                    "Save it as UTF-8."
                ) from None


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Give the lines of a file as they come, the last one also where nothing ends it."""
    begun: list[bytes] = []  # of a line that is not whole yet
    for piece in _pieces(file):
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield b"".join([*begun, end, b"\n"])
            begun = []
        if rest:
            begun.append(rest)
    if begun:
        yield b"".join(begun)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Give what is there as it comes, to the end, past the buffer that Python may keep for a file.

    Whoever waits in that buffer holds its lock. After a Ctrl+C the file is closed, at the latest
    when Python ends, and that would wait for the lock: for ever, or until Python aborts itself.
    """
    try:
        number = file.fileno()
    except io.UnsupportedOperation:  # it is in memory
        yield file.read()
        return
    while True:
        try:
            piece = os.read(number, _BYTES_AT_ONCE)
        except BlockingIOError:  # another program that has it, too, asked not to be kept waiting
            select.select([number], [], [])
            continue
        if not piece:
            return
        yield piece


def in_batches(texts: Iterator[Text]) -> Iterator[list[Text]]:
    """Gather texts that are there already: one at a time from a person, many from a file.

    Parameters
    ----------
    texts : iterator of Text
        Read in a thread of its own, a batch ahead at most.

    Yields
    ------
    list of Text
        At least one, in order. What stands before an error is given before the error.
    """
    there: queue.Queue[Text | BaseException | None] = queue.Queue(_MOST_TEXTS)

    def read() -> None:
        try:
            for text in texts:
                there.put(text)
            there.put(None)
        except BaseException as error:
            there.put(error)

    threading.Thread(target=read, name="reader", daemon=True).start()
    item = there.get()
    while isinstance(item, Text):
        batch, characters = [item], len(item.text)
        while len(batch) < _MOST_TEXTS and characters < _MOST_CHARACTERS and not there.empty():
            item = there.get()
            if not isinstance(item, Text):
                break
            batch.append(item)
            characters += len(item.text)
        yield batch
        if isinstance(item, Text):
            item = there.get()
    if isinstance(item, BaseException):
        raise item
