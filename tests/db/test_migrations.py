"""The migrations make exactly the tables that the code reads, and can be taken back."""

import subprocess
import sys
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from db.engine import Database
from db.tables import Base


def test_migrated_tables_equal_the_declared_ones(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    database.migrate()
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []


def test_migrated_schema_is_what_create_all_makes(tmp_path: Path) -> None:
    """Autogenerate does not compare partial indexes and on-delete rules; this does."""
    made, declared = (Database(f"sqlite:///{tmp_path / name}") for name in ("a.db", "b.db"))
    made.migrate()
    Base.metadata.create_all(declared.engine.execution_options(writes=True))
    for table in Base.metadata.tables:
        for method in ("get_foreign_keys", "get_unique_constraints", "get_columns"):
            one, other = (
                sorted(map(repr, getattr(inspect(database.engine), method)(table)))
                for database in (made, declared)
            )
            assert one == other, (table, method)
    assert index_definitions(made) == index_definitions(declared)


def index_definitions(database: Database) -> set[str]:
    with database.read() as session:
        found = session.execute(
            text("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name <> :own"),
            {"own": "alembic_version"},
        )
        return {" ".join(sql.split()) for (sql,) in found if sql}


def test_down_and_up_again(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    database.migrate()
    database.migrate("base")
    assert inspect(database.engine).get_table_names() == ["alembic_version"]
    database.migrate()
    assert set(Base.metadata.tables) <= set(inspect(database.engine).get_table_names())
    database.migrate()  # up to date already: nothing to do


def test_two_processes_that_start_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from db.engine import Database; "
        "Database(sys.argv[1]).migrate(); print('ready')"
    )
    url = f"sqlite:///{tmp_path / 'a.db'}"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(3)
    ]
    for process in running:
        out, error = process.communicate()
        assert (process.returncode, out.strip()) == (0, "ready"), error
