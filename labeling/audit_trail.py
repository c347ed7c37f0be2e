"""Who did what: the audit events, for admins."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from db import audit, projects, users
from db.engine import Database
from labeling.permissions import SYSTEM, Actor, require


@dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Attributes
    ----------
    id : int
        Later events have higher ones.
    at : datetime
        When, in UTC.
    who : str
        The person's name; ``system`` for the command line and background work.
    project : str
        The project's name, or empty.
    action, subject : str
        What, and to what.
    detail : dict
        What else was noted.
    """

    id: int
    at: datetime
    who: str
    project: str
    action: str
    subject: str
    detail: dict[str, Any]


def recent_events(
    database: Database, actor: Actor, *, before_id: int | None = None, limit: int = 50
) -> list[Event]:
    """Return events, newest first.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        An admin.
    before_id : int, optional
        The oldest event that was shown already.
    limit : int
        How many, at most 500.

    Returns
    -------
    list of Event

    Raises
    ------
    NotAllowed
        The actor is no admin.
    """
    require(actor, "manage_people")
    with database.read() as session:
        found = audit.latest(session, before_id=before_id, limit=min(max(limit, 1), 500))
        names = users.names(session, (e.user_id for e in found if e.user_id is not None))
        names_of_projects = {p.id: p.name for p in projects.everything(session)}
        return [
            Event(
                id=event.id,
                at=event.at,
                who=names.get(event.user_id, "?") if event.user_id is not None else SYSTEM.name,
                project=names_of_projects.get(event.project_id, "") if event.project_id else "",
                action=event.action,
                subject=event.subject,
                detail=event.detail,
            )
            for event in found
        ]
