"""How long a key takes on Annotate, from the key to the second frame after it.

    python -m benchmarks.editing [--units 60 400 2000] [--keys 80] [--rounds 3]

Texts of several lengths in a real Chromium on the real server, in another order each round; each
median also as a ratio to that of the shortest text in the same round.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks.annotating_world import PASSWORD, make_world
from benchmarks.random_transcripts import random_transcripts
from benchmarks.report import SPREAD, ran_on, spread, table
from benchmarks.visiting import Server
from labeling.importing import import_file
from labeling.permissions import SYSTEM
from model.processor import usable_cores

HEADS = ("units", "keys", "median", "p95", "slowest", f"median over the shortest text's: {SPREAD}")

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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--units", type=int, nargs="+", default=[60, 400, 2000])
    parser.add_argument("--keys", type=int, default=80)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    lengths = sorted(set(options.units))
    with tempfile.TemporaryDirectory(prefix="interpunct-benchmark-") as folder:
        home = Path(folder)
        world = make_world(home, 1)
        rows = [
            json.dumps({"text": text, "document": "lengths", "position": at})
            for at, text in enumerate(_texts(lengths))
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
            found: dict[int, list[list[float]]] = {units: [] for units in lengths}
            for number in range(options.rounds):
                for units in random.Random(number).sample(lengths, len(lengths)):
                    url = f"{server.url}/?transcript={lengths.index(units) + 1}"
                    found[units].append(waits(page, url, options.keys))
            browser.close()
    print(f"{options.rounds} rounds; " + ran_on({"the server and the browser": usable_cores()}))
    print("\n".join(table(HEADS, rows_of(found))))


def rows_of(found: dict[int, list[list[float]]]) -> list[list[str]]:
    """Make the table's rows.

    Parameters
    ----------
    found : dict of int to list of list of float
        By the units of a text, the shortest first: for each round, the ms that each key took.

    Returns
    -------
    list of list of str
        One for each text.
    """
    first = [median(took) for took in next(iter(found.values()))]
    rows = []
    for units, rounds in found.items():
        every = np.concatenate(rounds)
        figures = [f"{value:.1f} ms" for value in np.quantile(every, [0.5, 0.95, 1])]
        ratios = [median(took) / short for took, short in zip(rounds, first, strict=True)]
        rows.append([str(units), str(len(every)), *figures, spread(ratios)])
    return rows


def _texts(lengths: list[int]) -> list[str]:
    # Of each list the second text: the first one ends in a space on purpose.
    return [random_transcripts(2, length, random.Random(4))[1] for length in lengths]


if __name__ == "__main__":
    main()
