"""The whole loop on the command line: import, annotate, retrain, promote, punctuate, roll back."""

import json
import shutil

import pytest

from db.engine import Database
from labeling.accounts import find_user
from labeling.permissions import SYSTEM, Actor
from labeling.workflow import open_next, submit
from tests.labeling.loop import right_labels

QUICK = ("--epochs", "2", "--learning-rate", "0.001")


@pytest.fixture
def annotated(run, starter, home, tmp_path):
    """Thirty-two texts, all submitted by one annotator as they should be."""
    rows = [
        {
            "text": f"well so the {i} cats ran end and so we left {'on ' * (i % 3)}end",
            "split": "test" if i < 8 else "pool",
        }
        for i in range(32)
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    run("projects", "add", "calls", "--language", "en")
    run("users", "add", "ann", "--password", "a long one")
    assert "32 transcripts added (8 of them frozen" in run("import", "calls", path).out
    database = Database(f"sqlite:///{home / 'interpunct.db'}")
    person = find_user(database, SYSTEM, "ann")
    ann = Actor(person.id, person.name, person.role)
    while work := open_next(database, ann, 1):
        submit(database, ann, work.transcript_id, right_labels(work.text), work.based_on)
    return database


def test_the_loop(run, refused, annotated, tmp_path):
    before = run("punctuate", "--project", "calls", "--json", stdin=b"well so the cats ran end\n")
    assert before.json()["model"] == "starter"
    done = run("round", "calls", *QUICK)
    assert done.status == 0, done.err
    assert "Round 1: done. starter grew into calls-r1" in done.out
    assert "Training: step" in done.err
    again = run("evaluate", "--project", "calls", "--round", "1")
    assert again.out == done.out
    listed = run("models", "calls", "--json").json()
    assert [(m["name"], m["serving"]) for m in listed] == [("starter", True), ("calls-r1", False)]
    assert "calls-r1" in run("models", "calls").out
    assert run("promote", "calls-r1").out == "calls-r1 serves now.\n"
    after = run("punctuate", "--project", "calls", "--json", stdin=b"well so the cats ran end\n")
    assert after.json()["model"] == "calls-r1"
    assert after.json()["probabilities"] != before.json()["probabilities"]
    by_name = run("punctuate", "--model", "calls-r1", stdin=b"well so the cats ran end\n")
    assert by_name.out == json.loads(after.out)["text"] + "\n"
    assert run("rollback", "calls").out == "starter serves now.\n"
    assert "before the one" in refused("rollback", "calls")
    back = run("punctuate", "--project", "calls", "--json", stdin=b"well so the cats ran end\n")
    assert back.out == before.out


def test_a_round_with_nothing_to_learn_from_is_refused_in_one_line(run, refused, starter):
    run("projects", "add", "empty", "--language", "nl")
    assert "nothing to learn from" in refused("round", "empty")
    assert "no project nobody" in refused("round", "nobody")
    assert "'perhaps' is not one of" in refused("round", "empty", "--promote", "perhaps", status=2)
    assert "no round 3" in refused("evaluate", "--project", "empty", "--round", "3")
    assert "no model x" in refused("promote", "x")
    assert "say which" in refused("promote", "starter")


def test_projects_start_with_the_model_that_the_environment_names(
    run, refused, home, tiny_checkpoint, tmp_path, monkeypatch
):
    monkeypatch.setenv("INTERPUNCT_STARTER", str(tmp_path))
    said = refused("projects", "add", "calls", "--language", "en")
    assert said.startswith("INTERPUNCT_STARTER cannot be used: ")
    assert not home.exists()
    monkeypatch.setenv("INTERPUNCT_STARTER", str(tiny_checkpoint))
    assert "starter serves it" in run("projects", "add", "calls", "--language", "en").out
    by_itself = run("punctuate", stdin=b"well so the cats ran\n")
    assert by_itself.status == 0, by_itself.err
    assert (
        by_itself.out == run("punctuate", "--project", "calls", stdin=b"well so the cats ran\n").out
    )


def test_evaluate_measures_a_file(run, refused, starter, tmp_path):
    data = tmp_path / "test.tsv"
    data.write_text("so\tCOMMA\nit\tO\nis\tPERIOD\n\nyes\tPERIOD\n")
    done = run("evaluate", "--data", data, "--language", "en")
    assert done.status == 0
    assert "2 texts, 4 slots" in done.out
    found = run("evaluate", "--data", data, "--json", "--model", starter, "--language", "en").json()
    assert (found["language"], found["n_slots"], found["micro"]["support"]) == ("en", 4, 3)
    data.write_text("so COMMA\n")
    assert "line 1" in refused("evaluate", "--data", data)
    assert "gone.tsv" in refused("evaluate", "--data", tmp_path / "gone.tsv")


@pytest.mark.parametrize("name", ["model_state.pdparams", "vocab.txt", "config.json"])
def test_a_round_from_a_damaged_folder_says_so(run, annotated, starter, tmp_path, name):
    folder = shutil.copytree(starter, tmp_path / "base")
    (folder / name).write_bytes((folder / name).read_bytes()[:100])
    done = run("round", "calls", *QUICK, "--base", folder)
    assert done.status == 1
    assert done.out.startswith("Round 1: failed. ")
    assert done.out.count("\n") == 1
    assert str(folder) in done.out
    assert name in done.out
