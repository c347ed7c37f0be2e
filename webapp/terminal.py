"""What the command line shows: lines, tables, a progress bar, a round's figures."""

import getpass
import json
import signal
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from labeling.errors import BadInput

if TYPE_CHECKING:
    from labeling.rounds import RoundInfo
    from labeling.threshold_preview import ThresholdPreview
    from labeling.thresholds import MarkThreshold

_BAR = 30


def say(line: str) -> None:
    """Print a line for people on the standard output."""
    print(line, flush=True)


def tell(line: str) -> None:
    """Print a line for people beside what a program reads: on the standard error."""
    print(line, file=sys.stderr, flush=True)


def show(value: Any) -> None:
    """Print text as it is, anything else as JSON."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    )
    print(text, flush=True)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay rows out in columns.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : iterable of sequence
        As many values each.

    Returns
    -------
    str
        A line a row; the last column is not padded.
    """
    lines = [tuple(map(str, line)) for line in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def f1_of(metrics: dict[str, Any]) -> str:
    """Say the micro F1 of stored metrics in per cent; nothing where there are none."""
    f1 = metrics.get("micro", {}).get("f1")
    return "" if f1 is None else f"{100 * f1:.1f}"


def round_text(done: "RoundInfo") -> str:
    """Lay a round's figures out: before, after, the difference with its interval, the verdict."""
    begin = f"Round {done.number}: {done.state}."
    if done.state != "done":
        return f"{begin} {done.error}".rstrip()
    counts = done.counts
    rows = [("micro", *_figures(done.verdict, "micro_"))]
    rows += [(name, *_figures(one, "")) for name, one in done.verdict["marks"].items()]
    rows.append(("flawless texts", *_figures(done.verdict, "flawless_")))
    verdict = done.verdict["words"]["en"]
    if done.verdict["promoted"]:
        verdict += f" {done.model} serves now."
    elif done.verdict["worse_marks"]:
        verdict += f" Worse beyond chance: {', '.join(done.verdict['worse_marks'])}."
    return "\n".join(
        [
            f"{begin} {done.parent} grew into {done.model} on {counts['train']} texts "
            f"({counts['dev']} to stop by); measured on {counts['test']} frozen ones.",
            "",
            table(("F1 in %", "before", "after", "difference (95 %)"), rows),
            "",
            verdict,
            *(note if isinstance(note, str) else note["text"] for note in done.verdict["notes"]),
        ]
    )


def standing_text(standing: "Sequence[MarkThreshold]") -> str:
    """Lay out from which probability on each mark is suggested, and who set that."""
    rows = [
        (
            one.mark,
            "likeliest" if one.threshold is None else f"{one.threshold:.2f}",
            "project" if one.is_set else "model",
            "" if one.own is None else f"{one.own:.2f}",
        )
        for one in standing
    ]
    return table(("mark", "suggested from", "set by", "the model's own"), rows)


def preview_text(found: "ThresholdPreview") -> str:
    """Lay out what other thresholds of a mark would do, beside what holds now."""
    text = standing_text([found.stands])
    if found.curve is None or found.now is None:
        return f"{text}\n\nThere is no gold yet to count on that the model has not learned from."
    curve = found.curve
    places = [(f"{at:.2f}", curve.at(at)) for at in curve.thresholds[::5]]
    rows = [
        (name, _per_cent(one.precision), _per_cent(one.recall), f"{one.rate:.1f}")
        for name, one in (("now", found.now), *places)
    ]
    head = ("from", "precision, %", "recall, %", "of these in 100 slots")
    rests = f"Counted on {found.n_texts} texts ({found.n_slots} slots)."
    if found.n_tuned:
        rests += f" The model was tuned by {found.n_tuned} of them and fits them a little better."
    return f"{text}\n\n{table(head, rows)}\n\n{rests}"


def _figures(one: dict[str, Any], prefix: str) -> tuple[str, str, str]:
    before, after = one[f"{prefix}before"], one[f"{prefix}after"]
    difference, interval = one[f"{prefix}difference"], one[f"{prefix}interval"]
    change = "n/a" if difference is None else f"{100 * difference:+.1f}"
    if interval is not None:
        change += f" ({100 * interval[0]:+.1f} to {100 * interval[1]:+.1f})"
    return _per_cent(before), _per_cent(after), change


def _per_cent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f}"


def ask_password() -> str:
    """Ask for a password twice, or take a line of the standard input where nobody types.

    Raises
    ------
    BadInput
        The two differ.
    """
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise BadInput("passwords_differ", "The two passwords differ.")
    return password


class ProgressLine:
    """One line that is written over: a bar, what is done, the loss and the time that is left.

    Where nobody looks (no terminal), a line at each new stage and every ten seconds.

    Parameters
    ----------
    stream : text file
        Where to write.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._width = 0
        self._said = float("-inf")
        self._stage: object = None

    def __call__(self, progress: dict[str, Any]) -> None:
        """Show a job's progress."""
        moment = time.monotonic()
        same = progress.get("stage") == self._stage
        if same and moment - self._said < (0.1 if self._live else 10):
            return
        self._said, self._stage = moment, progress.get("stage")
        done, total = progress.get("done", 0), progress.get("total", 0)
        parts = [str(progress.get("message", ""))]
        if self._live and total:
            full = round(_BAR * done / total)
            parts.insert(0, f"[{'#' * full}{'.' * (_BAR - full)}]")
        if progress.get("loss") is not None:
            parts.append(f"loss {progress['loss']:.3f}")
        if progress.get("seconds_left"):
            parts.append(f"{progress['seconds_left']:.0f} s left")
        line = "  ".join(parts)
        if self._live:
            self._stream.write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def close(self) -> None:
        """End the line."""
        if self._live and self._width:
            self._stream.write("\n")


class StopOnInterrupt:
    """Within the block the first Ctrl+C asks politely: it sets the event that is given."""

    def __enter__(self) -> threading.Event:
        event = threading.Event()

        def stop(_number: int, _frame: Any) -> None:
            event.set()
            signal.signal(signal.SIGINT, signal.default_int_handler)

        self._before = signal.signal(signal.SIGINT, stop)
        return event

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)
