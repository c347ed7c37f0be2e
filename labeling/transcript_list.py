"""The list of a project's transcripts, as leads and engineers look through it."""

from dataclasses import dataclass
from typing import Final

from db import transcript_search
from db.engine import Database
from db.transcript_search import STATES, Wanted
from labeling.errors import BadInput
from labeling.permissions import Actor, require
from labeling.projects import find_project

PAGE_LENGTH: Final = 50
LONGEST_SEARCH: Final = 200
_SHOWN: Final = 90  # characters of a text that a row has room for


@dataclass(frozen=True, slots=True)
class ListedTranscript:
    """One row of the list.

    Attributes
    ----------
    id : int
        The transcript's.
    excerpt : str
        Its text, or the part around what was searched, in one line.
    document, position, language, split, unit_count
        As in the transcript.
    states : tuple of str
        Those of `db.transcript_search.STATES` that it is in.
    answers, wanted : int
        How many people submitted it, and how many are asked to.
    """

    id: int
    excerpt: str
    document: str
    position: int
    language: str
    split: str
    unit_count: int
    states: tuple[str, ...]
    answers: int
    wanted: int


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """One page of the list.

    Attributes
    ----------
    rows : list of ListedTranscript
        In the order in which they were imported.
    total : int
        Transcripts on all pages.
    """

    rows: list[ListedTranscript]
    total: int


def list_transcripts(
    database: Database,
    actor: Actor,
    project_id: int | str,
    *,
    search: str = "",
    state: str = "",
    split: str = "",
    document: str | None = None,
    language: str = "",
    after_id: int | None = None,
    before_id: int | None = None,
    limit: int = PAGE_LENGTH,
) -> TranscriptPage:
    """Return one page of the transcripts of a project that match.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who looks.
    project_id : int or str
        The project's id, or its name.
    search : str
        Part of the text or of the document's name.
    state, split, document, language
        Only these; what is empty does not matter (for `document`: None).
    after_id, before_id : int, optional
        The last row of the page before, or the first one of the page after.
    limit : int
        The length of a page, 1 to 500.

    Returns
    -------
    TranscriptPage

    Raises
    ------
    NotAllowed, NotFound
        The actor may not look; no such project.
    BadInput
        The search is too long, or no such state.
    """
    require(actor, "see_transcripts")
    search = search.strip()
    if len(search) > LONGEST_SEARCH:
        raise BadInput(
            "search_too_long",
            f"Search for at most {LONGEST_SEARCH} characters.",
            longest=LONGEST_SEARCH,
        )
    if state and state not in STATES:
        raise BadInput(
            "no_such_state", f"There is no state {state}. The states are: {', '.join(STATES)}."
        )
    limit = min(max(limit, 1), 500)
    wanted = Wanted(search, state, split, document, language)
    with database.read() as session:
        project = find_project(session, project_id)
        found = transcript_search.find_page(
            session, project.id, wanted, after_id=after_id, before_id=before_id, limit=limit
        )
        is_whole = after_id is None and before_id is None and len(found) < limit
        total = (
            len(found) if is_whole else transcript_search.count_found(session, project.id, wanted)
        )
        progress = transcript_search.progress_of(session, found)
    rows = [
        ListedTranscript(
            id=row.id,
            excerpt=excerpt(row.text, search),
            document=row.document,
            position=row.position,
            language=row.language,
            split=row.split,
            unit_count=row.unit_count,
            states=progress[row.id].states,
            answers=progress[row.id].answers,
            wanted=row.wanted,
        )
        for row in found
    ]
    return TranscriptPage(rows, total)


def list_documents(
    database: Database, actor: Actor, project_id: int | str, *, limit: int = 500
) -> list[tuple[str, int]]:
    """Return a project's first documents by name, each with its number of transcripts.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not look; no such project.
    """
    require(actor, "see_transcripts")
    with database.read() as session:
        project = find_project(session, project_id)
        return transcript_search.documents(session, project.id, limit=limit)


def excerpt(text: str, search: str = "", length: int = _SHOWN) -> str:
    """Return what a row shows of a text: its start, or the part around what was searched.

    Parameters
    ----------
    text, search : str
        The text, and what was searched in it.
    length : int
        In code points, without the dots that say that something was left out.

    Returns
    -------
    str
        One line.
    """
    at = text.lower().find(search.lower()) if search else -1
    start = max(0, min(at - length // 3, len(text) - length)) if at >= 0 else 0
    stop = start + length
    shown = " ".join(text[start:stop].split())
    return f"{'…' if start else ''}{shown}{'…' if stop < len(text) else ''}"
