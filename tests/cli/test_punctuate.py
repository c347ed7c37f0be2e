"""`punctuate`: a line in, a line out, whatever the lines hold."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from model.punctuation import strip_marks
from model.units import find_units
from run import main

ROOT = Path(__file__).parents[2]
LINES = [
    "hallo hoe gaat het met je",
    "",
    "  \t ",
    "我用 iPhone 拍的 你看 this is it",
    "3.5 euro om 10:30 bij jan@zkh.nl",
    "\U0001f600 caf\u00e9 cafe\u0301 \U00020000",
    "regel met \u2028 een scheiding",
]


def test_lines_come_back_in_order_with_nothing_but_marks(run, starter):
    done = run("punctuate", stdin="\n".join(LINES).encode())
    assert (done.status, done.err) == (0, "")
    found = done.out.split("\n")
    assert found.pop() == ""
    assert len(found) == len(LINES)
    for line, given in zip(found, LINES, strict=True):
        assert strip_marks(line) == strip_marks(given)
    assert found[1:3] == LINES[1:3]
    assert found[0] != LINES[0]
    again = run("punctuate", stdin=done.out.encode())
    assert again.out == done.out


def test_files_follow_each_other_and_keep_their_line_ends(run, starter, tmp_path):
    first, second = tmp_path / "1.txt", tmp_path / "2.txt"
    first.write_bytes("\ufeffeen twee\r\ndrie".encode())
    second.write_bytes(b"vier\n\nvijf\n")
    done = run("punctuate", first, "-", second, stdin=b"midden\n")
    lines = done.out.split("\n")
    assert [strip_marks(line) for line in lines] == [
        *("een twee\r", "drie", "midden", "vier", "", "vijf", "")
    ]


def test_windows_of_a_long_text_share_as_much_as_is_asked(run, starter):
    short, long = "wat is dit zeg", " ".join(f"w{i % 7}x" for i in range(600))
    given = f"{short}\n{long}\n".encode()
    rows = {}
    for options in ((), ("--overlap", "32"), ("--overlap", "0"), ("--overlap", "200")):
        done = run("punctuate", "--json", *options, stdin=given)
        assert done.status == 0, done.err
        rows[options] = [json.loads(line)["probabilities"] for line in done.out.splitlines()]
    own = rows.pop(())
    assert own == rows["--overlap", "32"], "the tiny model's card says 32"
    assert all(found[0] == own[0] for found in rows.values()), "one window is one window"
    longs = [found[1] for found in rows.values()]
    assert all(one != other for i, one in enumerate(longs) for other in longs[:i])


@pytest.mark.parametrize("overlap", ["256", "9999"])
def test_windows_that_would_never_move_on_are_refused(refused, starter, overlap):
    said = refused("punctuate", "--overlap", overlap, stdin=b"een twee\n")
    assert f"smaller than the max_units of a window; got {overlap} with 256" in said


def test_json_rows_say_what_was_put_where(run, starter):
    given = "wat is dit, zeg\n\n"
    done = run("punctuate", "--json", stdin=given.encode())
    row, empty = map(json.loads, done.out.splitlines())
    assert row["units"] == [list(span) for span in find_units("wat is dit, zeg")]
    assert row["marks"][2] == "COMMA"  # it was there, and is kept
    assert row["mark_set"] == ["NONE", "COMMA", "PERIOD", "QUESTION"]
    assert [len(line) for line in row["probabilities"]] == [4] * 4
    assert sum(row["probabilities"][0]) == pytest.approx(1, abs=1e-4)
    assert row["model"] == "starter"
    assert (empty["text"], empty["units"], empty["marks"]) == ("", [], [])
    kept = run("punctuate", "--json", stdin=b"stop! nu\n").json()
    assert kept["text"].startswith("stop! nu")
    assert kept["marks"][0] == "PERIOD", "a mark that the set lacks is named as its kin"


def test_whole_takes_line_breaks_for_text(run, starter):
    given = "een twee\ndrie vier\r\n\nvijf"
    done = run("punctuate", "--whole", stdin=given.encode())
    assert strip_marks(done.out) == strip_marks(given)
    row = run("punctuate", "--whole", "--json", stdin=given.encode()).json()
    assert len(row["units"]) == 5


def test_whole_inputs_do_not_run_together(run, starter, tmp_path):
    contents = (b"een twee", b"drie\r\nvier", b"", b"vijf\n", b"zes\n\n", b"zeven")
    paths = [tmp_path / f"{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    done = run("punctuate", "--whole", *paths)
    expected = "een twee\ndrie\r\nvier\nvijf\nzes\n\nzeven"
    assert strip_marks(done.out) == expected
    assert strip_marks(run("punctuate", "--whole", *paths[:2]).out) == "een twee\ndrie\r\nvier"
    assert len(run("punctuate", "--whole", "--json", *paths).out.splitlines()) == len(paths)


def test_another_model_can_have_a_projects_marks_and_thresholds(run, starter):
    given = b"wat is dit zeg dat is het\n" * 3
    run("projects", "add", "calls", "--language", "nl", "--marks", "question")
    both = ("--project", "calls", "--model", starter)
    assert run("punctuate", *both, "--json", stdin=given).out.splitlines()
    for line in run("punctuate", *both, "--json", stdin=given).out.splitlines():
        row = json.loads(line)
        assert (row["mark_set"], row["model"]) == (["NONE", "QUESTION"], str(starter))
    run("projects", "thresholds", "calls", "--mark", "question", "--use", "0.01")
    assert run("punctuate", *both, stdin=given).out.count("?") == 7 * 3


MARKS = {"coma": "no mark 'COMA'", "": "at least one mark", "none": "at least one mark"}
MARKS |= {" , ": "at least one mark", "comma,comma": "each mark once", "comma;period": "no mark"}


@pytest.mark.parametrize("marks", MARKS)
def test_marks_that_mean_nothing_are_wrong_use(refused, starter, marks):
    for command in (("punctuate",), ("projects", "add", "calls", "--language", "nl")):
        said = refused(*command, "--marks", marks, status=2)
        assert said.startswith("Invalid value for --marks: ")
        assert MARKS[marks] in said


def test_a_mark_that_means_nothing_is_wrong_use(run, refused, starter):
    run("projects", "add", "calls", "--language", "nl")
    said = refused("projects", "thresholds", "calls", "--mark", "coma", status=2)
    assert said.startswith("Invalid value for --mark: There is no mark 'COMA'")


@pytest.mark.parametrize("name", ["", "  "])
@pytest.mark.parametrize(
    ("command", "which"),
    [
        ("punctuate --model", "--model"),
        ("punctuate --project", "--project"),
        ("evaluate --data x.tsv --model", "--model"),
        ("evaluate --data x.tsv --project", "--project"),
        ("promote", "MODEL"),
        ("promote calls-r1 --project", "--project"),
        ("rollback", "PROJECT"),
        ("agreement", "PROJECT"),
    ],
)
def test_a_name_that_is_empty_is_wrong_use(refused, starter, monkeypatch, command, which, name):
    """A variable of a script that is not set; a folder of that name would be where we are."""
    monkeypatch.chdir(starter)
    said = refused(*command.split(), name, status=2)
    assert said == f"Invalid value for '{which}': it is empty\n"


def test_options_reach_the_model(run, starter, tmp_path):
    given = b"wat is dit, zeg. dat is het\n" * 3
    only = run("punctuate", "--existing", "strip", "--marks", "comma", stdin=given).out
    assert "." not in only
    capitals = run("punctuate", "--capitalize", stdin=given).out
    assert capitals.startswith("Wat")
    by_folder = run("punctuate", "--model", starter, stdin=given)
    assert by_folder.out == run("punctuate", stdin=given).out


def test_what_cannot_be_read_is_said_in_one_line(refused, starter, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"\n\n\n" + "één".encode("latin-1"))
    assert "line 4" in refused("punctuate", "--whole", bad)
    assert "No such file" in refused("punctuate", tmp_path / "gone.txt")
    assert "directory" in refused("punctuate", tmp_path)
    assert "There is no Interpunct" in refused("punctuate", "--model", "7")
    wide = tmp_path / "wide.txt"
    wide.write_bytes("breed".encode("utf-16"))
    assert "not UTF-8" in refused("punctuate", wide)


def test_without_a_starter_it_says_so(refused):
    assert "no model folder" in refused("punctuate")


def test_a_closed_standard_input_is_an_empty_one(run, starter, monkeypatch):
    """``<&-`` in a shell: Python then has no stdin at all."""
    monkeypatch.setattr("sys.stdin", None)
    assert main(["punctuate"]) == 0


ANSWERS = (
    "punctuate",
    "evaluate --data x.tsv",
    "evaluate --project calls --round 1",
    "export calls --what gold --format txt",
    "agreement calls",
    "models calls",
    "users list",
    "projects list",
    "projects thresholds calls --mark comma --use 0.5",
)


@pytest.mark.parametrize("command", ANSWERS)
def test_an_answer_that_has_no_place_to_go_is_a_loud_fault(
    run, starter, monkeypatch, capsys, command
):
    """``>&-`` in a shell: Python then has no stdout at all."""
    run("projects", "add", "calls", "--language", "nl")
    before = run("projects", "thresholds", "calls").out
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", None)
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hallo\n"), "utf-8"))
        assert main(command.split()) == 1
    assert capsys.readouterr().err == (
        "The standard output is closed, so the answer could not be written.\n"
    )
    assert run("projects", "thresholds", "calls").out == before


def test_what_is_written_elsewhere_or_only_told_needs_no_output(
    run, starter, monkeypatch, tmp_path
):
    output, texts = tmp_path / "out.jsonl", tmp_path / "texts.txt"
    texts.write_text("een twee\n")
    run("projects", "add", "calls", "--language", "nl")
    for command in (
        ("import", "calls", texts),
        ("export", "calls", "--what", "gold", "--format", "jsonl", "-o", output),
    ):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", None)
            assert main([str(argument) for argument in command]) == 0
    assert output.exists()
    assert run("punctuate", stdin=b"hallo\n").status == 0, "the next run has one"


@pytest.mark.parametrize("command", ["punctuate", "evaluate --data data.tsv"])
def test_a_shells_closed_output_is_known(tiny_checkpoint, home, tmp_path, command):
    (tmp_path / "data.tsv").write_text("een\tO\ntwee\tPERIOD\n")
    program = f"{sys.executable} {ROOT / 'run.py'} {command} --model {tiny_checkpoint} >&-"
    done = subprocess.run(
        program, shell=True, cwd=tmp_path, input=b"hallo\n", stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"The standard output is closed")


def test_an_answer_comes_before_the_next_question(starter_process):
    """A program that asks line by line would otherwise wait for ever."""
    for question in (b"een twee\n", b"\n", b"drie vier\n"):
        starter_process.stdin.write(question)
        starter_process.stdin.flush()
        assert strip_marks(starter_process.stdout.readline().decode()) == question.decode()
    starter_process.stdin.close()
    assert starter_process.wait() == 0


def test_a_reader_that_has_enough_is_no_error(starter_process):
    starter_process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        for _ in range(1000):
            starter_process.stdin.write(b"een twee drie vier\n")
            starter_process.stdin.flush()
        starter_process.stdin.close()
    assert starter_process.wait() == 0
    assert starter_process.stderr.read() == b""


@pytest.fixture
def starter_process(tiny_checkpoint, home):
    command = [sys.executable, "run.py", "punctuate", "--model", tiny_checkpoint]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, env=os.environ | {"LC_ALL": "C"}
    )
    yield process
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(BrokenPipeError):
            stream.close()
