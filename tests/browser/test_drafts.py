"""Nothing that was typed is lost: killed servers, two tabs, skipped transcripts."""

import pytest

from tests.browser.conftest import Server, Visit, marks, ready, saved

pytestmark = pytest.mark.browser
DUTCH = "/?project=2"


def test_a_killed_server_loses_nothing(visit: Visit, server: Server) -> None:
    page = visit("lotte", DUTCH)
    ready(page)
    page.keyboard.press("Control+Home")
    page.keyboard.type(",")
    saved(page)
    server.kill()
    page.keyboard.press("ArrowRight")
    page.keyboard.type("?")
    page.wait_for_selector("[data-is=saved][data-state=offline]")
    assert "kept in this browser" in (page.locator("[data-is=saved]").text_content() or "")
    server.start()
    saved(page)  # by itself, still signed in
    page.reload()
    ready(page)
    assert marks(page)[:2] == [",", "?"]


def test_a_tab_closed_while_the_server_is_down_loses_nothing(visit: Visit, server: Server) -> None:
    page = visit("lars", DUTCH)
    ready(page)
    page.keyboard.press("Control+Home")
    page.keyboard.type("?")
    saved(page)
    server.kill()
    page.keyboard.type(".")
    page.wait_for_selector("[data-is=saved][data-state=offline]")
    context = page.context
    page.close()
    server.start()
    page = context.new_page()
    page.goto(server.url + DUTCH)
    ready(page)
    assert marks(page)[0] == "."
    assert "had kept are back" in (page.locator("[data-is=notice]").text_content() or "")
    saved(page)


def test_the_last_key_before_leaving_is_saved(visit: Visit, server: Server) -> None:
    page = visit("lea", DUTCH)
    ready(page)
    page.keyboard.press("Control+Home")
    page.keyboard.type(",")
    page.goto(f"{server.url}/history")  # at once: the debounce has not run out
    page.evaluate("localStorage.clear()")  # nor is it this browser's second net that helps
    page.goto(server.url + DUTCH)
    ready(page)
    assert marks(page)[0] == ","


@pytest.mark.parametrize("choice", ["keep-mine", "keep-theirs"])
def test_two_tabs_show_both_and_overwrite_nothing(
    visit: Visit, server: Server, choice: str
) -> None:
    one = visit("ada", DUTCH)
    ready(one)
    two = one.context.new_page()
    two.goto(server.url + DUTCH)
    ready(two)
    two.keyboard.press("Control+Home")
    two.keyboard.type("?")
    saved(two)
    one.bring_to_front()
    one.keyboard.press("Control+Home")
    one.keyboard.type(".")
    one.wait_for_selector("[data-is=conflict][open] .ip-side")
    sides = one.locator("[data-is=conflict] .ip-side mark").all_text_contents()
    assert sides == ["?", "."]
    # Nothing is decided by a stray key.
    one.keyboard.press("Escape")
    one.keyboard.press("Space")
    assert one.locator("[data-is=conflict]").is_visible()
    two.reload()
    ready(two)
    assert marks(two)[0] == "?"
    one.click(f"[data-is={choice}]")
    saved(one)
    expected = "." if choice == "keep-mine" else "?"
    assert marks(one)[0] == expected
    two.reload()
    ready(two)
    assert marks(two)[0] == expected
    two.keyboard.press("Control+Home")
    two.keyboard.press("Space")
    saved(two)


def test_submitting_shows_what_another_tab_typed_first(visit: Visit, server: Server) -> None:
    one = visit("lotte", DUTCH)
    ready(one)
    two = one.context.new_page()
    two.goto(server.url + DUTCH)
    ready(two)
    mark = "?" if marks(two)[0] != "?" else "."
    two.keyboard.press("Control+Home")
    two.keyboard.type(mark)
    saved(two)
    two.close()
    one.bring_to_front()
    one.keyboard.press("Control+Enter")  # as it stood before the other tab's work
    one.wait_for_selector("[data-is=conflict][open] .ip-side")
    one.click("[data-is=keep-theirs]")
    assert marks(one)[0] == mark
    one.keyboard.press("Control+Enter")
    one.wait_for_function("document.querySelector('[data-is=notice]').textContent !== ''")
    assert not one.locator("[data-is=conflict]").is_visible()


def test_skipping_asks_why_and_goes_on(visit: Visit) -> None:
    page = visit("lea", "/?project=1")
    ready(page)
    before = marks(page)
    page.click("[data-is=skip]")
    page.get_by_role("button", name="Another language").click()
    page.click("[data-is=reason-go]")
    page.wait_for_function("document.querySelector('[data-is=notice]').textContent === 'Skipped.'")
    ready(page)
    assert marks(page) != before
