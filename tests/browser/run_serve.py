"""The product as `run.py serve` starts it: the server, and the worker that it starts."""

import os
import signal
import time
from pathlib import Path
from typing import Final

from tests.browser.conftest import Server

_GONE_SECONDS: Final = 300


class RunServe(Server):
    """`run.py serve` and all that it starts, in a home of its own without the demo."""

    def __init__(self, home: Path, starter: Path) -> None:
        super().__init__(home)
        self.command = ["run.py", "serve"]
        self.settings = {
            "INTERPUNCT_HOME": str(home),
            "INTERPUNCT_STARTER": str(starter),
            "INTERPUNCT_DEMO": "0",
            "DATABASE_URL": "",
            "REDIS_URL": "",
        }
        self.environment |= self.settings | {"INTERPUNCT_PORT": str(self.port)}

    def processes(self) -> list[int]:
        """Return the ids of all processes that were started with this home and this port."""
        names = ("INTERPUNCT_HOME", "INTERPUNCT_PORT")
        named = {f"{name}={self.environment[name]}".encode() for name in names}
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if named.issubset((process / "environ").read_bytes().split(b"\0")):
                    found.append(int(process.name))
            except OSError:
                continue  # somebody else's, or gone by now
        return found

    def kill(self) -> None:
        """End the server and its worker at once, as a power cut would."""
        for pid in {*self.processes(), *([self.process.pid] if self.process else [])}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if self.process is not None:
            self.process.wait()
            self.log.close()
        end = time.monotonic() + _GONE_SECONDS
        while self.processes():
            assert time.monotonic() < end, "Something outlived the server."
            time.sleep(0.1)
