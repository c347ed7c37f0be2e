"""How much gold a project has, for those who look before they train."""

from collections import Counter

from db.engine import Database
from labeling.gold import read_gold
from labeling.permissions import Actor, require
from labeling.projects import find_project

SOURCES = ("decision", "agreed", "single")


def count_gold(
    database: Database, actor: Actor, project_id: int | str
) -> dict[str, dict[str, int]]:
    """Count a project's gold by split and source.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who asks.
    project_id : int or str
        The project's id, or its name.

    Returns
    -------
    dict
        For ``pool`` and ``test``, the number of transcripts by `SOURCES`.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    """
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        counted = Counter((row.split, row.source) for row in read_gold(session, project.id))
    return {
        split: {source: counted[split, source] for source in SOURCES} for split in ("pool", "test")
    }
