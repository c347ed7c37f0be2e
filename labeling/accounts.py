"""People: who they are, how they sign in, what they may do.

Passwords are kept as argon2 hashes. A sign-in is a random token in the browser's cookie,
of which only a hash is kept here, so that a copy of the database opens no door.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from pwdlib import PasswordHash
from sqlalchemy.orm import Session

from db import audit, sign_ins, users
from db.engine import Database
from db.tables import User, now
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.names import clean_name, is_name
from labeling.permissions import ADMIN, ROLES, Actor, require

SIGN_IN_DAYS: Final = 30
SHORTEST_PASSWORD: Final = 8


@dataclass(frozen=True, slots=True)
class Person:
    """A user, as others may see them."""

    id: int
    name: str
    role: str
    active: bool
    created_at: datetime


def sign_in(
    database: Database, name: str, password: str, *, days: int = SIGN_IN_DAYS
) -> tuple[Actor, str]:
    """Sign somebody in.

    Parameters
    ----------
    database : Database
        Where people are kept.
    name, password : str
        As the person typed them.
    days : int
        How long the sign-in lasts.

    Returns
    -------
    Actor
        Who they are.
    str
        The token of this sign-in, for the browser's cookie. It is not kept here.

    Raises
    ------
    NotAllowed
        No active user has this name and password. It does not say which was wrong, and
        takes as long for a name that nobody has.
    """
    with database.read() as session:
        user = users.by_name(session, clean_name(name))
    active = user is not None and user.active
    right, better = _hasher().verify_and_update(
        password, user.password_hash if user and active else _nobodys_hash()
    )
    if user is None or not active or not right:
        raise NotAllowed("wrong_sign_in", "The name or the password is not right.")
    token = secrets.token_urlsafe(32)
    with database.write() as session:
        fresh = users.by_id(session, user.id)
        if fresh is None or not fresh.active or fresh.password_hash != user.password_hash:
            raise NotAllowed("wrong_sign_in", "The name or the password is not right.")
        if better is not None:
            fresh.password_hash = better
        sign_ins.add(
            session,
            token_hash=_token_hash(token),
            user_id=fresh.id,
            expires_at=now() + timedelta(days=days),
        )
        audit.record(session, fresh.id, "sign_in")
        return Actor(fresh.id, fresh.name, fresh.role), token


def actor_of_token(database: Database, token: str) -> Actor | None:
    """Return who a token signs in, with the role they have now; None for no one."""
    if not token:
        return None
    with database.read() as session:
        user = sign_ins.user_of(session, _token_hash(token))
    return None if user is None else Actor(user.id, user.name, user.role)


def sign_out(database: Database, token: str) -> None:
    """End the sign-in of this token, and no other one of the same person."""
    with database.write() as session:
        user_id = sign_ins.remove(session, _token_hash(token))
        if user_id is not None:
            audit.record(session, user_id, "sign_out")


def add_user(database: Database, actor: Actor, *, name: str, password: str, role: str) -> Person:
    """Add somebody.

    Raises
    ------
    NotAllowed
        The actor may not.
    BadInput
        The name is empty, too long or taken, the password too short, or no such role.
    """
    require(actor, "manage_people")
    name = clean_name(name)
    if not is_name(name, 80):
        raise BadInput("bad_name", "A name has 1 to 80 characters, in one line.")
    _check_role(role)
    password_hash = _hash(password)
    with database.write() as session:
        if users.by_name(session, name) is not None:
            raise BadInput("name_taken", f"There is somebody named {name} already.", name=name)
        user = users.add(session, name=name, password_hash=password_hash, role=role)
        audit.record(session, actor.id, "user_added", subject=f"user {name}", role=role)
        return _person(user)


def list_users(database: Database, actor: Actor) -> list[Person]:
    """Return everybody, by name."""
    require(actor, "manage_people")
    with database.read() as session:
        return [_person(user) for user in users.everyone(session)]


def list_names(database: Database, actor: Actor) -> list[str]:
    """Return the names of those who can sign in, for those who may see everybody's work."""
    require(actor, "see_all_history")
    with database.read() as session:
        return [user.name for user in users.everyone(session) if user.active]


def find_user(database: Database, actor: Actor, name: str) -> Person:
    """Return the person with this name, for those who may see everybody's work.

    Raises
    ------
    NotFound
        Nobody has this name.
    """
    require(actor, "see_all_history")
    with database.read() as session:
        return _person(_named(session, name))


def annotator_id_of(session: Session, name: str | None) -> int | None:
    """Return the id of the person whose marks are read or written; None where nobody is named.

    Raises
    ------
    NotFound
        Nobody has this name.
    """
    if name is None:
        return None
    user = users.by_name(session, clean_name(name))
    if user is None:
        raise NotFound("no_such_annotator", f"There is nobody called {name}.", name=name)
    return user.id


def set_password(
    database: Database, actor: Actor, name: str, password: str, *, keep_token: str | None = None
) -> None:
    """Give somebody a new password, which ends their sign-ins.

    Parameters
    ----------
    database : Database
        Where people are kept.
    actor : Actor
        An admin; others use `change_password`.
    name : str
        Whose password.
    password : str
        The new one.
    keep_token : str, optional
        The token of a sign-in that goes on, where an admin sets their own.

    Raises
    ------
    NotAllowed, NotFound, BadInput
        No admin; no such person; too short.
    """
    require(actor, "manage_people")
    password_hash = _hash(password)
    with database.write() as session:
        _store_password(session, actor, _named(session, name), password_hash, keep_token)


def change_password(
    database: Database, actor: Actor, current: str, password: str, *, keep_token: str | None = None
) -> None:
    """Give oneself a new password, knowing the one that holds.

    Raises
    ------
    NotAllowed
        The current password is not right, or it is nobody who has signed in.
    BadInput
        The new one is too short.
    """
    with database.read() as session:
        user = users.by_id(session, actor.id) if actor.id is not None else None
        known = user.password_hash if user is not None else _nobodys_hash()
    wrong = NotAllowed("wrong_password", "The current password is not right.")
    if user is None or not _hasher().verify(current, known):
        raise wrong
    password_hash = _hash(password)
    with database.write() as session:
        fresh = users.by_id(session, user.id)
        # An admin may have closed the account or given a new password in the meantime.
        if fresh is None or not fresh.active or fresh.password_hash != known:
            raise wrong
        _store_password(session, actor, fresh, password_hash, keep_token)


def set_role(database: Database, actor: Actor, name: str, role: str) -> Person:
    """Give somebody another role; it holds from their next request on.

    Raises
    ------
    NotAllowed, NotFound, BadInput
        No admin; no such person; no such role, or it would leave no admin.
    """
    require(actor, "manage_people")
    _check_role(role)
    with database.write() as session:
        user = _named(session, name)
        if role != ADMIN:
            _keep_an_admin(session, user)
        audit.record(
            session, actor.id, "role_set", subject=f"user {user.name}", role=role, was=user.role
        )
        user.role = role
        return _person(user)


def deactivate(database: Database, actor: Actor, name: str) -> Person:
    """Close somebody's account: their sign-ins end, their work stays.

    Raises
    ------
    NotAllowed, NotFound, BadInput
        No admin; no such person; it would leave no admin.
    """
    require(actor, "manage_people")
    with database.write() as session:
        user = _named(session, name)
        _keep_an_admin(session, user)
        user.active = False
        sign_ins.remove_all(session, user.id)
        audit.record(session, actor.id, "user_deactivated", subject=f"user {user.name}")
        return _person(user)


def activate(database: Database, actor: Actor, name: str) -> Person:
    """Open somebody's account again; they sign in anew.

    Raises
    ------
    NotAllowed, NotFound
        No admin; no such person.
    """
    require(actor, "manage_people")
    with database.write() as session:
        user = _named(session, name)
        user.active = True
        audit.record(session, actor.id, "user_activated", subject=f"user {user.name}")
        return _person(user)


def _store_password(
    session: Session, actor: Actor, user: User, password_hash: str, keep_token: str | None
) -> None:
    user.password_hash = password_hash
    sign_ins.remove_all(session, user.id, but=_token_hash(keep_token) if keep_token else None)
    audit.record(session, actor.id, "password_set", subject=f"user {user.name}")


def _named(session: Session, name: str) -> User:
    user = users.by_name(session, clean_name(name))
    if user is None:
        raise NotFound("no_such_user", f"There is nobody named {name}.", name=name)
    return user


def _person(user: User) -> Person:
    return Person(user.id, user.name, user.role, user.active, user.created_at)


def _check_role(role: str) -> None:
    if role not in ROLES:
        known = ", ".join(ROLES)
        raise BadInput("no_such_role", f"There is no role {role}. The roles are: {known}.")


def _keep_an_admin(session: Session, user: User) -> None:
    if user.role == ADMIN and user.active and users.count_active(session, ADMIN) == 1:
        raise BadInput("last_admin", "This is the only admin; make somebody else one first.")


def _token_hash(token: str) -> str:
    # A token is 256 random bits: there is nothing to guess, so a plain hash is enough.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _hash(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD:
        raise BadInput(
            "password_too_short",
            f"A password has at least {SHORTEST_PASSWORD} characters.",
            shortest=SHORTEST_PASSWORD,
        )
    return _hasher().hash(password)


@lru_cache(maxsize=1)
def _hasher() -> PasswordHash:
    return PasswordHash.recommended()


@lru_cache(maxsize=1)
def _nobodys_hash() -> str:
    return _hasher().hash(secrets.token_hex())
