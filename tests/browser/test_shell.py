"""The shell in a real browser: signing in, roles, languages, themes, history; and programs."""

import pytest
from gradio_client import Client
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, Visit, marks, ready
from tests.webapp.world import PASSWORD

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("language", "scheme"), [("en", "light"), ("nl", "dark"), ("zh-CN", "light")]
)
def test_every_page_opens_for_an_admin_and_nothing_leaves_the_server(
    visit: Visit, server: Server, language: str, scheme: str
) -> None:
    page = visit("ada", "/", language=language, scheme=scheme)
    ready(page)
    for path in ("/history", "/transcripts", "/agreement", "/models", "/people"):
        page.goto(server.url + path)
        # Pages that watch a job never fall silent, so this waits for what is drawn.
        page.wait_for_selector("gradio-app .block")
        expect(page.locator("#ip-header nav a[aria-current]")).to_have_attribute(
            "href", f"{path}?project=1"
        )
        assert page.evaluate("document.documentElement.lang") == language
        dark = page.evaluate("document.body.classList.contains('dark')")
        assert dark == (scheme == "dark")
        # No key without its string, on any page.
        assert not page.get_by_text("__i18n__").count()


def test_a_wrong_role_is_refused_by_address_and_by_route(visit: Visit, server: Server) -> None:
    page = visit("lotte", "/")
    for path in ("/people", "/models", "/agreement", "/transcripts"):
        answer = page.goto(server.url + path)
        assert answer is not None
        assert answer.status == 403
        assert "This page is not for your role" in page.inner_text("main")
    answer = page.request.post(f"{server.url}/api/transcripts/1/decide", data={"labels": [0]})
    assert answer.status == 403


def test_language_and_theme_are_chosen_in_the_header(visit: Visit) -> None:
    page = visit("lars", "/")
    ready(page)
    page.select_option("#ip-language", "nl")
    expect(page.locator("nav a").first).to_have_text("Annoteren")
    ready(page)
    expect(page.locator("[data-is=submit]")).to_contain_text("Indienen en verder")
    page.click("#ip-theme")
    assert page.evaluate("document.body.classList.contains('dark')")
    page.reload()
    ready(page)
    assert page.evaluate("document.body.classList.contains('dark')")


def test_a_lead_sees_the_difference_and_decides(visit: Visit, server: Server) -> None:
    for name, mark in (("lotte", ","), ("lars", ".")):
        page = visit(name, "/?project=2")
        ready(page)
        page.keyboard.press("Control+Home")
        page.keyboard.type(mark)
        page.keyboard.press("Control+Enter")
        page.wait_for_function(
            "document.querySelector('[data-is=notice]').textContent.startsWith('Submitted.')"
        )
    lead = visit("lea", "/history?project=2&slot=0")
    lead.wait_for_selector(".ip-side mark.ip-found")
    assert lead.locator(".ip-side mark").all_text_contents() == [",", "."]
    assert "comma → full stop" in lead.inner_text(".ip-differences")
    lead.get_by_role("button", name="Decide, from the right side").click()
    lead.wait_for_selector(".ip-decide:not([hidden])")
    lead.keyboard.press("Control+Home")
    lead.keyboard.type("?")
    lead.keyboard.press("Control+Enter")
    expect(lead.locator("#versions")).to_contain_text("Decision 1 by lea")
    # Bringing somebody's version back is a decision too; their own versions stay.
    choose(lead, "Right side", "Version 1 by lotte")
    lead.get_by_role("button", name="Bring the right side back").click()
    expect(lead.locator("#versions")).to_contain_text("Decision 2 by lea")
    annotator = visit("lotte", "/history?project=2")
    annotator.wait_for_selector(".ip-side")
    assert "lars" not in annotator.inner_text("gradio-app")
    assert "Decision" not in annotator.inner_text("#versions")


def choose(page: Page, label: str, option: str) -> None:
    """Pick from one of Gradio's dropdowns."""
    page.get_by_label(label).click()
    page.get_by_role("option", name=option).click()


def test_programs_work_through_gradio_client(server: Server) -> None:
    client = Client(server.url, auth=("ada", PASSWORD), verbose=False)
    work = client.predict(1, api_name="/next")["work"]
    labels = [1, *work["labels"][1:]]
    number = client.predict(
        work["transcript_id"], labels, work["draft_number"], api_name="/save_draft"
    )
    assert number == work["draft_number"] + 1
    version = client.predict(
        work["transcript_id"], labels, work["based_on"], 3.5, api_name="/submit"
    )
    assert version == 1
    engineer = Client(server.url, auth=("eva", PASSWORD), verbose=False)
    with pytest.raises(Exception, match="not for your role"):
        engineer.predict(1, api_name="/next")


def test_gradio_client_is_refused_a_wrong_password(server: Server) -> None:
    with pytest.raises(Exception, match="Invalid credentials"):
        Client(server.url, auth=("ada", "wrong-horse"), verbose=False)


def test_an_empty_queue_says_so(visit: Visit) -> None:
    page = visit("lars", "/?project=1")
    for _ in range(3):
        ready(page)
        count = len(marks(page))
        page.click("[data-is=submit]")
        page.wait_for_function(
            f"""document.querySelector('.ip-bench').dataset.state === 'empty' ||
            document.querySelectorAll('[data-is=text] [data-slot]').length !== {count}"""
        )
    page.wait_for_selector(".ip-bench[data-state=empty]")
    assert "All done for now" in page.inner_text(".ip-bench")
