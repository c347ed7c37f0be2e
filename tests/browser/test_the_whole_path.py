"""The whole path on the product as `run.py serve` starts it, with the worker that it starts.

Text in, two labelers who differ, a lead who decides, an engineer who trains and promotes, and
the next suggestion from the new model. Then a power cut in the middle of an edit.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from run import main
from tests.browser.conftest import ROOT, Server, Visit, here, marks, ready, saved
from tests.browser.run_serve import RunServe
from tests.webapp.world import PASSWORD, PEOPLE

pytestmark = pytest.mark.browser

# Upper bounds for machines with much else to do; nothing waits longer than it must.
PATIENCE = 400_000
SECONDS = PATIENCE // 1000
CALLS, NOTES = 1, 2
GOLD, WAITING = 24, 4
WHOLE_MARK = {",": "comma", ".": "full stop", "?": "question mark"}


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """Let what is expected of a page take its time."""
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=5_000)  # Playwright's own


def do(*arguments: str | Path) -> None:
    """Run a command of the command line."""
    assert main([str(argument) for argument in arguments]) == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Iterator[RunServe]:
    """A server with people, gold for a first round, and three notes that wait for somebody."""
    server = RunServe(tmp_path_factory.mktemp("whole"), tiny_checkpoint)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.settings.items():
            patch.setenv(name, value)
        try:
            server.start()
            _fill(tmp_path_factory.mktemp("texts"))
            yield server
        finally:
            server.kill()


def _fill(folder: Path) -> None:
    for name, role in {**PEOPLE, "nora": "annotator", "nils": "annotator"}.items():
        do("users", "add", name, "--role", role, "--password", PASSWORD)
    do("projects", "add", "Calls", "--language", "en")
    do("projects", "add", "Notes", "--language", "en")
    rows = [
        {
            "text": row["marked"],
            "document": "earlier",
            "position": i,
            "split": "test" if i % 3 == 0 else "pool",
        }
        for i, row in enumerate(_demo_rows()[:GOLD])
    ]
    gold = folder / "earlier.jsonl"
    gold.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for name in ("nora", "nils"):  # so that nobody else is wanted for these
        do("import", "Calls", gold, "--annotator", name)
    notes = folder / "notes.txt"
    notes.write_text("she slept well\nthe wound is dry\nno fever today\n", encoding="utf-8")
    do("import", "Notes", notes)


def _demo_rows() -> list[dict]:
    lines = (ROOT / "labeling" / "demo" / "en.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_from_text_to_a_better_model(visit: Visit, server: RunServe, tmp_path: Path) -> None:
    texts = [row["text"] for row in _demo_rows()[GOLD : GOLD + WAITING]]
    lead = patiently(visit("lea", f"/transcripts?project={CALLS}"))
    everybody_twice_and_nothing_at_random(lead)
    upload(lead, tmp_path, texts)
    assert kept_for_the_owner_only(server.home)
    wait_for_suggestions(tmp_path, GOLD + WAITING)

    lotte = patiently(visit("lotte", f"/?project={CALLS}"))
    ready(lotte)
    expect(about(lotte)).to_contain_text("suggested by starter")
    first = where(lotte)
    suggested = marks(lotte)
    comma_at = next(i for i, mark in enumerate(suggested) if mark != ",")
    others = {i: "." if suggested[i] != "." else "?" for i in (comma_at + 1, comma_at + 2)}
    correct(lotte, {comma_at: ",", **others})
    changed = [i for i, mark in enumerate(marks(lotte)) if mark != suggested[i]]
    assert changed == [comma_at, *others]
    submit(lotte)
    assert where(lotte) != first

    lars = patiently(visit("lars", f"/?project={CALLS}"))
    ready(lars)
    assert where(lars) == first
    assert marks(lars) == suggested  # nothing of lotte's is shown
    correct(lars, others)
    submit(lars)

    the_disagreement_is_found_and_decided(lead, server, comma_at)
    engineer = patiently(visit("eva", f"/models?project={CALLS}"))
    retrain(engineer)
    promote(engineer)

    lotte.reload()
    suggestion_from(lotte, "Calls-r1")
    submit(lotte)
    suggestion_from(lotte, "Calls-r1")

    engineer.click("#rollback")
    expect(engineer.locator("#question:visible")).to_contain_text("will serve again")
    engineer.click("#yes")
    expect(engineer.locator("#serving")).to_contain_text("starter makes")
    lotte.reload()
    suggestion_from(lotte, "starter")


def test_a_power_cut_in_the_middle_of_an_edit(visit: Visit, server: RunServe) -> None:
    page = patiently(visit("lars", f"/?project={NOTES}"))
    ready(page)
    page.keyboard.press("Control+Home")
    for key in ("Space", "ArrowRight", "Space", "Control+Home", ","):
        page.keyboard.press(key)
    saved(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("?")
    server.kill()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(".")
    page.wait_for_selector("[data-is=saved][data-state=offline]")
    server.start()
    other = patiently(visit("lars", f"/?project={NOTES}"))  # a browser that has kept nothing
    ready(other)
    assert where(other) == where(page)
    assert marks(other)[0] == ","
    saved(page)  # by itself, still signed in
    page.reload()
    ready(page)
    assert marks(page)[:3] == [",", "?", "."]


def patiently(page: Page) -> Page:
    """Let a page take its time."""
    page.set_default_timeout(PATIENCE)
    return page


def about(page: Page) -> Locator:
    """The line that says what is open in the editor."""
    return page.locator("[data-is=about]")


def where(page: Page) -> tuple[str | None, ...]:
    """Return which transcript is open, and its words."""
    return (
        page.locator("[data-is=document]").text_content(),
        page.locator("[data-is=text]").evaluate(
            """text => {
                const copy = text.cloneNode(true);
                copy.querySelectorAll("[data-slot]").forEach(slot => slot.remove());
                return copy.textContent;
            }"""
        ),
    )


def correct(page: Page, wanted: dict[int, str]) -> None:
    """Set marks by keyboard, by slot."""
    at = 0
    page.keyboard.press("Control+Home")
    for slot, mark in sorted(wanted.items()):
        for _ in range(slot - at):
            page.keyboard.press("ArrowRight")
        page.keyboard.press(mark)
        assert f"{WHOLE_MARK[mark]}, changed by you" in here(page)
        at = slot


def submit(page: Page) -> None:
    """Submit by keyboard, and wait for the next transcript."""
    page.locator("[data-is=notice]").evaluate("notice => notice.replaceChildren()")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-is=notice]")).to_contain_text("Submitted.")
    ready(page)


def suggestion_from(page: Page, model: str) -> None:
    """Wait until the open transcript shows what a model suggests."""
    ready(page)
    expect(about(page)).to_contain_text(f"suggested by {model}")
    expect(page.locator("[data-is=blind]")).to_be_hidden()
    page.keyboard.press("Control+Home")
    assert ", suggested, " in here(page)


def everybody_twice_and_nothing_at_random(page: Page) -> None:
    """Set a project so that two people get everything, the most uncertain first."""
    page.get_by_role("tab", name="Project settings").click()
    lease = page.locator("#lease input")
    expect(lease).to_have_value("30")  # what is stored is drawn now
    for name, value in (("overlap-share", "100"), ("test-share", "0"), ("random-share", "0")):
        number = page.locator(f"#{name} input[type=number]")
        number.fill(value)
        number.press("Enter")
    page.click("#save")
    expect(page.get_by_text("Saved.", exact=True).first).to_be_visible()


def upload(page: Page, folder: Path, texts: list[str]) -> None:
    """Add texts through the page, and read the report."""
    file = folder / "this-week.txt"
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    page.get_by_role("tab", name="Add", exact=True).click()
    page.set_input_files("#files input[type=file]", file)
    expect(page.locator("#files")).to_contain_text("this-week")
    page.click("#import")
    expect(page.locator("#report")).to_contain_text(f"Transcripts added: {len(texts)}")


def kept_for_the_owner_only(home: Path) -> bool:
    """Whether what was uploaded lies in the home folder, where nobody else can read it."""
    folder = home / "uploads"
    return any(folder.rglob("this-week*.txt")) and folder.stat().st_mode & 0o077 == 0


def wait_for_suggestions(folder: Path, wanted: int) -> None:
    """Wait until the worker has made all suggestions, so that their order is settled."""
    file = folder / "suggestions.jsonl"
    end = time.monotonic() + SECONDS
    made = 0
    while made < wanted:
        assert time.monotonic() < end, f"The worker has made {made} of {wanted} suggestions."
        time.sleep(0.5)
        do("export", "Calls", "--what", "suggestions", "--format", "jsonl", "-o", file)
        made = len(file.read_text(encoding="utf-8").splitlines())


def the_disagreement_is_found_and_decided(page: Page, server: Server, slot: int) -> None:
    """Go by the link on Agreement to the place, and decide for the comma."""
    page.goto(f"{server.url}/agreement?project={CALLS}")
    expect(page.locator("#headline")).to_contain_text("Krippendorff")
    expect(page.locator("#headline")).to_contain_text(f"From {GOLD + 1} transcripts")
    differing = page.locator("#agreement-slots")
    expect(differing).to_contain_text("lotte: comma, lars: ")
    link = differing.locator("a:visible")
    expect(link).to_have_count(1)
    link.click()
    page.wait_for_url(f"**/history?transcript=*&slot={slot}*")
    found = page.locator(f'.ip-side mark.ip-found[data-at="{slot}"]')
    expect(found).to_have_count(2)
    assert "," in [mark.strip("\u2060 ") for mark in found.all_text_contents()]
    page.get_by_role("button", name="Decide, from the right side").click()
    page.wait_for_selector(".ip-decide:not([hidden])")
    decider = page.locator(".ip-decide")
    # It opens at the place on which the two differ.
    expect(decider.locator(".ip-current")).to_have_attribute("data-slot", str(slot))
    page.keyboard.press(",")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#versions")).to_contain_text("Decision 1 by lea")


def retrain(page: Page) -> None:
    """Press the button, watch until it has ended, and read what came of it."""
    expect(page.locator("#serving")).to_contain_text("starter makes")
    expect(page.locator("#models-gold")).to_contain_text("the frozen test")
    expect(page.locator("#rollback")).to_be_disabled()  # nothing served before the starter
    # A tiny model may train faster than anybody looks: keep all that the page has shown.
    page.evaluate(
        """() => {
            window.shown = [];
            new MutationObserver(() => {
                const text = document.querySelector("#progress .ip-bar")?.parentElement.textContent;
                const button = document.querySelector("#train").disabled ? "resting" : "ready";
                if (text) window.shown.push([text.trim(), button]);
            }).observe(document.body, {subtree: true, childList: true, characterData: true});
        }"""
    )
    page.click("#train")
    expect(page.locator("#verdict .ip-verdict, #retry:visible")).to_be_visible()
    assert not page.locator("#retry").is_visible(), page.inner_text("#progress")
    verdict = page.locator("#verdict .ip-verdict")
    expect(verdict).to_contain_text("measured on 8 that no training has seen")
    said = verdict.locator("b").text_content()
    assert said in (
        "Too small to decide.",
        "Keep the model that serves.",
        "Better beyond chance, and no mark got worse: promote it.",
    )
    shown = page.evaluate("window.shown")
    at_it = ("Running", "Loading", "Training", "Measuring")
    assert any(text.startswith(at_it) and button == "resting" for text, button in shown), shown
    compared = page.locator("#models-compared")
    for words in ("comma", "full stop", "question mark", "all marks", "flawless transcripts"):
        expect(compared).to_contain_text(words)
    expect(page.locator("#cancel")).to_be_hidden()
    expect(page.locator("#train")).to_be_enabled()


def promote(page: Page) -> None:
    """Promote the new model; nothing happens before it is confirmed."""
    page.click("#promote")
    expect(page.locator("#question:visible")).to_contain_text("Calls-r1 will make")
    expect(page.locator("#serving")).to_contain_text("starter makes")
    page.click("#yes")
    expect(page.locator("#serving")).to_contain_text("Calls-r1 makes")
