"""Rounds: gold to a new model, measured against the one that serves, on texts frozen for it.

The serving model serves on whatever happens here: the new one stands in a folder of its
own, and only a promotion, which is one transaction, changes who serves.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from db import audit, jobs, models, rounds, users
from db.engine import Database
from db.tables import Project, Round
from labeling.errors import BadInput, NotFound
from labeling.jobs import ROUND, fail_dead_jobs, refuse_second
from labeling.models import check_usable
from labeling.permissions import Actor, require
from labeling.projects import find_project, settings_of
from labeling.queue import wake_worker
from labeling.running import claim
from labeling.snapshot import counts_of, read_snapshot, take_snapshot
from labeling.verdict import judge, measure
from model.training_settings import TrainSettings

PROMOTE: Final = ("never", "auto")


@dataclass(frozen=True, slots=True)
class RoundInfo:
    """A round, as people see it.

    Attributes
    ----------
    id, project_id, number, job_id, state, error
        As in the row; state as its job's: waiting, running, done, failed or cancelled.
    parent, model : str or None
        The model that it grew from, and the new one once it is trained.
    model_id : int or None
        Of the new one.
    counts : dict
        ``train``, ``dev``, ``test``: texts; ``left_out``: those whose words are in the test.
    settings : dict
        ``promote``, ``training`` and ``counts``.
    before, after : dict
        `Metrics.as_dict` on the frozen test; empty until measured.
    verdict : dict
        As `labeling.verdict.judge`, with ``promoted`` and ``notes``; empty until measured.
    by : str or None
        Who started it; None for the command line.
    created_at, ended_at : datetime or None
        In UTC.
    """

    id: int
    project_id: int
    number: int
    job_id: int | None
    state: str
    error: str
    parent: str
    model: str | None
    model_id: int | None
    counts: dict[str, int]
    settings: dict[str, Any]
    before: dict[str, Any]
    after: dict[str, Any]
    verdict: dict[str, Any]
    by: str | None
    created_at: datetime
    ended_at: datetime | None


def gold_available(database: Database, actor: Actor, project_id: int) -> dict[str, int]:
    """Count the texts by split that a round started now would read.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    BadInput
        A round could not start; the message says why (``no_gold``, ``no_test``).
    """
    require(actor, "see_models")
    with database.read() as session:
        return counts_of(take_snapshot(session, find_project(session, project_id)))


def start_round(
    database: Database,
    actor: Actor,
    project_id: int | str,
    *,
    promote: str = "never",
    training: Mapping[str, Any] | None = None,
    base: str = "",
) -> RoundInfo:
    """Start a round; a worker does it in the background.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who.
    project_id : int or str
        The project.
    promote : str
        ``auto``: promote the new model if it is better beyond chance on the frozen test,
        no mark of it is worse beyond chance, and the model that serves is still the one
        that it grew from. ``never``: leave that to people.
    training : mapping, optional
        Fields of `TrainSettings`, other than ``marks``.
    base : str
        What to train from: the name of a PaddleNLP encoder or a model's folder; empty for
        the model that serves. Whatever it is, the model that serves is what the new one is
        measured against.

    Returns
    -------
    RoundInfo
        Waiting; `labeling.jobs.get_job` tells of its job's progress.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    BadInput
        No gold, no test, no serving model, another round at it, or a setting that cannot
        be. Nothing has changed.
    """
    info = _add_round(database, actor, project_id, promote, training, base)
    wake_worker(database)
    return info


def round_here(
    database: Database,
    actor: Actor,
    project_id: int | str,
    *,
    promote: str = "never",
    training: Mapping[str, Any] | None = None,
    base: str = "",
    on_progress: Callable[[dict[str, Any]], None] = lambda progress: None,
    stopping: threading.Event | None = None,
) -> RoundInfo:
    """Do a round in this process, to its end; otherwise as `start_round`.

    Parameters
    ----------
    on_progress : callable
        Gets what `labeling.jobs.JobInfo.progress` holds, whenever it changes.
    stopping : threading.Event, optional
        Set it to stop; the round is cancelled then.
    """
    stop = stopping or threading.Event()
    info = _add_round(database, actor, project_id, promote, training, base)
    assert info.job_id is not None
    running = claim(database, info.job_id, stop)
    if running is None:
        raise BadInput("round_running", "A worker has taken this round already.")
    from labeling.tasks import do_job

    running.listener = on_progress
    do_job(running, when_stopped=jobs.CANCELLED)
    return get_round(database, actor, info.project_id, info.number)


def list_rounds(database: Database, actor: Actor, project_id: int | str) -> list[RoundInfo]:
    """Return a project's rounds, newest first; those whose worker died are shown as failed."""
    require(actor, "see_models")
    fail_dead_jobs(database)
    with database.read() as session:
        project = find_project(session, project_id)
        return [_info(session, row) for row in rounds.of_project(session, project.id)]


def get_round(database: Database, actor: Actor, project_id: int | str, number: int) -> RoundInfo:
    """Return one round.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project or round.
    """
    require(actor, "see_models")
    fail_dead_jobs(database)
    with database.read() as session:
        project = find_project(session, project_id)
        return _info(session, _find(session, project, number))


def measure_again(
    database: Database, actor: Actor, project_id: int | str, number: int
) -> RoundInfo:
    """Compute a round's figures anew from what it read, and return it with these.

    Nothing is stored: what comes out must be what the round stored.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such round.
    BadInput
        The round has no figures, or what it read or its models are not there any more.
    """
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        row = _find(session, project, number)
        if row.state != jobs.DONE or row.model_id is None:
            raise BadInput("round_unfinished", f"Round {number} has no figures.", number=number)
        texts = read_snapshot(session, project.id, row.snapshot)
        parent = models.by_id(session, row.parent_model_id)
        child = models.by_id(session, row.model_id)
        assert parent is not None
        assert child is not None
        folders = check_usable(database, parent), check_usable(database, child)
        info = _info(session, row)
    limits = info.settings.get("thresholds")
    before, after = (measure(folder, texts.test, texts.marks, limits) for folder in folders)
    kept = {key: row.verdict[key] for key in ("promoted", "notes") if key in row.verdict}
    return replace(
        info,
        before=before.metrics.as_dict(),
        after=after.metrics.as_dict(),
        verdict=judge(texts.test, before, after, texts.marks) | kept,
    )


def _add_round(
    database: Database,
    actor: Actor,
    project_id: int | str,
    promote: str,
    training: Mapping[str, Any] | None,
    base: str,
) -> RoundInfo:
    require(actor, "run_rounds")
    if promote not in PROMOTE:
        raise BadInput("bad_setting", f"promote is {' or '.join(PROMOTE)}.", setting="promote")
    if promote == "auto":
        require(actor, "promote")
    chosen = dict(training or {})
    train_settings(chosen, ("NONE", "COMMA"))
    fail_dead_jobs(database)
    with database.read() as session:  # the long reading comes before the write lock
        project = find_project(session, project_id)
        snapshot = take_snapshot(session, project)
    with database.write() as session:
        project = find_project(session, project.id)
        refuse_second(session, project.id, ROUND)
        parent = project.serving_model
        if parent is None:
            raise BadInput("no_model", f"{project.name} has no model to start from.")
        check_usable(database, parent)
        job = jobs.add(session, project.id, ROUND, user_id=actor.id)
        row = rounds.add(
            session,
            project.id,
            job_id=job.id,
            parent_model_id=parent.id,
            settings={
                "promote": promote,
                "training": chosen,
                "base": base.strip(),
                # Annotators are shown what these choose, so that is what is measured.
                "thresholds": settings_of(project).thresholds,
                "counts": counts_of(snapshot),
            },
            snapshot=snapshot,
            user_id=actor.id,
        )
        audit.record(
            session,
            actor.id,
            "round_started",
            subject=f"round {row.number}",
            project_id=project.id,
            promote=promote,
        )
        return _info(session, row)


def train_settings(chosen: Mapping[str, Any], marks: tuple[str, ...]) -> TrainSettings:
    """Fill in how to train.

    Raises
    ------
    BadInput
        There is no such setting.
    """
    try:
        return TrainSettings(**{**chosen, "marks": marks})
    except TypeError as error:
        raise BadInput("bad_setting", f"A training cannot be set so: {error}") from None


def _find(session: Session, project: Project, number: int) -> Round:
    row = rounds.by_number(session, project.id, number)
    if row is None:
        raise NotFound("no_such_round", f"{project.name} has no round {number}.", number=number)
    return row


def _info(session: Session, row: Round) -> RoundInfo:
    parent = models.by_id(session, row.parent_model_id)
    child = None if row.model_id is None else models.by_id(session, row.model_id)
    by = None if row.user_id is None else users.by_id(session, row.user_id)
    return RoundInfo(
        id=row.id,
        project_id=row.project_id,
        number=row.number,
        job_id=row.job_id,
        state=row.state,
        error=row.error,
        parent=parent.name if parent else "",
        model=child.name if child else None,
        model_id=row.model_id,
        counts=dict(row.settings.get("counts", {})),
        settings=dict(row.settings),
        before=dict(row.before),
        after=dict(row.after),
        verdict=dict(row.verdict),
        by=by.name if by else None,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )
