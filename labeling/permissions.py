"""Who may do what: one table. Every use case asks it first."""

from dataclasses import dataclass
from typing import Final

from labeling.errors import NotAllowed

ANNOTATOR: Final = "annotator"
LEAD: Final = "lead"
ENGINEER: Final = "engineer"
ADMIN: Final = "admin"
ROLES: Final = (ANNOTATOR, LEAD, ENGINEER, ADMIN)

_EVERYONE: Final = frozenset(ROLES)
_ANNOTATES: Final = frozenset({ANNOTATOR, LEAD, ADMIN})
_LEADS: Final = frozenset({LEAD, ADMIN})
_READS: Final = frozenset({LEAD, ENGINEER, ADMIN})
_ENGINEERS: Final = frozenset({ENGINEER, ADMIN})
_ADMINS: Final = frozenset({ADMIN})

ALLOWED: Final[dict[str, frozenset[str]]] = {
    "see_projects": _EVERYONE,
    "see_own_history": _EVERYONE,
    "annotate": _ANNOTATES,
    "see_all_history": _READS,
    "see_agreement": _READS,
    "see_transcripts": _READS,
    "see_models": _READS,
    "export": _READS,
    "decide": _LEADS,
    "import": _LEADS,
    "change_project": _LEADS,
    "add_project": _LEADS,
    "run_rounds": _ENGINEERS,
    "promote": _ENGINEERS,
    "manage_people": _ADMINS,
}


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who does something: a user, or the command line.

    Attributes
    ----------
    id : int or None
        The user's id; None for the command line.
    name, role : str
        As in the user's row.
    """

    id: int | None
    name: str
    role: str


SYSTEM: Final = Actor(None, "system", ADMIN)


def may(actor: Actor, action: str) -> bool:
    """Whether an actor may do something.

    Parameters
    ----------
    actor : Actor
        Who.
    action : str
        A key of `ALLOWED`; any other raises KeyError, for that is a mistake in the code.

    Returns
    -------
    bool
        True when the actor's role allows it.
    """
    return actor.role in ALLOWED[action]


def require(actor: Actor, action: str) -> None:
    """Go on only if an actor may do something.

    Raises
    ------
    NotAllowed
        The actor's role does not allow it.
    """
    if not may(actor, action):
        raise NotAllowed(
            "not_allowed",
            f"This is not for the role {actor.role}.",
            action=action,
            role=actor.role,
        )


def require_person(actor: Actor, action: str) -> int:
    """Go on only if an actor is a signed-in person who may do something; return their id.

    Raises
    ------
    NotAllowed
        The actor's role does not allow it, or the actor is the command line.
    """
    require(actor, action)
    if actor.id is None:
        raise NotAllowed("not_a_person", "This needs a person who has signed in.", action=action)
    return actor.id
