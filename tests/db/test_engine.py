"""Transactions: writers wait for each other, readers for nobody, and readers cannot write."""

import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from db import engine
from db.engine import Database, NestedWrite, Unavailable, Unstorable
from db.tables import User


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    database.migrate()
    return database


def user(name: str) -> User:
    return User(name=name, password_hash="", role="annotator")


def names(database: Database) -> list[str]:
    with database.read() as session:
        return [row[0] for row in session.execute(text("SELECT name FROM user_account"))]


def test_a_connection_is_set_up_for_many_people(database: Database) -> None:
    with database.read() as session:
        said = {
            name: session.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        }
    assert said == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "busy_timeout": 30_000,
        "synchronous": 1,
    }


def test_foreign_keys_hold_again_after_a_migration(database: Database) -> None:
    with database.write() as session, pytest.raises(Exception, match="FOREIGN KEY"):
        session.execute(text("INSERT INTO sign_in VALUES ('x', 99, '2026-01-01', '2026-01-01')"))


def test_an_error_rolls_everything_back(database: Database) -> None:
    def add_and_fail() -> None:
        with database.write() as session:
            session.add(user("ann"))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_fail()
    assert names(database) == []
    with database.write() as session:
        session.add(user("ann"))
    assert names(database) == ["ann"]


def test_a_reading_transaction_cannot_write(database: Database) -> None:
    with database.read() as session, pytest.raises(OperationalError, match="readonly"):
        session.execute(text("DELETE FROM user_account"))
    with database.write() as session:  # the same connection may write again
        session.add(user("ann"))
    assert names(database) == ["ann"]


def test_a_reader_sees_one_state_while_others_write(database: Database) -> None:
    with database.read() as session:
        before = session.execute(text("SELECT count(*) FROM user_account")).scalar()
        with database.write() as other:
            other.add(user("ann"))
        assert session.execute(text("SELECT count(*) FROM user_account")).scalar() == before
    assert names(database) == ["ann"]


def test_what_was_read_stays_usable(database: Database) -> None:
    with database.write() as session:
        ann = user("ann")
        session.add(ann)
    assert (ann.id, ann.name) == (1, "ann")


def test_a_full_disk_is_told_plainly_and_changes_nothing(database: Database) -> None:
    def write_much() -> None:
        with database.write() as session:
            session.execute(text("PRAGMA max_page_count = 1"))  # no page more than it has
            session.add_all(user(f"{i:01000}") for i in range(500))

    with pytest.raises(Unavailable, match="disk is full"):
        write_much()
    assert names(database) == []


@pytest.mark.parametrize("value", [2**63, -(2**70), "\udcff"])
def test_what_it_cannot_hold_is_told_plainly(database: Database, value: int | str) -> None:
    with database.read() as session, pytest.raises(Unstorable):
        session.execute(text("SELECT id FROM user_account WHERE id = :value"), {"value": value})
    with pytest.raises(OperationalError, match="no such table"), database.read() as session:
        session.execute(text("SELECT * FROM nowhere"))


def test_a_write_inside_a_write_is_told_at_once(database: Database) -> None:
    with database.write(), pytest.raises(NestedWrite), database.write():
        pass
    with database.write():
        pass


def test_two_databases_on_one_file_read_before_they_write(tmp_path: Path) -> None:
    """Read-then-write in two processes is where SQLite gives up at once: "database is locked"."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    Database(url).migrate()
    with Database(url).write() as session:
        session.add(user("0"))
    errors: list[BaseException] = []

    def count_up(database: Database) -> None:
        try:
            for _ in range(50):
                with database.write() as session:
                    ann = session.get(User, 1)
                    assert ann is not None
                    ann.name = str(int(ann.name) + 1)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=count_up, args=(Database(url),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert names(Database(url)) == ["200"]


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="file"):
        Database("sqlite://")


def test_a_new_file_that_somebody_else_sets_up_is_waited_for(tmp_path: Path) -> None:
    """SQLite fails at once here, whatever the timeout: two servers start on a new home."""
    file = tmp_path / "new.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE theirs (id INTEGER)")
    other.execute("BEGIN")
    other.execute("INSERT INTO theirs VALUES (1)")
    done = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    done.start()
    database = Database(f"sqlite:///{file}")
    with database.read() as session:
        assert session.execute(text("SELECT id FROM theirs")).scalar() == 1
        assert session.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    done.join()
    other.close()


def test_a_file_that_stays_locked_is_told_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.2)
    file = tmp_path / "new.db"
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match="locked"), Database(f"sqlite:///{file}").read() as session:
        session.execute(text("SELECT 1"))
    other.close()
