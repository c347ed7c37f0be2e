"""What can be seen of a transcript's past, by whom, and how a state of it is brought back."""

from collections.abc import Callable

import numpy as np
import pytest
from sqlalchemy import select

from db import suggestions, versions
from db.engine import Database
from db.tables import Assignment, AuditEvent, Decision, ModelVersion, Project, Version
from labeling.differences import opening_pair, states_of
from labeling.errors import BadInput, NotAllowed, NotFound, StaleSave
from labeling.gold import awaiting_review, read_gold
from labeling.history import Restored, decide, history, recent_versions, restore
from labeling.permissions import SYSTEM, Actor
from labeling.probabilities import pack
from labeling.projects import ProjectInfo, update_settings
from labeling.workflow import open_next, open_transcript, save_draft, submit
from model.marks import ALL_MARKS

Fill = Callable[..., list[int]]
ONE = [0, 1, 0, 0, 0, 0, 2]
TWO = [1, 1, 0, 0, 0, 0, 2]
SIX = [0, 0, 0, 0, 0, 0, 3]


@pytest.fixture
def answered(database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor) -> int:
    """A transcript that ann submitted twice and bob once, with a serving model's suggestion."""
    (transcript,) = fill(1, wanted=2)
    with database.write() as session:
        model = ModelVersion(name="starter", folder="starter", marks=list(project.marks))
        session.add(model)
        session.flush()
        session.get_one(Project, project.id).serving_model_id = model.id
        suggestions.put(
            session, model.id, {transcript: pack(np.tile([0.9, 0.05, 0.05, 0.0], (7, 1)))}
        )
    for actor in (ann, bob):
        open_next(database, actor, project.id)
    submit(database, ann, transcript, ONE, 0, 4.0)
    submit(database, ann, transcript, TWO, 1)
    submit(database, bob, transcript, SIX, 0)
    return transcript


def all_versions(database: Database) -> list[tuple[int, int, str, bool, list[int]]]:
    with database.read() as session:
        rows = session.scalars(select(Version).order_by(Version.id))
        return [(v.annotator_id, v.number, v.kind, v.submitted, list(v.labels)) for v in rows]


def test_a_lead_sees_everything(database: Database, answered: int, lea: Actor) -> None:
    decide(database, lea, answered, ONE, "as the guideline says")
    past = history(database, lea, answered)
    assert [(v.annotator, v.number, v.labels) for v in past.versions] == [
        ("ann", 1, ONE),
        ("ann", 2, TWO),
        ("bob", 1, SIX),
    ]
    assert past.versions[0].text == "yes I, think number 0 is fine."
    assert past.versions[0].seconds == 4.0
    assert [v.changed for v in past.versions] == [2, 1, 1]
    assert past.disputed == [0, 1, 6]
    assert [(d.number, d.reviewer, d.note, d.labels) for d in past.decisions] == [
        (1, "lea", "as the guideline says", ONE)
    ]
    assert [(s.model, s.labels) for s in past.suggestions] == [("starter", [0] * 7)]
    assert [(h.annotator, h.state) for h in past.holders] == [
        ("ann", "submitted"),
        ("bob", "submitted"),
    ]


def test_an_annotator_sees_their_own_part_only(
    database: Database, answered: int, bob: Actor, lea: Actor, person: Callable[..., Actor]
) -> None:
    decide(database, lea, answered, ONE)
    past = history(database, bob, answered)
    assert [(v.annotator, v.labels) for v in past.versions] == [("bob", SIX)]
    assert (past.decisions, past.disputed) == ([], [])
    assert [h.annotator for h in past.holders] == ["bob"]
    with pytest.raises(NotAllowed):
        history(database, person("cid"), answered)
    with pytest.raises(NotFound):
        history(database, lea, 999)


def test_the_list_of_versions(
    database: Database, project: ProjectInfo, answered: int, ann: Actor, bob: Actor, lea: Actor
) -> None:
    def listed(actor: Actor, **more: int) -> list[tuple[str, int]]:
        rows = recent_versions(database, actor, project.id, **more)
        return [(row.annotator, row.number) for row in rows]

    assert listed(lea) == [("bob", 1), ("ann", 2), ("ann", 1)]
    assert ann.id is not None
    assert listed(lea, annotator_id=ann.id) == [("ann", 2), ("ann", 1)]
    assert listed(bob) == [("bob", 1)]
    with pytest.raises(NotAllowed):
        listed(bob, annotator_id=ann.id)
    first = recent_versions(database, lea, project.id, limit=2)
    assert listed(lea, before_id=first[-1].id) == [("ann", 1)]


def test_all_that_can_be_compared_newest_first(
    database: Database, answered: int, ann: Actor, bob: Actor, lea: Actor
) -> None:
    decide(database, lea, answered, ONE)
    decide(database, lea, answered, TWO)
    assert [state.key for state in states_of(history(database, lea, answered))] == [
        "decision:2",
        "decision:1",
        f"version:{bob.id}:1",
        f"version:{ann.id}:2",
        f"version:{ann.id}:1",
        "suggestion:1",
    ]
    assert [state.key for state in states_of(history(database, bob, answered))] == [
        f"version:{bob.id}:1",
        "suggestion:1",
    ]


def test_two_people_who_differ_are_compared_first(
    database: Database,
    answered: int,
    bob: Actor,
    lea: Actor,
    ann: Actor,
    person: Callable[..., Actor],
) -> None:
    def first(actor: Actor) -> list[str | None]:
        pair = opening_pair(history(database, actor, answered))
        return [state and state.key for state in pair]

    assert first(lea) == [f"version:{ann.id}:2", f"version:{bob.id}:1"]
    assert first(bob) == ["suggestion:1", f"version:{bob.id}:1"]
    cid = person("cid")
    assert cid.id is not None
    with database.write() as session:  # a third person says what bob said
        versions.add(session, answered, cid.id, bytes(SIX), number=1, based_on=0)
        versions.add(session, answered, cid.id, bytes(7), number=2, based_on=1, submitted=False)
    assert first(lea) == [f"version:{ann.id}:2", f"version:{cid.id}:1"]


def test_people_differ_where_the_projects_marks_do(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor, lea: Actor
) -> None:
    (transcript,) = fill(1, wanted=2)
    full_stop, exclamation = ALL_MARKS.ids["PERIOD"], ALL_MARKS.ids["EXCLAMATION"]
    with database.write() as session:
        for actor, mark in ((ann, full_stop), (bob, exclamation)):
            assert actor.id is not None
            labels = bytes([0] * 6 + [mark])
            versions.add(session, transcript, actor.id, labels, number=1, based_on=0)
    assert history(database, lea, transcript).disputed == []
    update_settings(database, SYSTEM, project.id, marks=[*project.marks, "EXCLAMATION"])
    assert history(database, lea, transcript).disputed == [6]


def test_bringing_back_ones_own_makes_a_new_version(
    database: Database, answered: int, ann: Actor
) -> None:
    assert ann.id is not None
    assert restore(database, ann, answered, ann.id, 1) == Restored("version", 3)
    assert restore(database, ann, answered, ann.id, 1) == Restored("version", 3)  # again: no more
    assert all_versions(database) == [
        (1, 1, "submit", True, ONE),
        (1, 2, "submit", True, TWO),
        (2, 1, "submit", True, SIX),
        (1, 3, "restore", True, ONE),
    ]
    with pytest.raises(StaleSave):
        submit(database, ann, answered, SIX, 2)


def test_a_draft_is_put_away_before_a_version_is_brought_back(
    database: Database, answered: int, ann: Actor
) -> None:
    assert ann.id is not None
    work = open_transcript(database, ann, answered)
    save_draft(database, ann, answered, [0] * 7, work.draft_number)
    assert restore(database, ann, answered, ann.id, 1) == Restored("version", 4)
    assert all_versions(database)[-2:] == [
        (1, 3, "save", False, [0] * 7),
        (1, 4, "restore", True, ONE),
    ]
    assert open_transcript(database, ann, answered).labels == ONE


def test_bringing_back_somebody_elses_makes_a_decision(
    database: Database, answered: int, ann: Actor, bob: Actor, lea: Actor
) -> None:
    assert ann.id is not None
    before = all_versions(database)
    assert restore(database, lea, answered, ann.id, 1) == Restored("decision", 1)
    assert all_versions(database) == before  # nobody's answer is written by another hand
    past = history(database, lea, answered)
    assert [(d.labels, d.note) for d in past.decisions] == [(ONE, "version 1 by ann")]
    with pytest.raises(NotAllowed):
        restore(database, bob, answered, ann.id, 1)
    with pytest.raises(NotFound):
        restore(database, lea, answered, ann.id, 9)


def test_deciding_changes_no_version_and_the_last_one_holds(
    database: Database, project: ProjectInfo, answered: int, lea: Actor
) -> None:
    before = all_versions(database)
    assert awaiting_review(database, lea, project.id) == [answered]
    assert decide(database, lea, answered, ONE, based_on=0) == 1
    assert decide(database, lea, answered, ONE, based_on=0) == 1  # a double click
    assert awaiting_review(database, lea, project.id) == []
    with pytest.raises(StaleSave) as caught:
        decide(database, lea, answered, TWO, based_on=0)
    assert (caught.value.theirs, caught.value.theirs_number) == (bytes(ONE), 1)
    assert decide(database, lea, answered, TWO, based_on=1) == 2
    with database.read() as session:
        (row,) = read_gold(session, project.id)
        decision = session.scalars(select(Decision).where(Decision.number == 2)).one()
    assert (row.labels, row.source, row.source_ids) == (bytes(TWO), "decision", (decision.id,))
    assert all_versions(database) == before


def test_who_may_not_decide(
    database: Database, answered: int, ann: Actor, person: Callable[..., Actor]
) -> None:
    for actor in (ann, person("eve", "engineer"), SYSTEM):
        with pytest.raises(NotAllowed):
            decide(database, actor, answered, ONE)
    with pytest.raises(BadInput):
        decide(database, person("lou", "lead"), answered, [9] * 7)


def test_bringing_back_marks_that_the_project_lost(
    database: Database, project: ProjectInfo, answered: int, bob: Actor
) -> None:
    assert bob.id is not None
    submit(database, bob, answered, ONE, 1)
    update_settings(database, SYSTEM, project.id, marks=["comma", "period"])
    restore(database, bob, answered, bob.id, 1)
    assert all_versions(database)[-1] == (2, 3, "restore", True, [0, 0, 0, 0, 0, 0, 2])


def test_what_was_done_is_written_down(
    database: Database, answered: int, ann: Actor, lea: Actor
) -> None:
    assert ann.id is not None
    restore(database, ann, answered, ann.id, 1)
    decide(database, lea, answered, TWO)
    with database.read() as session:
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id.desc()).limit(2)).all()
        drafts = session.scalars(select(Assignment.draft)).all()
    assert [(e.action, e.user_id) for e in events] == [("decided", lea.id), ("restored", ann.id)]
    assert drafts == [None, None]
