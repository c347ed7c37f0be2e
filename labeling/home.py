"""Where an installation keeps its models and its queue."""

from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from db.engine import Database
from db.settings import Settings

MODELS: Final = "models"


def home_of(database: Database) -> Path:
    """Return the home folder that belongs to a database.

    Parameters
    ----------
    database : Database
        Any database.

    Returns
    -------
    Path
        ``INTERPUNCT_HOME`` where the environment names this database; the folder of the
        file for any other SQLite database, for that is where the file of a home stands.
    """
    settings = Settings()
    if not database.is_sqlite or database.url == make_url(settings.database_url):
        return settings.home
    return Path(str(database.url.database)).absolute().parent
