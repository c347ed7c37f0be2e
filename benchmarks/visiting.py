"""The real server in a process of its own, and people who visit it as their browsers do."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 300
STOP_SECONDS = 90


class Refusal(RuntimeError):
    """The server answered something else than what was asked for."""


class Server:
    """`run.py serve` on a free port of this machine, without the demo, in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.log = home / "server.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        elsewhere = ("DATABASE_URL", "REDIS_URL")  # nobody's real data is measured on
        env = {key: value for key, value in os.environ.items() if key not in elsewhere}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(ROOT / "run.py"), "serve", "--port", str(port)],
                cwd=ROOT,
                env=env | {"INTERPUNCT_HOME": str(home), "INTERPUNCT_DEMO": "0"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            try:
                httpx.get(f"{self.url}/health", timeout=5).raise_for_status()
                return self
            except httpx.HTTPError:
                time.sleep(0.2)
        self.__exit__()
        raise RuntimeError(f"The server did not start:\n{self.log.read_text('utf-8', 'replace')}")

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def processor_seconds(self) -> float:
        """Return how long the server has computed so far; not a number where none can tell."""
        try:
            after_name = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2]
        except OSError:
            return float("nan")
        user, system = after_name.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def errors(self) -> list[str]:
        """Return the lines of the server's log that tell of an error."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        signs = ("Traceback", "ERROR", "CRITICAL", "locked")
        return [line for line in lines if any(sign in line for sign in signs)]


class Lap(NamedTuple):
    """What a step took: seconds by the clock, and seconds that the server computed."""

    seconds: float
    processor: float


class Watch:
    """A stopwatch that also reads how long a server computed."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._before = self._read()

    def lap(self) -> Lap:
        """Return what was taken since the lap before."""
        now = self._read()
        lap = Lap(now.seconds - self._before.seconds, now.processor - self._before.processor)
        self._before = self._read()
        return lap

    def _read(self) -> Lap:
        return Lap(time.perf_counter(), self._server.processor_seconds())


class Visitor:
    """Somebody signed in, with a browser's cookies and connections."""

    def __init__(self, server: Server, name: str, password: str) -> None:
        self._client = httpx.Client(
            base_url=server.url,
            headers={"Origin": server.url, "Sec-Fetch-Site": "same-origin"},
            timeout=300,
            trust_env=False,
        )
        form = {"username": name, "password": password, "next": "/"}
        answer = self._client.post("/login", data=form)
        if answer.status_code != 303:
            raise Refusal(f"/login: {answer.status_code} {answer.text[:300]}")
        self._session = secrets.token_hex(6)
        self._events: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the browser."""
        self._client.close()

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Call one of the JSON routes that the slot editor calls."""
        return self._answer(self._client.post(path, json=body)).json()

    def look(self, path: str) -> None:
        """Read a page or a route."""
        self._answer(self._client.get(path))

    def event(self, name: str, *data: Any) -> list[Any]:
        """Do what a press of a button on a Gradio page does: join the queue, read the stream."""
        body = {
            "data": data,
            "event_data": None,
            "fn_index": self.event_number(name),
            "trigger_id": None,
            "session_hash": self._session,
        }
        event_id = self._answer(self._client.post("/gradio_api/queue/join", json=body)).json()
        query = {"session_hash": self._session}
        with self._client.stream("GET", "/gradio_api/queue/data", params=query) as stream:
            for line in stream.iter_lines():
                message = json.loads(line.removeprefix("data:")) if line else {}
                if message.get("msg") != "process_completed":
                    continue
                if message["event_id"] == event_id["event_id"] and message["success"]:
                    return message["output"]["data"]
                raise Refusal(f"{name}: {message['output']}")
        raise Refusal(f"{name}: the stream ended without an answer")

    def upload(self, path: Path) -> dict[str, Any]:
        """Hand a file over, as a page's file box does; return what names it in an event."""
        with path.open("rb") as file:
            files = {"files": (path.name, file, "text/plain")}
            answer = self._answer(self._client.post("/gradio_api/upload", files=files))
        return {
            "path": answer.json()[0],
            "orig_name": path.name,
            "size": path.stat().st_size,
            "meta": {"_type": "gradio.FileData"},
        }

    def download(self, file: dict[str, Any]) -> bytes:
        """Take a file away that an event offers."""
        return self._answer(self._client.get(f"/gradio_api/file={file['path']}")).content

    def event_number(self, name: str) -> int:
        """Return an event's number, which a browser reads from the page that it has open."""
        if not self._events:
            config = self._answer(self._client.get("/config")).json()
            for number, event in enumerate(config["dependencies"]):
                self._events[event["api_name"]] = event.get("id", number)
        return self._events[name]

    @staticmethod
    def _answer(answer: httpx.Response) -> httpx.Response:
        if answer.status_code != 200:
            raise Refusal(f"{answer.url.path}: {answer.status_code} {answer.text[:300]}")
        return answer
