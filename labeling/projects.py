"""Projects: making them, finding them, and their settings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from sqlalchemy.orm import Session

from db import audit, models, projects
from db.engine import Database
from db.tables import Project
from labeling.errors import BadInput, NotFound
from labeling.names import clean_name, is_name
from labeling.permissions import Actor, require
from model.marks import BY_NAME, DEFAULT_MARKS, MarkSet, UnknownMark

LANGUAGES: Final = ("zh", "nl", "en")


class ProjectSettings(BaseModel):
    """What leads can set in a project. What is not stored has its default.

    Attributes
    ----------
    overlap_share : float
        How many of the transcripts that come in are given to two people, 0 to 1.
    random_share : float
        How many are handed out at random, where the others go by uncertainty, 0 to 1.
    test_share : float
        How many of the transcripts that come in are frozen for tests, 0 to 1.
    lease_minutes : float
        After how long untouched an open transcript may be handed to somebody else.
    doubt_threshold : float
        A slot is tinted where its likeliest mark is less likely than this.
    top_k : int
        A transcript is as uncertain as the mean of its `top_k` least certain slots.
    thresholds : dict of str to float
        By mark name: how likely it must be to be suggested, whichever model serves. For marks
        that are not there the model's own hold (`labeling.thresholds`).
    guideline : str
        What the annotators are asked to do, shown beside the editor.
    """

    model_config = ConfigDict(extra="forbid")

    overlap_share: float = Field(0.2, ge=0, le=1)
    random_share: float = Field(0.15, ge=0, le=1)
    test_share: float = Field(0.2, ge=0, le=1)
    lease_minutes: float = Field(30, gt=0, le=60 * 24 * 30)
    doubt_threshold: float = Field(0.7, ge=0, le=1)
    top_k: int = Field(5, ge=1)
    thresholds: dict[str, float] = Field(default_factory=dict)
    guideline: str = ""

    @field_validator("thresholds")
    @classmethod
    def _check_thresholds(cls, given: dict[str, float]) -> dict[str, float]:
        for name, value in given.items():
            if name not in BY_NAME or name == "NONE":
                raise ValueError(f"there is no mark {name}")
            if not 0 < value <= 1:
                raise ValueError("a threshold is above 0 and at most 1")
        return given


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """A project, with its settings and its serving model."""

    id: int
    name: str
    language: str
    marks: tuple[str, ...]
    settings: ProjectSettings
    serving_model_id: int | None
    serving_model: str | None
    created_at: datetime


def add_project(
    database: Database,
    actor: Actor,
    *,
    name: str,
    language: str,
    marks: Iterable[str] = DEFAULT_MARKS.names,
    settings: Mapping[str, Any] | ProjectSettings | None = None,
) -> ProjectInfo:
    """Make a project; it has no transcripts yet, and the starter serves it if there is one.

    Raises
    ------
    NotAllowed
        The actor may not.
    BadInput
        The name is empty, too long or taken, no such language, a mark that is none of the
        ten, or a setting that cannot be.
    """
    require(actor, "add_project")
    name = _check_name(name)
    if language not in LANGUAGES:
        raise BadInput(
            "no_such_language",
            f"There is no language {language}. The languages are: {', '.join(LANGUAGES)}.",
            language=language,
        )
    chosen = _check_marks(marks)
    checked = _check_settings(settings or {})
    with database.write() as session:
        if projects.by_name(session, name) is not None:
            raise BadInput("name_taken", f"There is a project named {name} already.", name=name)
        project = projects.add(
            session,
            name=name,
            language=language,
            marks=list(chosen),
            settings=checked.model_dump(exclude_defaults=True),
        )
        if (starter := models.starter(session)) is not None:
            models.serve(session, project, starter, user_id=actor.id, reason="The first model.")
        audit.record(
            session, actor.id, "project_added", subject=f"project {name}", project_id=project.id
        )
        return info_of(project)


def list_projects(database: Database, actor: Actor) -> list[ProjectInfo]:
    """Return all projects, oldest first."""
    require(actor, "see_projects")
    with database.read() as session:
        return [info_of(project) for project in projects.everything(session)]


def get_project(database: Database, actor: Actor, project: int | str) -> ProjectInfo:
    """Return a project by its id or its name.

    Raises
    ------
    NotFound
        There is no such project.
    """
    require(actor, "see_projects")
    with database.read() as session:
        return info_of(find_project(session, project))


def update_settings(
    database: Database,
    actor: Actor,
    project_id: int,
    changes: Mapping[str, Any] | None = None,
    *,
    marks: Iterable[str] | None = None,
    name: str | None = None,
) -> ProjectInfo:
    """Change some of a project's settings, its mark set or its name.

    Labels are stored by canonical ids, so that another mark set rewrites nothing: marks
    that it lacks are shown and trained on as their nearest kin.

    Raises
    ------
    NotAllowed, NotFound, BadInput
        As `add_project`; an unknown setting; no such project.
    """
    require(actor, "change_project")
    new_marks = None if marks is None else _check_marks(marks)
    new_name = None if name is None else _check_name(name)
    with database.write() as session:
        project = find_project(session, project_id)
        detail = store_settings(project, changes or {})
        if new_marks is not None:
            project.marks = list(new_marks)
        if new_name is not None and new_name != project.name:
            if projects.by_name(session, new_name) is not None:
                raise BadInput(
                    "name_taken", f"There is a project named {new_name} already.", name=new_name
                )
            project.name = new_name
        if new_marks is not None:
            detail["marks"] = list(new_marks)
        if new_name is not None:
            detail["name"] = new_name
        audit.record(
            session,
            actor.id,
            "project_changed",
            subject=f"project {project.name}",
            project_id=project.id,
            changes=detail,
        )
        return info_of(project)


def find_project(session: Session, project: int | str) -> Project:
    """Return a project's row by its id or its name.

    Raises
    ------
    NotFound
        There is no such project.
    """
    if isinstance(project, int):
        found = projects.by_id(session, project)
    else:
        found = projects.by_name(session, clean_name(project))
        if found is None and project.isascii() and project.isdigit() and len(project) < 19:
            found = projects.by_id(session, int(project))
    if found is None:
        raise NotFound("no_such_project", f"There is no project {project}.", project=str(project))
    return found


def settings_of(project: Project) -> ProjectSettings:
    """Return the settings of a project's row, defaults filled in.

    What another release of the program stored and this one does not know is left out.
    """
    known = {k: v for k, v in project.settings.items() if k in ProjectSettings.model_fields}
    return ProjectSettings.model_validate(known)


def store_settings(project: Project, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change some settings of a project's row, and return those that are not what they were.

    Raises
    ------
    BadInput
        An unknown setting, or one that cannot be so.
    """
    before = settings_of(project).model_dump()
    after = _check_settings(before | dict(changes))
    project.settings = after.model_dump(exclude_defaults=True)
    return {key: value for key, value in after.model_dump().items() if before[key] != value}


def info_of(project: Project) -> ProjectInfo:
    """Return a project's row as others may see it."""
    serving = project.serving_model
    return ProjectInfo(
        id=project.id,
        name=project.name,
        language=project.language,
        marks=tuple(project.marks),
        settings=settings_of(project),
        serving_model_id=project.serving_model_id,
        serving_model=serving.name if serving else None,
        created_at=project.created_at,
    )


def _check_name(name: str) -> str:
    name = clean_name(name)
    if not is_name(name, 120):
        raise BadInput("bad_name", "A project's name has 1 to 120 characters, in one line.")
    return name


def _check_marks(names: Iterable[str]) -> tuple[str, ...]:
    try:
        return MarkSet.of(names).names
    except UnknownMark as error:
        raise BadInput("bad_marks", str(error)) from None


def _check_settings(given: Mapping[str, Any] | ProjectSettings) -> ProjectSettings:
    try:
        return ProjectSettings.model_validate(
            given.model_dump() if isinstance(given, ProjectSettings) else dict(given)
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            "bad_setting",
            f"The setting {where} cannot be so: {first['msg'].removeprefix('Value error, ')}.",
            setting=where,
        ) from None
