"""Model versions: which ones there are, which one serves a project, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from db import audit, models, projects, users
from db.engine import Database
from db.tables import ModelVersion, Project, Promotion
from labeling.errors import BadInput, NotFound
from labeling.home import home_of
from labeling.jobs import request_suggestions
from labeling.permissions import Actor, require
from labeling.projects import find_project
from labeling.queue import wake_worker
from model.card import CARD


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model version, as people see it.

    Attributes
    ----------
    id, name
        Which. Names are unique.
    project_id : int or None
        None for a starter, which every project can use.
    parent : str or None
        The model that it grew from.
    marks : tuple of str
        What it tells apart.
    serving : bool
        Whether it serves the project that was asked about.
    state, note : str
        ``ready``, or ``broken`` with the reason.
    metrics : dict
        On the frozen test of its round, where it comes from one.
    settings : dict
        How it was made: ``thresholds``, ``temperature``, and for a round's its training.
    created_at : datetime
        In UTC.
    """

    id: int
    name: str
    project_id: int | None
    parent: str | None
    marks: tuple[str, ...]
    serving: bool
    state: str
    note: str
    metrics: dict[str, Any] = field(repr=False)
    settings: dict[str, Any] = field(repr=False)
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a project's serving model."""

    kind: str
    model: str
    previous: str | None
    by: str | None
    reason: str
    at: datetime


def list_models(database: Database, actor: Actor, project_id: int | str) -> list[ModelInfo]:
    """Return what can serve a project, oldest first.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    """
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        found = models.for_project(session, project.id)
        names = {model.id: model.name for model in found}
        return [_info(model, names, project) for model in found]


def promote(
    database: Database,
    actor: Actor,
    model: int | str,
    project_id: int | str | None = None,
    *,
    reason: str = "",
) -> ModelInfo:
    """Let a model serve a project from the next request on.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who.
    model : int or str
        Its id or its name.
    project_id : int or str, optional
        The project; needed only for a model that belongs to none.
    reason : str
        For the log.

    Returns
    -------
    ModelInfo

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such model or project.
    BadInput
        It serves already, belongs to another project, or its files are not there.
    """
    require(actor, "promote")
    with database.write() as session:
        version = find_model(session, model)
        wanted = version.project_id if project_id is None else project_id
        if wanted is None:
            raise BadInput(
                "which_project",
                f"{version.name} belongs to no project; say which one it shall serve.",
                model=version.name,
            )
        project = find_project(session, wanted)
        if version.project_id not in (None, project.id):
            raise BadInput(
                "other_project",
                f"{version.name} belongs to another project than {project.name}.",
                model=version.name,
                project=project.name,
            )
        if project.serving_model_id == version.id:
            raise BadInput(
                "serves_already", f"{version.name} serves this project.", model=version.name
            )
        check_usable(database, version)
        serve_project(session, actor, project, version, reason=reason)
        info = _info(version, {}, project)
    wake_worker(database)
    return info


def rollback(
    database: Database, actor: Actor, project_id: int | str, *, reason: str = ""
) -> ModelInfo:
    """Let the model that served before serve again; once more walks one further back.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    BadInput
        No model served before this one, or its files are not there any more.
    """
    require(actor, "promote")
    with database.write() as session:
        project = find_project(session, project_id)
        back = _one_back(models.promotions(session, project.id))
        version = None if back is None else models.by_id(session, back)
        if version is None:
            raise BadInput(
                "nothing_before", f"No model served {project.name} before the one that does now."
            )
        check_usable(database, version)
        serve_project(session, actor, project, version, kind=models.ROLLBACK, reason=reason)
        info = _info(version, {}, project)
    wake_worker(database)
    return info


def can_roll_back(database: Database, actor: Actor, project_id: int) -> str | None:
    """Return the name of the model that a rollback would bring back; None if there is none."""
    require(actor, "see_models")
    with database.read() as session:
        back = _one_back(models.promotions(session, project_id))
        version = None if back is None else models.by_id(session, back)
        return None if version is None else version.name


def promotion_log(database: Database, actor: Actor, project_id: int | str) -> list[Change]:
    """Return every change of a project's serving model, newest first."""
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        log = models.promotions(session, project.id)
        ids = {i for p in log for i in (p.model_id, p.previous_id) if i is not None}
        found = {i: models.by_id(session, i) for i in ids}
        names = {i: row.name if row else f"model {i}" for i, row in found.items()}
        people = users.names(session, {p.user_id for p in log if p.user_id is not None})
        return [
            Change(
                kind=p.kind,
                model=names[p.model_id],
                previous=names.get(p.previous_id) if p.previous_id else None,
                by=people.get(p.user_id) if p.user_id else None,
                reason=p.reason,
                at=p.created_at,
            )
            for p in reversed(log)
        ]


def folder_of(database: Database, version: ModelVersion) -> Path:
    """Return where a model's files are: in the home folder, unless its folder is absolute."""
    return home_of(database) / version.folder


def usable_model(
    database: Database, actor: Actor, model: int | str | None, project_id: int | str | None
) -> tuple[Path, str]:
    """Return the folder and the name of a model; of the one that serves a project if none is given.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such model or project.
    BadInput
        Its files are not there, or no model serves the project.
    """
    require(actor, "see_models")
    with database.read() as session:
        if model is not None:
            version = find_model(session, model)
        else:
            serving = find_project(session, project_id or "").serving_model
            if serving is None:
                raise BadInput("no_model", f"No model serves {project_id}.")
            version = serving
        return check_usable(database, version), version.name


def serving_folders(database: Database) -> list[Path]:
    """Return the folders of all models that serve a project and are there."""
    with database.read() as session:
        serving = {p.serving_model_id: p.serving_model for p in projects.everything(session)}
    folders = [folder_of(database, version) for version in serving.values() if version]
    return [folder for folder in folders if (folder / CARD).is_file()]


def check_usable(database: Database, version: ModelVersion) -> Path:
    """Return a model's folder, if the model can be used.

    Raises
    ------
    BadInput
        Its files are not there, or it is marked as broken.
    """
    folder = folder_of(database, version)
    if version.state == models.READY and (folder / CARD).is_file():
        return folder
    reason = version.note or f"{folder} holds no model."
    raise BadInput(
        "broken_model",
        f"{version.name} cannot be used: {reason}",
        model=version.name,
        reason=reason,
    )


def find_model(session: Session, model: int | str) -> ModelVersion:
    """Return a model's row by its id or its name.

    Raises
    ------
    NotFound
        There is no such model.
    """
    found = None
    if isinstance(model, str):
        found = models.by_name(session, model.strip())
        if found is None and model.isascii() and model.isdigit() and len(model) < 19:
            model = int(model)
    if isinstance(model, int):
        found = models.by_id(session, model)
    if found is None:
        raise NotFound("no_such_model", f"There is no model {model}.", model=str(model))
    return found


def serve_project(
    session: Session,
    actor: Actor,
    project: Project,
    version: ModelVersion,
    *,
    kind: str = models.PROMOTE,
    reason: str = "",
) -> None:
    """Let a model serve a project, in the transaction of what led to it.

    The log, the audit trail and a job that makes suggestions for what waits come with it;
    wake the worker afterwards.
    """
    promotion = models.serve(session, project, version, kind=kind, user_id=actor.id, reason=reason)
    # What waits is to be ordered by what this model is unsure of.
    request_suggestions(session, project.id, actor.id)
    audit.record(
        session,
        actor.id,
        kind,
        subject=f"model {version.name}",
        project_id=project.id,
        previous_id=promotion.previous_id,
        reason=reason,
    )


def _one_back(log: Sequence[Promotion]) -> int | None:
    """Replay the log as steps forward and back; return the model one step back."""
    before: list[int | None] = []
    now_serving: int | None = None
    for change in log:
        if change.kind == models.ROLLBACK and before:
            before.pop()
        else:
            before.append(now_serving)
        now_serving = change.model_id
    return before[-1] if before else None


def _info(version: ModelVersion, names: dict[int, str], project: Project) -> ModelInfo:
    parent = version.parent_id
    return ModelInfo(
        id=version.id,
        name=version.name,
        project_id=version.project_id,
        parent=names.get(parent, f"model {parent}") if parent else None,
        marks=tuple(version.marks),
        serving=project.serving_model_id == version.id,
        state=version.state,
        note=version.note,
        metrics=dict(version.metrics),
        settings=dict(version.settings),
        created_at=version.created_at,
    )
