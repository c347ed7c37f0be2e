"""A round: what it reads, what it makes, what it says, and what it refuses."""

import json
import shutil
import threading

import pytest

from db import transcripts
from db.tables import ModelVersion, Project, Round
from labeling.errors import BadInput, NotAllowed
from labeling.history import decide
from labeling.importing import import_file
from labeling.jobs import cancel_job, get_job, list_jobs, retry_job
from labeling.models import list_models
from labeling.permissions import SYSTEM
from labeling.projects import get_project, update_settings
from labeling.rounds import (
    get_round,
    gold_available,
    list_rounds,
    measure_again,
    round_here,
    start_round,
)
from labeling.running import claim
from labeling.snapshot import read_snapshot, take_snapshot
from labeling.tasks import do_job, do_waiting_jobs
from labeling.workflow import open_transcript, submit
from tests.labeling.loop import QUICK, add_model, add_texts, decide_all, make_ready


@pytest.fixture
def ready(database, project, lea, tiny_checkpoint):
    """Gold in the pool and in the frozen test, and a model that knows nothing."""
    make_ready(database, lea, project.id, tiny_checkpoint)
    return project


def serving(database, project):
    return get_project(database, SYSTEM, project.id).serving_model


def test_a_round_teaches_measures_and_leaves_promotion_to_people(database, ready, person):
    eve = person("eve", "engineer")
    info = start_round(database, eve, ready.id, training=QUICK)
    assert (info.state, info.number, info.parent, info.by) == ("waiting", 1, "tiny", "eve")
    assert do_waiting_jobs(database, threading.Event()) == 2  # the suggestions that lacked, too
    done = get_round(database, eve, ready.id, 1)
    assert (done.state, done.error, done.model) == ("done", "", "calls-r1")
    assert done.counts["test"] == 8
    assert done.counts["train"] + done.counts["dev"] == 24
    assert done.counts["dev"] >= 1
    # Nonsense before, taught words after: beyond chance on eight texts.
    assert done.after["micro"]["f1"] > done.before["micro"]["f1"] + 0.1
    assert done.verdict["decisive"]
    assert done.verdict["advice"] == "promote"
    assert not done.verdict["promoted"]
    assert set(done.verdict["words"]) == {"en", "nl", "zh"}
    assert set(done.verdict["marks"]) == {"COMMA", "PERIOD", "QUESTION"}
    assert serving(database, ready) == "tiny"
    models = {m.name: m for m in list_models(database, SYSTEM, ready.id)}
    assert models["calls-r1"].parent == "tiny"
    assert models["calls-r1"].marks == models["tiny"].marks, "no mark is forgotten"
    assert models["calls-r1"].metrics == done.after
    progress = get_job(database, eve, done.job_id).progress
    assert progress["losses"]
    assert progress["done"] == progress["total"]


def test_every_figure_can_be_had_again_from_the_ids(database, ready, lea):
    stored = round_here(database, SYSTEM, ready.id, training=QUICK)
    with database.read() as session:
        texts = read_snapshot(session, ready.id, session.get(Round, stored.id).snapshot)
    # Whatever people decide later is another round's business.
    with database.write() as session:
        first = session.get(Round, stored.id).snapshot["test"][0][0]
    decide(database, lea, first, bytes(len(texts.test[0].units)))
    again = measure_again(database, SYSTEM, ready.id, 1)
    assert again.before == stored.before
    assert again.after == stored.after
    assert again.verdict == stored.verdict


def test_a_snapshot_that_was_tampered_with_is_noticed(database, ready):
    stored = round_here(database, SYSTEM, ready.id, training=QUICK)
    with database.write() as session:
        row = session.get(Round, stored.id)
        snapshot = dict(row.snapshot)
        snapshot["test"], snapshot["train"] = snapshot["train"], snapshot["test"]
        row.snapshot = snapshot
    with pytest.raises(BadInput, match="has changed"):
        measure_again(database, SYSTEM, ready.id, 1)


def test_words_of_the_frozen_test_are_never_trained_on(database, ready, lea):
    counts = gold_available(database, SYSTEM, ready.id)
    assert counts["left_out"] == 0
    copies = "\n".join(
        json.dumps({"text": text, "document": "copies", "position": i, "split": "pool"})
        for i, text in enumerate(texts_of(database, ready.id, "test")[:5])
    )
    import_file(database, SYSTEM, ready.id, copies.encode(), name="copies.jsonl")
    decide_all(database, lea, ready.id)
    after = gold_available(database, SYSTEM, ready.id)
    assert after["left_out"] == 5
    assert (after["train"], after["dev"]) == (counts["train"], counts["dev"])


def texts_of(database, project_id, split):
    with database.read() as session:
        return [t.text for t in transcripts.in_order(session, project_id) if t.split == split]


def test_dev_stays_dev_as_gold_grows(database, ready, lea):
    def dev_of(snapshot):
        return {entry[0] for entry in snapshot["dev"]}

    with database.read() as session:
        before = take_snapshot(session, session.get(Project, ready.id))
    add_texts(database, ready.id, 60, "pool2")
    decide_all(database, lea, ready.id)
    with database.read() as session:
        after = take_snapshot(session, session.get(Project, ready.id))
    trained = {entry[0] for entry in before["train"]}
    assert not trained & dev_of(after)
    assert dev_of(after) > dev_of(before)


def test_automatic_promotion_wants_a_decisive_and_better_model(database, ready):
    done = round_here(database, SYSTEM, ready.id, promote="auto", training=QUICK)
    assert done.verdict["promoted"]
    assert serving(database, ready) == "calls-r1"
    assert "suggest" in {job.kind for job in list_jobs(database, SYSTEM, ready.id)}


def test_a_test_too_small_to_decide_promotes_nothing(database, project, lea, tiny_checkpoint):
    add_texts(database, project.id, 24, "pool")
    add_texts(database, project.id, 3, "test")
    decide_all(database, lea, project.id)
    add_model(database, tiny_checkpoint, "tiny", project.id)
    done = round_here(database, SYSTEM, project.id, promote="auto", training=QUICK)
    assert done.after["micro"]["f1"] > done.before["micro"]["f1"]
    assert not done.verdict["decisive"]
    assert done.verdict["advice"] == "undecided"
    assert "too small to decide" in done.verdict["words"]["en"]
    assert not done.verdict["promoted"]
    assert serving(database, project) == "tiny"


def test_what_cannot_be_done_is_refused_at_once(database, project, ann, lea, tiny_checkpoint):
    def refused(match, error=BadInput, actor=SYSTEM, **more):
        with pytest.raises(error, match=match):
            start_round(database, actor, project.id, **more)
        assert list_rounds(database, SYSTEM, project.id) == []
        assert list_jobs(database, SYSTEM, project.id, kind="round") == []

    refused("nothing to learn from")
    pool = add_texts(database, project.id, 4, "pool")
    open_transcript(database, ann, pool[0])
    submit(database, ann, pool[0], bytes(13), 0)
    refused("nothing to measure on")
    add_texts(database, project.id, 2, "test")
    decide_all(database, lea, project.id)
    refused("no model")
    add_model(database, tiny_checkpoint, "tiny", project.id)
    refused("no_such_field|unexpected", training={"no_such_field": 1})
    refused("promote is", promote="perhaps")
    refused("not for the role", NotAllowed, actor=ann)
    start_round(database, SYSTEM, project.id, training=QUICK)
    with pytest.raises(BadInput, match="still at it"):
        start_round(database, SYSTEM, project.id, training=QUICK)


def test_a_round_that_is_cancelled_changes_nothing_and_goes_on_when_retried(database, ready):
    long = QUICK | {"epochs": 30}
    info = start_round(database, SYSTEM, ready.id, training=long)
    running = claim(database, info.job_id, threading.Event())
    report = running.report

    def cancel_at_three(**progress):
        report(**progress)
        if progress.get("done") == 3 and progress["stage"] == "training":
            cancel_job(database, SYSTEM, info.job_id)
            assert running.cancelled.wait(10)

    running.report = cancel_at_three
    do_job(running)
    job = get_job(database, SYSTEM, info.job_id)
    assert (job.state, job.progress["done"]) == ("cancelled", 3)
    assert get_round(database, SYSTEM, ready.id, 1).state == "cancelled"
    assert [m.name for m in list_models(database, SYSTEM, ready.id)] == ["tiny"]
    retry_job(database, SYSTEM, info.job_id)
    assert get_round(database, SYSTEM, ready.id, 1).state == "waiting"
    running = claim(database, info.job_id, threading.Event())
    seen = []
    running.report = lambda **progress: seen.append(progress)
    do_job(running)
    assert get_job(database, SYSTEM, info.job_id).state == "done"
    steps = [p["done"] for p in seen if p.get("stage") == "training"]
    assert steps[0] >= 3  # it went on from where it was


def test_a_program_that_stops_leaves_its_round_waiting(database, ready):
    info = start_round(database, SYSTEM, ready.id, training=QUICK)
    stopping = threading.Event()
    running = claim(database, info.job_id, stopping)
    stopping.set()
    do_job(running)
    assert get_job(database, SYSTEM, info.job_id).state == "waiting"
    assert do_waiting_jobs(database, threading.Event()) == 2
    assert get_round(database, SYSTEM, ready.id, 1).state == "done"


def test_a_broken_model_fails_the_job_with_its_reason(database, ready, tiny_checkpoint, tmp_path):
    info = start_round(database, SYSTEM, ready.id, training=QUICK)
    with database.write() as session:
        session.query(ModelVersion).one().folder = str(tmp_path / "gone")
    do_waiting_jobs(database, threading.Event())
    job = get_job(database, SYSTEM, info.job_id)
    assert job.state == "failed"
    assert "cannot be used" in job.error
    assert job.progress["failure"]["code"], "so that pages can tell it in each language"
    assert get_round(database, SYSTEM, ready.id, 1).error == job.error


def test_a_round_can_begin_from_a_bare_encoder(database, ready, tiny_checkpoint, tmp_path):
    """One setting changes the base: a folder here, a name where there is internet."""
    encoder = tmp_path / "some-encoder"
    shutil.copytree(tiny_checkpoint, encoder, ignore=shutil.ignore_patterns("static", "inter*"))
    done = round_here(database, SYSTEM, ready.id, training=QUICK, base=str(encoder))
    assert done.state == "done", done.error
    assert done.parent == "tiny", "it is measured against what serves"
    new = next(m for m in list_models(database, SYSTEM, ready.id) if m.name == done.model)
    assert new.marks == tuple(ready.marks)
    assert measure_again(database, SYSTEM, ready.id, 1).after == done.after


def test_a_base_that_cannot_be_had_fails_in_plain_words(database, ready, tmp_path):
    done = round_here(database, SYSTEM, ready.id, training=QUICK, base=str(tmp_path / "gone"))
    assert done.state == "failed"
    assert "There is no model folder" in done.error
    assert serving(database, ready) == "tiny"


def test_a_round_measures_with_the_thresholds_that_annotators_see(database, ready, lea):
    update_settings(database, lea, ready.id, {"thresholds": {"COMMA": 0.95, "PERIOD": 0.95}})
    shy = round_here(database, SYSTEM, ready.id, training=QUICK | {"epochs": 1})
    assert shy.settings["thresholds"] == {"COMMA": 0.95, "PERIOD": 0.95}
    update_settings(database, lea, ready.id, {"thresholds": {"COMMA": 0.05, "PERIOD": 0.05}})
    assert measure_again(database, SYSTEM, ready.id, 1).before == shy.before
    bold = round_here(database, SYSTEM, ready.id, training=QUICK | {"epochs": 1})
    counts = [sum(m["predicted"] for m in one.before["per_mark"].values()) for one in (shy, bold)]
    assert counts[0] < counts[1]
