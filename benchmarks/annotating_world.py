"""What is there before people come: an installation, its people, a project, suggestions."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import select

from benchmarks.random_transcripts import random_probabilities
from db import jobs, suggestions, transcripts
from db.engine import Database
from db.tables import Transcript
from labeling.accounts import add_user
from labeling.choosing import transcript_uncertainty
from labeling.jobs import cancel_job, get_job
from labeling.permissions import ANNOTATOR, LEAD, SYSTEM
from labeling.probabilities import in_marks, pack
from labeling.projects import add_project, find_project, settings_of

PASSWORD = "eight people at once"
_AT_ONCE = 2_000


@dataclass(frozen=True)
class World:
    """An installation; `annotators` are user ids by name, the first one works alone."""

    database: Database
    project: int
    annotators: dict[str, int]


def make_world(home: Path, people: int) -> World:
    """Make a home with a lead, `people` annotators and one more, and an empty project."""
    database = Database(f"sqlite:///{home / 'interpunct.db'}")
    database.migrate()
    add_user(database, SYSTEM, name="lead", password=PASSWORD, role=LEAD)
    annotators = {
        name: add_user(database, SYSTEM, name=name, password=PASSWORD, role=ANNOTATOR).id
        for name in ("alone", *(f"together {number}" for number in range(1, people + 1)))
    }
    project = add_project(
        database, SYSTEM, name="Benchmark", language="zh", settings={"overlap_share": 0}
    )
    return World(database, project.id, annotators)


def store_suggestions(world: World, seed: int) -> None:
    """Store made-up suggestions of the serving model for all transcripts of the project.

    A job that would compute real ones is cancelled first: it is measured elsewhere.
    """
    _end_jobs(world)
    rng = np.random.default_rng(seed)
    with world.database.read() as session:
        project = find_project(session, world.project)
        model, settings = project.serving_model, settings_of(project)
        if model is None:
            raise RuntimeError("No model serves the project: this copy ships no checkpoint.")
        query = select(Transcript.id, Transcript.unit_count)
        rows = session.execute(query.where(Transcript.project_id == project.id)).all()
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        tables = random_probabilities([count for _, count in some], len(model.marks), rng)
        packed, uncertain = {}, {}
        for (transcript_id, _), table in zip(some, tables, strict=True):
            packed[transcript_id] = pack(table)
            shown = in_marks(table, model.marks, project.marks)
            uncertain[transcript_id] = transcript_uncertainty(shown, settings.top_k)
        with world.database.write() as session:
            suggestions.put(session, model.id, packed)
            transcripts.set_uncertainty(session, uncertain)


def _end_jobs(world: World) -> None:
    with world.database.read() as session:
        ids = [job.id for job in jobs.unfinished(session, world.project)]
    for job_id in ids:
        cancel_job(world.database, SYSTEM, job_id)
        while get_job(world.database, SYSTEM, job_id).unfinished:
            time.sleep(0.2)
