"""How likely a mark must be to be suggested: the model's own thresholds, and a project's."""

from dataclasses import dataclass

from db import audit
from db.engine import Database
from db.tables import ModelVersion, Project
from labeling.errors import BadInput
from labeling.permissions import Actor, require
from labeling.projects import find_project, settings_of, store_settings
from model.calibration import DEFAULT_THRESHOLD
from model.marks import NONE


@dataclass(frozen=True, slots=True)
class MarkThreshold:
    """Where a mark's threshold stands.

    Attributes
    ----------
    mark : str
        The mark.
    threshold : float or None
        From which probability on it is suggested. None: no mark has a threshold, and the
        likeliest is put.
    own : float or None
        That which was tuned for the serving model.
    is_set : bool
        Whether the project has set it.
    """

    mark: str
    threshold: float | None
    own: float | None
    is_set: bool


def list_thresholds(database: Database, actor: Actor, project_id: int | str) -> list[MarkThreshold]:
    """Return where the thresholds of a project's marks stand.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    BadInput
        The project has no serving model.
    """
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        model = serving(project)
        return [stands(project, model, mark) for mark in project.marks if mark != NONE]


def stands(project: Project, model: ModelVersion, mark: str) -> MarkThreshold:
    """Return where the threshold of one mark stands."""
    limits = {name: at for name, at in in_force(project, model).items() if name in project.marks}
    return MarkThreshold(
        mark=mark,
        threshold=limits.get(mark, DEFAULT_THRESHOLD if limits else None),
        own=(model.settings.get("thresholds") or {}).get(mark),
        is_set=mark in settings_of(project).thresholds,
    )


def serving(project: Project) -> ModelVersion:
    """Return the model that serves a project.

    Raises
    ------
    BadInput
        None does.
    """
    if project.serving_model is None:
        raise BadInput("no_model", f"{project.name} has no model to start from.")
    return project.serving_model


def in_force(project: Project, model: ModelVersion) -> dict[str, float]:
    """Return the thresholds by which a model's suggestions are chosen in a project.

    Those that a lead has set stand, whichever model serves; for every other mark the model's
    own hold, since they were tuned for it.

    Parameters
    ----------
    project, model
        Rows.

    Returns
    -------
    dict of str to float
        By mark name; empty where neither has any, which puts the likeliest mark.
    """
    return {**(model.settings.get("thresholds") or {}), **settings_of(project).thresholds}


def set_threshold(
    database: Database, actor: Actor, project_id: int | str, mark: str, value: float | None
) -> None:
    """Set the threshold of one mark in a project; those of the others stay as they are.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who sets it.
    project_id : int or str
        The project's id, or its name.
    mark : str
        One of its marks.
    value : float or None
        Above 0, at most 1; None for that of whichever model serves.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    BadInput
        The project does not use the mark, or the value cannot be.
    """
    require(actor, "change_project")
    with database.write() as session:
        project = find_project(session, project_id)
        check_mark(project, mark)
        # Read and written under one lock: two people may move two sliders at once.
        others = {name: at for name, at in settings_of(project).thresholds.items() if name != mark}
        after = others if value is None else {**others, mark: value}
        audit.record(
            session,
            actor.id,
            "project_changed",
            subject=f"project {project.name}",
            project_id=project.id,
            changes=store_settings(project, {"thresholds": after}),
        )


def check_mark(project: Project, mark: str) -> None:
    """Refuse a mark that a project has no thresholds for.

    Raises
    ------
    BadInput
        It is NONE, or the project does not use it.
    """
    if mark == NONE or mark not in project.marks:
        raise BadInput("mark_not_in_set", f"This project does not use {mark}.", marks=mark)
