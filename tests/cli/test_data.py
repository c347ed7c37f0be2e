"""`import`, `export`, `agreement`, `projects` and `users`."""

import json

import pytest

from db.engine import Database
from labeling.accounts import sign_in
from labeling.errors import NotAllowed


@pytest.fixture
def calls(run):
    assert run("projects", "add", "calls", "--language", "en").status == 0
    assert run("users", "add", "ann", "--password", "a long one").status == 0
    assert run("users", "add", "bob", "--password", "a long one").status == 0


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("well I think so\nyes and no\nthat is it then\n")
    return path


def versions(tmp_path, name, lines):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    return path


def test_importing_twice_adds_nothing_and_says_so(run, calls, texts):
    first = run("import", "calls", texts)
    assert (first.status, first.err) == (0, "")
    assert "3 transcripts added" in first.out
    second = run("import", "calls", texts)
    assert (second.status, second.out.count("nothing new")) == (0, 1)


@pytest.mark.parametrize("strange", ["9" * 25, "9" * 5000, "\udcff"])
def test_what_no_database_holds_is_refused_in_one_line(refused, calls, texts, strange):
    refused("export", strange, "--what", "gold", "--format", "txt")
    refused("import", "calls", texts, "--annotator", strange)
    refused("promote", strange)
    refused("users", "password", strange, "--password", "a long one")


def test_a_bad_row_is_reported_with_its_number_and_the_others_are_kept(run, calls, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "one two"}\n{"text": \n{"text": "three four"}\n')
    done = run("import", "calls", path)
    assert done.status == 0
    assert "2 transcripts added" in done.out
    assert "Row 2 was left out: broken JSON" in done.out


def test_what_cannot_be_imported_changes_nothing(run, refused, calls, texts, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": \n')
    latin = tmp_path / "latin.txt"
    latin.write_bytes("één\n".encode("latin-1"))
    assert "Row 1" in refused("import", "calls", broken)
    assert "not UTF-8" in refused("import", "calls", latin)
    assert "no such file" in refused("import", "calls", texts, tmp_path / "gone.txt")
    assert "no project nobody" in refused("import", "nobody", texts)
    assert "nobody called eve" in refused("import", "calls", texts, "--annotator", "eve")
    assert "'xx' is not one of" in refused("import", "calls", texts, "--language", "xx", status=2)
    assert run("export", "calls", "--what", "versions", "--format", "jsonl").out == ""
    assert "3 transcripts added" in run("import", "calls", texts).out


def test_what_export_writes_import_reads_back(run, calls, texts, tmp_path):
    run("import", "calls", texts)
    marked = ["well, I think so.", "yes, and no.", "that is it, then?"]
    done = run("import", "calls", versions(tmp_path, "a.txt", marked), "--annotator", "ann")
    assert "3 versions added" in done.out
    out = tmp_path / "gold.jsonl"
    done = run("export", "calls", "--what", "gold", "--format", "jsonl", "-o", out)
    assert (done.status, done.out, done.err) == (0, "", "3 rows.\n")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert all(len(row["labels"]) == len(row["text"].split()) for row in rows)
    run("projects", "add", "copy", "--language", "en")
    assert "3 versions added" in run("import", "copy", out, "--annotator", "bob").out
    printed = run("export", "copy", "--what", "gold", "--format", "txt")
    assert sorted(printed.out.splitlines()) == sorted(marked)
    assert printed.err == "3 rows.\n"


def test_a_failed_export_leaves_the_file_that_was_there(refused, calls, tmp_path):
    out = tmp_path / "gold.srt"
    out.write_text("mine")
    refused("export", "nobody", "--what", "gold", "--format", "srt", "-o", out)
    assert out.read_text() == "mine"
    unknown = refused("export", "calls", "--what", "all", "--format", "txt", status=2)
    assert "'all' is not one of" in unknown


def test_agreement_counts_what_each_submitted(run, calls, texts, tmp_path):
    run("import", "calls", texts)
    one = ["well, I think so.", "yes, and no.", "that is it then."]
    other = ["well I think so.", "yes, and no.", "that is it then."]
    run("import", "calls", versions(tmp_path, "a.txt", one), "--annotator", "ann")
    assert "n/a" in run("agreement", "calls").out
    run("import", "calls", versions(tmp_path, "b.txt", other), "--annotator", "bob")
    done = run("agreement", "calls")
    assert "3 transcripts with 11 slots" in done.out
    found = run("agreement", "calls", "--json").json()
    assert (found["n_disagreements"], found["n_comma_disagreements"]) == (1, 1)


def test_people(run, refused, home):
    assert (
        "can sign in as lead"
        in run("users", "add", "lea", "--role", "lead", stdin=b"from the pipe\n").out
    )
    listed = run("users", "list", "--json").json()
    assert [(one["name"], one["role"], one["active"]) for one in listed] == [("lea", "lead", True)]
    assert "password" not in run("users", "list", "--json").out
    assert "lea" in run("users", "list").out
    database = Database(f"sqlite:///{home / 'interpunct.db'}")
    assert sign_in(database, "lea", "from the pipe")[0].role == "lead"
    run("users", "password", "lea", "--password", "another one")
    with pytest.raises(NotAllowed):
        sign_in(database, "lea", "from the pipe")
    assert "somebody named lea" in refused("users", "add", "lea", "--password", "long enough")
    assert "at least 8" in refused("users", "add", "bob", "--password", "short")
    assert "nobody named bob" in refused("users", "password", "bob", "--password", "long enough")
    assert "'boss' is not one of" in refused("users", "add", "b", "--role", "boss", status=2)


def test_projects(run, refused):
    run("projects", "add", "开会", "--language", "zh", "--marks", "comma,period,enumeration")
    (one,) = run("projects", "list", "--json").json()
    assert (one["name"], one["marks"]) == ("开会", ["NONE", "COMMA", "PERIOD", "ENUMERATION"])
    assert "comma,period,enumeration" in run("projects", "list").out
    assert "named 开会 already" in refused("projects", "add", "开会", "--language", "zh")
    assert "no mark" in refused(
        "projects", "add", "x", "--language", "zh", "--marks", "smile", status=2
    )
    assert "'de' is not one of" in refused("projects", "add", "x", "--language", "de", status=2)
    assert len(run("projects", "list", "--json").json()) == 1


def test_reading_makes_no_home(refused, home):
    assert "run.py serve makes one" in refused("projects", "list")
    assert not home.exists()


def test_a_setting_that_cannot_be_is_said_in_one_line(refused, monkeypatch):
    monkeypatch.setenv("INTERPUNCT_PORT", "many")
    assert "port" in refused("projects", "list")
    monkeypatch.delenv("INTERPUNCT_PORT")
    monkeypatch.setenv("DATABASE_URL", "nonsense")
    assert "database" in refused("projects", "list").lower()
