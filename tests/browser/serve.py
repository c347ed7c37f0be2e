"""The server of the browser tests: `serve.py HOME PORT`; the home is filled on first start."""

import sys
from pathlib import Path

import uvicorn

from db.settings import Settings
from tests.webapp.world import fill, new_database
from webapp.app import create_app

if __name__ == "__main__":
    home = Path(sys.argv[1])
    fresh = not (home / "interpunct.db").exists()
    database = new_database(home)
    if fresh:
        fill(database)
    uvicorn.run(
        create_app(database, Settings(home=home)),
        host="127.0.0.1",
        port=int(sys.argv[2]),
        log_level="warning",
    )
