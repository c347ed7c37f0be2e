"""A transcript's past: every version by everybody, what differs, and bringing one back.

Bringing back one's own version makes a new version. Bringing back somebody else's makes a
decision: nobody's answer is ever written by another hand, or agreement would be counted
on what people did not do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from db import assignments, decisions, suggestions, transcripts, users, versions
from db.engine import Database
from db.tables import ModelVersion, Project, Transcript, Version
from labeling.errors import BadInput, NotAllowed, NotFound, StaleSave
from labeling.handing_out import record_event
from labeling.permissions import Actor, may, require, require_person
from labeling.projects import find_project
from labeling.words import check_labels, fold_labels
from labeling.work import read_suggestion
from model.marks import ALL_MARKS
from model.punctuation import render
from model.units import find_units


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version; `text` is the transcript with its marks, `labels` canonical ids.

    `changed` counts the slots that differ from the version that it is based on; from the
    suggestion that was shown, for a first one; None where that is not known.
    """

    annotator_id: int
    annotator: str
    number: int
    kind: str
    submitted: bool
    based_on: int
    model_id: int | None
    seconds: float | None
    created_at: datetime
    labels: list[int]
    text: str
    changed: int | None


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One decision of a reviewer; the last one holds."""

    number: int
    reviewer: str
    note: str
    created_at: datetime
    labels: list[int]
    text: str


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """What a model suggests, by the project's thresholds."""

    model_id: int
    model: str
    labels: list[int]
    text: str


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody who was given the transcript, and what they did with it."""

    annotator_id: int
    annotator: str
    state: str
    chosen_by: str
    flagged: bool
    reason: str
    has_draft: bool
    touched_at: datetime


@dataclass(frozen=True, slots=True)
class History:
    """A transcript's past, as far as the person who asks may see it.

    Attributes
    ----------
    versions, decisions, suggestions, holders
        Oldest first; suggestions newest model first.
    disputed : list of int
        The slots on which people's newest submitted versions differ in the project's marks.
    """

    transcript_id: int
    project_id: int
    text: str
    document: str
    position: int
    split: str
    language: str
    units: list[list[int]]
    marks: list[str]
    versions: list[VersionView]
    decisions: list[DecisionView]
    suggestions: list[SuggestionView]
    holders: list[Holder]
    disputed: list[int]


def history(database: Database, actor: Actor, transcript_id: int) -> History:
    """Return a transcript's past: all of it for leads, an annotator's own part for others.

    Raises
    ------
    NotFound
        There is no such transcript.
    NotAllowed
        An annotator never had it.
    """
    require(actor, "see_own_history")
    with database.read() as session:
        transcript, project, own = _visible(session, actor, transcript_id)
        saved = versions.of_transcript(session, transcript_id, own)
        decided = decisions.of_transcript(session, transcript_id) if own is None else []
        held = [
            one
            for one in assignments.of_transcript(session, transcript_id)
            if own in (None, one.annotator_id)
        ]
        people = [v.annotator_id for v in saved] + [h.annotator_id for h in held]
        names = users.names(session, people + [d.reviewer_id for d in decided])
        said = _suggestions(session, project, transcript)
    answers = {v.annotator_id: fold_labels(v.labels, project.marks) for v in saved if v.submitted}
    return History(
        transcript_id=transcript_id,
        project_id=project.id,
        text=transcript.text,
        document=transcript.document,
        position=transcript.position,
        split=transcript.split,
        language=transcript.language,
        units=[list(span) for span in find_units(transcript.text)],
        marks=list(project.marks),
        versions=_version_views(transcript, saved, names, said),
        decisions=[
            DecisionView(
                number=d.number,
                reviewer=names[d.reviewer_id],
                note=d.note,
                created_at=d.created_at,
                labels=list(d.labels),
                text=marked(transcript, d.labels),
            )
            for d in decided
        ],
        suggestions=said,
        holders=[
            Holder(
                annotator_id=h.annotator_id,
                annotator=names[h.annotator_id],
                state=h.state,
                chosen_by=h.chosen_by,
                flagged=h.flagged,
                reason=h.reason,
                has_draft=h.draft is not None,
                touched_at=h.touched_at,
            )
            for h in held
        ],
        disputed=[
            i for i, slot in enumerate(zip(*answers.values(), strict=True)) if len(set(slot)) > 1
        ],
    )


@dataclass(frozen=True, slots=True)
class Recent:
    """One row of the list of versions; `id` is what the next page begins before."""

    id: int
    transcript_id: int
    document: str
    position: int
    annotator_id: int
    annotator: str
    number: int
    kind: str
    created_at: datetime
    text: str


def recent_versions(
    database: Database,
    actor: Actor,
    project_id: int,
    *,
    annotator_id: int | None = None,
    before_id: int | None = None,
    limit: int = 50,
) -> list[Recent]:
    """Return a project's newest versions, a page at a time: everybody's, or one's own.

    Raises
    ------
    NotAllowed
        An annotator asks for somebody else's.
    NotFound
        There is no such project.
    """
    require(actor, "see_own_history")
    if not may(actor, "see_all_history"):
        if annotator_id not in (None, actor.id):
            raise NotAllowed("not_yours", "You can see your own versions only.")
        annotator_id = actor.id
    with database.read() as session:
        find_project(session, project_id)
        rows = versions.recent(
            session, project_id, annotator_id=annotator_id, before_id=before_id, limit=limit
        )
        names = users.names(session, [version.annotator_id for version, _ in rows])
    return [
        Recent(
            id=version.id,
            transcript_id=transcript.id,
            document=transcript.document,
            position=transcript.position,
            annotator_id=version.annotator_id,
            annotator=names[version.annotator_id],
            number=version.number,
            kind=version.kind,
            created_at=version.created_at,
            text=marked(transcript, version.labels),
        )
        for version, transcript in rows
    ]


@dataclass(frozen=True, slots=True)
class Restored:
    """What bringing a version back made: a ``version`` or a ``decision``, and its number."""

    kind: str
    number: int


def restore(
    database: Database, actor: Actor, transcript_id: int, annotator_id: int, number: int
) -> Restored:
    """Bring a version back: one's own as a new version, somebody else's as a decision.

    A draft that was not submitted is kept as a version of its own first.

    Raises
    ------
    NotFound
        There is no such transcript or version.
    NotAllowed
        It is somebody else's, and the actor does not decide.
    """
    own_id = require_person(actor, "see_own_history")
    require(actor, "annotate" if annotator_id == own_id else "decide")
    with database.write() as session:
        transcripts.lock(session, transcript_id)
        transcript, project, _ = _visible(session, actor, transcript_id)
        chosen = _numbered(session, transcript_id, annotator_id, number)
        labels = fold_labels(chosen.labels, project.marks)
        if annotator_id != own_id:
            name = users.names(session, [annotator_id])[annotator_id]
            note = f"version {number} by {name}"
            return Restored("decision", _decide(session, own_id, transcript, labels, note))
        latest = _keep_draft(session, transcript_id, own_id)
        if latest.labels == labels and latest.submitted:
            return Restored("version", latest.number)
        made = versions.add(
            session,
            transcript_id,
            own_id,
            labels,
            number=latest.number + 1,
            based_on=latest.number,
            kind="restore",
            model_id=chosen.model_id,
        )
        assignments.fill_place(session, transcript_id, own_id)
        record_event(session, own_id, "restored", transcript, number=made.number, of=number)
        return Restored("version", made.number)


def decide(
    database: Database,
    actor: Actor,
    transcript_id: int,
    labels: bytes | Iterable[int],
    note: str = "",
    *,
    based_on: int | None = None,
) -> int:
    """Settle a transcript: these labels hold, whatever people submitted.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        A lead.
    transcript_id : int
        Which transcript.
    labels : bytes or iterable of int
        Canonical ids, one a slot.
    note : str
        Why.
    based_on : int, optional
        The number of the decision that the reviewer saw, 0 for none; a newer one by
        somebody else then stops this one.

    Returns
    -------
    int
        The number of the decision; that of the one before where its labels are the same.

    Raises
    ------
    NotAllowed, NotFound, BadInput
        The actor does not decide; no such transcript; the labels do not fit.
    StaleSave
        There is a newer decision than `based_on`, with other labels.
    """
    reviewer_id = require_person(actor, "decide")
    with database.write() as session:
        transcripts.lock(session, transcript_id)
        transcript, project, _ = _visible(session, actor, transcript_id)
        packed = check_labels(labels, transcript.unit_count, project.marks)
        latest = decisions.latest(session, transcript_id)
        number = latest.number if latest else 0
        if latest and latest.labels == packed and note in ("", latest.note):
            return number
        if latest and based_on not in (None, number):
            raise StaleSave(
                theirs=latest.labels,
                theirs_number=number,
                yours=packed,
                base=None,
                base_number=based_on or 0,
                of="decision",
            )
        return _decide(session, reviewer_id, transcript, packed, note)


def marked(transcript: Transcript, labels: Sequence[int]) -> str:
    """Return a transcript's text with marks, from canonical ids."""
    units = find_units(transcript.text)
    names = [ALL_MARKS.names[i] for i in labels]
    return render(transcript.text, units, names, language=transcript.language)


def _visible(
    session: Session, actor: Actor, transcript_id: int
) -> tuple[Transcript, Project, int | None]:
    """Return a transcript, its project, and whose part alone the actor may see (None: all)."""
    transcript = transcripts.by_id(session, transcript_id)
    if transcript is None:
        raise NotFound(
            "no_such_transcript", f"There is no transcript {transcript_id}.", id=transcript_id
        )
    project = find_project(session, transcript.project_id)
    if may(actor, "see_all_history"):
        return transcript, project, None
    if actor.id is None or assignments.of(session, transcript_id, actor.id) is None:
        raise NotAllowed("not_yours", "This transcript was not given to you.", id=transcript_id)
    return transcript, project, actor.id


def _numbered(session: Session, transcript_id: int, annotator_id: int, number: int) -> Version:
    found = versions.numbered(session, transcript_id, annotator_id, number)
    if found is None:
        raise NotFound("no_such_version", f"There is no version {number} by this person.")
    return found


def _suggestions(
    session: Session, project: Project, transcript: Transcript
) -> list[SuggestionView]:
    views = []
    for model_id in suggestions.models_of(session, transcript.id):
        model = session.get_one(ModelVersion, model_id)
        said = read_suggestion(session, project, transcript, model)
        if said is not None:
            labels = said[1]
            views.append(
                SuggestionView(model_id, model.name, list(labels), marked(transcript, labels))
            )
    return views


def _version_views(
    transcript: Transcript,
    saved: Sequence[Version],
    names: dict[int, str],
    said: Sequence[SuggestionView],
) -> list[VersionView]:
    labels_of = {(v.annotator_id, v.number): v.labels for v in saved}
    shown = {one.model_id: bytes(one.labels) for one in said}
    views = []
    for v in saved:
        base = labels_of.get((v.annotator_id, v.based_on))
        if not v.based_on and v.model_id is not None:
            base = shown.get(v.model_id)
        views.append(
            VersionView(
                annotator_id=v.annotator_id,
                annotator=names[v.annotator_id],
                number=v.number,
                kind=v.kind,
                submitted=v.submitted,
                based_on=v.based_on,
                model_id=v.model_id,
                seconds=v.seconds,
                created_at=v.created_at,
                labels=list(v.labels),
                text=marked(transcript, v.labels),
                changed=None
                if base is None
                else sum(a != b for a, b in zip(base, v.labels, strict=True)),
            )
        )
    return views


def _keep_draft(session: Session, transcript_id: int, annotator_id: int) -> Version:
    """Put an unsubmitted draft away as a version, and return the newest version."""
    held = assignments.of(session, transcript_id, annotator_id, lock=True)
    latest = versions.latest(session, transcript_id, annotator_id)
    assert latest is not None
    if held is None or held.draft is None:
        return latest
    draft, held.draft = held.draft, None
    held.draft_number += 1
    if draft == latest.labels:
        return latest
    return versions.add(
        session,
        transcript_id,
        annotator_id,
        draft,
        number=latest.number + 1,
        based_on=latest.number,
        kind="save",
        submitted=False,
        model_id=held.model_id,
    )


def _decide(
    session: Session, reviewer_id: int, transcript: Transcript, labels: bytes, note: str
) -> int:
    if len(note) > 2000:
        raise BadInput("reason_too_long", "A note has at most 2000 characters.", longest=2000)
    latest = decisions.latest(session, transcript.id)
    number = (latest.number if latest else 0) + 1
    decisions.add(session, transcript.id, reviewer_id, labels, number=number, note=note)
    record_event(session, reviewer_id, "decided", transcript, number=number)
    return number
