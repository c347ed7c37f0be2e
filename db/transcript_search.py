"""Finding transcripts by what they say and how far they are, a page at a time.

Pages go by id, before or after the one that is shown (keyset), so that the last page of
50,000 costs what the first one does. Text is searched with LIKE: it finds any substring
of any script, which word indexes and trigrams do not for one or two Han characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, func, literal_column, or_, select
from sqlalchemy.orm import Session, aliased

from db.tables import Assignment, Decision, Transcript, Version

# In the order in which a transcript's states are shown.
STATES: Final = ("decided", "disagreement", "submitted", "open", "skipped", "flagged", "waiting")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which transcripts to find; what is empty does not matter.

    Attributes
    ----------
    text : str
        Part of the text or of the document's name, in either case of ASCII letters.
    state : str
        One of `STATES`: a reviewer has decided; two people's answers differ and nobody has
        decided; somebody submitted; somebody has it open; somebody skipped it; somebody
        flagged it; it waits for somebody. A transcript can be in several.
    split, document, language : str
        As in the transcript.
    """

    text: str = ""
    state: str = ""
    split: str = ""
    document: str | None = None
    language: str = ""


def find_page(
    session: Session,
    project_id: int,
    wanted: Wanted,
    *,
    after_id: int | None = None,
    before_id: int | None = None,
    limit: int = 50,
) -> Sequence[Transcript]:
    """Return one page of transcripts, in order of id.

    Parameters
    ----------
    session : Session
        Any session.
    project_id : int
        The project.
    wanted : Wanted
        Which ones.
    after_id, before_id : int, optional
        The last id of the page before, or the first id of the page after this one.
    limit : int
        The length of a page.

    Returns
    -------
    sequence of Transcript
        At most `limit` rows.
    """
    conditions = _conditions(session, project_id, wanted)
    query = select(Transcript).where(*conditions).limit(limit)
    if before_id is not None:
        query = query.where(Transcript.id < before_id).order_by(Transcript.id.desc())
        return session.scalars(query).all()[::-1]
    if after_id is not None:
        query = query.where(Transcript.id > after_id)
    return session.scalars(query.order_by(Transcript.id)).all()


def count_found(session: Session, project_id: int, wanted: Wanted) -> int:
    """Count what all pages together hold."""
    conditions = _conditions(session, project_id, wanted)
    return session.scalar(select(func.count()).select_from(Transcript).where(*conditions)) or 0


def documents(session: Session, project_id: int, *, limit: int = 500) -> list[tuple[str, int]]:
    """Return the first documents of a project by name, each with its number of transcripts."""
    found = session.execute(
        select(Transcript.document, func.count())
        .where(Transcript.project_id == project_id)
        .group_by(Transcript.document)
        .order_by(Transcript.document)
        .limit(limit)
    )
    return [(name, number) for name, number in found]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one transcript is.

    Attributes
    ----------
    states : tuple of str
        Those of `STATES` that it is in.
    answers : int
        How many people submitted it.
    """

    states: tuple[str, ...]
    answers: int


def progress_of(session: Session, transcripts: Sequence[Transcript]) -> dict[int, Progress]:
    """Tell how far each transcript of a page is, by id."""
    ids = [row.id for row in transcripts]
    found: dict[int, set[str]] = {
        row.id: {"waiting"} if row.places > 0 else set() for row in transcripts
    }
    decided = set(
        session.scalars(select(Decision.transcript_id).where(Decision.transcript_id.in_(ids)))
    )
    for i in decided:
        found[i].add("decided")
    for i, state, flagged in session.execute(
        select(Assignment.transcript_id, Assignment.state, Assignment.flagged).where(
            Assignment.transcript_id.in_(ids)
        )
    ):
        if state in ("open", "skipped"):
            found[i].add(state)
        if flagged:
            found[i].add("flagged")
    answers: dict[int, dict[int, bytes]] = {i: {} for i in ids}
    for i, annotator, labels in session.execute(
        select(Version.transcript_id, Version.annotator_id, Version.labels)
        .where(Version.transcript_id.in_(ids), Version.submitted.is_(True))
        .order_by(Version.number)
    ):
        answers[i][annotator] = labels  # the highest number comes last and holds
    for i, given in answers.items():
        if given:
            found[i].add("submitted")
        if len(set(given.values())) > 1 and i not in decided:
            found[i].add("disagreement")
    return {
        i: Progress(tuple(s for s in STATES if s in states), len(answers[i]))
        for i, states in found.items()
    }


def _conditions(session: Session, project_id: int, wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [Transcript.project_id == project_id]
    if wanted.text:
        columns = (Transcript.text, Transcript.document)
        # SQLite's LIKE takes no notice of the case of ASCII letters as it is; lower-casing
        # every text first, as `icontains` does there, would take half as long again.
        plain = session.get_bind().dialect.name == "sqlite"
        conditions.append(
            or_(
                *(
                    (column.contains if plain else column.icontains)(wanted.text, autoescape=True)
                    for column in columns
                )
            )
        )
    if wanted.split:
        conditions.append(Transcript.split == wanted.split)
    if wanted.document is not None:
        conditions.append(Transcript.document == wanted.document)
    if wanted.language:
        conditions.append(Transcript.language == wanted.language)
    if wanted.state:
        conditions.append(_in_state(wanted.state))
    return conditions


def _in_state(state: str) -> ColumnElement[bool]:
    held = Assignment.transcript_id == Transcript.id
    decided = exists().where(Decision.transcript_id == Transcript.id)
    if state == "waiting":
        return Transcript.places > literal_column("0")
    if state in ("open", "skipped"):
        return exists().where(held, Assignment.state == state)
    if state == "flagged":
        return exists().where(held, Assignment.flagged.is_(True))
    if state == "submitted":
        return exists().where(Version.transcript_id == Transcript.id, Version.submitted.is_(True))
    if state == "decided":
        return decided
    if state == "disagreement":
        return and_(_answers_differ(), ~decided)
    raise ValueError(f"There is no state {state!r}; the states are {', '.join(STATES)}.")


def _answers_differ() -> ColumnElement[bool]:
    """Whether two people's newest submitted labels of a transcript are not the same."""
    one, other = aliased(Version), aliased(Version)
    return exists().where(
        one.transcript_id == Transcript.id,
        other.transcript_id == Transcript.id,
        one.annotator_id < other.annotator_id,
        one.labels != other.labels,
        _is_answer(one),
        _is_answer(other),
    )


def _is_answer(version: type[Version]) -> ColumnElement[bool]:
    newer = aliased(Version)
    return and_(
        version.submitted.is_(True),
        ~exists().where(
            newer.transcript_id == version.transcript_id,
            newer.annotator_id == version.annotator_id,
            newer.number > version.number,
            newer.submitted.is_(True),
        ),
    )
