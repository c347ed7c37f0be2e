"""Opening an installation: its home folder, its database, its starter."""

from sqlalchemy.exc import SQLAlchemyError

from db.engine import Database
from db.settings import Settings
from labeling.errors import BadInput
from labeling.starter import register_starter
from model.card import BrokenModel, read_card


def open_database(settings: Settings, *, make: bool) -> Database:
    """Open the database of an installation, migrated and with the starter registered.

    Parameters
    ----------
    settings : Settings
        Of the installation.
    make : bool
        Whether to make the home folder and its database where they are not there yet.

    Returns
    -------
    Database

    Raises
    ------
    BadInput
        There is none and none is to be made, it cannot be opened, or the starter that the
        settings name is no model.
    """
    file = settings.home / "interpunct.db"
    if not make and settings.database_url == f"sqlite:///{file}" and not file.exists():
        raise BadInput(
            "no_home", f"There is no Interpunct in {settings.home}; run.py serve makes one."
        )
    if settings.starter is not None:
        try:
            read_card(settings.starter)
        except BrokenModel as error:
            why = str(error)
            raise BadInput(
                "bad_starter", f"INTERPUNCT_STARTER cannot be used: {why}", reason=why
            ) from None
    try:
        settings.make_home()
    except OSError as error:
        why = error.strerror or str(error)
        raise BadInput("bad_home", f"{settings.home} cannot be made: {why}.", reason=why) from None
    try:
        database = Database(settings.database_url)
        database.migrate()
    except (OSError, ValueError, ImportError, SQLAlchemyError) as error:
        why = str(error).splitlines()[0]
        raise BadInput(
            "bad_database", f"The database cannot be opened: {why}", reason=why
        ) from None
    register_starter(database, settings.starter)
    return database
