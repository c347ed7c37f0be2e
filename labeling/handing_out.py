"""Which transcript an annotator gets: the one they hold, or a new one with a free place."""

import random
from datetime import timedelta

from sqlalchemy.orm import Session

from db import assignments, audit, transcripts
from db.assignments import OPEN
from db.tables import Assignment, Project, Transcript, now
from labeling.choosing import draw_lot
from labeling.projects import ProjectSettings


def resume(
    session: Session, project: Project, settings: ProjectSettings, annotator_id: int
) -> Assignment | None:
    """Give an annotator back what they have open, or let lie and nobody took since."""
    held = assignments.last_open(session, project.id, annotator_id)
    if held is None:
        lease = timedelta(minutes=settings.lease_minutes)
        assignments.expire(session, project.id, now() - lease)
        held = assignments.last_expired(session, project.id, annotator_id)
        if held is None or not transcripts.take_place(session, held.transcript_id):
            return None
        held.state = OPEN
    held.touched_at = now()
    return held


def hand_out(
    session: Session,
    project: Project,
    settings: ProjectSettings,
    annotator_id: int,
    chance: random.Random,
) -> Assignment | None:
    """Give an annotator a new transcript: the most uncertain one, or one drawn at random."""
    lot = draw_lot(settings.random_share, chance)
    while True:
        found = (
            transcripts.most_uncertain(session, project.id, annotator_id)
            if lot is None
            else transcripts.at_random(session, project.id, annotator_id, lot)
        )
        if found is None:
            return None
        if transcripts.take_place(session, found.id):
            break
        session.expire(found)  # somebody on another server took its last place; ask again
    chosen_by = "uncertain" if lot is None else "random"
    held = assignments.add(session, found.id, annotator_id, chosen_by=chosen_by)
    record_event(session, annotator_id, "opened", found, chosen_by=chosen_by)
    return held


def record_event(
    session: Session, user_id: int, action: str, transcript: Transcript, **detail: object
) -> None:
    """Write an audit event about a transcript."""
    audit.record(
        session,
        user_id,
        action,
        subject=f"transcript {transcript.id}",
        project_id=transcript.project_id,
        **detail,
    )
