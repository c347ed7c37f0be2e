"""Take the pictures of the guides again, from a server that shows the demo.

``python docs/pictures/take.py ADDRESS HOME [NAME ...]``, where HOME is the server's home
folder, fresh but for a round of the Dutch demo project; the passwords are in its
``first-sign-in.txt``. Corrections that the pictures show are saved as drafts there.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER: Final = Path(__file__).parent
SIZE: Final = (1280, 800)
Sight = Callable[[Page], None]


def ready(page: Page) -> None:
    """Wait for the editor, and for its suggestion."""
    page.wait_for_selector(".ip-bench[data-state=ready] [data-slot]")
    page.wait_for_selector("[data-is=text] .ip-doubt-1, [data-is=text] .ip-doubt-2", timeout=20_000)


def correct(page: Page, marks: dict[str, str], stay: str) -> None:
    """Set a mark after each of these words, then go to the slot after `stay`."""
    texts = page.locator("[data-is=text] [data-unit]").all_text_contents()
    starts = [sum(map(len, texts[:i])) for i in range(len(texts) + 1)]
    for words, mark in [*marks.items(), (stay, "")]:
        end = "".join(texts).index(words) + len(words)
        page.click(f"[data-is=text] [data-unit='{starts.index(end) - 1}']")
        if mark:
            page.keyboard.insert_text(mark)
    page.wait_for_selector("[data-is=saved][data-state=saved]")


def dutch(page: Page) -> None:
    """Correct some of a Dutch transcript."""
    ready(page)
    marks = {"rustigvanwordt": ",", "schoffelen": ".", "haha": ",", "hoofd": ",", "voorterug": ","}
    correct(page, marks | {"terughè": "."}, "nietthuisis")


def chinese(page: Page) -> None:
    """Correct some of a Chinese transcript."""
    ready(page)
    marks = {"我先说一下": "，", "就收摊": "。", "晚上不做": "。", "为什么不做": "？"}
    correct(page, marks, "五点开门")


def agreement(page: Page) -> None:
    """Wait for the figures and both plots."""
    page.wait_for_selector("#kappas .js-plotly-plot")
    page.wait_for_selector("#agreement-slots tbody a", state="attached")


def models(page: Page) -> None:
    """Wait for the table of a round."""
    page.get_by_text("all marks (micro)").first.wait_for()


def history(page: Page) -> None:
    """Wait for both sides."""
    page.wait_for_selector(".ip-side mark.ip-diff")


PICTURES: Final[dict[str, tuple[str, str, Sight]]] = {
    "annotate-nl": ("anna", "/?transcript=10&project=1", dutch),
    "annotate-zh": ("lin", "/?transcript=82&project=2", chinese),
    "agreement": ("lea", "/agreement?project=1", agreement),
    "models": ("eve", "/models?project=1", models),
    "history": ("lea", "/history?transcript=16&slot=1&project=1", history),
}


def take(browser: Browser, address: str, passwords: dict[str, str], name: str) -> Path:
    """Take one picture, in few colours, so that it stays small."""
    person, path, sight = PICTURES[name]
    context = browser.new_context(
        locale="en", color_scheme="light", viewport={"width": SIZE[0], "height": SIZE[1]}
    )
    page = context.new_page()
    page.set_default_timeout(180_000)
    page.goto(address + path)
    page.fill("#username", person)
    page.fill("#password", passwords[person])
    page.press("#password", "Enter")
    page.wait_for_selector("#ip-header")
    sight(page)
    page.wait_for_timeout(3000)  # what moves comes to rest
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.png"
        page.screenshot(path=raw)
        picture = FOLDER / f"{name}.png"
        whole = Image.open(raw).convert("RGB")
        small = whole.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        small.save(picture, optimize=True)
    context.close()
    return picture


def main(address: str, home: str, *names: str) -> None:
    """Take all pictures, or those that are named."""
    lines = (Path(home) / "first-sign-in.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line.startswith("  ")]
    passwords = {row[0]: row[2] for row in rows}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
        )
        for name in names or PICTURES:
            picture = take(browser, address, passwords, name)
            print(f"{picture.name}: {picture.stat().st_size} bytes", flush=True)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
