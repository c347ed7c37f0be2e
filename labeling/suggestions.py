"""Suggestions: what the serving model says of transcripts, computed once and kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.orm import Session

from db import suggestions, transcripts
from db.engine import Database
from db.tables import Project, Transcript
from labeling import probabilities as arrays
from labeling.choosing import transcript_uncertainty
from labeling.jobs import request_suggestions
from labeling.models import check_usable
from labeling.permissions import Actor, require
from labeling.projects import find_project, settings_of
from labeling.queue import wake_worker
from labeling.running import Running
from model.units import unit_texts

_UNITS_AT_ONCE: Final = 8_000  # in one call of the predictor and one transaction
_TRANSCRIPTS_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class _Serving:
    """A project's serving model, as it was when a request began; plain values."""

    project_id: int
    model_id: int
    folder: Path
    own_marks: tuple[str, ...]
    marks: tuple[str, ...]
    top_k: int


def ensure_suggestions(database: Database, transcript_ids: Sequence[int]) -> int:
    """Make the suggestions that transcripts lack, with the model that serves their project.

    Parameters
    ----------
    database : Database
        The database.
    transcript_ids : sequence of int
        Of any projects. What has no such transcript, or no serving model, is passed over.

    Returns
    -------
    int
        How many were made. Their transcripts' uncertainty is set with them.

    Raises
    ------
    BadInput
        A serving model cannot be used.
    """
    lacking: dict[int, list[Transcript]] = {}
    serving: dict[int, _Serving] = {}
    with database.read() as session:
        for transcript in transcripts.by_ids(session, list(dict.fromkeys(transcript_ids))):
            lacking.setdefault(transcript.project_id, []).append(transcript)
        for project_id, found in lacking.items():
            model = _serving(database, session, find_project(session, project_id))
            if model is None:
                continue
            serving[project_id] = model
            has = suggestions.of_many(session, [t.id for t in found], model.model_id)
            lacking[project_id] = [t for t in found if t.id not in has]
    made = 0
    for project_id, model in serving.items():
        for batch in _batches(lacking[project_id]):
            made += _suggest(database, model, batch)
    return made


def suggest_project(
    database: Database,
    project_id: int,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Make all suggestions that a project lacks, those first that somebody waits for.

    Ends early where another model begins to serve the project: that one has a job of its
    own.

    Parameters
    ----------
    database : Database
        The database.
    project_id : int
        The project.
    on_progress : callable
        Gets how many are made, and how many there are to make.
    should_stop : callable
        Asked between batches.

    Returns
    -------
    int
        How many were made.
    """
    with database.read() as session:
        model = _serving(database, session, find_project(session, project_id))
        if model is None:
            return 0
        total = sum(split.total for split in transcripts.counts(session, project_id).values())
        total -= suggestions.count(session, project_id, model.model_id)
    done = 0
    on_progress(done, total)
    while not should_stop():
        with database.read() as session:
            if find_project(session, project_id).serving_model_id != model.model_id:
                break
            ids = suggestions.missing(session, project_id, model.model_id, _TRANSCRIPTS_AT_ONCE)
            found = transcripts.by_ids(session, ids)
        if not found:
            break
        for batch in _batches(found):
            done += _suggest(database, model, batch)
            on_progress(done, max(total, done))
            if should_stop():
                break
    return done


def run_suggest_job(running: Running) -> None:
    """Do a job that makes suggestions, to its end or until it is told to stop."""

    def report(done: int, total: int) -> None:
        running.report(
            stage="suggesting", done=done, total=total, message=f"Suggesting: {done} of {total}."
        )

    suggest_project(running.database, running.project_id, report, running.should_stop)


def start_suggesting(database: Database, actor: Actor, project_id: int) -> int:
    """Have the worker make what a project lacks; return the job's id.

    For whoever imported transcripts, changed the mark set, or promoted a model.
    """
    require(actor, "import")
    with database.write() as session:
        find_project(session, project_id)
        job_id = request_suggestions(session, project_id, actor.id).id
    wake_worker(database)
    return job_id


def _serving(database: Database, session: Session, project: Project) -> _Serving | None:
    version = project.serving_model
    if version is None:
        return None
    return _Serving(
        project_id=project.id,
        model_id=version.id,
        folder=check_usable(database, version),
        own_marks=tuple(version.marks),
        marks=tuple(project.marks),
        top_k=settings_of(project).top_k,
    )


def _batches(found: Sequence[Transcript]) -> Iterator[list[Transcript]]:
    batch: list[Transcript] = []
    units = 0
    for transcript in found:
        batch.append(transcript)
        units += transcript.unit_count
        if units >= _UNITS_AT_ONCE:
            yield batch
            batch, units = [], 0
    if batch:
        yield batch


def _suggest(database: Database, model: _Serving, batch: Sequence[Transcript]) -> int:
    from model.predictor import load_predictor

    predictor = load_predictor(model.folder)
    tables = predictor.probabilities([unit_texts(t.text) for t in batch])
    packed, uncertain = {}, {}
    for transcript, table in zip(batch, tables, strict=True):
        packed[transcript.id] = arrays.pack(table)
        shown = arrays.in_marks(table, model.own_marks, model.marks)
        uncertain[transcript.id] = transcript_uncertainty(shown, model.top_k)
    with database.write() as session:
        there = {t.id for t in transcripts.by_ids(session, list(packed))}
        packed = {i: value for i, value in packed.items() if i in there}
        suggestions.put(session, model.model_id, packed)
        if find_project(session, model.project_id).serving_model_id == model.model_id:
            transcripts.set_uncertainty(session, {i: uncertain[i] for i in packed})
    return len(packed)
