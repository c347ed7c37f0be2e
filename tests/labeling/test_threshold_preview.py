"""What a lead sees before a threshold is moved, and on what it is counted."""

import numpy as np
import pytest
from sqlalchemy import update

from db import suggestions
from db.tables import Transcript
from labeling.errors import BadInput, NotAllowed
from labeling.gold import read_gold
from labeling.models import promote
from labeling.permissions import SYSTEM
from labeling.probabilities import pack
from labeling.projects import get_project
from labeling.rounds import round_here
from labeling.suggestions import suggest_project
from labeling.threshold_preview import preview_threshold
from labeling.thresholds import set_threshold
from model.marks import ALL_MARKS
from tests.labeling.loop import COMMA, QUICK, add_model, add_texts, decide_all, make_ready

SURE, UNSURE = 0.9, 0.45


@pytest.fixture
def ready(database, project, lea, tiny_checkpoint):
    make_ready(database, lea, project.id, tiny_checkpoint)
    return project


def say(database, project, at):
    """Let the serving model find a comma so likely at every comma of the gold, and as likely at
    the first slot, where there is none."""
    model = get_project(database, SYSTEM, project.id).serving_model_id
    with database.write() as session:
        tables = {}
        for row in read_gold(session, project.id):
            table = np.zeros((len(row.labels), len(ALL_MARKS)))
            table[:, 0] = 1.0
            for slot in [0, *np.flatnonzero(np.frombuffer(row.labels, np.uint8) == COMMA)]:
                table[slot, 0], table[slot, COMMA] = 1 - at, at
            tables[row.transcript_id] = pack(table)
        suggestions.put(session, model, tables)


def test_it_shows_what_is_suggested_now_and_what_would_be(database, ready, lea):
    say(database, ready, UNSURE)
    found = preview_threshold(database, lea, ready.id, "COMMA")
    assert (found.n_texts, found.n_tuned) == (24, 0)
    assert found.stands.threshold is None  # the likeliest mark, and that is none
    assert (found.now.precision, found.now.recall, found.now.rate) == (None, 0.0, 0.0)
    low, high = found.curve.at(0.40), found.curve.at(0.50)
    assert (low.precision, low.recall) == (2 / 3, 1.0)  # two commas a text, and one too many
    assert low.rate == pytest.approx(100 * 3 * 24 / found.n_slots)
    assert (high.precision, high.recall, high.rate) == (None, 0.0, 0.0)
    set_threshold(database, lea, ready.id, "COMMA", 0.40)
    assert preview_threshold(database, lea, ready.id, "COMMA").now == low


def test_right_after_a_promotion_there_is_still_something_to_see(database, ready, lea):
    """All gold was read by the round; that which the model was only tuned by is left."""
    done = round_here(database, SYSTEM, ready.id, training=QUICK | {"epochs": 1})
    promote(database, SYSTEM, done.model, ready.id)
    suggest_project(database, ready.id)
    found = preview_threshold(database, lea, ready.id, "COMMA")
    assert found.n_texts == found.n_tuned == done.counts["dev"]
    set_threshold(database, lea, ready.id, "COMMA", 0.45)
    assert preview_threshold(database, lea, ready.id, "COMMA").stands.threshold == 0.45


def test_gold_that_the_model_never_saw_is_taken_alone_once_there_is_enough(database, ready, lea):
    done = round_here(database, SYSTEM, ready.id, training=QUICK | {"epochs": 1})
    promote(database, SYSTEM, done.model, ready.id)
    dev = done.counts["dev"]
    for texts, counted in ((9, (9 + dev, dev)), (1, (10, 0))):  # 18 commas, then 20
        add_texts(database, ready.id, texts, f"more {texts}")
        with database.write() as session:
            added = Transcript.split == f"more {texts}"
            session.execute(update(Transcript).where(added).values(split="pool"))
        decide_all(database, lea, ready.id)
        suggest_project(database, ready.id)
        found = preview_threshold(database, lea, ready.id, "COMMA")
        assert (found.n_texts, found.n_tuned) == counted


def test_without_gold_it_says_where_the_threshold_stands(database, project, lea, tiny_checkpoint):
    add_texts(database, project.id, 4, "test")  # the frozen test is never looked at
    decide_all(database, lea, project.id)
    add_model(database, tiny_checkpoint, "tiny", project.id)
    suggest_project(database, project.id)
    set_threshold(database, lea, project.id, "COMMA", 0.3)
    found = preview_threshold(database, lea, project.id, "COMMA")
    assert (found.curve, found.now, found.n_texts, found.n_slots) == (None, None, 0, 0)
    assert found.stands.threshold == 0.3


def test_gold_without_suggestions_is_not_counted(database, ready, lea):
    assert preview_threshold(database, lea, ready.id, "COMMA").n_texts == 0
    say(database, ready, SURE)
    assert preview_threshold(database, lea, ready.id, "COMMA").n_texts == 24


def test_who_may_not_and_what_is_not_there_is_refused(database, ready, ann, lea):
    with pytest.raises(NotAllowed):
        preview_threshold(database, ann, ready.id, "COMMA")
    for mark in ("NONE", "COLON", "x"):
        with pytest.raises(BadInput, match="does not use"):
            preview_threshold(database, lea, ready.id, mark)
