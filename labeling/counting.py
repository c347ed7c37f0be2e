"""How many transcripts are done, and how that stays cheap in a large project."""

import threading
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session

from db import assignments, transcripts
from db.engine import Database

# Counting 50,000 transcripts takes longer than handing one out. Beside each transcript, the
# counts of such a project may be some seconds old; those of a small one are always fresh.
_LARGE: Final = 5_000
_SECONDS_OLD: Final = 5.0
_kept: Final[WeakKeyDictionary[Database, dict[int, tuple[float, int, int]]]] = WeakKeyDictionary()
_keeping: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Counts:
    """What the progress display shows beside a transcript.

    Attributes
    ----------
    mine_today : int
        Transcripts that this person submitted since midnight, by the server's clock.
    done, total : int
        Transcripts that nobody is wanted for any more, and all of them; in a large
        project up to five seconds old.
    """

    mine_today: int
    done: int
    total: int


def count_beside(database: Database, project_id: int, annotator_id: int) -> Counts:
    """Count what the progress display shows beside a transcript.

    Parameters
    ----------
    database : Database
        The database.
    project_id, annotator_id : int
        Whose progress, and in which project.

    Returns
    -------
    Counts
    """
    with database.read() as session:
        mine_today = assignments.submitted_by(session, project_id, annotator_id, midnight())
        with _keeping:
            counted_at, done, total = _kept.get(database, {}).get(project_id, (0.0, 0, 0))
        if total < _LARGE or time.monotonic() - counted_at > _SECONDS_OLD:
            splits = count_by_split(session, project_id).values()
            done, total = sum(d for d, _ in splits), sum(t for _, t in splits)
            with _keeping:
                _kept.setdefault(database, {})[project_id] = (time.monotonic(), done, total)
    return Counts(mine_today, done, total)


def count_by_split(session: Session, project_id: int) -> dict[str, tuple[int, int]]:
    """Return, by split, how many transcripts nobody is wanted for any more, and all of them."""
    in_hand = assignments.in_hand(session, project_id)
    return {
        split: (counted.total - counted.waiting - in_hand.get(split, 0), counted.total)
        for split, counted in transcripts.counts(session, project_id).items()
    }


def midnight() -> datetime:
    """Return when today began, by the server's clock."""
    return datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
