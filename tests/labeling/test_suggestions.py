"""Suggestions: computed once by the model that serves, and what they say of certainty."""

import threading

import numpy as np
import pytest

from db import suggestions, transcripts
from db.tables import Project, Transcript
from labeling.choosing import transcript_uncertainty
from labeling.errors import BadInput
from labeling.jobs import list_jobs
from labeling.models import promote
from labeling.permissions import SYSTEM
from labeling.probabilities import in_marks, unpack
from labeling.suggestions import ensure_suggestions, start_suggesting, suggest_project
from labeling.tasks import do_waiting_jobs
from model.marks import ALL_MARKS
from model.predictor import load_predictor
from model.units import unit_texts
from tests.labeling.loop import add_model, add_texts


@pytest.fixture
def filled(database, project, tiny_checkpoint):
    ids = add_texts(database, project.id, 12, "pool")
    model = add_model(database, tiny_checkpoint, "tiny", project.id)
    return project, ids, model


def test_what_is_stored_is_what_the_model_says(database, filled, tiny_checkpoint):
    project, ids, model = filled
    assert ensure_suggestions(database, [*ids[:3], 999_999]) == 3
    with database.read() as session:
        rows = transcripts.by_ids(session, ids)
        stored = suggestions.of_many(session, ids, model)
    assert sorted(stored) == ids[:3]
    predictor = load_predictor(tiny_checkpoint)
    for row in rows[:3]:
        said = unpack(stored[row.id], row.unit_count, len(ALL_MARKS))
        direct = predictor.probabilities([unit_texts(row.text)])[0]
        np.testing.assert_allclose(said, direct, atol=1e-3)
        expected = transcript_uncertainty(in_marks(direct, ALL_MARKS.names, project.marks), 5)
        assert row.uncertainty == pytest.approx(expected, abs=1e-6)
    assert all(row.uncertainty == 0 for row in rows[3:])


def test_nothing_is_computed_twice(database, filled):
    _, ids, _ = filled
    assert ensure_suggestions(database, [ids[0], ids[0]]) == 1
    assert ensure_suggestions(database, ids[:2]) == 1
    assert ensure_suggestions(database, ids[:2]) == 0


def test_a_project_without_a_model_is_passed_over(database, project):
    ids = add_texts(database, project.id, 2, "pool")
    assert ensure_suggestions(database, ids) == 0
    assert suggest_project(database, project.id) == 0


def test_a_whole_project_with_progress_and_a_way_to_stop(database, filled):
    project, ids, _ = filled
    ensure_suggestions(database, ids[:2])
    seen = []
    made = suggest_project(database, project.id, lambda *steps: seen.append(steps))
    assert made == 10
    assert seen[0] == (0, 10)
    assert seen[-1] == (10, 10)
    assert suggest_project(database, project.id, should_stop=lambda: True) == 0


def test_another_model_makes_its_own_and_the_first_ones_stay(database, filled, tiny_checkpoint):
    project, ids, first = filled
    suggest_project(database, project.id)
    second = add_model(database, tiny_checkpoint, "second")
    promote(database, SYSTEM, second, project.id)
    assert suggest_project(database, project.id) == len(ids)
    with database.read() as session:
        for model in (first, second):
            assert suggestions.count(session, project.id, model) == len(ids)


def test_a_model_that_stopped_serving_sets_no_uncertainty(database, filled, tiny_checkpoint):
    project, ids, _ = filled
    second = add_model(database, tiny_checkpoint, "second")

    def change(done, total):
        if done == 0:
            with database.write() as session:
                session.get(Project, project.id).serving_model_id = second

    suggest_project(database, project.id, change)
    with database.read() as session:
        assert suggestions.count(session, project.id, second) == 0
        assert session.get(Transcript, ids[0]).uncertainty == 0


def test_a_broken_model_is_said_to_be_one(database, project, tmp_path):
    ids = add_texts(database, project.id, 1, "pool")
    add_model(database, tmp_path / "gone", "gone", project.id)
    with pytest.raises(BadInput, match="gone cannot be used"):
        ensure_suggestions(database, ids)


def test_the_worker_makes_what_lacks_and_asks_once(database, filled):
    project, ids, model = filled
    job = start_suggesting(database, SYSTEM, project.id)
    assert start_suggesting(database, SYSTEM, project.id) == job
    assert do_waiting_jobs(database, threading.Event()) == 1
    assert do_waiting_jobs(database, threading.Event()) == 0
    add_texts(database, project.id, 3, "later")
    assert do_waiting_jobs(database, threading.Event()) == 1
    with database.read() as session:
        assert suggestions.count(session, project.id, model) == len(ids) + 3
    states = [one.state for one in list_jobs(database, SYSTEM, project.id)]
    assert states == ["done", "done"]
