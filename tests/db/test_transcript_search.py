"""Finding transcripts by their text, a page at a time."""

from pathlib import Path

import pytest
from sqlalchemy import event

from db.engine import Database
from db.tables import Project, Transcript
from db.transcript_search import Wanted, count_found, find_page

TEXTS = ("we went to Utrecht", "100% of it", "100 of it", "a_b", "axb", "你好世界", "我在 UTRECHT")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Two projects whose transcripts came in turn, each with all texts."""
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    database.migrate()
    with database.write() as session:
        for number in (1, 2):
            session.add(Project(id=number, name=f"p{number}", language="en", marks=["NONE"]))
        session.flush()
        for position, text in enumerate(TEXTS):
            for number in (1, 2):
                session.add(
                    Transcript(
                        project_id=number,
                        text=text,
                        words_hash=f"{position}",
                        unit_count=1,
                        language="en",
                        document="Visits.txt" if position else "",
                        position=position,
                        lot=0.5,
                    )
                )
                session.flush()
    return database


@pytest.mark.parametrize(
    ("searched", "found"),
    [
        ("utrecht", ["we went to Utrecht", "我在 UTRECHT"]),
        ("100%", ["100% of it"]),
        ("A_B", ["a_b"]),
        ("世", ["你好世界"]),
        ("VISITS", list(TEXTS[1:])),
        ("nowhere", []),
    ],
)
def test_search_finds_any_part_in_either_case(
    database: Database, searched: str, found: list[str]
) -> None:
    with database.read() as session:
        page = find_page(session, 1, Wanted(searched))
        assert [row.text for row in page] == found
        assert {row.project_id for row in page} <= {1}
        assert count_found(session, 1, Wanted(searched)) == len(found)


def test_pages_go_on_and_back_by_id(database: Database) -> None:
    with database.read() as session:
        first = find_page(session, 1, Wanted(), limit=3)
        second = find_page(session, 1, Wanted(), after_id=first[-1].id, limit=3)
        back = find_page(session, 1, Wanted(), before_id=second[0].id, limit=3)
        assert [row.text for row in (*first, *second)] == list(TEXTS[:6])
        assert [row.id for row in back] == [row.id for row in first]


def test_a_page_never_sorts_the_project(database: Database) -> None:
    asked: list[tuple[str, tuple]] = []
    event.listen(
        database.engine,
        "before_cursor_execute",
        lambda _c, _cursor, statement, parameters, *_: asked.append((statement, parameters)),
    )
    with database.read() as session:
        find_page(session, 1, Wanted("it"), after_id=2)
        find_page(session, 1, Wanted(), before_id=9)
        pages = [one for one in asked if "LIMIT" in one[0]]
        assert len(pages) == 2
        for statement, parameters in pages:
            plan = session.connection().exec_driver_sql(
                f"EXPLAIN QUERY PLAN {statement}", parameters
            )
            steps = [row[3] for row in plan]
            assert any("ix_transcript_project" in step for step in steps), steps
            assert not any("ORDER BY" in step for step in steps), steps
