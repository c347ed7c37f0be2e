"""A project with gold to train on and a frozen test, and a model that is no good yet."""

from pathlib import Path

from sqlalchemy import insert, select

from db import models
from db.engine import Database
from db.tables import Project, Transcript
from labeling.history import decide
from labeling.permissions import Actor
from labeling.words import words_hash
from model.marks import ALL_MARKS
from model.units import find_units

COMMA, PERIOD = ALL_MARKS.ids["COMMA"], ALL_MARKS.ids["PERIOD"]
QUICK = {"epochs": 2, "batch_size": 4, "learning_rate": 1e-3}


def add_texts(database: Database, project_id: int, number: int, split: str) -> list[int]:
    """Add texts of words that tell their mark: "so" takes a comma, "end" a full stop."""
    rows = []
    for i in range(number):
        text = f"well so the {i} cats {split} ran end and so we left {'on ' * (i % 3)}end"
        rows.append(
            {
                "project_id": project_id,
                "text": text,
                "words_hash": words_hash(text),
                "unit_count": len(find_units(text)),
                "language": "en",
                "document": split,
                "position": i,
                "split": split,
                "wanted": 1,
                "places": 1,
                "lot": i / number,
            }
        )
    with database.write() as session:
        return list(session.scalars(insert(Transcript).returning(Transcript.id), rows))


def right_labels(text: str) -> bytes:
    marks = {"so": COMMA, "end": PERIOD}
    return bytes(marks.get(text[start:end], 0) for start, end in find_units(text))


def decide_all(database: Database, lead: Actor, project_id: int) -> None:
    with database.read() as session:
        found = session.execute(
            select(Transcript.id, Transcript.text).where(Transcript.project_id == project_id)
        ).all()
    for transcript_id, text in found:
        decide(database, lead, transcript_id, right_labels(text))


def add_model(
    database: Database, folder: Path, name: str = "tiny", project_id: int | None = None
) -> int:
    """Make a checkpoint known, and let it serve the project where one is named."""
    with database.write() as session:
        version = models.add(
            session,
            project_id=None,
            name=name,
            folder=str(folder),
            marks=list(ALL_MARKS.names),
        )
        if project_id is not None:
            project = session.get(Project, project_id)
            assert project is not None
            models.serve(session, project, version)
        return version.id


def make_ready(database: Database, lead: Actor, project_id: int, folder: Path) -> None:
    """Put gold into the pool and into the frozen test, and let a model serve that knows nothing."""
    add_texts(database, project_id, 24, "pool")
    add_texts(database, project_id, 8, "test")
    decide_all(database, lead, project_id)
    add_model(database, folder, "tiny", project_id)
