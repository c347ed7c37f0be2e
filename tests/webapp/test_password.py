"""Changing one's own password."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from db.engine import Database
from labeling import accounts
from labeling.guessing import TRIES
from labeling.permissions import SYSTEM
from tests.webapp.conftest import SignIn
from tests.webapp.world import PASSWORD, World

NEW = "a longer one, and better"


@pytest.fixture
def lotte(sign_in: SignIn, database: Database, world: World) -> Iterator[TestClient]:
    yield sign_in("lotte")
    accounts.set_password(database, SYSTEM, "lotte", PASSWORD)


def change(client: TestClient, current: str, password: str, again: str | None = None):
    given = {"current": current, "password": password, "again": again or password}
    return client.post("/password", data=given)


def test_the_new_password_signs_in_and_the_old_one_no_more(
    lotte: TestClient, anonymous: TestClient
) -> None:
    assert "Change your password" in lotte.get("/password").text
    answer = change(lotte, PASSWORD, NEW)
    assert answer.status_code == 303
    assert "is changed" in lotte.get(answer.headers["location"]).text
    for password, status in ((PASSWORD, 401), (NEW, 200)):
        data = {"username": "lotte", "password": password}
        assert anonymous.post("/login", data=data).status_code == status


def test_this_sign_in_goes_on_and_the_others_end(lotte: TestClient, sign_in: SignIn) -> None:
    elsewhere = sign_in("lotte")
    assert change(lotte, PASSWORD, NEW).status_code == 303
    assert lotte.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 303


@pytest.mark.parametrize(
    ("current", "password", "again", "why"),
    [
        ("not it", NEW, NEW, "The current password is not right."),
        (PASSWORD, NEW, NEW + "!", "The two new passwords differ."),
        (PASSWORD, "short", "short", "A password has at least 8 characters."),
    ],
)
def test_what_does_not_fit_changes_nothing(
    lotte: TestClient, sign_in: SignIn, current: str, password: str, again: str, why: str
) -> None:
    answer = change(lotte, current, password, again)
    assert answer.status_code == 400
    assert why in answer.text
    assert password not in answer.text
    sign_in("lotte")


def test_guessing_is_braked(sign_in: SignIn) -> None:
    eva = sign_in("eva")
    for _ in range(TRIES):
        assert change(eva, "a guess", NEW).status_code == 400
    assert change(eva, PASSWORD, NEW).status_code == 429


def test_a_stranger_signs_in_first(anonymous: TestClient) -> None:
    answer = anonymous.get("/password")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/password")
    assert change(anonymous, PASSWORD, NEW).status_code == 401


def test_another_site_cannot_change_it(lotte: TestClient) -> None:
    answer = lotte.post(
        "/password",
        data={"current": PASSWORD, "password": NEW, "again": NEW},
        headers={"sec-fetch-site": "cross-site"},
    )
    assert answer.status_code == 403
