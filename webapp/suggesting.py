"""Suggestions that are not there yet when somebody opens a transcript.

Paddle takes seconds to load and must never hold a page up. One thread loads it and makes the
missing suggestions; whoever waits, waits a moment and then goes on without.
"""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Final

from db.engine import Database

WAIT_SECONDS: Final = 0.8
log: Final = logging.getLogger(__name__)


class Suggester:
    """Makes suggestions in the background, one transcript after another.

    Parameters
    ----------
    database : Database
        Where transcripts and suggestions are.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._thread: Final = ThreadPoolExecutor(1, thread_name_prefix="suggester")
        self._asked: Final[dict[int, Future[None]]] = {}

    def make(self, transcript_id: int, wait: float = WAIT_SECONDS) -> bool:
        """Make a transcript's suggestion, if it is not being made already.

        Parameters
        ----------
        transcript_id : int
            Which.
        wait : float
            Seconds to wait for it.

        Returns
        -------
        bool
            Whether it is there now.
        """
        asked = self._asked.get(transcript_id)
        if asked is None:
            asked = self._thread.submit(self._make, transcript_id)
            self._asked[transcript_id] = asked
        try:
            asked.result(wait)
        except NotYet:
            return False
        except Exception:
            # A broken model must not keep people from working: they go on without suggestions.
            log.exception("No suggestion could be made for transcript %d", transcript_id)
            return False
        finally:
            if asked.done():
                self._asked.pop(transcript_id, None)
        return True

    def _make(self, transcript_id: int) -> None:
        from labeling.suggestions import ensure_suggestions

        ensure_suggestions(self.database, [transcript_id])
