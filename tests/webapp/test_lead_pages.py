"""Transcripts, Agreement, Models and People: their handlers over a real database, role by role."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from db.engine import Database
from db.settings import Settings
from labeling import accounts, projects
from labeling.agreement_report import agreement_report
from labeling.permissions import SYSTEM
from labeling.rounds import list_rounds
from labeling.suggestions import suggest_project
from labeling.tasks import do_waiting_jobs
from tests.webapp.lead_world import LONG_NAME, LeadWorld, fill_for_leads
from tests.webapp.world import PASSWORD, new_database
from webapp.app import create_app

Call = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lead-home")


@pytest.fixture(scope="module")
def database(home: Path) -> Iterator[Database]:
    database = new_database(home)
    yield database
    database.close()


@pytest.fixture(scope="module")
def world(database: Database, tiny_checkpoint: Path) -> LeadWorld:
    return fill_for_leads(database, tiny_checkpoint)


@pytest.fixture(scope="module")
def server(database: Database, world: LeadWorld, home: Path) -> Iterator[TestClient]:
    app = create_app(database, Settings(home=home))
    with TestClient(app, base_url="http://interpunct.test") as client:
        yield client


class Refusal(Exception):
    """What a handler answered in place of its values."""


@pytest.fixture
def call(server: TestClient, world: LeadWorld) -> Call:
    """Call a page's handler as a browser of somebody would, and return what it answered."""

    def call(
        who: str, name: str, *data: Any, project: int | None = None, language: str = "en"
    ) -> list[Any]:
        server.cookies.clear()
        signed = server.post("/login", data={"username": who, "password": PASSWORD})
        assert signed.status_code == 200
        server.cookies.set("interpunct_language", language)
        query = {"project": world.project if project is None else project}
        body = {"data": list(data), "session_hash": f"{who}-{time.monotonic_ns()}"}
        answer = server.post(f"/gradio_api/run/{name}", json=body, params=query)
        if answer.status_code != 200:
            raise Refusal(answer.json().get("error"))
        return answer.json()["data"]

    return call


def rows(value: Any) -> list[list[Any]]:
    """Return the rows of a table, whether it came alone or in an update."""
    return (value.get("value") or value)["data"]


def test_search_finds_any_part_of_a_text(call: Call) -> None:
    found = rows(call("lea", "list_transcripts", "koelkast", "", "", "", "")[0])
    assert found
    assert all("koelkast" in row[1] for row in found)
    everything = call("lea", "list_transcripts", "", "", "", "", "")
    assert len(rows(everything[0])) == 24
    assert everything[3] == "1–24 of 24"
    none = call("lea", "list_transcripts", "zzzz", "", "", "", "")
    assert none[0]["visible"] is False
    assert "Nothing matches" in none[1]["value"]


def test_filters_show_what_they_say(call: Call) -> None:
    decided = rows(call("eva", "list_transcripts", "", "decided", "", "", "")[0])
    differing = rows(call("eva", "list_transcripts", "", "disagreement", "", "", "")[0])
    assert len(decided) == 18
    assert 0 < len(differing) <= 6
    assert all("decided" in row[3] for row in decided)
    assert all("people differ" in row[3] for row in differing)
    assert not {row[0] for row in decided} & {row[0] for row in differing}
    test = rows(call("eva", "list_transcripts", "", "", "test", "", "")[0])
    assert test
    assert {row[5] for row in test} == {"frozen test"}


def test_export_makes_a_file_that_can_be_taken_away(call: Call, server: TestClient) -> None:
    told, file = call("eva", "export_transcripts", "gold", "jsonl", False)
    assert "Rows in the file" in told
    answer = server.get(
        file["value"]["url"] if isinstance(file.get("value"), dict) else file["url"]
    )
    assert answer.status_code == 200
    assert answer.text.count("\n") == int(told.split("**")[1])


def test_settings_are_kept_and_bad_ones_are_not(
    call: Call, database: Database, world: LeadWorld
) -> None:
    asked = (["COMMA", "PERIOD", "COLON"], "commas before maar", 30, 25, 10, 45, 4, 65)
    call("lea", "save_settings", *asked, project=world.empty)
    kept = projects.get_project(database, SYSTEM, world.empty)
    assert kept.marks == ("NONE", "COMMA", "PERIOD", "COLON")
    assert kept.settings.overlap_share == 0.3
    assert kept.settings.guideline == "commas before maar"
    with pytest.raises(Refusal, match="minstens één leesteken"):
        call("lea", "save_settings", [], *asked[1:], project=world.empty, language="nl")
    assert projects.get_project(database, SYSTEM, world.empty) == kept


def test_agreement_shows_the_report_and_links_to_places(
    call: Call, database: Database, world: LeadWorld
) -> None:
    report = agreement_report(database, SYSTEM, world.project)
    headline, _, marks, rates, slots, *_ = call("lea", "agreement")
    assert f"{report.agreement.alpha.value:.2f}" in headline
    assert [row[0] for row in rows(marks)] == ["comma", "full stop", "question mark"]
    assert "plotly" in str(rates)
    first = report.disagreements[0]
    assert f"/history?transcript={first.transcript}&amp;slot={first.slot}" in rows(slots)[0][0]
    assert LONG_NAME in str(rows(slots))


def test_agreement_without_answers_says_what_is_needed(call: Call, world: LeadWorld) -> None:
    headline, whole, *_ = call("lea", "agreement", project=world.empty, language="zh")
    assert "还没有可比较的内容" in headline
    assert whole["visible"] is False


def test_a_round_from_the_button_to_the_table_and_back(
    call: Call, database: Database, world: LeadWorld
) -> None:
    import threading

    started = call("eva", "start_round", 1, 3, 0.2, 1, 1, 1.5, "", False)
    assert started[1]["interactive"] is False
    with pytest.raises(Refusal, match="still at it"):
        call("eva", "start_round", 1, 3, 0.2, 1, 1, 1.5, "", False)
    do_waiting_jobs(database, threading.Event())
    done = list_rounds(database, SYSTEM, world.project)[0]
    assert done.state == "done", done.error
    assert done.settings["training"] == {"seed": 3, "epochs": 1}
    verdict, compared = call("eva", "round", done.number, language="nl")
    assert "transcripten" in verdict
    assert "dev " not in verdict, "the notes on its training are in Dutch too"
    by_name = {row[0]: row for row in rows(compared)}
    micro = by_name["alle tekens (micro)"]
    assert micro[6] == f"{100 * done.after['micro']['f1']:.1f} %"
    assert by_name["foutloze transcripten"][8] == str(done.after["n_texts"])


def test_a_threshold_is_seen_then_set_and_let_go(
    call: Call, database: Database, world: LeadWorld
) -> None:
    suggest_project(database, world.project)
    said, drawn = call("eva", "preview_threshold", "COMMA", 50)
    assert "| precision |" in said
    assert "from 50 %" in said
    assert "Counted on" in said
    assert drawn["visible"] is True
    assert call("eva", "preview_threshold", None, 50)[0] == said, "the first mark, if none yet"
    slider, said, _, own = call("lea", "set_threshold", "COMMA", 62)
    assert slider["value"] == 62
    assert "from **62 %** on, as set in this project" in said
    assert own["visible"] is True
    settings = projects.get_project(database, SYSTEM, world.project).settings
    assert settings.thresholds == {"COMMA": 0.62}
    _, said, _, own = call("lea", "unset_threshold", "COMMA", language="nl")
    assert "dit project" not in said.lower()
    assert own["visible"] is False
    settings = projects.get_project(database, SYSTEM, world.project).settings
    assert settings.thresholds == {}


def test_without_gold_a_threshold_can_still_be_set(call: Call, world: LeadWorld) -> None:
    said, drawn = call("lea", "preview_threshold", "COMMA", 50, project=world.empty)
    assert "can't be counted yet" in said
    assert drawn["visible"] is False
    slider, *_ = call("lea", "set_threshold", "COMMA", 30, project=world.empty)
    assert slider["value"] == 30
    call("lea", "unset_threshold", "COMMA", project=world.empty)


@pytest.mark.parametrize("at", [0, 101, None, "50", True, {"x": 1}])
@pytest.mark.parametrize("name", ["preview_threshold", "set_threshold"])
def test_what_is_no_threshold_is_refused(call: Call, name: str, at: Any) -> None:
    with pytest.raises(Refusal, match="cannot be used for the setting"):
        call("lea", name, "COMMA", at)


def test_a_name_is_never_taken_for_html(call: Call, database: Database, world: LeadWorld) -> None:
    bad = projects.add_project(database, SYSTEM, name="<img src=x onerror=alert(1)>", language="nl")
    _, question, _ = call("eva", "ask_promote", world.model, project=bad.id)
    assert "&lt;img src=x" in str(question)
    assert "<img" not in str(question)
    assert "<img" not in str(call("eva", "models", project=bad.id)[6:9])


def test_people_are_added_changed_and_closed(call: Call, database: Database) -> None:
    call("ada", "add_person", "Wéi 魏", "lead", "long-enough")
    people = {p.name: p for p in accounts.list_users(database, SYSTEM)}
    assert people["Wéi 魏"].role == "lead"
    with pytest.raises(Refusal, match="is taken"):
        call("ada", "add_person", "Wéi 魏", "lead", "long-enough")
    with pytest.raises(Refusal, match="至少 8 个字符"):
        call("ada", "add_person", "another", "lead", "short", language="zh")
    call("ada", "set_role", "Wéi 魏", "engineer")
    call("ada", "set_password", "Wéi 魏", "another-one")
    accounts.sign_in(database, "Wéi 魏", "another-one")
    call("ada", "switch_person", "Wéi 魏")
    people = {p.name: p for p in accounts.list_users(database, SYSTEM)}
    assert (people["Wéi 魏"].role, people["Wéi 魏"].active) == ("engineer", False)
    with pytest.raises(Refusal, match="only admin"):
        call("ada", "set_role", "ada", "lead")
    events = rows(call("ada", "people")[4])
    assert "closed an account" in [row[2] for row in events]
    assert not any("another-one" in str(row) for row in events)


@pytest.mark.parametrize(
    ("who", "name", "data"),
    [
        ("lotte", "list_transcripts", ("", "", "", "", "")),
        ("lotte", "export_transcripts", ("gold", "jsonl", False)),
        ("lotte", "import_transcripts", (None, "auto", "", "")),
        ("eva", "import_transcripts", (None, "auto", "", "")),
        ("lotte", "agreement", ()),
        ("lotte", "models", ()),
        ("lea", "start_round", (1, 0, 0.2, 1, 1, 1.5, "", False)),
        ("lea", "cancel_round", ()),
        ("lotte", "preview_threshold", ("COMMA", 50)),
        ("eva", "set_threshold", ("COMMA", 50)),
        ("eva", "unset_threshold", ("COMMA",)),
        ("eva", "save_settings", (["COMMA"], "", 1, 1, 1, 1, 1, 1)),
        ("lotte", "people", ()),
        ("eva", "add_person", ("x", "admin", "long-enough")),
        ("lea", "set_role", ("lea", "admin")),
    ],
)
def test_what_is_not_for_a_role_is_refused_by_the_api(
    call: Call, database: Database, who: str, name: str, data: tuple[Any, ...]
) -> None:
    before = accounts.list_users(database, SYSTEM)
    with pytest.raises(Refusal, match="not for your role"):
        call(who, name, *data)
    assert accounts.list_users(database, SYSTEM) == before
