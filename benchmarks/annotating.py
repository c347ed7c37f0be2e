"""An annotator's day in a project of 50,000 transcripts, timed from the browser's side.

    python -m benchmarks.annotating [--transcripts N] [--people N] [--each N] [--rounds N] [--check]

Every round starts `run.py serve` in a home of its own, uploads a file of transcripts of 60
characters through the Transcripts page, stores suggestions for all of them, and then visits
as browsers do: with signed-in cookies, the routes that the slot editor calls, and the events
of the Transcripts page. At the end it compares what it submitted with what the database
holds. One person is wanted for each transcript, so that none may be handed out twice.

The figures of other tools are medians of the same job, measured on a machine like the one
that the targets were set on. What else runs on the machine makes every answer wait: the line
"an empty answer" (`/health`) says how long where there is nothing to do, and "server's CPU"
what one step costs the server alone. With ``--check``, a target that is missed makes the exit
status 1.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.annotating_world import PASSWORD, World, make_world, store_suggestions
from benchmarks.random_transcripts import FREQUENT, FULL_WIDTH_SPACE, random_transcripts
from benchmarks.report import ran_on, table
from benchmarks.together import (
    Sent,
    count_mistakes,
    empty_answers,
    one_after_another,
    work_together,
)
from benchmarks.visiting import Lap, Server, Visitor, Watch
from model.processor import usable_cores

THE_JOB = 50_000, 8, 25  # transcripts, people at once, cycles each: what the targets are for
CHARACTERS = 60
STEPS = 40  # of each kind that one person takes alone
LOOKS = 20  # at the list, and searches in it


class Row(NamedTuple):
    """A line of the table; the last three are Label Studio, doccano and Potato."""

    name: str
    unit: str
    target: str
    limit: float  # the median must be below; above where the target begins with ≥
    others: tuple[str, str, str]


NONE = float("inf")
ROWS = (
    Row("an empty answer", "ms", "–", NONE, ("–", "–", "–")),
    Row("import", "s", "< 30 s", 30, ("72 s", "27 s", "–")),
    Row("next", "ms", "< 60 ms", 60, ("100 ms", "137 ms", "416 ms")),
    Row("save", "ms", "< 60 ms", 60, ("–", "–", "–")),
    Row("submit", "ms", "–", NONE, ("132 ms", "27 ms", "13 ms")),
    Row("list", "ms", "–", NONE, ("–", "–", "–")),
    Row("search", "ms", "< 200 ms", 200, ("690 ms", "170 ms", "–")),
    Row("export", "s", "< 20 s", 20, ("156 s", "13 s", "–")),
    Row("together, cycle", "ms", "–", NONE, ("–", "–", "–")),
    Row("together, cycle p95", "ms", "< 900 ms", 900, ("4,400 ms", "1,800 ms", "4,200 ms")),
    Row("together, cycles/s", "/s", "≥ 10 /s", 10, ("3.6 /s", "6.3 /s", "2.7 /s")),
    Row("handed twice", "", "0", 0, ("16 of 184", "all", "–")),
    Row("lost or changed", "", "0", 0, ("–", "trailing 　", "–")),
    Row("errors seen", "", "0", 0, ("92 hidden", "–", "232")),
)


@dataclass
class Measured:
    """What the rounds gave: by row, the samples of each round, in the row's unit.

    `processor` holds, by row, what one step cost the server in each round, in its unit. Other
    than the clock, it says the same on a machine that is busy with something else.
    """

    samples: dict[str, list[list[float]]] = field(default_factory=lambda: defaultdict(list))
    processor: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    submitted: int = 0
    stored: int = 0
    errors: list[str] = field(default_factory=list)

    def add(self, name: str, values: list[float], scale: float = 1) -> None:
        self.samples[name].append([scale * value for value in values])

    def add_laps(self, name: str, laps: list[Lap], scale: float = 1) -> None:
        self.add(name, [lap.seconds for lap in laps], scale)
        self.processor[name].append(scale * sum(lap.processor for lap in laps) / len(laps))

    def median(self, name: str) -> float:
        return float(np.median(np.concatenate(self.samples[name])))


def run_round(measured: Measured, transcripts: int, people: int, each: int, seed: int = 0) -> None:
    """Measure once, in a new home with a server of its own."""
    texts = random_transcripts(transcripts, CHARACTERS, random.Random(seed))
    with tempfile.TemporaryDirectory(prefix="interpunct-benchmark-") as folder:
        home = Path(folder)
        world = make_world(home, people)
        with Server(home) as server:
            watch = Watch(server)
            with Visitor(server, "lead", PASSWORD) as lead:
                _import(measured, watch, lead, home / "transcripts.txt", texts)
                store_suggestions(world, seed)
                steps = min(STEPS, transcripts // 4)
                sent, errors = _annotate(measured, server, world, people, each, steps)
                _look(measured, watch, lead, texts, seed)
                errors += _export(measured, watch, lead, texts)
            errors += server.errors()
        mistakes = count_mistakes(world.database, sent)
        world.database.close()
    measured.submitted += len(sent)
    measured.stored += mistakes.stored
    measured.errors += errors
    measured.add("handed twice", [mistakes.handed_twice])
    measured.add("lost or changed", [mistakes.lost + mistakes.not_sent])
    measured.add("errors seen", [len(errors)])


def _import(measured: Measured, watch: Watch, lead: Visitor, path: Path, texts: list[str]) -> None:
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    lead.event_number("import_transcripts")  # a browser has the page open by now
    watch.lap()
    report, _ = lead.event("import_transcripts", [lead.upload(path)], "auto", "", "")
    measured.add_laps("import", [watch.lap()])
    if f":{len(texts)}<" not in "".join(report.split()):  # thousands are set apart by spaces
        raise RuntimeError(f"Not everything was imported: {report}")


def _annotate(
    measured: Measured, server: Server, world: World, people: int, each: int, steps: int
) -> tuple[Sent, list[str]]:
    names = list(world.annotators)
    first, watch = names[0], Watch(server)
    with Visitor(server, first, PASSWORD) as alone:
        times, sent = one_after_another(watch, alone, world.annotators[first], world.project, steps)
        times["an empty answer"] = empty_answers(watch, alone, steps)
    for name, laps in times.items():
        measured.add_laps(name, laps, 1000)
    visitors = {world.annotators[n]: Visitor(server, n, PASSWORD) for n in names[1:]}
    done = work_together(watch, visitors, world.project, each)
    for visitor in visitors.values():
        visitor.close()
    errors = list(done.errors)
    if len(done.sent) != people * each:
        errors.append(f"{len(done.sent)} answers were given where {people * each} were to be")
    measured.add("together, cycle", done.cycles, 1000)
    measured.add("together, cycle p95", [float(np.percentile(done.cycles, 95))], 1000)
    measured.add("together, cycles/s", [len(done.cycles) / done.all.seconds])
    measured.processor["together, cycle"].append(1000 * done.all.processor / (people * each))
    return sent | done.sent, errors


def _look(measured: Measured, watch: Watch, lead: Visitor, texts: list[str], seed: int) -> None:
    """Open the list, and search in it: one to four characters, some of them nowhere."""
    rng = random.Random(seed)
    words = []
    for number in range(LOOKS):
        start = rng.randrange(CHARACTERS - 4)
        there = rng.choice(texts)[start : start + 1 + number % 4]
        words.append(there if number % 5 else "".join(rng.sample(FREQUENT[-60:], 4)))
    for name, searched in (("list", [""] * LOOKS), ("search", words)):
        laps = []
        watch.lap()
        for word in searched:
            lead.event("list_transcripts", word, "", "", "", "")
            laps.append(watch.lap())
        measured.add_laps(name, laps, 1000)


def _export(measured: Measured, watch: Watch, lead: Visitor, texts: list[str]) -> list[str]:
    """Export what is there for all transcripts, the suggestions, and take the file away."""
    watch.lap()
    _, file = lead.event("export_transcripts", "suggestions", "jsonl", False)
    rows = lead.download(file["value"]).decode().splitlines()
    measured.add_laps("export", [watch.lap()])
    errors = []
    if len(rows) != len(texts):
        errors.append(f"The export has {len(rows)} rows for {len(texts)} transcripts.")
    if FULL_WIDTH_SPACE + '"' not in rows[0]:
        errors.append(f"A trailing full-width space was lost: {rows[0][:200]}")
    return errors


def is_reached(row: Row, measured: Measured) -> bool:
    """Whether a row's target is reached; a count must be so in every round."""
    value = measured.median(row.name)
    if row.target == "0":
        return not any(any(samples) for samples in measured.samples[row.name])
    return value >= row.limit if row.target.startswith("≥") else value < row.limit


def lines_of(measured: Measured) -> list[str]:
    """Return the table's lines."""
    heads: tuple[str, ...] = ("", "median", "p95", "rounds", "server's CPU", "target", "reached")
    heads += ("Label Studio 1.23.2", "doccano 1.8.4", "Potato 2.12.1")
    lines = []
    for row in ROWS:
        every = np.concatenate(measured.samples[row.name])
        medians = [float(np.median(samples)) for samples in measured.samples[row.name]]
        reached = "–" if row.target == "–" else "yes" if is_reached(row, measured) else "NO"
        p95 = _figure(float(np.percentile(every, 95)), row.unit) if row.unit != "/s" else "–"
        spread = f"{_figure(min(medians), '')} to {_figure(max(medians), row.unit)}"
        median = _figure(measured.median(row.name), row.unit)
        costs = measured.processor.get(row.name, [])
        cost = _figure(float(np.mean(costs)), row.unit) if np.isfinite(costs).any() else "–"
        lines.append((row.name, median, p95, spread, cost, row.target, reached, *row.others))
    return table(heads, lines)


def _figure(value: float, unit: str) -> str:
    return f"{value:,.{0 if value >= 100 or value == int(value) else 1}f} {unit}".strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--transcripts", type=int, default=THE_JOB[0])
    parser.add_argument("--people", type=int, default=THE_JOB[1], help="who work at once")
    parser.add_argument("--each", type=int, default=THE_JOB[2], help="cycles of next and submit")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="fail where a target is missed")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server ends with us
    measured = Measured()
    for number in range(options.rounds):
        before = os.getloadavg()[0]
        run_round(measured, options.transcripts, options.people, options.each, seed=number)
        load = f"load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after"
        print(f"Round {number + 1} of {options.rounds}: {load}", file=sys.stderr, flush=True)
    print(
        f"{options.transcripts:,} transcripts of {CHARACTERS} characters, {options.rounds} rounds; "
        f"together: {options.people} people, {options.each} times next and submit each; "
        + ran_on({"the server and its visitors": usable_cores()})
    )
    if (options.transcripts, options.people, options.each) != THE_JOB:
        job = "{:,} transcripts, {} people and {} times each".format(*THE_JOB)
        print(f"The targets and the other products' figures are for {job}, not for this.")
    print("\n".join(lines_of(measured)))
    print(f"{measured.submitted:,} submissions, of which {measured.stored:,} are in the database.")
    for error in measured.errors[:20]:
        print(f"Error: {error}")
    missed = [row for row in ROWS if row.target != "–" and not is_reached(row, measured)]
    for row in missed:
        print(f"Missed: {row.name} {row.target}")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
