"""One person's next, save and submit, and many at once; and whether every answer is stored."""

import random
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from sqlalchemy import select

from benchmarks.visiting import Lap, Visitor, Watch
from db.engine import Database
from db.tables import Assignment, Version
from model.marks import ALL_MARKS

Sent = dict[tuple[int, int], bytes]  # labels by annotator and transcript


@dataclass
class Together:
    """What many did at once: the seconds of every cycle, what all took, answers, errors."""

    cycles: list[float] = field(default_factory=list)
    all: Lap = field(default_factory=lambda: Lap(0, 0))
    sent: Sent = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def one_after_another(
    watch: Watch, visitor: Visitor, annotator: int, project: int, steps: int
) -> tuple[dict[str, list[Lap]], Sent]:
    """Take each step alone so often; return laps by step, and the answers."""
    rng = random.Random(annotator)
    times: dict[str, list[Lap]] = {"next": [], "save": [], "submit": []}
    sent: Sent = {}
    for number in range(steps + 1):
        watch.lap()
        work = visitor.post(f"/api/projects/{project}/next")["work"]
        laps = [watch.lap()]
        labels = _corrected(work, rng)
        path = f"/api/transcripts/{work['transcript_id']}"
        draft = {"labels": labels, "draft_number": work["draft_number"]}
        visitor.post(f"{path}/draft", draft)
        laps.append(watch.lap())
        visitor.post(f"{path}/submit", _answer(work, labels))
        laps.append(watch.lap())
        sent[annotator, work["transcript_id"]] = bytes(labels)
        if number:  # the first round warms up
            for taken, lap in zip(times.values(), laps, strict=True):
                taken.append(lap)
    return times, sent


def empty_answers(watch: Watch, visitor: Visitor, steps: int) -> list[Lap]:
    """Ask so often for what costs nothing: what is left is the way there and back."""
    watch.lap()
    laps = []
    for _ in range(steps):
        visitor.look("/health")
        laps.append(watch.lap())
    return laps


def work_together(
    watch: Watch, visitors: Mapping[int, Visitor], project: int, each: int
) -> Together:
    """Let people, by their user ids, take so many cycles of next and submit at once."""
    done = Together()
    ready = threading.Barrier(len(visitors) + 1)
    threads = [
        threading.Thread(target=_work, args=(visitor, annotator, project, each, ready, done))
        for annotator, visitor in visitors.items()
    ]
    for thread in threads:
        thread.start()
    ready.wait()
    watch.lap()
    for thread in threads:
        thread.join()
    done.all = watch.lap()
    return done


def _work(
    visitor: Visitor,
    annotator: int,
    project: int,
    each: int,
    ready: threading.Barrier,
    done: Together,
) -> None:
    rng = random.Random(annotator)
    ready.wait()
    for _ in range(each):
        started = perf_counter()
        try:
            work = visitor.post(f"/api/projects/{project}/next")["work"]
            labels = _corrected(work, rng)
            path = f"/api/transcripts/{work['transcript_id']}/submit"
            visitor.post(path, _answer(work, labels))
        except Exception as error:  # whatever people would see counts as an error
            done.errors.append(f"{type(error).__name__}: {error}")
            continue
        done.cycles.append(perf_counter() - started)
        done.sent[annotator, work["transcript_id"]] = bytes(labels)


def _corrected(work: dict[str, Any], rng: random.Random) -> list[int]:
    """Return what a person makes of a suggestion: up to three slots are another mark."""
    labels = list(work["labels"])
    ids = [ALL_MARKS.ids[name] for name in work["marks"]]
    for slot in rng.sample(range(len(labels)), min(3, len(labels))):
        labels[slot] = rng.choice(ids)
    return labels


def _answer(work: dict[str, Any], labels: list[int]) -> dict[str, Any]:
    return {"labels": labels, "based_on": work["based_on"], "seconds": 12.5}


class Mistakes(NamedTuple):
    """What differs between what was sent and what the database holds.

    `stored` counts the answers there; `lost` those that are missing or have other labels;
    `not_sent` those that nobody gave; `handed_twice` transcripts that two people were given.
    """

    stored: int
    lost: int
    not_sent: int
    handed_twice: int


def count_mistakes(database: Database, sent: Sent) -> Mistakes:
    """Compare what was sent with what the database holds, row by row."""
    with database.read() as session:
        query = select(Version.annotator_id, Version.transcript_id, Version.labels)
        rows = session.execute(query.where(Version.submitted.is_(True))).all()
        holders = Counter(session.scalars(select(Assignment.transcript_id)))
    stored = {(annotator, transcript): labels for annotator, transcript, labels in rows}
    return Mistakes(
        stored=len(rows),
        lost=sum(stored.get(key) != labels for key, labels in sent.items()),
        not_sent=len(rows) - len(stored.keys() & sent.keys()),
        handed_twice=sum(number > 1 for number in holders.values()),
    )
