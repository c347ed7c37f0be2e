"""The database: one way to read, one way to write, and its migrations."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.orm import Session

from db.append_only import guard

BUSY_SECONDS: Final = 30
# A web server's forty handler threads and some background work each hold a connection at once.
POOL_SIZE: Final = 20
POOL_OVERFLOW: Final = 44
# What SQLite says of the file and the disk; the rest of its errors are faults in a statement.
_OUTSIDE: Final = tuple(
    f"SQLITE_{name}" for name in ("FULL", "IOERR", "CANTOPEN", "CORRUPT", "NOTADB", "BUSY")
)
_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_MIGRATION_LOCK: Final = 7_860_001  # any number, the same in every process


class NestedWrite(RuntimeError):
    """A thread asked for a second write transaction inside its first, which would never end."""


class Unstorable(ValueError):
    """A value that this database cannot hold, nor look for: too large a number, or no text.

    Half a surrogate pair is no text to any database, a NUL character none to PostgreSQL;
    both come out of JSON and out of command lines.
    """


class Unavailable(OSError):
    """The database cannot be used just now: the disk is full, or its server does not answer.

    The transaction is rolled back; nothing has changed.
    """


class Database:
    """A database, and the transactions on it.

    On SQLite, readers never wait (WAL), and a writer takes the write lock when it begins,
    so that it can never find out half-way that somebody else wrote: no statement inside a
    transaction fails for a lock. Writers of one process queue for a lock of their own
    first, which wakes the next one at once where SQLite would have it sleep and poll.

    Parameters
    ----------
    url : str
        Any URL that SQLAlchemy reads. SQLite needs a file; its folder is made.

    Raises
    ------
    ValueError
        The URL names a SQLite database in memory, which threads cannot share.
    """

    def __init__(self, url: str) -> None:
        guard()
        self.url: Final = make_url(url)
        self.is_sqlite: Final = self.url.get_backend_name() == "sqlite"
        options: dict[str, Any] = {}
        if self.is_sqlite:
            if self.url.database in (None, "", ":memory:"):
                raise ValueError("Interpunct keeps its SQLite database in a file, not in memory.")
            Path(str(self.url.database)).parent.mkdir(parents=True, exist_ok=True)
            options["connect_args"] = {"timeout": BUSY_SECONDS}
        else:
            options["pool_pre_ping"] = True
        self.engine: Final[Engine] = create_engine(
            self.url,
            pool_size=POOL_SIZE,
            max_overflow=POOL_OVERFLOW,
            pool_timeout=BUSY_SECONDS,
            **options,
        )
        event.listen(self.engine, "handle_error", _name_error)
        if self.is_sqlite:
            event.listen(self.engine, "connect", _set_up_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        self._writer: Final = self.engine.execution_options(writes=True)
        self._reader: Final = (
            self.engine
            if self.is_sqlite
            else self.engine.execution_options(postgresql_readonly=True)
        )
        self._turn: Final = threading.Lock()
        self._turn_of: int | None = None

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a transaction that only reads; what it loaded stays usable afterwards.

        Yields
        ------
        Session
            A session that sees one state of the database throughout (on SQLite). The
            database refuses to write in it.
        """
        with Session(self._reader, autoflush=False, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a transaction that writes: committed at the end, rolled back on an error.

        Yields
        ------
        Session
            A session in one transaction.

        Raises
        ------
        NestedWrite
            This thread is inside a write transaction already.
        """
        with (
            self._take_turn(),
            Session(self._writer, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def _take_turn(self) -> Iterator[None]:
        if not self.is_sqlite:
            yield
            return
        me = threading.get_ident()
        if self._turn_of == me:
            raise NestedWrite("A write transaction was opened inside another one.")
        with self._turn:
            self._turn_of = me
            try:
                yield
            finally:
                self._turn_of = None

    def migrate(self, revision: str = "head") -> None:
        """Bring the tables up (or down) to a revision, in one transaction.

        Two processes that start at once take turns.

        Parameters
        ----------
        revision : str
            ``head``, ``base`` (no tables at all) or the name of a revision.
        """
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        with self._take_turn(), self._writer.connect() as connection:
            if self.is_sqlite:
                # A table that a later migration rebuilds must not take the rows that point to it.
                _pragma(connection, "foreign_keys = OFF")
            try:
                with connection.begin():
                    if not self.is_sqlite:
                        lock = text("SELECT pg_advisory_xact_lock(:key)")
                        connection.execute(lock, {"key": _MIGRATION_LOCK})
                    config.attributes["connection"] = connection
                    step = command.downgrade if revision == "base" else command.upgrade
                    step(config, revision)
            finally:
                if self.is_sqlite:
                    _pragma(connection, "foreign_keys = ON")

    def close(self) -> None:
        """Close all connections that nobody holds."""
        self.engine.dispose()


def _name_error(context: ExceptionContext) -> None:
    """Give what each driver calls otherwise one name, where a person can do something about it."""
    said, known = context.original_exception, context.sqlalchemy_exception
    if isinstance(said, OverflowError | UnicodeEncodeError) or isinstance(known, DataError):
        raise Unstorable(
            "A number is too large, or a text holds characters that cannot be stored."
        ) from said
    name = getattr(said, "sqlite_errorname", None)  # another driver's errors have none
    if isinstance(known, OperationalError) and (name is None or name.startswith(_OUTSIDE)):
        raise Unavailable(f"The database cannot be used: {str(said).strip()}.") from said


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    """Set a new SQLite connection up, and take BEGIN out of the driver's hands."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}").close()
    _use_wal(connection)
    for pragma in (
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "cache_size = -8000",
        "temp_store = MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _use_wal(connection: Any) -> None:
    """Turn write-ahead logging on, waiting for others who do the same with a new file.

    SQLite says at once that the file is locked where two connections make the change together,
    however long its timeout.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorname.startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > until:
                raise
        time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    """Begin as the transaction will go on: writing from the start, or not writing at all.

    A transaction that reads first and writes later is what gives "database is locked"
    at once, however long the timeout; so a reading one may not write.
    """
    writes = connection.get_execution_options().get("writes", False)
    _pragma(connection, f"query_only = {'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _pragma(connection: Connection, pragma: str) -> None:
    driver = connection.connection.dbapi_connection
    assert driver is not None
    driver.execute(f"PRAGMA {pragma}").close()
