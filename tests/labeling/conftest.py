"""A migrated database on file, people, and a project with transcripts."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from db.engine import Database
from db.tables import Transcript, User
from labeling.permissions import SYSTEM, Actor
from labeling.projects import ProjectInfo, add_project
from labeling.words import words_hash
from model.units import find_units


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty, migrated database file, to copy."""
    path = tmp_path_factory.mktemp("migrated") / "interpunct.db"
    database = Database(f"sqlite:///{path}")
    database.migrate()
    database.close()
    return path


@pytest.fixture
def database(migrated: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copy(migrated, tmp_path / "interpunct.db")
    database = Database(f"sqlite:///{tmp_path / 'interpunct.db'}")
    yield database
    database.close()


@pytest.fixture
def person(database: Database) -> Callable[..., Actor]:
    """Make people without the cost of hashing a password."""

    def make(name: str, role: str = "annotator") -> Actor:
        with database.write() as session:
            user = User(name=name, password_hash="!", role=role)
            session.add(user)
            session.flush()
            return Actor(user.id, name, role)

    return make


@pytest.fixture
def ann(person: Callable[..., Actor]) -> Actor:
    return person("ann")


@pytest.fixture
def bob(person: Callable[..., Actor]) -> Actor:
    return person("bob")


@pytest.fixture
def lea(person: Callable[..., Actor]) -> Actor:
    return person("lea", "lead")


@pytest.fixture
def project(database: Database) -> ProjectInfo:
    return add_project(
        database, SYSTEM, name="calls", language="en", settings={"random_share": 0.0}
    )


@pytest.fixture
def fill(database: Database, project: ProjectInfo) -> Callable[..., list[int]]:
    """Put transcripts into the project; the first is the most uncertain one."""

    def add(number: int, *, wanted: int = 1, split: str = "pool", start: int = 0) -> list[int]:
        rows = []
        for i in range(start, start + number):
            text = f"yes I think number {i} is fine"
            rows.append(
                {
                    "project_id": project.id,
                    "text": text,
                    "words_hash": words_hash(text),
                    "unit_count": len(find_units(text)),
                    "language": "en",
                    "document": "call",
                    "position": i,
                    "split": split,
                    "wanted": wanted,
                    "places": wanted,
                    "uncertainty": 1 - i / 100_000,
                    "lot": (i * 0.6180339887) % 1,
                }
            )
        with database.write() as session:
            return list(session.scalars(insert(Transcript).returning(Transcript.id), rows))

    return add
