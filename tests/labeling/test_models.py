"""Which model serves, how that changes, and the way back."""

import json
import shutil

import pytest
from sqlalchemy import select

from db.tables import AuditEvent, ModelVersion, Promotion
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.jobs import list_jobs
from labeling.models import can_roll_back, list_models, promote, promotion_log, rollback
from labeling.permissions import SYSTEM
from labeling.projects import add_project, get_project
from labeling.starter import register_starter
from tests.labeling.loop import add_model


@pytest.fixture
def folder(tmp_path):
    """A folder with a card: all that is read of a model until it computes."""
    place = tmp_path / "checkpoint"
    place.mkdir()
    (place / "interpunct.json").write_text(json.dumps({"marks": ["NONE", "COMMA", "PERIOD"]}))
    return place


def serving(database, project):
    return get_project(database, SYSTEM, project.id).serving_model


def test_the_starter_serves_whatever_has_no_model_and_comes_once(database, project, folder):
    first = register_starter(database, folder)
    assert register_starter(database, folder) == first
    assert serving(database, project) == "starter"
    assert [model.name for model in list_models(database, SYSTEM, project.id)] == ["starter"]
    assert [job.kind for job in list_jobs(database, SYSTEM, project.id)] == ["suggest"]


def test_without_a_checkpoint_nothing_is_registered(database, project, tmp_path):
    assert register_starter(database, tmp_path / "nothing") is None
    assert list_models(database, SYSTEM, project.id) == []


def test_another_release_makes_another_starter_that_takes_over(database, project, folder):
    register_starter(database, folder)
    other = add_project(database, SYSTEM, name="other", language="nl")
    own = add_model(database, shutil.copytree(folder, folder.parent / "own"), "own")
    promote(database, SYSTEM, own, other.id)
    (folder / "model_state.pdparams").write_bytes(b"other weights")
    assert register_starter(database, folder) is not None
    names = {m.name: m for m in list_models(database, SYSTEM, project.id)}
    new = next(name for name in names if name.startswith("starter-"))
    assert serving(database, project) == new
    assert serving(database, other) == "own"  # somebody chose it; a release does not undo that
    assert names["starter"].state == "broken"
    with pytest.raises(BadInput, match="replaced"):
        promote(database, SYSTEM, "starter", project.id)


def test_a_project_made_later_starts_with_the_starter(database, folder):
    register_starter(database, folder)
    assert add_project(database, SYSTEM, name="late", language="zh").serving_model == "starter"


def test_promote_and_roll_back_walk_the_log(database, project, folder):
    add_model(database, folder, "a", project.id)
    for name in "bcd":
        add_model(database, folder, name)
        promote(database, SYSTEM, name, project.id)
    assert can_roll_back(database, SYSTEM, project.id) == "c"
    assert [rollback(database, SYSTEM, project.id).name for _ in range(2)] == ["c", "b"]
    promote(database, SYSTEM, "d", project.id, reason="a second look")
    assert [rollback(database, SYSTEM, project.id).name for _ in range(2)] == ["b", "a"]
    with pytest.raises(BadInput, match="before"):
        rollback(database, SYSTEM, project.id)
    assert serving(database, project) == "a"
    log = promotion_log(database, SYSTEM, project.id)
    assert [change.kind for change in log] == (
        ["rollback"] * 2 + ["promote"] + ["rollback"] * 2 + ["promote"] * 4
    )
    assert (log[2].reason, log[2].previous, log[2].by) == ("a second look", "b", None)
    with database.read() as session:
        assert len(session.scalars(select(Promotion)).all()) == 9
        told = session.scalars(select(AuditEvent.action)).all()
    assert (told.count("promote"), told.count("rollback")) == (4, 4)


def test_what_cannot_serve_is_refused_and_changes_nothing(database, project, folder, ann):
    add_model(database, folder, "a", project.id)
    other = add_project(database, SYSTEM, name="other", language="nl")
    gone = add_model(database, folder.parent / "gone", "gone")
    loose = add_model(database, folder, "loose")
    with database.write() as session:
        foreign = ModelVersion(
            name="foreign", folder=str(folder), marks=["NONE", "COMMA"], project_id=other.id
        )
        session.add(foreign)
    for model, message in (
        (gone, "cannot be used"),
        ("a", "serves this project"),
        ("foreign", "another project"),
    ):
        with pytest.raises(BadInput, match=message):
            promote(database, SYSTEM, model, project.id)
    with pytest.raises(BadInput, match="say which"):
        promote(database, SYSTEM, loose)
    with pytest.raises(NotFound):
        promote(database, SYSTEM, "nobody", project.id)
    with pytest.raises(NotAllowed):
        promote(database, ann, loose, project.id)
    with pytest.raises(NotAllowed):
        rollback(database, ann, project.id)
    assert serving(database, project) == "a"


def test_notes_beside_the_starter_make_no_new_version(database, tiny_checkpoint, tmp_path):
    folder = tmp_path / "starter"
    shutil.copytree(tiny_checkpoint, folder)
    first = register_starter(database, folder)
    (folder / "measured.json").write_text("{}", encoding="utf-8")
    assert register_starter(database, folder) == first
    card = json.loads((folder / "interpunct.json").read_text(encoding="utf-8"))
    (folder / "interpunct.json").write_text(json.dumps(card | {"temperature": 2.0}), "utf-8")
    assert register_starter(database, folder) != first
