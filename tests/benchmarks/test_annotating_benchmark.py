"""The benchmark of an annotator's day, small: what it counts, never how long it took."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.annotating import ROWS, Measured, lines_of, run_round
from benchmarks.together import count_mistakes
from db.engine import Database
from db.tables import Assignment, Project, Transcript, User, Version


@pytest.fixture(scope="module")
def measured() -> Measured:
    measured = Measured()
    run_round(measured, transcripts=300, people=3, each=5)
    return measured


def test_every_submission_is_stored_once(measured: Measured) -> None:
    assert measured.errors == []
    assert measured.submitted == measured.stored == 40 + 1 + 3 * 5
    for count in ("handed twice", "lost or changed", "errors seen"):
        assert measured.samples[count] == [[0]]


def test_every_step_was_taken(measured: Measured) -> None:
    taken = {name: len(samples[0]) for name, samples in measured.samples.items()}
    assert taken["next"] == taken["save"] == taken["submit"] == 40
    assert taken["list"] == taken["search"] == 20
    assert taken["together, cycle"] == 15


def test_the_table_has_a_line_for_each_figure(measured: Measured) -> None:
    lines = lines_of(measured)
    assert len(lines) == 2 + len(ROWS)
    assert len({len(line) for line in lines}) == 1
    assert all(row.name in line for row, line in zip(ROWS, lines[2:], strict=True))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two people who were both handed one transcript, and submitted."""
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    database.migrate()
    with database.write() as session:
        session.add(Project(id=1, name="p", language="zh", marks=["NONE"]))
        for number in (1, 2):
            session.add(User(id=number, name=f"{number}", password_hash="-", role="annotator"))
        session.flush()
        row = {"project_id": 1, "text": "你", "words_hash": "-", "unit_count": 1, "language": "zh"}
        session.add(Transcript(id=7, lot=0.5, **row))
        session.flush()
        for number in (1, 2):
            session.add(Assignment(transcript_id=7, annotator_id=number))
            session.add(Version(transcript_id=7, annotator_id=number, number=1, labels=b"\1"))
    yield database
    database.close()


def test_mistakes_are_counted(database: Database) -> None:
    right = count_mistakes(database, {(1, 7): b"\1", (2, 7): b"\1"})
    assert (right.stored, right.lost, right.not_sent, right.handed_twice) == (2, 0, 0, 1)
    wrong = count_mistakes(database, {(1, 7): b"\2", (1, 8): b"\1"})
    assert (wrong.lost, wrong.not_sent) == (2, 1)
