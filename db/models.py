"""Model versions, and the log of which one served a project when."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import ModelVersion, Project, Promotion

PROMOTE: Final = "promote"
ROLLBACK: Final = "rollback"
READY: Final = "ready"
BROKEN: Final = "broken"


def by_id(session: Session, model_id: int) -> ModelVersion | None:
    """Return the model version with this id, if there is one."""
    return session.get(ModelVersion, model_id)


def by_name(session: Session, name: str) -> ModelVersion | None:
    """Return the model version with this name, if there is one."""
    return session.scalar(select(ModelVersion).where(ModelVersion.name == name))


def for_project(session: Session, project_id: int) -> Sequence[ModelVersion]:
    """Return what can serve a project, the shared ones too, oldest first."""
    return session.scalars(
        select(ModelVersion)
        .where(ModelVersion.project_id.is_(None) | (ModelVersion.project_id == project_id))
        .order_by(ModelVersion.id)
    ).all()


def shared(session: Session) -> Sequence[ModelVersion]:
    """Return the versions that belong to no project (the starters), oldest first."""
    query = select(ModelVersion).where(ModelVersion.project_id.is_(None))
    return session.scalars(query.order_by(ModelVersion.id)).all()


def starter(session: Session) -> ModelVersion | None:
    """Return the newest shared version that can be used, if there is one."""
    return session.scalar(
        select(ModelVersion)
        .where(ModelVersion.project_id.is_(None), ModelVersion.state == READY)
        .order_by(ModelVersion.id.desc())
        .limit(1)
    )


def add(
    session: Session,
    *,
    project_id: int | None,
    name: str,
    folder: str,
    marks: list[str],
    parent_id: int | None = None,
    settings: dict[str, Any] | None = None,
    metrics: dict[str, Any] | None = None,
    note: str = "",
) -> ModelVersion:
    """Add a model version; its id is known afterwards."""
    model = ModelVersion(
        project_id=project_id,
        name=name,
        folder=folder,
        marks=marks,
        parent_id=parent_id,
        settings=settings or {},
        metrics=metrics or {},
        note=note,
    )
    session.add(model)
    session.flush()
    return model


def serve(
    session: Session,
    project: Project,
    model: ModelVersion,
    *,
    kind: str = PROMOTE,
    user_id: int | None = None,
    reason: str = "",
) -> Promotion:
    """Let a model serve a project from now on, and write so in the log."""
    promotion = Promotion(
        project_id=project.id,
        kind=kind,
        model_id=model.id,
        previous_id=project.serving_model_id,
        user_id=user_id,
        reason=reason,
    )
    session.add(promotion)
    project.serving_model = model
    session.flush()
    return promotion


def promotions(session: Session, project_id: int) -> Sequence[Promotion]:
    """Return the log of a project's serving models, oldest first."""
    query = select(Promotion).where(Promotion.project_id == project_id)
    return session.scalars(query.order_by(Promotion.id)).all()
