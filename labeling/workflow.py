"""An annotator's day: the next transcript, drafts, submitting, skipping, flagging.

Places. A transcript starts with as many places as people are wanted for it. Handing it
out takes one, in the same statement that checks that one is free, so that no two people
get the last. A skip gives it back; so does an open transcript that nobody touched for the
project's lease time. The draft of the one who let it lie stays theirs: when they come
back and the place is still free, they get it again; when they submit late, it counts all
the same.

Stale saves. A draft has a number that every save raises; a submission names the version
that it is based on. Whoever names an old one is refused, and shown both (`StaleSave`).
The same save twice (a double click, a retry after a lost answer) is one save.

Drafts are saved with every few keystrokes and leave no audit event; all else does.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from db import assignments, suggestions, transcripts, users, versions
from db.assignments import EXPIRED, OPEN, SKIPPED, SUBMITTED
from db.engine import Database
from db.tables import Assignment, Project, Transcript, Version, now
from labeling.counting import Counts, count_beside, count_by_split, midnight
from labeling.errors import BadInput, NotAllowed, NotFound, StaleSave
from labeling.handing_out import hand_out, record_event, resume
from labeling.permissions import Actor, require, require_person
from labeling.projects import find_project, settings_of
from labeling.words import check_labels
from labeling.work import Work, build_work

_CHANCE: Final = random.SystemRandom()
_LONGEST_REASON: Final = 2000


def open_next(
    database: Database, actor: Actor, project_id: int, *, chance: random.Random = _CHANCE
) -> Work | None:
    """Hand an annotator their next transcript.

    What they have open comes first, then what they let lie if nobody took it since, then
    a new one: most uncertain first, and a share of them (`random_share`) at random. They
    never get one again that they submitted or skipped.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who asks.
    project_id : int
        In which project.
    chance : random.Random
        Where the random share comes from.

    Returns
    -------
    Work or None
        None when nothing is left for this person.

    Raises
    ------
    NotAllowed, NotFound
        The actor does not annotate; there is no such project.
    """
    annotator_id = require_person(actor, "annotate")
    counts = count_beside(database, project_id, annotator_id)
    with database.write() as session:
        users.take_turns(session, annotator_id)
        project = find_project(session, project_id)
        settings = settings_of(project)
        held = resume(session, project, settings, annotator_id) or hand_out(
            session, project, settings, annotator_id, chance
        )
        if held is None:
            return None
        transcript = _transcript(session, held.transcript_id)
        return _show(session, project, transcript, held, counts)


def open_transcript(database: Database, actor: Actor, transcript_id: int) -> Work:
    """Open a given transcript: one that the annotator has had, or one with a free place.

    Raises
    ------
    NotAllowed
        The actor does not annotate, or it is in other hands (`no_place`).
    NotFound
        There is no such transcript.
    """
    annotator_id = require_person(actor, "annotate")
    with database.read() as session:
        project_id = _transcript(session, transcript_id).project_id
    counts = count_beside(database, project_id, annotator_id)
    with database.write() as session:
        users.take_turns(session, annotator_id)
        transcript = _transcript(session, transcript_id)
        project = find_project(session, transcript.project_id)
        held = assignments.of(session, transcript_id, annotator_id, lock=True)
        if held is None or held.state == SKIPPED:
            if not transcripts.take_place(session, transcript_id):
                raise NotAllowed(
                    "no_place",
                    "Nobody else is wanted for this transcript.",
                    transcript=transcript_id,
                )
            if held is None:
                held = assignments.add(session, transcript_id, annotator_id, chosen_by="asked")
            held.state = OPEN
            record_event(session, annotator_id, "opened", transcript)
        elif held.state == EXPIRED and transcripts.take_place(session, transcript_id):
            held.state = OPEN
        held.touched_at = now() if held.state == OPEN else held.touched_at
        return _show(session, project, transcript, held, counts)


def save_draft(
    database: Database,
    actor: Actor,
    transcript_id: int,
    labels: bytes | Iterable[int],
    draft_number: int,
) -> int:
    """Save what an annotator is typing.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Whose draft.
    transcript_id : int
        Of which transcript.
    labels : bytes or iterable of int
        Canonical ids, one a slot.
    draft_number : int
        The number of the draft that these labels grew from.

    Returns
    -------
    int
        The number of the draft that is stored now.

    Raises
    ------
    NotAllowed, NotFound
        The actor does not annotate, or was never given this transcript.
    BadInput
        The labels do not fit.
    StaleSave
        Another page of the same person saved other labels since.
    """
    annotator_id = require_person(actor, "annotate")
    with database.write() as session:
        transcript, project, held = _held(session, transcript_id, annotator_id)
        packed = check_labels(labels, transcript.unit_count, project.marks)
        if held.state == SKIPPED:
            raise NotAllowed("skipped", "You skipped this transcript; open it again to go on.")
        version = versions.latest(session, transcript_id, annotator_id)
        if draft_number != held.draft_number:
            stored = held.draft
            if stored is None:
                stored = version.labels if version else b""
            if stored != packed:
                raise StaleSave(
                    theirs=stored or bytes(transcript.unit_count),
                    theirs_number=held.draft_number,
                    yours=packed,
                    base=None,
                    base_number=draft_number,
                    of="draft",
                )
            return held.draft_number
        if held.draft is None:
            held.draft_based_on = version.number if version else 0
        held.draft = packed
        held.draft_number += 1
        if held.state == EXPIRED and transcripts.take_place(session, transcript_id):
            held.state = OPEN
        if held.state != SUBMITTED:
            held.touched_at = now()
        return held.draft_number


def submit(
    database: Database,
    actor: Actor,
    transcript_id: int,
    labels: bytes | Iterable[int],
    based_on: int,
    seconds: float | None = None,
    draft_number: int | None = None,
) -> int:
    """Submit an annotator's labels as a new version.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Whose answer.
    transcript_id : int
        To which transcript.
    labels : bytes or iterable of int
        Canonical ids, one a slot.
    based_on : int
        The number of the annotator's version that these labels grew from; 0 for none.
    seconds : float, optional
        How long the annotator worked on them.
    draft_number : int, optional
        The number of the draft that these labels grew from. With it, a draft that another
        page of the same person saved since is not thrown away.

    Returns
    -------
    int
        The number of the version; that of the one before where nothing differs.

    Raises
    ------
    NotAllowed, NotFound
        The actor does not annotate, or was never given this transcript.
    BadInput
        The labels do not fit.
    StaleSave
        The annotator has a newer version or, where `draft_number` is named, a newer draft,
        with other labels.
    """
    annotator_id = require_person(actor, "annotate")
    with database.write() as session:
        transcript, project, held = _held(session, transcript_id, annotator_id)
        packed = check_labels(labels, transcript.unit_count, project.marks)
        before = versions.latest(session, transcript_id, annotator_id)
        if _same_again(before, packed, based_on):
            assert before is not None
            _finish(session, held)
            return before.number
        _refuse_stale(session, before, packed, based_on, transcript_id, annotator_id)
        if draft_number not in (None, held.draft_number) and held.draft not in (None, packed):
            raise StaleSave(
                theirs=held.draft,
                theirs_number=held.draft_number,
                yours=packed,
                base=None,
                base_number=draft_number,
                of="draft",
            )
        version = versions.add(
            session,
            transcript_id,
            annotator_id,
            packed,
            number=based_on + 1,
            based_on=based_on,
            model_id=held.model_id or _shown_since(session, project, transcript_id),
            seconds=_sensible(seconds),
        )
        _finish(session, held)
        record_event(session, annotator_id, "submitted", transcript, number=version.number)
        return version.number


def skip(database: Database, actor: Actor, transcript_id: int, reason: str = "") -> None:
    """Give a transcript back unanswered; its draft stays, and `open_next` brings another.

    Raises
    ------
    NotAllowed, NotFound
        The actor does not annotate, or was never given this transcript.
    BadInput
        It was submitted already, or the reason is too long.
    """
    annotator_id = require_person(actor, "annotate")
    with database.write() as session:
        transcript, _, held = _held(session, transcript_id, annotator_id)
        if held.state == SUBMITTED:
            raise BadInput("submitted_already", "You have submitted this transcript already.")
        if held.state == SKIPPED:
            return
        if held.state == OPEN:
            transcripts.give_place(session, transcript_id)
        held.state = SKIPPED
        held.reason = _short(reason) or held.reason
        held.touched_at = now()
        record_event(session, annotator_id, "skipped", transcript, reason=reason)


def flag(
    database: Database,
    actor: Actor,
    transcript_id: int,
    reason: str = "",
    *,
    flagged: bool = True,
) -> None:
    """Mark a transcript for a lead to look at (or take the mark away); it stays as it is.

    Raises
    ------
    NotAllowed, NotFound
        The actor does not annotate, or was never given this transcript.
    BadInput
        The reason is too long.
    """
    annotator_id = require_person(actor, "annotate")
    with database.write() as session:
        transcript, _, held = _held(session, transcript_id, annotator_id)
        held.flagged = flagged
        held.reason = _short(reason) if flagged else ""
        if held.state == OPEN:
            held.touched_at = now()
        action = "flagged" if flagged else "unflagged"
        record_event(session, annotator_id, action, transcript, reason=reason)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is.

    Attributes
    ----------
    mine_today, mine_total : int
        Transcripts that the person submitted, since midnight and ever.
    done, total : int
        Transcripts that nobody is wanted for any more, and all of them.
    test_done, test_total, pool_done, pool_total : int
        The same by split.
    """

    mine_today: int
    mine_total: int
    done: int
    total: int
    test_done: int
    test_total: int
    pool_done: int
    pool_total: int


def progress(database: Database, actor: Actor, project_id: int) -> Progress:
    """Count how far a project is, and the person in it.

    Raises
    ------
    NotFound
        There is no such project.
    """
    require(actor, "see_projects")
    with database.read() as session:
        find_project(session, project_id)
        splits = count_by_split(session, project_id)
        mine_today = mine_total = 0
        if actor.id is not None:
            mine_total = assignments.submitted_by(session, project_id, actor.id)
            mine_today = assignments.submitted_by(session, project_id, actor.id, midnight())
    test_done, test_total = splits.get("test", (0, 0))
    pool_done, pool_total = splits.get("pool", (0, 0))
    return Progress(
        mine_today=mine_today,
        mine_total=mine_total,
        done=test_done + pool_done,
        total=test_total + pool_total,
        test_done=test_done,
        test_total=test_total,
        pool_done=pool_done,
        pool_total=pool_total,
    )


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A transcript that a person has begun and not submitted (or changed since)."""

    transcript_id: int
    text: str
    state: str
    has_draft: bool
    flagged: bool
    touched_at: datetime


def unfinished(database: Database, actor: Actor, project_id: int) -> list[Unfinished]:
    """Return what a person has begun, touched last first: also what expired, with its draft."""
    annotator_id = require_person(actor, "annotate")
    with database.read() as session:
        rows = assignments.unfinished(session, project_id, annotator_id)
        texts = transcripts.by_ids(session, [row.transcript_id for row in rows])
    return [
        Unfinished(
            transcript_id=row.transcript_id,
            text=transcript.text,
            state=row.state,
            has_draft=row.draft is not None,
            flagged=row.flagged,
            touched_at=row.touched_at,
        )
        for row, transcript in zip(rows, texts, strict=True)
    ]


def _show(
    session: Session,
    project: Project,
    transcript: Transcript,
    held: Assignment,
    counts: Counts,
) -> Work:
    work = build_work(session, project, transcript, held, counts)
    if work.suggested is not None:
        held.model_id = work.model_id  # what a version will say it was made with
    return work


def _shown_since(session: Session, project: Project, transcript_id: int) -> int | None:
    """Return the serving model's id if its suggestion came after the transcript was opened."""
    model_id = project.serving_model_id
    if model_id is None or not suggestions.has(session, transcript_id, model_id):
        return None
    return model_id


def _transcript(session: Session, transcript_id: int) -> Transcript:
    found = transcripts.by_id(session, transcript_id)
    if found is None:
        raise NotFound(
            "no_such_transcript", f"There is no transcript {transcript_id}.", id=transcript_id
        )
    return found


def _held(
    session: Session, transcript_id: int, annotator_id: int
) -> tuple[Transcript, Project, Assignment]:
    transcript = _transcript(session, transcript_id)
    held = assignments.of(session, transcript_id, annotator_id, lock=True)
    if held is None:
        raise NotAllowed("not_yours", "This transcript was not given to you.", id=transcript_id)
    return transcript, find_project(session, transcript.project_id), held


def _same_again(before: Version | None, packed: bytes, based_on: int) -> bool:
    return (
        before is not None
        and before.submitted
        and before.labels == packed
        and based_on in (before.number, before.based_on)
    )


def _refuse_stale(
    session: Session,
    before: Version | None,
    packed: bytes,
    based_on: int,
    transcript_id: int,
    annotator_id: int,
) -> None:
    number = before.number if before else 0
    if based_on == number:
        return
    if before is None:
        raise BadInput("no_such_version", f"You have no version {based_on} of this transcript.")
    base = versions.numbered(session, transcript_id, annotator_id, based_on)
    raise StaleSave(
        theirs=before.labels,
        theirs_number=number,
        yours=packed,
        base=base.labels if base else None,
        base_number=based_on,
        of="version",
    )


def _finish(session: Session, held: Assignment) -> None:
    if held.state in (EXPIRED, SKIPPED):
        transcripts.take_place(session, held.transcript_id)
    held.state = SUBMITTED
    held.touched_at = now()
    if held.draft is not None:
        held.draft = None
        held.draft_number += 1  # what another page still holds is stale now


def _sensible(seconds: float | None) -> float | None:
    if seconds is None or not 0 <= seconds < float("inf"):
        return None
    return float(seconds)


def _short(reason: str) -> str:
    reason = reason.strip()
    if len(reason) > _LONGEST_REASON:
        raise BadInput(
            "reason_too_long",
            f"A reason has at most {_LONGEST_REASON} characters.",
            longest=_LONGEST_REASON,
        )
    return reason
