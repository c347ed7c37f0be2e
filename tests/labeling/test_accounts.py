"""Signing in, and what ends a sign-in."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from db.engine import Database
from db.tables import AuditEvent, SignIn, User, now
from labeling import accounts
from labeling.accounts import (
    activate,
    actor_of_token,
    add_user,
    change_password,
    deactivate,
    list_users,
    set_password,
    set_role,
    sign_in,
    sign_out,
)
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.permissions import SYSTEM, Actor


@pytest.fixture
def ann(database: Database) -> Actor:
    person = add_user(database, SYSTEM, name="Ann", password="a good one", role="annotator")
    return Actor(person.id, person.name, person.role)


def test_sign_in_and_out(database: Database, ann: Actor) -> None:
    actor, token = sign_in(database, " Ann ", "a good one")
    assert actor == ann
    assert actor_of_token(database, token) == ann
    sign_out(database, token)
    assert actor_of_token(database, token) is None
    sign_out(database, token)


def test_neither_password_nor_token_is_kept(database: Database, ann: Actor) -> None:
    _, token = sign_in(database, "Ann", "a good one")
    with database.read() as session:
        stored = session.scalars(select(User)).one(), session.scalars(select(SignIn)).one()
    assert stored[0].password_hash.startswith("$argon2id$")
    assert "a good one" not in stored[0].password_hash
    assert token not in stored[1].token_hash
    assert len(stored[1].token_hash) == 64


@pytest.mark.parametrize(
    ("name", "password"), [("Ann", "a bad one"), ("ann", "a good one"), ("Bob", "a good one")]
)
def test_a_wrong_sign_in_does_not_say_what_was_wrong(
    database: Database, ann: Actor, name: str, password: str
) -> None:
    with pytest.raises(NotAllowed) as caught:
        sign_in(database, name, password)
    assert str(caught.value) == "The name or the password is not right."


def test_signing_out_ends_only_that_sign_in(database: Database, ann: Actor) -> None:
    _, first = sign_in(database, "Ann", "a good one")
    _, second = sign_in(database, "Ann", "a good one")
    sign_out(database, first)
    assert actor_of_token(database, second) == ann


def test_a_sign_in_runs_out_after_thirty_days(database: Database, ann: Actor) -> None:
    _, token = sign_in(database, "Ann", "a good one")
    with database.read() as session:
        lasts = session.scalars(select(SignIn)).one().expires_at - now()
    assert timedelta(days=29, hours=23) < lasts <= timedelta(days=30)
    with database.write() as session:
        session.execute(update(SignIn).values(expires_at=now() - timedelta(seconds=1)))
    assert actor_of_token(database, token) is None
    sign_in(database, "Ann", "a good one")
    with database.read() as session:
        assert len(session.scalars(select(SignIn)).all()) == 1  # the old one is forgotten


def test_deactivating_ends_every_sign_in_and_keeps_the_person(
    database: Database, ann: Actor
) -> None:
    tokens = [sign_in(database, "Ann", "a good one")[1] for _ in range(2)]
    deactivate(database, SYSTEM, "Ann")
    assert [actor_of_token(database, token) for token in tokens] == [None, None]
    with pytest.raises(NotAllowed):
        sign_in(database, "Ann", "a good one")
    activate(database, SYSTEM, "Ann")
    assert actor_of_token(database, tokens[0]) is None
    assert sign_in(database, "Ann", "a good one")[0] == ann


def test_a_new_password_ends_the_sign_ins_but_the_page_that_set_it(
    database: Database, ann: Actor
) -> None:
    _, here = sign_in(database, "Ann", "a good one")
    _, there = sign_in(database, "Ann", "a good one")
    change_password(database, ann, "a good one", "a better one", keep_token=here)
    assert actor_of_token(database, here) == ann
    assert actor_of_token(database, there) is None
    with pytest.raises(NotAllowed):
        sign_in(database, "Ann", "a good one")
    sign_in(database, "Ann", "a better one")


def test_changing_a_password_needs_the_current_one(database: Database, ann: Actor) -> None:
    with pytest.raises(NotAllowed):
        change_password(database, ann, "a bad one", "a better one")
    with pytest.raises(NotAllowed):  # not past the page either
        set_password(database, ann, "Ann", "a better one")
    deactivate(database, SYSTEM, "Ann")
    with pytest.raises(NotAllowed):
        change_password(database, ann, "a good one", "a better one")
    activate(database, SYSTEM, "Ann")
    sign_in(database, "Ann", "a good one")


def test_what_an_admin_set_meanwhile_stays(
    database: Database, ann: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = accounts._hash

    def slow(password: str) -> str:
        monkeypatch.setattr(accounts, "_hash", real)
        set_password(database, SYSTEM, "Ann", "of the admin")
        return real(password)

    monkeypatch.setattr(accounts, "_hash", slow)
    with pytest.raises(NotAllowed):
        change_password(database, ann, "a good one", "a better one")
    sign_in(database, "Ann", "of the admin")


def test_a_new_role_holds_at_once(database: Database, ann: Actor) -> None:
    _, token = sign_in(database, "Ann", "a good one")
    set_role(database, SYSTEM, "Ann", "lead")
    found = actor_of_token(database, token)
    assert found is not None
    assert found.role == "lead"


def test_only_admins_manage_people(database: Database, ann: Actor) -> None:
    for role in ("annotator", "lead", "engineer"):
        actor = Actor(ann.id, "Somebody", role)
        for attempt in (
            lambda a: add_user(database, a, name="x", password="12345678", role="admin"),
            lambda a: list_users(database, a),
            lambda a: set_password(database, a, "Ann", "12345678"),
            lambda a: set_role(database, a, "Ann", "admin"),
            lambda a: deactivate(database, a, "Ann"),
            lambda a: activate(database, a, "Ann"),
        ):
            with pytest.raises(NotAllowed):
                attempt(actor)


def test_the_last_admin_stays(database: Database) -> None:
    add_user(database, SYSTEM, name="root", password="12345678", role="admin")
    for attempt in (
        lambda: deactivate(database, SYSTEM, "root"),
        lambda: set_role(database, SYSTEM, "root", "lead"),
    ):
        with pytest.raises(BadInput) as caught:
            attempt()
        assert caught.value.code == "last_admin"
    add_user(database, SYSTEM, name="other", password="12345678", role="admin")
    assert deactivate(database, SYSTEM, "root").active is False


def test_bad_input_changes_nothing(database: Database, ann: Actor) -> None:
    for name, password, role, code in (
        ("", "12345678", "lead", "bad_name"),
        ("x" * 81, "12345678", "lead", "bad_name"),
        ("two\nlines", "12345678", "lead", "bad_name"),
        ("half \ud800", "12345678", "lead", "bad_name"),
        ("Ann", "12345678", "lead", "name_taken"),
        ("Bob", "1234567", "lead", "password_too_short"),
        ("Bob", "12345678", "boss", "no_such_role"),
    ):
        with pytest.raises(BadInput) as caught:
            add_user(database, SYSTEM, name=name, password=password, role=role)
        assert caught.value.code == code
    with pytest.raises(NotFound):
        set_role(database, SYSTEM, "Nobody", "lead")
    assert [person.name for person in list_users(database, SYSTEM)] == ["Ann"]


def test_what_was_done_is_written_down_without_secrets(database: Database, ann: Actor) -> None:
    _, token = sign_in(database, "Ann", "a good one")
    set_password(database, SYSTEM, "Ann", "a better one")
    with database.read() as session:
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id)).all()
    assert [event.action for event in events] == ["user_added", "sign_in", "password_set"]
    told = " ".join(f"{event.subject} {event.detail}" for event in events)
    assert "a better one" not in told
    assert token not in told
