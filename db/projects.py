"""Projects."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Project


def by_id(session: Session, project_id: int) -> Project | None:
    """Return the project with this id, with its serving model, if there is one."""
    return session.get(Project, project_id)


def by_name(session: Session, name: str) -> Project | None:
    """Return the project with this name, if there is one."""
    return session.scalar(select(Project).where(Project.name == name))


def everything(session: Session) -> Sequence[Project]:
    """Return all projects, in the order in which they were made."""
    return session.scalars(select(Project).order_by(Project.id)).all()


def add(
    session: Session, *, name: str, language: str, marks: list[str], settings: dict[str, Any]
) -> Project:
    """Add a project; its id is known afterwards."""
    project = Project(name=name, language=language, marks=marks, settings=settings)
    session.add(project)
    session.flush()
    return project
