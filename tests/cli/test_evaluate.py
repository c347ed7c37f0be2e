"""`run.py evaluate`: what it says that it measured, and what it refuses to measure."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = "so\tCOMMA\tO\nit\tO\tO\n's\tPERIOD\tPERIOD\n\nyes\tPERIOD\tPERIOD\n"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "test.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture
def two_columns(tmp_path):
    path = tmp_path / "two.tsv"
    path.write_text("so\tCOMMA\nit\tO\nis\tPERIOD\n\nyes\tPERIOD\n", encoding="utf-8")
    return path


def test_the_table_says_what_was_measured(run, starter, two_columns):
    done = run("evaluate", "--data", two_columns, "--language", "en", "--lowercase")
    assert done.status == 0, done.err
    first, blank, head, *_ = done.out.splitlines()
    assert first == (f"starter on {two_columns}: language en, join turn, map default, lower-cased")
    assert blank == ""
    assert head.startswith("mark")
    done = run("evaluate", "--data", two_columns, "--model", starter, "--join", "stream")
    assert done.out.startswith(f"{starter} on {two_columns}: language not said, join stream, ")
    assert "(95 %: n/a)" in done.out
    assert "n/a: micro_interval: It takes 6 texts to resample; got 1." in done.out


def test_json_says_it_too(run, data):
    found = run("evaluate", "--data", data, "--column", "3", "--map", "none", "--json").json()
    assert found["model"] == "column 3"
    assert found["data"] == str(data)
    assert (found["language"], found["join"], found["map"]) == (None, "turn", "none")
    assert found["lowercase"] is False
    assert found["micro_interval"] is None
    assert found["undefined"]["micro_interval"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-8:surrogateescape"])
def test_a_name_that_is_not_utf8_is_escaped(data, starter_run, encoding):
    path = os.fsencode(data.parent) + b"/h\xe9\xed\xa0.tsv"
    os.rename(data, path)
    done = starter_run("--data", path, "--column", "3", "--json", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    row = json.loads(done.stdout.decode("utf-8"))
    assert os.fsencode(row["data"]) == path
    done = starter_run("--data", path, "--column", "3", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rf"column 3 on {data.parent}/h\udce9\udced\udca0.tsv:" in done.stdout.decode("utf-8")


@pytest.fixture
def starter_run(home):
    """`evaluate` as a program of its own, which writes bytes."""

    def call(*arguments, **settings):
        command = [sys.executable, "run.py", "evaluate", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=os.environ | settings, capture_output=True, check=False
        )

    return call


def test_a_model_whose_folder_is_not_utf8_is_one_line(refused, data, tiny_checkpoint, tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/m\xe9"))
    shutil.copytree(tiny_checkpoint, folder)
    for command in (("evaluate", "--data", data), ("punctuate",)):
        said = refused(*command, "--model", folder, stdin=b"hallo\n")
        assert said.startswith(rf"{tmp_path}/m\udce9: Paddle reads no folder whose name is not")


def test_what_windows_share_is_said_and_used(run, starter, tmp_path):
    path = tmp_path / "long.tsv"
    path.write_text("".join(f"w{i % 7}x\tO\n" for i in range(600)) + "a\tPERIOD\n", "utf-8")
    error = {}
    for overlap in ("0", "200"):
        options = ("evaluate", "--data", path, "--overlap", overlap)
        assert f"overlap {overlap}" in run(*options).out.splitlines()[0]
        found = run(*options, "--json").json()
        assert found["overlap"] == int(overlap)
        error[overlap] = found["ece"]
    assert error["0"] != error["200"]
    found = run("evaluate", "--data", path, "--json").json()
    assert (found["overlap"], "overlap" in run("evaluate", "--data", path).out) == (None, False)


def test_the_language_is_used(run, data):
    for language, slots in (("en", 3), ("nl", 4)):
        options = ("--column", "3", "--language", language, "--json")
        assert run("evaluate", "--data", data, *options).json()["n_slots"] == slots


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--column", "3", "--model", "starter"], "--model: it means nothing with --column 3"),
        (["--column", "3", "--project", "calls"], "--project: it means nothing with --column 3"),
        (["--column", "3", "--overlap", "8"], "--overlap: it means nothing with --column 3"),
        (["--model", "starter", "--project", "calls"], "--project: it means nothing with --model"),
    ],
)
def test_options_that_would_be_left_out_are_refused(refused, data, options, said):
    assert said in refused("evaluate", "--data", data, *options, status=2).replace("'", "")


@pytest.mark.parametrize(
    "options",
    [
        ["--data", "x.tsv"],
        ["--model", "starter"],
        ["--language", "en"],
        ["--lowercase"],
        ["--join", "turn"],
        ["--map", "default"],
        ["--column", "2"],
        ["--overlap", "8"],
    ],
)
def test_a_round_is_measured_on_what_it_read(refused, options):
    said = refused("evaluate", "--project", "calls", "--round", "1", *options, status=2)
    assert f"{options[0]}: it means nothing with --round" in said.replace("'", "")


@pytest.mark.parametrize("command", ["evaluate", "punctuate"])
def test_a_model_that_is_not_there_is_said_to_be_not_there(
    run, refused, starter, data, tmp_path, command
):
    options = ("--data", data) if command == "evaluate" else ()
    for home_is_there in (False, True):
        if home_is_there:
            run("projects", "add", "calls", "--language", "en")
        said = refused(command, *options, "--model", "/nonexistent")
        assert said == "There is no model folder /nonexistent.\n"
        said = refused(command, *options, "--model", "nobodys")
        assert ("There is no model nobodys." if home_is_there else "no folder nobodys") in said
        said = refused(command, *options, "--model", tmp_path)
        assert f"{tmp_path} is no model folder: it has no interpunct.json." in said
    assert "There is no project nobody" in refused(command, *options, "--project", "nobody")


def test_a_card_that_means_nothing_is_one_line(refused, data, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "interpunct.json").write_text('{"marks": ["NONE", "COMMA"], "temperature": "1"}')
    said = refused("evaluate", "--data", data, "--model", folder)
    assert "temperature cannot be so" in said


DAMAGES = {
    "model_state.pdparams": (b"", b"cut off"),
    "config.json": (b"{", b"[]"),
    "tokenizer_config.json": (b"{",),
    "vocab.txt": (None, b"", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n"),
}


@pytest.mark.parametrize(
    ("name", "content"), [(name, one) for name, contents in DAMAGES.items() for one in contents]
)
def test_a_damaged_folder_is_one_line(refused, tiny_checkpoint, data, tmp_path, name, content):
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    for command in (("evaluate", "--data", data), ("punctuate",)):
        said = refused(*command, "--model", folder, stdin=b"hallo\n")
        assert str(folder) in said
        assert name in said
