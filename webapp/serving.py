"""Starting everything: home, database, starter, demo, the worker beside it, and the server."""

import contextlib
import logging
import os
import signal
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import uvicorn
from filelock import FileLock

from db.engine import Database
from db.settings import Settings
from labeling.errors import BadInput
from labeling.first_sign_in import ADMIN_NAME, FILE, FirstPerson, make_first_people
from labeling.opening import open_database
from labeling.tasks import PARENT

UPLOADS_KEPT: Final = 24 * 60 * 60  # seconds; uploads and exports hold what people said
_STOP_SECONDS: Final = 45  # the worker gives the step in hand thirty
log: Final = logging.getLogger(__name__)


def serve(
    settings: Settings,
    *,
    host: str | None = None,
    port: int | None = None,
    worker_command: Sequence[str] = (),
    say: Callable[[str], None] = print,
) -> None:
    """Serve until told to stop (SIGINT or SIGTERM).

    Parameters
    ----------
    settings : Settings
        Of this installation.
    host, port
        Where to listen; what the settings say if None.
    worker_command : sequence of str
        What starts the worker, which ends with this process, however this one ends. None
        is started if empty.
    say : callable
        Gets each line that is for people.

    Raises
    ------
    BadInput
        The address cannot be used, or the home folder cannot be written.
    """
    _log_to_terminal()
    signal.signal(signal.SIGTERM, _end)
    listener = _listen(host or settings.host, settings.port if port is None else port)
    with listener:
        database, people = prepare(settings)
        keep_files_at_home(settings.home)  # before Gradio is imported
        from webapp.app import create_app

        # Gradio says so although nobody asked for its server-side rendering.
        warnings.filterwarnings("ignore", message="SSR mode is not supported")
        app = create_app(database, settings)
        worker = WorkerProcess(worker_command) if worker_command else None

        def ready() -> None:
            _welcome(settings.home, _address(listener), people, say)
            # Not before: on a small machine everything that is loaded keeps the page waiting.
            threading.Thread(target=_warm_up, args=(database,), daemon=True).start()
            if worker is not None:
                worker.start()

        try:
            _Server(app, ready).run(sockets=[listener])
        except (KeyboardInterrupt, SystemExit):
            pass
        finally:
            if worker is not None:
                worker.stop()
            database.close()


def prepare(settings: Settings) -> tuple[Database, list[FirstPerson]]:
    """Make the home folder, the database, and at the first start the people and the demo.

    Returns
    -------
    Database
        Migrated, with the starter registered.
    list of FirstPerson
        Who was made now, with their passwords.
    """
    database = open_database(settings, make=True)
    # Two servers of one home that start together take turns: the passwords that one writes
    # down must not be those that the other one set.
    with FileLock(settings.home / "first-start.lock"):
        people = make_first_people(
            database, settings.home, demo=settings.demo, admin_password=settings.admin_password
        )
        if settings.demo:
            from labeling.demo import make_demo

            make_demo(database)
    return database, people


def keep_files_at_home(home: Path) -> None:
    """Have Gradio keep what people upload and download in the home folder, for its owner only.

    Its own place is a folder in the system's temporary one, which everybody on the machine
    can read; transcripts of patients have no business there.
    """
    folder = home / "uploads"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    # Gradio clears away what this process keeps, not what one left behind that was killed.
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if file.is_file() and file.stat().st_mtime < time.time() - UPLOADS_KEPT:
                file.unlink()
    os.environ.setdefault("GRADIO_TEMP_DIR", str(folder))


class WorkerProcess:
    """The worker as a child process: started again if it dies, ended with this one.

    Parameters
    ----------
    command : sequence of str
        What starts it.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command: Final = list(command)
        # As the user set it: the engine adds to this process's own, by what this one may use.
        self._environment: Final = {**os.environ, PARENT: str(os.getpid())}
        self._stopping: Final = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: Final = threading.Lock()

    def start(self) -> None:
        """Start it, and watch over it."""
        self._spawn()
        threading.Thread(target=self._watch, name="worker watch", daemon=True).start()

    @property
    def pid(self) -> int | None:
        """The process's id, while there is one."""
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        """End it: politely, so that a job in hand is kept to go on with; by force if it hangs."""
        with self._lock:
            self._stopping.set()
            process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _spawn(self) -> None:
        with self._lock:
            if self._stopping.is_set():
                return
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                env=self._environment,
                # Ctrl+C in the terminal is for the server, which then ends the worker.
                start_new_session=True,
            )

    def _watch(self) -> None:
        pause = 1.0
        while not self._stopping.is_set():
            process = self._process
            assert process is not None
            code = process.wait()
            if self._stopping.wait(pause):
                return
            log.warning("The worker ended (%s); it is started again.", code)
            pause = min(60.0, 2 * pause)
            self._spawn()


class _Server(uvicorn.Server):
    def __init__(self, app: Any, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3, lifespan="on")
        )
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if not self.should_exit:
            self._ready()


def _log_to_terminal() -> None:
    """Log to the standard error: what goes wrong, and once how the engine is set up."""
    logging.basicConfig(format="%(levelname)s: %(message)s")
    logging.getLogger("model.processor").setLevel(logging.INFO)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _unusable(host, port, error) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, OverflowError) as error:
        listener.close()
        raise _unusable(host, port, error) from None
    return listener


def _unusable(host: str, port: int, error: Exception) -> BadInput:
    why = getattr(error, "strerror", None) or str(error)
    return BadInput("bad_address", f"{host}:{port} cannot be listened on: {why}.", reason=why)


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _welcome(
    home: Path, address: str, people: Sequence[FirstPerson], say: Callable[[str], None]
) -> None:
    say(f"Interpunct is ready: {address}")
    path = home / FILE
    admin = next((person for person in people if person.name == ADMIN_NAME), None)
    if admin is not None:
        say(f"Sign in as {admin.name} with the password {admin.password} (shown this once).")
    if len(people) > 1:
        say(f"The demo's annotators, lead and engineer, with their passwords: {path}")
    elif path.exists():
        say(f"The names and passwords of the first start: {path}")
    say("Ctrl+C stops it.")


def _warm_up(database: Database) -> None:
    """Load the models that serve, so that the first suggestion does not wait for them."""
    try:
        from labeling.models import serving_folders
        from model.predictor import load_predictor

        for folder in serving_folders(database):
            load_predictor(folder)
    except Exception:
        log.exception("The model could not be loaded; pages work without suggestions")


def _end(_number: int, _frame: Any) -> NoReturn:
    raise SystemExit(0)
