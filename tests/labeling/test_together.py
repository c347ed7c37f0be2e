"""Many people at once, many transcripts, and a server that is killed."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event, select, text

from db import assignments, transcripts
from db.engine import Database
from db.tables import Version
from labeling.errors import StaleSave
from labeling.history import decide
from labeling.permissions import Actor
from labeling.projects import ProjectInfo
from labeling.workflow import open_next, open_transcript, submit

Fill = Callable[..., list[int]]
LABELS = [0, 1, 0, 0, 3, 0, 2]


def all_at_once(work: Callable[[int], None], number: int) -> None:
    """Run the same work in threads that begin together; raise what any of them raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(number)

    def run(i: int) -> None:
        start.wait()
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("wanted", [1, 2])
@pytest.mark.parametrize("shared", [True, False], ids=["one server", "a server each"])
def test_eight_people_at_once(
    database: Database,
    project: ProjectInfo,
    fill: Fill,
    person: Callable[..., Actor],
    wanted: int,
    shared: bool,
) -> None:
    ids = fill(200 // wanted, wanted=wanted)
    people = [person(f"p{i}") for i in range(8)]
    url = database.url.render_as_string()
    own = [database if shared else Database(url) for _ in people]
    got: list[list[int]] = [[] for _ in people]

    def work_through(i: int) -> None:
        while (work := open_next(own[i], people[i], project.id)) is not None:
            got[i].append(work.transcript_id)
            assert submit(own[i], people[i], work.transcript_id, LABELS, work.based_on) == 1

    all_at_once(work_through, len(people))
    handed = Counter(i for mine in got for i in mine)
    assert all(len(mine) == len(set(mine)) for mine in got)
    assert handed == dict.fromkeys(ids, wanted)  # none twice beyond what is wanted, none left
    with database.read() as session:
        stored = session.execute(select(Version.annotator_id, Version.transcript_id)).all()
    assert sorted(tuple(row) for row in stored) == sorted(
        (people[i].id, transcript) for i, mine in enumerate(got) for transcript in mine
    )


def test_one_person_in_two_tabs_holds_one_transcript(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    fill(20)
    got: list[int] = []

    def ask(_: int) -> None:
        work = open_next(database, ann, project.id)
        assert work is not None
        got.append(work.transcript_id)

    all_at_once(ask, 6)
    assert len(set(got)) == 1


def test_a_double_click_from_two_threads_is_one_version(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    open_next(database, ann, project.id)
    numbers: list[int] = []
    all_at_once(lambda _: numbers.append(submit(database, ann, ids[0], LABELS, 0)), 6)
    assert numbers == [1] * 6


def test_of_two_different_submissions_at_once_one_is_refused(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    open_next(database, ann, project.id)
    outcomes: list[object] = []

    def send(i: int) -> None:
        try:
            outcomes.append(submit(database, ann, ids[0], [0] * 6 + [i], 0))
        except StaleSave as stale:
            outcomes.append((stale.yours[-1], stale.theirs[-1]))

    all_at_once(send, 4)
    assert outcomes.count(1) == 1
    with database.read() as session:
        kept = session.scalars(select(Version)).one().labels[-1]
    assert sorted(o for o in outcomes if o != 1) == [(i, kept) for i in range(4) if i != kept]


def test_two_tabs_open_the_same_transcript_at_once(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1, wanted=3)
    all_at_once(lambda _: open_transcript(database, ann, ids[0]), 6)
    with database.read() as session:
        found = transcripts.by_id(session, ids[0])
    assert found is not None
    assert found.places == 2


def test_decisions_at_once_are_numbered_one_by_one(
    database: Database, fill: Fill, person: Callable[..., Actor]
) -> None:
    ids = fill(1)
    leads = [person(f"lead {i}", "lead") for i in range(4)]
    numbers: list[int] = []
    all_at_once(
        lambda i: numbers.append(decide(database, leads[i], ids[0], [0] * 6 + [i])), len(leads)
    )
    assert sorted(numbers) == [1, 2, 3, 4]


_SAVING = """
import sys
from db.engine import Database
from labeling.history import decide
from labeling.permissions import Actor
from labeling.workflow import open_next, save_draft, submit

database = Database(sys.argv[1])
ann = Actor(int(sys.argv[2]), "ann", "annotator")
while True:
    work = open_next(database, ann, int(sys.argv[3]))
    number = work.draft_number
    for i in range(4):
        labels = [i] * 7
        number = save_draft(database, ann, work.transcript_id, labels, number)
        print("draft", work.transcript_id, number, i, flush=True)
    submit(database, ann, work.transcript_id, labels, work.based_on)
    print("version", work.transcript_id, 1, 3, flush=True)
"""


def test_a_killed_server_keeps_every_save_that_it_acknowledged(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    fill(5000)
    for attempt in range(3):
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _SAVING,
                database.url.render_as_string(),
                str(ann.id),
                str(project.id),
            ],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(random.Random(attempt).uniform(0.05, 0.4))
        os.kill(process.pid, signal.SIGKILL)
        lines += process.stdout.read().splitlines()
        process.stdout.close()
        process.wait()
        said = [line.split() for line in lines if line.count(" ") == 3]
        assert len(said) > 3
        with database.read() as session:
            assert session.execute(text("PRAGMA integrity_check")).scalar() == "ok"
            for kind, transcript, number, label in said:
                labels = bytes([int(label)]) * 7
                held = assignments.of(session, int(transcript), ann.id or 0)
                version = session.scalar(
                    select(Version).where(Version.transcript_id == int(transcript))
                )
                assert held is not None
                if kind == "version" or held.draft is None:
                    assert version is not None
                    assert version.labels == bytes([3]) * 7
                else:  # the draft of this save or a later one
                    assert held.draft_number >= int(number)
                    assert held.draft >= labels


def plan_of(database: Database, ask: Callable[..., object], *arguments: object) -> str:
    """Return SQLite's plan for the one statement that a query function runs."""
    seen: list[tuple[str, tuple]] = []

    def note(_c: object, _cursor: object, sql: str, values: tuple, *_: object) -> None:
        if sql != "BEGIN":
            seen.append((sql, values))

    event.listen(database.engine, "before_cursor_execute", note)
    with database.read() as session:
        ask(session, *arguments)
        event.remove(database.engine, "before_cursor_execute", note)
        ((sql, values),) = seen
        rows = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)
        return "\n".join(row.detail for row in rows)


def test_next_is_one_indexed_query_whatever_the_size(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    fill(50_000)
    for ask, index, arguments in (
        (transcripts.most_uncertain, "ix_transcript_waiting_uncertain", ()),
        (transcripts.at_random, "ix_transcript_waiting_lot", (0.5,)),
    ):
        plan = plan_of(database, ask, project.id, ann.id, *arguments)
        assert f"SEARCH transcript USING INDEX {index}" in plan
        assert "TEMP B-TREE" not in plan  # nothing is sorted
        assert "SCAN" not in plan  # nothing is gone through
        assert "(transcript_id=? AND annotator_id=?)" in plan
    plan = plan_of(database, transcripts.counts, project.id)
    assert "COVERING INDEX ix_transcript_counts" in plan
    assert "TEMP B-TREE" not in plan
