"""Sign-ins: one a browser, known by the hash of its token."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from db.tables import SignIn, User, now


def add(session: Session, *, token_hash: str, user_id: int, expires_at: datetime) -> None:
    """Keep a sign-in, and forget the ones that have run out."""
    session.execute(delete(SignIn).where(SignIn.expires_at < now()))
    session.add(SignIn(token_hash=token_hash, user_id=user_id, expires_at=expires_at))


def user_of(session: Session, token_hash: str) -> User | None:
    """Return the active user whose sign-in this is, if it has not run out."""
    return session.scalar(
        select(User)
        .join(SignIn, SignIn.user_id == User.id)
        .where(SignIn.token_hash == token_hash, SignIn.expires_at > now(), User.active.is_(True))
    )


def remove(session: Session, token_hash: str) -> int | None:
    """End one sign-in; return the id of the user whose it was, if there was one."""
    found = session.get(SignIn, token_hash)
    if found is None:
        return None
    session.delete(found)
    return found.user_id


def remove_all(session: Session, user_id: int, *, but: str | None = None) -> None:
    """End all sign-ins of a user, but for one token's hash where one is given."""
    query = delete(SignIn).where(SignIn.user_id == user_id)
    if but is not None:
        query = query.where(SignIn.token_hash != but)
    session.execute(query)
