"""Thresholds: a project's stand, the model's own hold for the rest, whichever model serves."""

import io
import json
import shutil
import threading

import numpy as np
import pytest

from db import models, suggestions
from db.tables import Project
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.exporting import export
from labeling.importing import import_file
from labeling.permissions import SYSTEM
from labeling.probabilities import pack
from labeling.projects import get_project, update_settings
from labeling.rounds import measure_again, round_here
from labeling.thresholds import list_thresholds, set_threshold
from labeling.workflow import open_next, open_transcript, submit
from model.card import read_card, write_card
from tests.labeling.loop import QUICK, add_model, add_texts, decide_all

NAMES = ["NONE", "COMMA", "PERIOD", "QUESTION"]


@pytest.fixture
def serve(database, project):
    """Let a new model serve, with thresholds of its own and one answer for some transcripts."""

    def serve(thresholds, ids=(), row=(0.5, 0.5, 0.0, 0.0), marks=NAMES, name="one", slots=7):
        with database.write() as session:
            version = models.add(
                session,
                project_id=None,
                name=name,
                folder=name,
                marks=list(marks),
                settings={"thresholds": thresholds},
            )
            models.serve(session, session.get_one(Project, project.id), version)
            said = pack(np.tile(row, (slots, 1)))
            suggestions.put(session, version.id, dict.fromkeys(ids, said))
            return version.id

    return serve


def standing(database, project):
    found = list_thresholds(database, SYSTEM, project.id)
    return {one.mark: (one.threshold, one.own, one.is_set) for one in found}


def test_moving_one_mark_leaves_the_others_to_whichever_model_serves(database, project, lea, serve):
    serve({"COMMA": 0.3, "PERIOD": 0.36, "QUESTION": 0.37})
    set_threshold(database, lea, project.id, "COMMA", 0.5)
    assert standing(database, project) == {
        "COMMA": (0.5, 0.3, True),
        "PERIOD": (0.36, 0.36, False),
        "QUESTION": (0.37, 0.37, False),
    }
    serve({"COMMA": 0.55, "PERIOD": 0.61, "QUESTION": 0.2}, name="two")
    assert standing(database, project) == {
        "COMMA": (0.5, 0.55, True),
        "PERIOD": (0.61, 0.61, False),
        "QUESTION": (0.2, 0.2, False),
    }
    set_threshold(database, lea, project.id, "COMMA", None)
    assert standing(database, project)["COMMA"] == (0.55, 0.55, False)
    assert get_project(database, SYSTEM, project.id).settings.thresholds == {}


def test_where_no_threshold_is_known_the_likeliest_mark_is_put(database, project, lea, serve):
    serve({})
    assert {one[0] for one in standing(database, project).values()} == {None}
    set_threshold(database, lea, project.id, "COMMA", 0.8)
    # Beside a mark that has one, the others have that of `model.predictor.choose`.
    assert standing(database, project)["PERIOD"] == (0.4, None, False)


@pytest.mark.parametrize(
    ("own", "of_project", "row", "label"),
    [
        ({"PERIOD": 0.9}, {}, (0.3, 0.0, 0.7, 0.0), 0),
        ({"PERIOD": 0.9}, {"COMMA": 0.5}, (0.3, 0.0, 0.7, 0.0), 0),  # the model's still holds
        ({"PERIOD": 0.9}, {"PERIOD": 0.6}, (0.3, 0.0, 0.7, 0.0), 2),
        ({"PERIOD": 0.2}, {"COMMA": 0.9}, (0.7, 0.0, 0.3, 0.0), 2),
    ],
)
def test_what_stands_is_what_chooses(
    database, project, fill, ann, lea, serve, own, of_project, row, label
):
    ids = fill(1)
    serve(own, ids, row)
    for mark, at in of_project.items():
        set_threshold(database, lea, project.id, mark, at)
    assert open_transcript(database, ann, ids[0]).labels == [label] * 7
    out = io.BytesIO()
    export(database, lea, project.id, "suggestions", "jsonl", out)
    assert json.loads(out.getvalue())["labels"] == [label] * 7


def test_nothing_is_suggested_inside_a_number_range_or_a_name(database, project, lea, ann, serve):
    text = "neem 2~3 weken lees README.md nu"
    import_file(database, SYSTEM, project.id, text.encode(), name="a.txt", language="nl")
    work = open_next(database, ann, project.id)
    serve({"COMMA": 0.2}, [work.transcript_id], (0.2, 0.8, 0.0, 0.0), slots=len(work.units))
    wanted = [1, 0, 1, 1, 1, 0, 1, 1]
    assert open_transcript(database, ann, work.transcript_id).labels == wanted
    out = io.BytesIO()
    export(database, lea, project.id, "suggestions", "jsonl", out)
    assert json.loads(out.getvalue())["labels"] == wanted
    people = list(wanted)
    people[1] = 1
    submit(database, ann, work.transcript_id, bytes(people), work.based_on)  # by hand it may be


def test_two_leads_who_move_two_sliders_at_once_both_get_theirs(database, project, lea, serve):
    serve({})
    together = threading.Barrier(2)

    def move(mark, at):
        together.wait()
        set_threshold(database, lea, project.id, mark, at)

    for round_ in range(5):
        wanted = {"COMMA": 0.5 + round_ / 100, "PERIOD": 0.6 + round_ / 100}
        movers = [threading.Thread(target=move, args=pair) for pair in wanted.items()]
        for mover in movers:
            mover.start()
        for mover in movers:
            mover.join()
        assert get_project(database, SYSTEM, project.id).settings.thresholds == wanted


@pytest.mark.parametrize(
    ("mark", "at", "code"),
    [
        ("NONE", 0.5, "mark_not_in_set"),
        ("COLON", 0.5, "mark_not_in_set"),
        ("COMMMA", 0.5, "mark_not_in_set"),
        ("COMMA", 0.0, "bad_setting"),
        ("COMMA", 1.01, "bad_setting"),
        ("COMMA", float("nan"), "bad_setting"),
    ],
)
def test_what_cannot_be_set_is_refused_and_changes_nothing(database, project, lea, mark, at, code):
    with pytest.raises(BadInput) as raised:
        set_threshold(database, lea, project.id, mark, at)
    assert raised.value.code == code
    assert get_project(database, SYSTEM, project.id).settings.thresholds == {}


def test_who_may_not_cannot(database, project, ann, person):
    for actor in (ann, person("eve", "engineer")):
        with pytest.raises(NotAllowed):
            set_threshold(database, actor, project.id, "COMMA", 0.5)
    with pytest.raises(NotAllowed):
        list_thresholds(database, ann, project.id)
    with pytest.raises(NotFound):
        set_threshold(database, SYSTEM, 99, "COMMA", 0.5)


def test_a_project_that_no_model_serves_says_so(database, project, lea):
    with pytest.raises(BadInput) as raised:
        list_thresholds(database, lea, project.id)
    assert raised.value.code == "no_model"


def test_a_round_measures_each_model_with_its_own_where_the_project_has_none(
    database, project, lea, tiny_checkpoint, tmp_path
):
    """A model that puts no full stops by itself is not given the other's thresholds."""
    shy = tmp_path / "shy"
    shutil.copytree(tiny_checkpoint, shy)
    write_card(shy, read_card(shy).changed(thresholds={"PERIOD": 1.0, "QUESTION": 1.0}))
    add_texts(database, project.id, 12, "pool")
    add_texts(database, project.id, 6, "test")
    decide_all(database, lea, project.id)
    add_model(database, shy, "shy", project.id)
    update_settings(database, lea, project.id, {"thresholds": {"COMMA": 0.9}})
    done = round_here(database, SYSTEM, project.id, training=QUICK | {"epochs": 1})
    assert done.state == "done", done.error
    assert done.before["per_mark"]["PERIOD"]["predicted"] == 0
    again = measure_again(database, SYSTEM, project.id, 1)
    assert (again.before, again.after) == (done.before, done.after)
