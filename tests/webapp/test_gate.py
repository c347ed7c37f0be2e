"""Who gets in, and to what."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from db.engine import Database
from db.settings import Settings
from labeling import accounts
from labeling.permissions import SYSTEM
from tests.webapp.conftest import SignIn
from tests.webapp.world import PASSWORD
from webapp.app import create_app
from webapp.context import SIGN_IN_COOKIE
from webapp.pages import PAGES
from webapp.sign_in import local_path

PATHS = [f"/{page.path}" for page in PAGES]


@pytest.mark.parametrize("path", PATHS)
def test_pages_send_strangers_to_sign_in(anonymous: TestClient, path: str) -> None:
    answer = anonymous.get(f"{path}?transcript=7&slot=3")
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/login?next={path}%3Ftranscript%3D7%26slot%3D3"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/config"),
        ("GET", "/gradio_api/info"),
        ("POST", "/gradio_api/run/next"),
        ("POST", "/gradio_api/call/submit"),
        ("POST", "/gradio_api/queue/join"),
        ("POST", "/gradio_api/upload"),
        ("POST", "/api/projects/1/next"),
        ("POST", "/api/transcripts/1/draft"),
        ("GET", "/api/transcripts/1/history"),
        ("GET", "/api/openapi.json"),
        ("GET", "/theme.css"),
        ("POST", "/"),
    ],
)
def test_everything_else_answers_strangers_401(
    anonymous: TestClient, method: str, path: str
) -> None:
    assert anonymous.request(method, path).status_code == 401


def test_a_made_up_cookie_opens_nothing(anonymous: TestClient) -> None:
    anonymous.cookies.set(SIGN_IN_COOKIE, "x" * 43)
    assert anonymous.get("/").status_code == 303
    assert anonymous.post("/api/projects/1/next").status_code == 401


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("lotte", {"/", "/history"}),
        ("lea", {"/", "/history", "/transcripts", "/agreement", "/models"}),
        ("eva", {"/history", "/transcripts", "/agreement", "/models"}),
        ("ada", set(PATHS)),
    ],
)
def test_each_role_opens_its_pages_and_no_others(
    sign_in: SignIn, name: str, allowed: set[str]
) -> None:
    client = sign_in(name)
    opened = {path for path in PATHS if client.get(path).status_code == 200}
    assert opened == allowed
    for path in set(PATHS) - allowed - {"/"}:
        refused = client.get(path)
        assert refused.status_code == 403
        assert "not for your role" in refused.text


def test_whoever_does_not_annotate_lands_on_their_first_page(sign_in: SignIn) -> None:
    assert sign_in("eva").get("/").headers["location"] == "/history"


def test_the_navigation_shows_only_what_a_role_can_use(sign_in: SignIn) -> None:
    page = sign_in("lotte").get("/").text
    assert 'href="/history' in page
    assert 'href="/people' not in page
    assert 'href="/models' not in page


def test_wrong_password_says_so_in_the_persons_language(anonymous: TestClient) -> None:
    form = {"username": "lotte", "password": "wrong-horse", "next": "/"}
    answer = anonymous.post("/login", data=form, headers={"accept-language": "nl"})
    assert answer.status_code == 401
    assert "De naam of het wachtwoord klopt niet." in answer.text
    assert SIGN_IN_COOKIE not in answer.cookies


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(anonymous: TestClient) -> None:
    answer = anonymous.post(
        "/login", data={"username": "lotte", "password": PASSWORD, "next": "/history"}
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == "/history"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_guessing_a_password_is_stopped(anonymous: TestClient) -> None:
    wrong = {"username": "somebody's victim", "password": "not this one"}
    for _ in range(10):
        assert anonymous.post("/login", data=wrong).status_code == 401
    answer = anonymous.post("/login", data=wrong)
    assert answer.status_code == 429
    assert answer.json()["code"] == "too_many_tries"
    page = anonymous.post("/login", data=wrong | {"next": "/"}, headers={"accept-language": "nl"})
    assert "Te veel pogingen. Wacht 10 minuten" in page.text
    others = {"username": "lotte", "password": PASSWORD}
    assert anonymous.post("/login", data=others).status_code == 200


def test_signing_out_ends_this_sign_in_and_no_other(sign_in: SignIn) -> None:
    laptop, phone = sign_in("lotte"), sign_in("lotte")
    kept = laptop.cookies[SIGN_IN_COOKIE]
    assert laptop.post("/logout").status_code == 303
    assert laptop.get("/").status_code == 303
    laptop.cookies.set(SIGN_IN_COOKIE, kept)  # the old cookie is worth nothing either
    assert laptop.get("/").status_code == 303
    assert phone.get("/").status_code == 200


def test_a_restart_keeps_people_signed_in(
    sign_in: SignIn, database: Database, app_home: Path
) -> None:
    before = sign_in("lars")
    again = TestClient(
        create_app(database, Settings(home=app_home)), base_url="http://interpunct.test"
    )
    again.cookies.set(SIGN_IN_COOKIE, before.cookies[SIGN_IN_COOKIE])
    assert again.get("/history", follow_redirects=False).status_code == 200


def test_a_role_taken_away_counts_from_the_next_request_on(
    sign_in: SignIn, database: Database
) -> None:
    accounts.add_user(database, SYSTEM, name="temp", password=PASSWORD, role="lead")
    client = sign_in("temp")
    assert client.get("/agreement").status_code == 200
    accounts.set_role(database, SYSTEM, "temp", "annotator")
    assert client.get("/agreement").status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.test"},
        {"origin": "null"},
    ],
)
@pytest.mark.parametrize("path", ["/api/transcripts/1/draft", "/gradio_api/run/submit", "/login"])
def test_what_another_site_sends_is_refused(
    sign_in: SignIn, headers: dict[str, str], path: str
) -> None:
    answer = sign_in("lotte").post(path, headers=headers, json={})
    assert answer.status_code == 403
    assert answer.json()["code"] == "cross_site"


def test_the_same_site_and_programs_are_let_through(sign_in: SignIn) -> None:
    client = sign_in("lotte")
    for headers in ({}, {"origin": "http://interpunct.test"}, {"sec-fetch-site": "same-origin"}):
        assert client.post("/api/projects/1/next", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.test/",
        "//evil.test",
        "/\\evil.test",
        "/\t/evil.test",
        "/\t/[",
        "http://[",
        "javascript:1",
        "",
        "/login",
    ],
)
def test_signing_in_never_leads_to_another_host(wanted: str) -> None:
    assert local_path(wanted) == "/"


def test_signing_in_leads_to_the_place_that_was_asked_for() -> None:
    assert local_path("/history?transcript=3&slot=4") == "/history?transcript=3&slot=4"


def test_pages_come_in_the_language_that_was_chosen(sign_in: SignIn) -> None:
    client = sign_in("lotte")
    client.cookies.set("interpunct_language", "zh")
    page = client.get("/").text
    assert '<html\n\tlang="zh-CN"' in page
    assert "退出" in page


def test_names_cannot_break_out_of_the_page(sign_in: SignIn, database: Database) -> None:
    name = "</script><b>x"
    accounts.add_user(database, SYSTEM, name=name, password=PASSWORD, role="annotator")
    page = sign_in(name).get("/").text
    assert "</script><b>x" not in page
    assert "&lt;/script&gt;" in page
