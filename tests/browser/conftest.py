"""A real server in a process of its own, and Chromium to visit it with."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.webapp.world import PASSWORD

ROOT = Path(__file__).parents[2]
SERVE = str(Path(__file__).with_name("serve.py"))
START_SECONDS = 300


class Server:
    """The product, as `run.py` would serve it, over the small world of `tests/webapp`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.command = ["-W", "ignore", SERVE, str(self.home), str(self.port)]
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "INTERPUNCT_HOME": str(self.home),
        }

    def start(self) -> None:
        """Start, and wait until it answers."""
        self.log = (self.home / "server.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, *self.command],
            cwd=ROOT,
            env=self.environment,
            stdout=self.log,
            stderr=self.log,
        )
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/health", timeout=2).close()
                return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError((self.home / "server.log").read_text("utf-8", "replace"))

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("home"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        if found is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("No Chromium here: install it, or run `playwright install chromium`.")
        browser = playwright.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
        )
        yield browser
        browser.close()


Visit = Callable[..., Page]


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Visit]:
    """Return a function that signs somebody in, in a browser of their own.

    Errors in the pages' scripts, and requests that leave the server, fail the test.
    """
    contexts: list[BrowserContext] = []
    troubles: list[str] = []

    def visit(name: str, path: str = "/", *, language: str = "en", scheme: str = "light") -> Page:
        context = chromium.new_context(
            locale=language, color_scheme=scheme, viewport={"width": 1280, "height": 800}
        )
        contexts.append(context)
        inside = (server.url, "data:", "blob:")
        context.on(
            "request",
            lambda r: None if r.url.startswith(inside) else troubles.append(f"left: {r.url}"),
        )
        context.on("weberror", lambda e: troubles.append(str(e.error)))
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.goto(server.url + path)
        page.fill("#username", name)
        page.fill("#password", PASSWORD)
        page.press("#password", "Enter")
        page.wait_for_url(server.url + path)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert troubles == []


def ready(page: Page) -> None:
    """Wait until the editor shows a transcript."""
    page.wait_for_selector(".ip-bench[data-state=ready]")


def marks(page: Page) -> list[str]:
    """Return what is drawn in every slot, "" for none."""
    slots = page.locator("[data-is=text] [data-slot]").all_text_contents()
    return [text.strip("\u2060 ") for text in slots]


def here(page: Page) -> str:
    """Return what the editor says of the current slot."""
    return page.locator(".ip-bench:not(.ip-decide) [data-is=here]").text_content() or ""


def saved(page: Page) -> None:
    """Wait until the editor says that the draft is saved."""
    page.wait_for_selector("[data-is=saved][data-state=saved]")
