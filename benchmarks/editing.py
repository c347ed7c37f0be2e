"""How long a key takes on Annotate, from the key to the second frame after it.

``python -m benchmarks.editing`` prints one table: texts of several lengths in a real
Chromium on the real server; each figure also as a ratio to the shortest text.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from benchmarks.annotating_world import PASSWORD, make_world
from benchmarks.random_transcripts import random_transcripts
from benchmarks.visiting import Server
from labeling.importing import import_file
from labeling.permissions import SYSTEM

_WATCH = """() => {
  window.__waits = [];
  document.addEventListener('keydown', () => {
    const began = performance.now();
    const note = () => window.__waits.push(performance.now() - began);
    requestAnimationFrame(() => requestAnimationFrame(note));
  }, true);
}"""
"""The first frame after a key may have been under way already; the second shows its effect."""


def waits(page: Page, url: str, keys: int) -> list[float]:
    """Open a transcript, move and set commas, and return what each key took, in ms."""
    page.goto(url)
    page.wait_for_selector("[data-slot]", timeout=120_000)
    page.wait_for_timeout(2_000)
    page.evaluate(_WATCH)
    for _ in range(keys // 2):
        for key in ("ArrowRight", ","):
            page.keyboard.press(key)
            page.wait_for_timeout(30)
    page.wait_for_timeout(1_000)
    return [float(ms) for ms in page.evaluate("window.__waits")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, nargs="+", default=[60, 400, 2000])
    parser.add_argument("--keys", type=int, default=80)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interpunct-benchmark-") as folder:
        home = Path(folder)
        world = make_world(home, 1)
        rows = [
            json.dumps({"text": text, "document": "lengths", "position": at})
            for at, text in enumerate(_texts(options.units))
        ]
        import_file(world.database, SYSTEM, world.project, "\n".join(rows).encode(), name="l.jsonl")
        with Server(home) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=options.chromium,
                args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
            )
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{server.url}/login")
            page.fill("input[name=username]", "alone")
            page.fill("input[name=password]", PASSWORD)
            page.keyboard.press("Enter")
            page.wait_for_selector("[data-slot]", timeout=120_000)
            found = [
                sorted(waits(page, f"{server.url}/?transcript={at + 1}", options.keys))
                for at in range(len(options.units))
            ]
            browser.close()
    print("| units | keys | median | p95 | slowest | median, as a ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    first = median(found[0])
    for units, took in zip(options.units, found, strict=True):
        high = took[int(0.95 * (len(took) - 1))]
        print(
            f"| {units} | {len(took)} | {median(took):.1f} ms | {high:.1f} ms "
            f"| {took[-1]:.1f} ms | {median(took) / first:.2f} |"
        )


def _texts(lengths: list[int]) -> list[str]:
    # Of each list the second text: the first one ends in a space on purpose.
    return [random_transcripts(2, length, random.Random(4))[1] for length in lengths]


if __name__ == "__main__":
    main()
