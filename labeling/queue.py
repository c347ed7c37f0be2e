"""The queue that wakes the worker. What there is to do stands in the database, not in it."""

import logging
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from huey import Huey, RedisHuey, SqliteHuey, crontab

from db.engine import Database
from db.settings import Settings
from labeling.errors import BadInput
from labeling.home import home_of

_NAME: Final = "interpunct"
log: Final = logging.getLogger(__name__)


class Queue(NamedTuple):
    """A Huey queue, and what puts a message into it that makes the worker look for work."""

    huey: Huey
    wake: Callable[[], Any]


def make_queue(home: Path, redis_url: str = "", work: Callable[[], None] | None = None) -> Queue:
    """Make a queue: on Redis if a URL is given, else in a SQLite file in the home folder.

    Parameters
    ----------
    home : Path
        The home folder; made where it is not there.
    redis_url : str
        Where Redis is; may be empty.
    work : callable, optional
        What the worker does when it is woken, and every minute; only the worker says.

    Returns
    -------
    Queue

    Raises
    ------
    BadInput
        Redis is asked for and cannot be used.
    """
    huey: Huey
    if redis_url:
        try:
            huey = RedisHuey(_NAME, url=redis_url, results=False, read_timeout=1)
        except Exception as error:
            reason = str(error)
            raise BadInput(
                "no_redis", f"The queue on Redis cannot be used: {reason}", reason=reason
            ) from None
    else:
        home.mkdir(parents=True, exist_ok=True)
        huey = SqliteHuey(_NAME, filename=str(home / "queue.db"), results=False, timeout=30)

    # Sender and worker know the task by this one name; only the worker has something to do.
    def wake() -> None:
        if work is not None:
            work()

    def look() -> None:
        wake()

    # While a long job runs, the minutes pile up; what is this old, a later one has overtaken.
    huey.periodic_task(crontab(minute="*"), expires=30)(look)
    return Queue(huey, huey.task(expires=3600)(wake))


def wake_worker(database: Database) -> None:
    """Tell the worker to look for waiting jobs.

    A queue that cannot be reached is no reason to refuse the work: the job stands in the
    database, and the worker looks there every minute by itself.
    """
    try:
        _sender(home_of(database), Settings().redis_url).wake()
    except Exception:
        log.warning("The worker could not be told of new work; it will look by itself.")


@lru_cache(maxsize=8)
def _sender(home: Path, redis_url: str) -> Queue:
    return make_queue(home, redis_url)
