"""The slot editor in a real browser: keys, input methods, mouse, undo."""

import re

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Server, Visit, here, marks, ready, saved

pytestmark = pytest.mark.browser
DUTCH = "/?project=2"
CHINESE = "/?project=1"


def type_in(page: Page, text: str) -> None:
    """Compose letters in an input method, then confirm `text`, as a Chinese one does."""
    cdp = page.context.new_cdp_session(page)
    for letters in ("n", "ni", "nih", "niha", "nihao"):
        cdp.send(
            "Input.imeSetComposition",
            {"text": letters, "selectionStart": len(letters), "selectionEnd": len(letters)},
        )
    cdp.send("Input.insertText", {"text": text})
    cdp.detach()


def test_three_slots_by_keyboard_then_submit(visit: Visit, server: Server) -> None:
    page = visit("lotte", DUTCH)
    ready(page)
    before = marks(page)
    first = here(page)
    assert "suggested" in first
    page.keyboard.press("Tab")
    assert here(page) != first
    page.keyboard.type(",")
    assert "comma, changed by you" in here(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.type(".")
    page.keyboard.press("Tab")
    page.keyboard.type("?")
    after = marks(page)
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert [new for _, new in changed] == [",", ".", "?"]
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "document.querySelector('[data-is=progress]').textContent.includes('1 ·')"
    )
    ready(page)
    assert marks(page) != after
    page.goto(f"{server.url}/history?project=2")
    page.wait_for_selector(".ip-side")
    assert page.locator(".ip-compare-count").text_content() == "Differences: 3"
    assert page.locator(".ip-side").nth(1).locator("mark").all_text_contents() == [",", ".", "?"]


def test_undo_and_redo_go_all_the_way(visit: Visit) -> None:
    page = visit("lars", DUTCH)
    ready(page)
    start = marks(page)
    for key in (",", "ArrowRight", ".", "ArrowRight", "?", "Tab", "Space", "Backspace", "Delete"):
        page.keyboard.press(key)
    end = marks(page)
    assert end != start
    for _ in range(9):
        page.keyboard.press("Control+z")
    assert marks(page) == start
    for _ in range(9):
        page.keyboard.press("Control+Shift+z")
    assert marks(page) == end
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+y")
    assert marks(page) == end
    page.keyboard.press("Control+z")
    page.keyboard.press("Home")
    page.keyboard.press(".")  # a new change ends what could be redone
    new = marks(page)
    page.keyboard.press("Control+y")
    assert marks(page) == new


def test_moving(visit: Visit) -> None:
    page = visit("ada", DUTCH)
    ready(page)
    page.set_viewport_size({"width": 480, "height": 800})  # so that the text has several lines

    def at() -> int:
        return int(page.locator(".ip-current").get_attribute("data-slot") or -1)

    page.keyboard.press("Control+Home")
    assert at() == 0
    page.keyboard.press("ArrowLeft")
    assert at() == 0
    page.keyboard.press("End")
    end_of_line = at()
    assert end_of_line > 3
    page.keyboard.press("ArrowDown")
    assert at() > end_of_line
    page.keyboard.press("ArrowUp")
    assert at() <= end_of_line
    page.keyboard.press("Home")
    assert at() == 0
    page.keyboard.press("Control+End")
    last = at()
    assert last == len(marks(page)) - 1
    page.keyboard.press("Shift+Tab")
    assert at() < last
    assert "ip-doubt" in (page.locator(".ip-current").get_attribute("class") or "")


@pytest.mark.parametrize(
    ("typed", "drawn"),
    [("，", "，"), ("。", "。"), ("？", "？"), (",", "，"), (".", "。"), ("?", "？")],
)
def test_marks_from_an_input_method(visit: Visit, typed: str, drawn: str) -> None:
    page = visit("lea", CHINESE)
    ready(page)
    page.keyboard.press("Control+Home")
    type_in(page, typed)
    assert marks(page)[0] == drawn
    page.keyboard.press("Space")
    assert marks(page)[0] == ""
    page.evaluate("document.querySelector('[data-is=sink]').focus()")
    page.keyboard.insert_text(typed)  # not composing
    assert marks(page)[0] == drawn
    page.keyboard.press("Space")
    saved(page)


def test_composing_words_triggers_nothing(visit: Visit) -> None:
    page = visit("lea", CHINESE)
    ready(page)
    page.keyboard.press("Control+Home")
    before = marks(page)
    place = here(page)
    for committed in ("你好", "nihao", "你好，", "a.b"):
        type_in(page, committed)
    # Letters without an input method, and keys while one is composing.
    page.keyboard.type("abcxyzjk")
    cdp = page.context.new_cdp_session(page)
    cdp.send("Input.imeSetComposition", {"text": "ni hao", "selectionStart": 6, "selectionEnd": 6})
    for key, code in (("Enter", 13), (" ", 32), ("Backspace", 8), ("ArrowRight", 39), ("z", 90)):
        for kind in ("rawKeyDown", "keyUp"):
            # While composing, browsers give every key the code 229.
            cdp.send(
                "Input.dispatchKeyEvent",
                {"type": kind, "key": key, "windowsVirtualKeyCode": 229, "code": str(code)},
            )
    cdp.send("Input.insertText", {"text": "你好"})
    cdp.detach()
    assert marks(page) == before
    assert here(page) == place
    page.keyboard.type(".")  # and the editor still listens afterwards
    assert marks(page)[0] == "。"
    page.keyboard.press("Control+z")
    saved(page)


def test_mouse_cycles_and_picks(visit: Visit) -> None:
    page = visit("ada", CHINESE)
    ready(page)
    page.keyboard.press("Control+Home")
    page.keyboard.press("Backspace")
    page.keyboard.press("End")
    slot = page.locator('[data-slot="0"]')
    seen = []
    for _ in range(4):
        slot.click()
        seen.append(marks(page)[0])
    assert seen == ["，", "。", "？", ""]
    slot.click(button="right")
    page.get_by_role("menuitemradio", name="question mark").click()
    assert marks(page)[0] == "？"
    slot.click(button="right")
    page.keyboard.press("Escape")
    assert not page.locator("[data-is=picker]").is_visible()
    page.keyboard.type(",")  # the focus is back
    assert marks(page)[0] == "，"
    saved(page)


def test_a_mark_that_the_project_lacks_is_refused_in_words(visit: Visit) -> None:
    page = visit("lars", CHINESE)
    ready(page)
    before = marks(page)
    page.keyboard.type("！")
    assert here(page) == "This project does not use: exclamation mark"
    assert marks(page) == before


def test_keys_find_the_editor_without_a_click(visit: Visit) -> None:
    page = visit("lars", CHINESE)
    ready(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Control+Home")
    assert page.locator(".ip-current").get_attribute("data-slot") == "0"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type("?")
    assert marks(page)[0] == "？"
    page.keyboard.press("Control+z")
    saved(page)


def test_help_opens_and_closes(visit: Visit) -> None:
    page = visit("lars", CHINESE)
    ready(page)
    page.keyboard.press("F1")
    assert page.locator("[data-is=help]").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("[data-is=help]").is_visible()
    page.keyboard.type(",")
    assert "comma" in here(page)


def test_slots_say_what_they_are(visit: Visit) -> None:
    page = visit("lotte", CHINESE)
    ready(page)
    slots = page.locator("[data-is=text] [data-slot]").evaluate_all(
        "slots => slots.map(s => [s.getAttribute('role'), s.getAttribute('aria-label')])"
    )
    assert {role for role, _ in slots} == {"button"}
    assert all(re.fullmatch(r"After “.+”: .+, suggested, \d+ %", name) for _, name in slots)
    assert any(": comma, " in name for _, name in slots)
