"""Suggestions: a model version's probabilities for every slot, as bytes.

What the bytes mean is the business of the floor above (float16, slots by marks).
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, exists, func, insert, select
from sqlalchemy.orm import Session

from db.tables import Suggestion, Transcript

_IDS_AT_ONCE = 500


def of(session: Session, transcript_id: int, model_id: int) -> bytes | None:
    """Return a model's probabilities for a transcript, if they were computed."""
    return session.scalar(
        select(Suggestion.probabilities).where(
            Suggestion.transcript_id == transcript_id, Suggestion.model_id == model_id
        )
    )


def has(session: Session, transcript_id: int, model_id: int) -> bool:
    """Tell whether a model's probabilities for a transcript were computed."""
    query = select(Suggestion.id).where(
        Suggestion.transcript_id == transcript_id, Suggestion.model_id == model_id
    )
    return session.scalar(query) is not None


def of_many(session: Session, transcript_ids: Sequence[int], model_id: int) -> dict[int, bytes]:
    """Return a model's probabilities by transcript id, for those that it has."""
    found: dict[int, bytes] = {}
    for start in range(0, len(transcript_ids), _IDS_AT_ONCE):
        query = select(Suggestion.transcript_id, Suggestion.probabilities).where(
            Suggestion.model_id == model_id,
            Suggestion.transcript_id.in_(transcript_ids[start : start + _IDS_AT_ONCE]),
        )
        found.update((i, probabilities) for i, probabilities in session.execute(query))
    return found


def models_of(session: Session, transcript_id: int) -> Sequence[int]:
    """Return the ids of the models that have a suggestion for a transcript, newest first."""
    query = select(Suggestion.model_id).where(Suggestion.transcript_id == transcript_id)
    return session.scalars(query.order_by(Suggestion.model_id.desc())).all()


def put(session: Session, model_id: int, probabilities: Mapping[int, bytes]) -> None:
    """Store a model's probabilities by transcript id, in place of what it said before."""
    ids = list(probabilities)
    for start in range(0, len(ids), _IDS_AT_ONCE):
        chosen = ids[start : start + _IDS_AT_ONCE]
        session.execute(
            delete(Suggestion).where(
                Suggestion.model_id == model_id, Suggestion.transcript_id.in_(chosen)
            )
        )
        session.execute(
            insert(Suggestion),
            [
                {"transcript_id": i, "model_id": model_id, "probabilities": probabilities[i]}
                for i in chosen
            ],
        )


def missing(session: Session, project_id: int, model_id: int, limit: int) -> Sequence[int]:
    """Return ids of transcripts that a model has no suggestion for, waiting ones first."""
    has = exists().where(Suggestion.transcript_id == Transcript.id, Suggestion.model_id == model_id)
    query = (
        select(Transcript.id)
        .where(Transcript.project_id == project_id, ~has)
        .order_by((Transcript.places > 0).desc(), Transcript.id)
        .limit(limit)
    )
    return session.scalars(query).all()


def count(session: Session, project_id: int, model_id: int) -> int:
    """Count the transcripts of a project that a model has a suggestion for."""
    query = (
        select(func.count())
        .select_from(Suggestion)
        .join(Transcript, Transcript.id == Suggestion.transcript_id)
        .where(Transcript.project_id == project_id, Suggestion.model_id == model_id)
    )
    return session.scalar(query) or 0
