"""Leads, engineers and admins at work in a real browser, with a real worker in the background."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from db.engine import Database
from labeling.permissions import SYSTEM
from labeling.projects import ProjectSettings, get_project
from labeling.suggestions import suggest_project
from tests.browser.conftest import ROOT, Server, Visit
from tests.webapp.lead_world import LeadWorld, fill_for_leads
from tests.webapp.world import new_database

pytestmark = pytest.mark.browser

WORKER = (
    "import sys; from db.engine import Database; from labeling.tasks import work; "
    "work(Database(sys.argv[1]))"
)
PATIENCE = 180_000  # milliseconds; a round takes seconds where nothing else runs


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
def server(home: Path, world: LeadWorld, database: Database) -> Iterator[Server]:
    server = Server(home)
    server.start()
    worker = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", WORKER, str(database.url)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "INTERPUNCT_HOME": str(home)},
    )
    yield server
    worker.terminate()
    worker.wait(60)
    server.kill()


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def test_a_link_of_agreement_opens_the_place(visit: Visit, world: LeadWorld) -> None:
    page = visit("lea", f"/agreement?project={world.project}")
    expect(page.locator("#headline")).to_contain_text("Krippendorff", timeout=PATIENCE)
    expect(page.locator("#kappas .js-plotly-plot")).to_be_visible(timeout=PATIENCE)
    first = page.locator("#agreement-slots a:visible").first
    address = first.get_attribute("href") or ""
    expect(first).to_have_css("text-decoration-line", "underline")
    found = re.search(r"transcript=(\d+)&slot=(\d+)", address)
    assert found is not None
    first.click()
    page.wait_for_url(f"**/history?transcript={found[1]}&slot={found[2]}*")
    expect(page.locator(f"mark.ip-found[data-at='{found[2]}']").first).to_be_visible(
        timeout=PATIENCE
    )


def test_files_are_added_with_a_report_and_found(
    visit: Visit, world: LeadWorld, tmp_path: Path
) -> None:
    rows = [{"text": "de walvis zwom voorbij", "document": "zee", "position": 1}]
    (tmp_path / "zee.jsonl").write_text(
        "\n".join([json.dumps(rows[0]), "{broken", json.dumps({"text": "..."})]), encoding="utf-8"
    )
    (tmp_path / "nacht.txt").write_text("morgen komt de dokter\nde uil riep\n", encoding="utf-8")
    page = visit("lea", f"/transcripts?project={world.empty}")
    expect(page.locator("#no-transcripts")).to_contain_text("no transcripts yet", timeout=PATIENCE)
    tab(page, "Add")
    files = [tmp_path / "zee.jsonl", tmp_path / "nacht.txt"]
    page.set_input_files("#files input[type=file]", files)
    expect(page.locator("#files")).to_contain_text("nacht", timeout=PATIENCE)
    page.click("#import")
    report = page.locator("#report")
    expect(report).to_contain_text("Transcripts added: 2", timeout=PATIENCE)
    expect(report).to_contain_text("Transcripts added: 1")
    expect(report).to_contain_text("Row 2: broken JSON")
    expect(report).to_contain_text("Row 3:")
    tab(page, "Find")
    expect(page.locator("#where")).to_contain_text("1–3 of 3", timeout=PATIENCE)
    page.fill("#search input, #search textarea", "walv")
    page.press("#search input, #search textarea", "Enter")
    expect(page.locator("#where")).to_contain_text("1–1 of 1", timeout=PATIENCE)
    expect(page.locator("#transcripts")).to_contain_text("de walvis zwom voorbij")
    page.locator("#transcripts a:visible").first.click()
    page.wait_for_url("**/history?transcript=*")


def test_gold_is_exported_and_downloaded(visit: Visit, world: LeadWorld) -> None:
    page = visit("eva", f"/transcripts?project={world.project}")
    expect(page.locator("#where")).to_contain_text("of 24", timeout=PATIENCE)
    expect(page.get_by_role("tab", name="Project settings")).to_be_hidden(timeout=PATIENCE)
    tab(page, "Export")
    page.click("#export-go")
    expect(page.locator("#exported")).to_contain_text("Rows in the file", timeout=PATIENCE)
    with page.expect_download() as caught:
        page.click("#download")
    assert caught.value.suggested_filename == "Zorgrapportages-gold.jsonl"
    lines = Path(caught.value.path()).read_text(encoding="utf-8").splitlines()
    assert {"text", "labels"} <= json.loads(lines[0]).keys()
    expect(page.locator("#exported")).to_contain_text(str(len(lines)))


def test_retrain_watch_promote_and_roll_back(visit: Visit, world: LeadWorld) -> None:
    page = visit("eva", f"/models?project={world.project}")
    expect(page.locator("#serving")).to_contain_text("starter", timeout=PATIENCE)
    expect(page.locator("#models-gold")).to_contain_text("the frozen test", timeout=PATIENCE)
    page.click("#train")
    expect(page.locator("#cancel")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator("#train")).to_be_disabled()
    expect(page.locator("#verdict .ip-verdict")).to_contain_text(
        "measured on 6 that no training has seen", timeout=PATIENCE
    )
    expect(page.locator("#models-compared")).to_contain_text("flawless transcripts")
    expect(page.locator("#cancel")).to_be_hidden()
    expect(page.locator("#history .js-plotly-plot")).to_be_visible(timeout=PATIENCE)
    page.click("#promote")
    expect(page.locator("#question")).to_contain_text(
        "Zorgrapportages-r1 will make", timeout=PATIENCE
    )
    page.click("#yes")
    expect(page.locator("#serving")).to_contain_text("Zorgrapportages-r1 makes", timeout=PATIENCE)
    page.click("#rollback")
    expect(page.locator("#question")).to_contain_text("will serve again", timeout=PATIENCE)
    page.click("#yes")
    expect(page.locator("#serving")).to_contain_text("starter makes", timeout=PATIENCE)


def test_a_lead_moves_a_threshold_from_the_keyboard_and_lets_it_go(
    visit: Visit, world: LeadWorld, database: Database
) -> None:
    suggest_project(database, world.project)  # the worker may have begun; what lacks is made
    page = visit("lea", f"/models?project={world.project}")
    expect(page.locator("#serving")).to_contain_text("starter makes", timeout=PATIENCE)
    page.get_by_role("button", name="Thresholds: more marks").click()
    said = page.locator("#threshold-said")
    expect(said).to_contain_text("the likeliest mark is suggested", timeout=PATIENCE)
    expect(said).to_contain_text("Counted on")
    expect(page.locator("#threshold-own")).to_be_hidden()
    expect(page.locator("#threshold .js-plotly-plot")).to_be_visible(timeout=PATIENCE)
    slider = page.locator("#threshold-slider input[type=range]")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("from 43 %", timeout=PATIENCE)
    assert settings_of(database, world).thresholds == {}, "seen, and not yet set"
    page.click("#threshold-use")
    expect(said).to_contain_text("from 43 % on, as set in this project", timeout=PATIENCE)
    assert settings_of(database, world).thresholds == {"COMMA": 0.43}
    page.reload()
    page.get_by_role("button", name="Thresholds: more marks").click()
    expect(said).to_contain_text("from 43 % on, as set in this project", timeout=PATIENCE)
    expect(page.locator("#threshold-slider input[type=number]")).to_have_value("43")
    page.click("#threshold-own")
    expect(said).to_contain_text("the likeliest mark is suggested", timeout=PATIENCE)
    expect(page.locator("#threshold-own")).to_be_hidden()
    assert settings_of(database, world).thresholds == {}


def settings_of(database: Database, world: LeadWorld) -> ProjectSettings:
    return get_project(database, SYSTEM, world.project).settings


def test_a_lead_sees_models_but_not_the_buttons(visit: Visit, world: LeadWorld) -> None:
    page = visit("lea", f"/models?project={world.project}")
    expect(page.locator("#serving")).to_contain_text("makes", timeout=PATIENCE)
    expect(page.locator("#train")).to_be_disabled(timeout=PATIENCE)
    expect(page.locator("#promote")).to_be_hidden()


def test_an_admin_adds_somebody_who_then_signs_in(visit: Visit) -> None:
    page = visit("ada", "/people")
    expect(page.locator("#people")).to_contain_text("lotte", timeout=PATIENCE)
    tab(page, "Add")
    page.fill("#new-name input, #new-name textarea", "nora")
    page.fill("#new-password input", "correct-horse")
    page.click("#add-person")
    expect(page.locator("#people")).to_contain_text("nora", timeout=PATIENCE)
    expect(page.locator("#events")).to_contain_text("added a person")
    visit("nora", "/")


def test_an_annotator_is_refused_these_pages(visit: Visit, server: Server) -> None:
    page = visit("lotte", "/")
    for path in ("agreement", "models", "transcripts", "people"):
        answer = page.goto(f"{server.url}/{path}")
        assert answer is not None
        assert answer.status == 403
        expect(page.locator("main")).to_contain_text("not for your role")
