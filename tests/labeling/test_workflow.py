"""Handing out, drafts, submitting, skipping, flagging: what one person does after another."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select, update

from db import suggestions
from db.append_only import AppendOnly
from db.engine import Database
from db.tables import Assignment, AuditEvent, Decision, ModelVersion, Project, Transcript, Version
from labeling.errors import BadInput, NotAllowed, NotFound, StaleSave
from labeling.permissions import SYSTEM, Actor
from labeling.probabilities import pack
from labeling.projects import ProjectInfo, update_settings
from labeling.work import Work
from labeling.workflow import (
    flag,
    open_next,
    open_transcript,
    progress,
    save_draft,
    skip,
    submit,
    unfinished,
)

Fill = Callable[..., list[int]]
LABELS = [0, 1, 0, 0, 3, 0, 2]


def next_of(database: Database, actor: Actor, project: ProjectInfo) -> Work:
    work = open_next(database, actor, project.id)
    assert work is not None
    return work


def let_lie(database: Database, transcript_id: int, minutes: float = 31) -> None:
    """Make it look as if nobody touched a transcript for some time."""
    with database.write() as session:
        for row in session.scalars(
            select(Assignment).where(Assignment.transcript_id == transcript_id)
        ):
            row.touched_at -= timedelta(minutes=minutes)


def places(database: Database, transcript_id: int) -> int:
    with database.read() as session:
        found = session.get(Transcript, transcript_id)
        assert found is not None
        return found.places


def versions_of(database: Database, transcript_id: int) -> list[tuple[int, int, bytes]]:
    with database.read() as session:
        rows = session.scalars(
            select(Version).where(Version.transcript_id == transcript_id).order_by(Version.id)
        )
        return [(row.annotator_id, row.number, row.labels) for row in rows]


def serve(
    database: Database, project: ProjectInfo, marks: Sequence[str], rows: dict[int, np.ndarray]
) -> int:
    """Make a serving model that says these probabilities."""
    with database.write() as session:
        model = ModelVersion(name="starter", folder="starter", marks=list(marks))
        session.add(model)
        session.flush()
        session.get_one(Project, project.id).serving_model_id = model.id
        suggestions.put(session, model.id, {i: pack(array) for i, array in rows.items()})
        return model.id


def test_the_most_uncertain_comes_first(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(3)
    got = []
    while (work := open_next(database, ann, project.id)) is not None:
        got.append(work.transcript_id)
        submit(database, ann, work.transcript_id, LABELS, work.based_on)
    assert got == ids


def test_a_share_is_drawn_at_random(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    fill(300)
    update_settings(database, SYSTEM, project.id, {"random_share": 0.15})
    chance = random.Random(3)
    for _ in range(200):
        work = open_next(database, ann, project.id, chance=chance)
        assert work is not None
        submit(database, ann, work.transcript_id, LABELS, 0)
    with database.read() as session:
        rows = session.execute(select(Assignment.chosen_by, Assignment.transcript_id)).all()
    drawn = [i for how, i in rows if how == "random"]
    assert 15 <= len(drawn) <= 47  # 30 expected; four standard deviations either way
    assert max(drawn) > 200  # what is certain gets its turn too
    assert Counter(how for how, _ in rows).keys() == {"uncertain", "random"}


def test_the_random_draw_goes_around_its_end(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)  # its lot is 0.0, and nearly every draw lies beyond
    update_settings(database, SYSTEM, project.id, {"random_share": 1.0})
    assert next_of(database, ann, project).transcript_id == ids[0]


def test_an_open_one_is_resumed_with_its_draft(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    fill(3)
    work = next_of(database, ann, project)
    number = save_draft(database, ann, work.transcript_id, LABELS, work.draft_number)
    again = next_of(database, ann, project)
    assert again.transcript_id == work.transcript_id
    assert (again.labels, again.draft_number, again.source) == (LABELS, number, "draft")


def test_nobody_gets_what_has_no_place(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(2)
    assert next_of(database, ann, project).transcript_id == ids[0]
    assert next_of(database, bob, project).transcript_id == ids[1]
    submit(database, bob, ids[1], LABELS, 0)
    assert open_next(database, bob, project.id) is None
    with pytest.raises(NotAllowed) as caught:
        open_transcript(database, bob, ids[0])
    assert caught.value.code == "no_place"


def test_two_are_wanted_and_neither_sees_the_other(
    database: Database,
    project: ProjectInfo,
    fill: Fill,
    ann: Actor,
    bob: Actor,
    person: Callable[..., Actor],
) -> None:
    ids = fill(1, wanted=2)
    submit(database, ann, next_of(database, ann, project).transcript_id, LABELS, 0)
    assert open_next(database, ann, project.id) is None  # not once more to the same person
    work = next_of(database, bob, project)
    assert (work.transcript_id, work.labels, work.source) == (ids[0], [0] * 7, "nothing")
    submit(database, bob, ids[0], LABELS[::-1], 0)
    assert open_next(database, person("cid"), project.id) is None
    assert open_transcript(database, ann, ids[0]).labels == LABELS


def test_what_was_not_touched_goes_to_somebody_else_and_the_draft_stays(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    save_draft(database, ann, ids[0], LABELS, 0)
    assert open_next(database, bob, project.id) is None
    let_lie(database, ids[0])
    work = next_of(database, bob, project)
    assert (work.transcript_id, work.labels) == (ids[0], [0] * 7)
    assert places(database, ids[0]) == 0
    assert open_next(database, ann, project.id) is None
    assert [
        (row.transcript_id, row.has_draft) for row in unfinished(database, ann, project.id)
    ] == [(ids[0], True)]
    late = open_transcript(database, ann, ids[0])
    assert (late.labels, late.state) == (LABELS, "expired")
    assert save_draft(database, ann, ids[0], LABELS, late.draft_number) == 2
    assert submit(database, ann, ids[0], LABELS, late.based_on) == 1  # nothing is lost
    assert submit(database, bob, ids[0], [0] * 7, 0) == 1
    assert places(database, ids[0]) == 0
    assert len(versions_of(database, ids[0])) == 2


def test_who_comes_back_late_gets_it_again_if_nobody_took_it(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(2)
    next_of(database, ann, project)
    save_draft(database, ann, ids[0], LABELS, 0)
    let_lie(database, ids[0])
    with database.write() as session:  # somebody's asking gives the place back
        session.execute(update(Transcript).where(Transcript.id == ids[1]).values(uncertainty=2.0))
    assert next_of(database, bob, project).transcript_id == ids[1]
    assert places(database, ids[0]) == 1
    assert next_of(database, ann, project).labels == LABELS
    assert places(database, ids[0]) == 0


def test_typing_keeps_the_lease(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    let_lie(database, ids[0])
    save_draft(database, ann, ids[0], LABELS, 0)
    assert open_next(database, bob, project.id) is None


def test_a_place_is_given_back_once(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(2, wanted=2)
    next_of(database, ann, project)
    let_lie(database, ids[0])
    next_of(database, bob, project)
    assert places(database, ids[0]) + places(database, ids[1]) == 3
    skip(database, ann, ids[0], "noise")  # had expired: its place is back already
    assert places(database, ids[0]) + places(database, ids[1]) == 3
    skip(database, bob, next_of(database, bob, project).transcript_id)
    assert places(database, ids[0]) + places(database, ids[1]) == 4


def test_a_skipped_one_goes_to_others_and_not_back(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(2)
    next_of(database, ann, project)
    skip(database, ann, ids[0], " it is not English ")
    skip(database, ann, ids[0], "twice")
    assert next_of(database, ann, project).transcript_id == ids[1]
    assert next_of(database, bob, project).transcript_id == ids[0]
    with database.read() as session:
        row = session.scalars(select(Assignment).where(Assignment.state == "skipped")).one()
    assert row.reason == "it is not English"
    with pytest.raises(NotAllowed):
        save_draft(database, ann, ids[0], LABELS, 0)
    submit(database, bob, ids[0], LABELS, 0)
    with pytest.raises(BadInput):
        skip(database, bob, ids[0])


def test_a_skip_can_be_thought_better_of(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    save_draft(database, ann, ids[0], LABELS, 0)
    skip(database, ann, ids[0])
    work = open_transcript(database, ann, ids[0])
    assert (work.state, work.labels) == ("open", LABELS)
    assert places(database, ids[0]) == 0


def test_a_flag_closes_nothing(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(2)
    next_of(database, ann, project)
    flag(database, ann, ids[0], "two people talk at once")
    work = next_of(database, ann, project)
    assert (work.transcript_id, work.flagged, work.reason) == (
        ids[0],
        True,
        "two people talk at once",
    )
    flag(database, ann, ids[0], flagged=False)
    assert next_of(database, ann, project).flagged is False
    submit(database, ann, ids[0], LABELS, 0)


def test_a_second_tab_cannot_overwrite_a_draft(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    first = save_draft(database, ann, ids[0], LABELS, 0)
    other = LABELS[::-1]
    with pytest.raises(StaleSave) as caught:
        save_draft(database, ann, ids[0], other, 0)
    assert caught.value.theirs == bytes(LABELS)
    assert caught.value.yours == bytes(other)
    assert caught.value.theirs_number == first
    assert save_draft(database, ann, ids[0], LABELS, 0) == first  # a retry is no second save
    assert save_draft(database, ann, ids[0], other, first) == first + 1


def test_a_save_that_arrives_after_the_submission(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    number = save_draft(database, ann, ids[0], LABELS, 0)
    submit(database, ann, ids[0], LABELS, 0)
    assert save_draft(database, ann, ids[0], LABELS, number) == number + 1  # the same: no matter
    with pytest.raises(StaleSave):
        save_draft(database, ann, ids[0], LABELS[::-1], number)
    assert open_transcript(database, ann, ids[0]).source == "version"


def test_a_stale_submission_is_refused_with_both(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    one, two, three = LABELS, LABELS[::-1], [0] * 7
    assert submit(database, ann, ids[0], one, 0) == 1
    assert submit(database, ann, ids[0], two, 1) == 2
    with pytest.raises(StaleSave) as caught:
        submit(database, ann, ids[0], three, 1)
    stale = caught.value
    assert (stale.theirs, stale.theirs_number) == (bytes(two), 2)
    assert (stale.yours, stale.base, stale.base_number) == (bytes(three), bytes(one), 1)
    assert [v[2] for v in versions_of(database, ids[0])] == [bytes(one), bytes(two)]
    assert submit(database, ann, ids[0], three, 2) == 3


def test_the_same_submission_again_is_one(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    assert [submit(database, ann, ids[0], LABELS, based_on) for based_on in (0, 0, 1, 0)] == [1] * 4
    assert len(versions_of(database, ids[0])) == 1


def test_correcting_oneself_makes_a_new_version_and_keeps_the_old(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    submit(database, ann, ids[0], LABELS, 0, seconds=12.5)
    work = open_transcript(database, ann, ids[0])
    assert (work.labels, work.based_on, work.state) == (LABELS, 1, "submitted")
    save_draft(database, ann, ids[0], LABELS[::-1], work.draft_number)
    work = open_transcript(database, ann, ids[0])
    assert (work.labels, work.based_on, work.source) == (LABELS[::-1], 1, "draft")
    submit(database, ann, ids[0], work.labels, work.based_on, seconds=float("nan"))
    with database.read() as session:
        rows = session.scalars(select(Version).order_by(Version.id)).all()
    assert [(row.number, row.seconds) for row in rows] == [(1, 12.5), (2, None)]
    assert places(database, ids[0]) == 0


@pytest.mark.parametrize(
    ("labels", "code"),
    [
        ([0] * 6, "wrong_length"),
        ([0] * 8, "wrong_length"),
        ([], "wrong_length"),
        ([0, 0, 0, 0, 0, 0, 4], "mark_not_in_set"),
        ([0, 0, 0, 0, 0, 0, 10], "bad_labels"),
        ([0, 0, 0, 0, 0, 0, -1], "bad_labels"),
        ([0, 0, 0, 0, 0, 0, 256], "bad_labels"),
        ([0, 0, 0, 0, 0, 0, 1.5], "bad_labels"),
        (["NONE"] * 7, "bad_labels"),
        (None, "bad_labels"),
        (7, "bad_labels"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    database: Database,
    project: ProjectInfo,
    fill: Fill,
    ann: Actor,
    labels: list[int],
    code: str,
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    for attempt in (save_draft, submit):
        with pytest.raises(BadInput) as caught:
            attempt(database, ann, ids[0], labels, 0)
        assert caught.value.code == code
    assert versions_of(database, ids[0]) == []


def test_the_suggestion_is_filled_in_and_doubts_are_told(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    said = np.full((7, 5), 0.02)
    said[:, 0] = 0.92
    said[1] = [0.3, 0.1, 0.1, 0.1, 0.4]  # COLON, which the project writes as COMMA
    said[6] = [0.05, 0.0, 0.9, 0.05, 0.0]
    model_id = serve(
        database, project, ["NONE", "COMMA", "PERIOD", "QUESTION", "COLON"], {ids[0]: said}
    )
    work = next_of(database, ann, project)
    assert work.labels == [0, 1, 0, 0, 0, 0, 2]
    assert work.source == "suggestion"
    assert work.doubtful == [False, True, False, False, False, False, False]
    assert work.probabilities is not None
    assert work.probabilities[1] == pytest.approx([0.3, 0.5, 0.1, 0.1], abs=1e-3)
    assert (work.model, work.model_id, work.needs_suggestion) == ("starter", model_id, False)
    submit(database, ann, ids[0], LABELS, 0)
    with database.read() as session:
        assert session.scalars(select(Version.model_id)).one() == model_id


def test_thresholds_of_the_project_choose_the_suggestion(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    said = np.tile([0.55, 0.45, 0.0, 0.0], (7, 1))
    serve(database, project, project.marks, {ids[0]: said})
    assert next_of(database, ann, project).labels == [0] * 7
    update_settings(database, SYSTEM, project.id, {"thresholds": {"COMMA": 0.4}})
    assert next_of(database, ann, project).labels == [1] * 7


def test_work_says_when_a_suggestion_is_still_to_be_computed(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    assert next_of(database, ann, project).needs_suggestion is False  # nothing could give one
    model_id = serve(database, project, project.marks, {})
    work = next_of(database, ann, project)
    assert (work.needs_suggestion, work.probabilities, work.model_id) == (True, None, model_id)
    with database.write() as session:
        suggestions.put(session, model_id, {ids[0]: pack(np.tile([0.1, 0.9, 0, 0], (7, 1)))})
    assert open_transcript(database, ann, ids[0]).labels == [1] * 7
    submit(database, ann, ids[0], LABELS, 0)
    with database.read() as session:
        assert session.scalars(select(Version.model_id)).one() == model_id


def test_a_mark_set_that_lost_a_mark_shows_its_kin(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    submit(database, ann, ids[0], [0, 3, 0, 0, 0, 0, 2], 0)
    update_settings(database, SYSTEM, project.id, marks=["comma", "period"])
    work = open_transcript(database, ann, ids[0])
    assert work.labels == [0, 2, 0, 0, 0, 0, 2]
    assert versions_of(database, ids[0])[0][2] == bytes([0, 3, 0, 0, 0, 0, 2])


def test_test_transcripts_are_handed_out_too(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    fill(1, split="test")
    submit(database, ann, next_of(database, ann, project).transcript_id, LABELS, 0)
    assert progress(database, ann, project.id).test_done == 1


def test_progress_counts(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    fill(3)
    fill(2, start=3, split="test", wanted=2)
    work = next_of(database, ann, project)
    assert (work.counts.done, work.counts.total, work.counts.mine_today) == (0, 5, 0)
    submit(database, ann, work.transcript_id, LABELS, 0)
    work = next_of(database, ann, project)
    assert (work.counts.done, work.counts.total, work.counts.mine_today) == (1, 5, 1)
    skip(database, ann, work.transcript_id)
    let_lie(database, 1, minutes=3 * 24 * 60)
    found = progress(database, ann, project.id)
    assert (found.mine_today, found.mine_total) == (0, 1)
    assert (found.done, found.total, found.pool_done, found.pool_total) == (1, 5, 1, 3)
    assert (found.test_done, found.test_total) == (0, 2)
    assert progress(database, bob, project.id).mine_total == 0
    assert progress(database, SYSTEM, project.id).total == 5


def test_who_may_not_annotate(
    database: Database, project: ProjectInfo, fill: Fill, person: Callable[..., Actor]
) -> None:
    ids = fill(1)
    for actor in (person("eve", "engineer"), SYSTEM):
        for attempt in (
            lambda a: open_next(database, a, project.id),
            lambda a: open_transcript(database, a, ids[0]),
            lambda a: save_draft(database, a, ids[0], LABELS, 0),
            lambda a: submit(database, a, ids[0], LABELS, 0),
            lambda a: skip(database, a, ids[0]),
            lambda a: flag(database, a, ids[0]),
        ):
            with pytest.raises(NotAllowed):
                attempt(actor)
    assert places(database, ids[0]) == 1


def test_what_was_not_given_to_somebody_is_closed_to_them(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor, bob: Actor
) -> None:
    ids = fill(2)
    next_of(database, ann, project)
    for attempt in (
        lambda: save_draft(database, bob, ids[0], LABELS, 0),
        lambda: submit(database, bob, ids[0], LABELS, 0),
        lambda: skip(database, bob, ids[0]),
        lambda: flag(database, bob, ids[0]),
    ):
        with pytest.raises(NotAllowed):
            attempt()
    with pytest.raises(NotFound):
        submit(database, bob, 999, LABELS, 0)
    with pytest.raises(NotFound):
        open_next(database, bob, 999)


def test_everything_but_drafts_is_written_down(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(2)
    next_of(database, ann, project)
    save_draft(database, ann, ids[0], LABELS, 0)
    flag(database, ann, ids[0], "noise")
    submit(database, ann, ids[0], LABELS, 0)
    next_of(database, ann, project)
    skip(database, ann, ids[1], "noise")
    with pytest.raises(BadInput):
        submit(database, ann, ids[0], [9] * 7, 1)
    with database.read() as session:
        events = session.scalars(
            select(AuditEvent).where(AuditEvent.user_id == ann.id).order_by(AuditEvent.id)
        ).all()
    assert [event.action for event in events] == [
        "opened",
        "flagged",
        "submitted",
        "opened",
        "skipped",
    ]
    assert {event.project_id for event in events} == {project.id}


def test_versions_and_decisions_cannot_be_changed_or_deleted(
    database: Database, project: ProjectInfo, fill: Fill, ann: Actor
) -> None:
    ids = fill(1)
    next_of(database, ann, project)
    submit(database, ann, ids[0], LABELS, 0)
    assert ann.id is not None
    with database.write() as session:
        session.add(
            Decision(transcript_id=ids[0], number=1, reviewer_id=ann.id, labels=bytes(LABELS))
        )

    def change(table: type) -> None:
        with database.write() as session:
            session.scalars(select(table)).one().labels = b"\0" * 7

    def delete(table: type) -> None:
        with database.write() as session:
            session.delete(session.scalars(select(table)).one())

    def change_all(table: type) -> None:
        with database.write() as session:
            session.execute(update(table).values(labels=b""))

    for table in (Version, Decision):
        for attempt in (change, delete, change_all):
            with pytest.raises(AppendOnly):
                attempt(table)
    assert versions_of(database, ids[0]) == [(ann.id, 1, bytes(LABELS))]
