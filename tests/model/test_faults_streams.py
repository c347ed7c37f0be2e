"""Faults that people reported of other tools: what comes line by line is done otherwise."""

import io
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.marks import DEFAULT_MARKS
from model.predictor import load_predictor
from model.punctuate import punctuate
from model.text_stream import BadText, in_batches, open_all, read_texts

ROOT = Path(__file__).parents[2]
LINES = [
    "THIS IS A TEST and it goes on for a while so that there is something to put",
    "今天天气不错我们出去走走吧你叫什么名字",
    "",
    "吃了吗let us go现在走",
    "zo'n foto's zijn mooi maar de dosis is 0.30 mg",
    "ja , nee",
    "woord " * 700,
    "the last line has no end",
]


def test_whoever_asks_line_by_line_gets_what_a_whole_file_gets(tiny_checkpoint, tmp_path):
    # QuintinShaw/openasr#63: the path of a stream skips what is done to whole texts
    whole = punctuate(LINES, load_predictor(tiny_checkpoint, bfloat16=False), marks=DEFAULT_MARKS)
    assert sum(done.text != line for done, line in zip(whole, LINES, strict=True)) > 4
    settings = {"INTERPUNCT_HOME": str(tmp_path), "INTERPUNCT_PRECISION": "float32"}
    command = [sys.executable, "run.py", "punctuate", "--model", str(tiny_checkpoint)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        for line, done in zip(LINES[:-1], whole, strict=False):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{done.text}\n"
        rest, _ = process.communicate(LINES[-1])
    assert (rest, process.returncode) == (f"{whole[-1].text}\n", 0)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=20)


@given(st.lists(TEXT, min_size=1, max_size=600), st.booleans())
@example(["x" * 50_000, "", "y" * 39_999, "z"] * 3, False)
@example(["a"] * 1000, True)
@settings(max_examples=50, deadline=None)
def test_no_line_is_lost_doubled_or_moved_between_batches(lines, ended):
    # k2-fsa/sherpa-onnx#855: the last sentence is dropped
    if not ended and not lines[-1]:
        lines = [*lines, "last"]
    data = "\n".join(lines) + ("\n" if ended else "")
    expected = [line.removeprefix("\ufeff") if not i else line for i, line in enumerate(lines)]
    batches = list(in_batches(read_texts([("standard input", io.BytesIO(data.encode()))])))
    assert all(batches)
    assert [text.text for batch in batches for text in batch] == expected


def test_what_comes_before_a_fault_is_done_and_the_fault_is_loud():
    data = b"een\ntwee\n" + b"\xff\n"
    batches = in_batches(read_texts([("standard input", io.BytesIO(data))]))
    found = []
    with pytest.raises(BadText, match="line 3"):
        found.extend(text.text for batch in batches for text in batch)
    assert found == ["een", "twee"]


def test_an_input_that_is_not_there_is_known_before_the_first_is_read(tmp_path):
    there = tmp_path / "a.txt"
    there.write_text("een")
    with ExitStack() as stack, pytest.raises(BadText, match="No such file"):
        open_all([there, tmp_path / "gone.txt"], io.BytesIO(), stack)
