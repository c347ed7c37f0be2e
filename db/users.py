"""People who sign in."""

from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.tables import User


def by_name(session: Session, name: str) -> User | None:
    """Return the user with this name, if there is one."""
    return session.scalar(select(User).where(User.name == name))


def by_id(session: Session, user_id: int) -> User | None:
    """Return the user with this id, if there is one."""
    return session.get(User, user_id)


def take_turns(session: Session, user_id: int) -> None:
    """Let what one person asks for at the same time (in two tabs) be answered one by one.

    On PostgreSQL this locks the person's row until the transaction ends; on SQLite, where
    there is one writer at a time, it changes nothing.
    """
    session.execute(select(User.id).where(User.id == user_id).with_for_update(key_share=True))


def everyone(session: Session) -> Sequence[User]:
    """Return all users, by name."""
    return session.scalars(select(User).order_by(User.name)).all()


def names(session: Session, ids: Iterable[int]) -> dict[int, str]:
    """Return names by id."""
    wanted = set(ids)
    found = session.execute(select(User.id, User.name).where(User.id.in_(wanted)))
    return {user_id: name for user_id, name in found}


def add(session: Session, *, name: str, password_hash: str, role: str) -> User:
    """Add a user; its id is known afterwards."""
    user = User(name=name, password_hash=password_hash, role=role)
    session.add(user)
    session.flush()
    return user


def count_active(session: Session, role: str) -> int:
    """Count the active users of a role."""
    query = select(func.count()).select_from(User).where(User.role == role, User.active.is_(True))
    return session.scalar(query) or 0
