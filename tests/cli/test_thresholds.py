"""`run.py projects thresholds`: what stands, what else would do, and setting it."""

import json

import pytest

TEXTS = [f"Well so, the {i} cats ran end. And so, we left end." for i in range(12)]


@pytest.fixture
def gold(run, starter, tmp_path):
    """Texts that one annotator has submitted, and what the tiny model suggests for them."""
    from db.engine import Database
    from labeling.suggestions import suggest_project

    path = tmp_path / "marked.jsonl"
    path.write_text("\n".join(json.dumps({"text": text, "split": "pool"}) for text in TEXTS))
    run("projects", "add", "calls", "--language", "en")
    run("users", "add", "ann", "--password", "a long one")
    done = run("import", "calls", path, "--annotator", "ann")
    assert done.status == 0, done.err
    database = Database(f"sqlite:///{tmp_path / 'home' / 'interpunct.db'}")
    suggest_project(database, 1)
    database.close()


def thresholds(run, *more):
    return run("projects", "thresholds", "calls", *more)


def test_what_stands_is_listed_by_mark(run, gold):
    lines = thresholds(run).out.splitlines()
    assert lines[0].split("  ")[0] == "mark"
    assert [line.split()[0] for line in lines[1:]] == ["COMMA", "PERIOD", "QUESTION"]
    assert all("likeliest" in line for line in lines[1:])  # the tiny model has none
    thresholds(run, "--mark", "comma", "--use", "0.3")
    comma, period, _ = thresholds(run, "--json").json()
    assert comma == {"mark": "COMMA", "threshold": 0.3, "own": None, "is_set": True}
    assert period == {"mark": "PERIOD", "threshold": 0.4, "own": None, "is_set": False}


def test_what_a_threshold_would_do_is_seen_before_it_is_set(run, gold):
    seen = thresholds(run, "--mark", "comma", "--json").json()
    assert seen["stands"]["is_set"] is False
    assert seen["n_texts"] == len(TEXTS)
    at = seen["curve"]["thresholds"].index(0.3)
    done = thresholds(run, "--mark", "comma", "--use", "0.3", "--json").json()
    assert done["stands"]["threshold"] == 0.3
    assert done["now"]["rate"] == pytest.approx(seen["curve"]["rate"][at])
    assert done["now"]["recall"] == pytest.approx(seen["curve"]["recall"][at])
    table = thresholds(run, "--mark", "comma").out
    assert "of these in 100 slots" in table
    assert f"Counted on {len(TEXTS)} texts" in table
    back = thresholds(run, "--mark", "comma", "--own", "--json").json()
    assert back == seen


def test_what_is_set_holds_for_punctuate_and_evaluate(run, gold, tmp_path):
    text = b"well so the cats ran end and so we left end\n"
    data = tmp_path / "test.tsv"
    data.write_text("well\tO\nso\tCOMMA\nthe\tO\ncats\tO\nran\tO\nend\tPERIOD\n")

    def both():
        put = run("punctuate", "--project", "calls", "--json", stdin=text).json()["marks"]
        found = run("evaluate", "--project", "calls", "--data", data, "--json").json()
        return put.count("COMMA"), found["per_mark"]["COMMA"]["predicted"]

    for mark, at in (("comma", 0.01), ("period", 1), ("question", 1)):
        thresholds(run, "--mark", mark, "--use", at)
    assert both() == (11, 6)
    thresholds(run, "--mark", "comma", "--use", 1)
    assert both() == (0, 0)


def test_without_gold_it_says_so(run, starter):
    run("projects", "add", "calls", "--language", "en")
    assert "no gold yet" in thresholds(run, "--mark", "comma").out


def test_what_cannot_be_is_refused_in_one_line(run, refused, gold):
    command = ("projects", "thresholds", "calls")
    assert "name the mark" in refused(*command, "--use", "0.5", status=2)
    assert "name the mark" in refused(*command, "--own", status=2)
    assert "name one mark" in refused(*command, "--mark", "comma,period", status=2)
    both = ("--mark", "comma", "--use", "0.5", "--own")
    assert "name a threshold or" in refused(*command, *both, status=2)
    assert "does not use COLON" in refused(*command, "--mark", "colon")
    for at in ("0", "1.1", "nan"):
        said = refused(*command, "--mark", "comma", "--use", at)
        assert "a threshold is above 0 and at most 1" in said
        assert "Value error" not in said
    assert "no project nobody" in refused("projects", "thresholds", "nobody")
