"""How Alembic runs here: on the connection of `Database.migrate`, in its transaction."""

from alembic import context

from db.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()
