"""Gold: the labels that training and measuring read.

A reviewer's decision holds. Without one, what people submitted holds if they agree on
every slot, or if there is only one. Where they differ there is no gold: the transcript
awaits review.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from db import decisions, transcripts, versions
from db.engine import Database
from labeling.permissions import Actor, require
from labeling.projects import find_project
from labeling.words import fold_labels


@dataclass(frozen=True, slots=True)
class Gold:
    """Labels that hold, and where they come from: ``decision``, ``agreed`` or ``single``."""

    labels: bytes
    source: str


def gold_of(decision: bytes | None, submitted: Sequence[bytes]) -> Gold | None:
    """Settle which labels of a transcript hold.

    Parameters
    ----------
    decision : bytes or None
        The labels of the decision that holds, if there is one.
    submitted : sequence of bytes
        The newest submitted labels of each annotator.

    Returns
    -------
    Gold or None
        None where nobody submitted, and where people differ and nobody has decided.
    """
    if decision is not None:
        return Gold(decision, "decision")
    if not submitted or any(labels != submitted[0] for labels in submitted):
        return None
    return Gold(submitted[0], "agreed" if len(submitted) > 1 else "single")


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A transcript with its gold.

    Attributes
    ----------
    transcript_id, text, words_hash, language, document, position, split
        As in the transcript.
    labels : bytes
        Canonical ids, one a slot.
    source : str
        ``decision``, ``agreed`` or ``single``.
    source_ids : tuple of int
        The id of the decision, or those of the versions.
    """

    transcript_id: int
    text: str
    words_hash: str
    language: str
    document: str
    position: int
    split: str
    labels: bytes
    source: str
    source_ids: tuple[int, ...]


def read_gold(session: Session, project_id: int, *, split: str | None = None) -> list[GoldRow]:
    """Read a project's gold, in order of document and position.

    Parameters
    ----------
    session : Session
        Any session.
    project_id : int
        The project.
    split : str, optional
        Only ``pool`` or ``test``.

    Returns
    -------
    list of GoldRow
        One row for each transcript that has gold.
    """
    marks = find_project(session, project_id).marks
    answers = _answers(session, project_id)
    decided = decisions.of_project(session, project_id)
    rows = []
    for t in transcripts.in_order(session, project_id, ids=answers.keys() | decided.keys()):
        if split is not None and t.split != split:
            continue
        decision, given = decided.get(t.id), answers.get(t.id, [])
        # People agree where they agree in the project's marks: "!" and "." are one full stop
        # in a project that knows no exclamation mark.
        gold = gold_of(
            decision.labels if decision else None,
            [fold_labels(one.labels, marks) for one in given],
        )
        if gold is None:
            continue
        ids = (decision.id,) if decision else tuple(one.id for one in given)
        rows.append(
            GoldRow(
                transcript_id=t.id,
                text=t.text,
                words_hash=t.words_hash,
                language=t.language,
                document=t.document,
                position=t.position,
                split=t.split,
                labels=gold.labels,
                source=gold.source,
                source_ids=ids,
            )
        )
    return rows


def awaiting_review(database: Database, actor: Actor, project_id: int) -> list[int]:
    """Return the ids of transcripts on which people differ and nobody has decided yet."""
    require(actor, "see_all_history")
    with database.read() as session:
        marks = find_project(session, project_id).marks
        answers = _answers(session, project_id)
        decided = decisions.of_project(session, project_id)
    return [
        transcript_id
        for transcript_id, given in answers.items()
        if transcript_id not in decided and len({fold_labels(g.labels, marks) for g in given}) > 1
    ]


def _answers(session: Session, project_id: int) -> dict[int, list[versions.Submitted]]:
    found: dict[int, list[versions.Submitted]] = {}
    for answer in versions.submitted(session, project_id):
        found.setdefault(answer.transcript_id, []).append(answer)
    return found
