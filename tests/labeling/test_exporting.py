"""Exports of a real project, and their way back into one."""

import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Select, select

from db import suggestions, versions
from db.tables import ModelVersion, Project, Transcript
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.exporting import export
from labeling.gold import read_gold
from labeling.history import decide
from labeling.importing import import_file
from labeling.permissions import SYSTEM
from labeling.probabilities import pack
from labeling.projects import add_project, update_settings

SRT = (
    "1\n00:00:01,000 --> 00:00:02,500\nYes, I know.\nBut not now!\n\n"
    "2\n01:00:00,250 --> 01:00:01,000\nGood day\n\n"
)
TXT = "Yes, I know.\nWell that is it.\nGood day.\n"


def put(database, project, content: str, name: str, annotator: str | None = None):
    return import_file(
        database, SYSTEM, project.id, content.encode(), name=name, annotator=annotator
    )


def exported(database, project, what: str, format: str, **options) -> str:
    out = io.BytesIO()
    export(database, SYSTEM, project.id, what, format, out, **options)
    return out.getvalue().decode()


def rows_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.fixture
def two(database, project, ann, bob):
    put(database, project, TXT, "call.txt", "ann")
    put(database, project, "Yes, I know.\nWell, that is it.\n", "call.txt", "bob")


def test_gold_says_where_it_comes_from(database, project, two, lea):
    rows = rows_of(exported(database, project, "gold", "jsonl"))
    assert [(row["text"], row["source"]) for row in rows] == [
        ("Yes I know", "agreed"),
        ("Good day", "single"),
    ]
    assert rows[0]["labels"] == [1, 0, 2]
    assert rows[0]["marks"] == ["NONE", "COMMA", "PERIOD", "QUESTION"]
    assert rows[0]["units"] == [[0, 3], [4, 5], [6, 10]]
    assert (rows[0]["document"], rows[0]["position"]) == ("call.txt", 1)
    second = rows_of(exported(database, project, "versions", "jsonl"))[2]
    assert second["text"] == "Well that is it"
    with database.read() as session:
        place = next(iter(session.scalars(_ids("Well that is it"))))
    decide(database, lea, place, bytes([1, 0, 0, 2]))
    rows = rows_of(exported(database, project, "gold", "jsonl"))
    assert [(row["labels"], row["source"]) for row in rows][1] == ([1, 0, 0, 2], "decision")


def test_people_agree_where_they_agree_in_the_projects_marks(database, project, ann, bob):
    """As training reads it: the export and the training know the same gold."""
    put(database, project, "Stop now!\n", "call.txt", "ann")
    put(database, project, "Stop now.\n", "call.txt", "bob")
    rows = rows_of(exported(database, project, "gold", "jsonl"))
    assert [(row["labels"], row["source"]) for row in rows] == [([0, 2], "agreed")]
    with database.read() as session:
        assert [row.source for row in read_gold(session, project.id)] == ["agreed"]


def _ids(text: str) -> Select[tuple[int]]:
    return select(Transcript.id).where(Transcript.text == text)


def test_versions_name_their_annotators_and_numbers(database, project, two):
    put(database, project, "Yes I know.\n", "call.txt", "ann")
    rows = rows_of(exported(database, project, "versions", "jsonl"))
    assert [(row["annotator"], row["number"]) for row in rows[:3]] == [
        ("ann", 1),
        ("ann", 2),
        ("bob", 1),
    ]
    assert rows[1]["based_on"] == 1
    newest = exported(database, project, "versions", "txt", annotator="ann")
    assert newest == "Yes I know.\nWell that is it.\nGood day.\n"


def test_what_was_not_submitted_is_in_the_history_alone(database, project, two, bob):
    with database.write() as session:
        place = session.scalars(_ids("Yes I know")).one()
        versions.add(
            session, place, bob.id, bytes(3), number=2, based_on=1, kind="save", submitted=False
        )
    assert exported(database, project, "versions", "txt", annotator="bob").startswith("Yes, I")
    assert exported(database, project, "gold", "txt").startswith("Yes, I know.")
    history = rows_of(exported(database, project, "versions", "jsonl", annotator="bob"))
    assert [row["submitted"] for row in history][:2] == [True, False]


@pytest.mark.parametrize("format", ["jsonl", "txt", "tsv"])
def test_an_export_is_imported_to_the_same_versions(database, project, two, format):
    file = exported(database, project, "versions", format, annotator="ann")
    again = put(database, project, file, f"copy.{format}", "ann")
    assert (again.added, again.versions_added, again.versions_already_there) == (0, 0, 3)
    other = add_project(database, SYSTEM, name="other", language="en")
    assert put(database, other, file, f"copy.{format}", "ann").versions_added == 3
    assert exported(database, other, "versions", format) == file or format == "jsonl"
    labels = [
        [row["labels"] for row in rows_of(exported(database, p, "gold", "jsonl"))]
        for p in (project, other)
    ]
    assert labels[1][0] == labels[0][0]


@pytest.mark.parametrize("format", ["srt", "vtt"])
def test_subtitles_come_back_with_their_times(database, project, ann, format):
    update_settings(database, SYSTEM, project.id, marks=["NONE", "COMMA", "PERIOD", "EXCLAMATION"])
    put(database, project, SRT, "talk.srt", "ann")
    file = exported(database, project, "gold", format)
    if format == "srt":
        assert file == SRT
    else:
        assert file.startswith("WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.500\nYes, I know.\nBut")
    again = put(database, project, file, f"talk.{format}", "ann")
    assert (again.added, again.versions_added) == (0, 0)


def test_what_has_no_times_is_left_out_of_subtitles(database, project, ann):
    put(database, project, "Yes.\n", "call.txt", "ann")
    with pytest.raises(BadInput, match="has no times"):
        exported(database, project, "gold", "srt")
    put(database, project, '{"text": "No.", "words": [[0.5, 0.9]]}', "w.jsonl", "ann")
    out = io.BytesIO()
    report = export(database, SYSTEM, project.id, "gold", "srt", out)
    assert out.getvalue().decode() == "1\n00:00:00,500 --> 00:00:00,900\nNo.\n\n"
    assert (report.rows, [reason for _, reason in report.left_out]) == (1, ["has no times"])


def test_a_failed_export_leaves_the_file_that_was_there(database, project, ann, tmp_path):
    put(database, project, "Yes.\n", "call.txt", "ann")
    path = tmp_path / "out.srt"
    path.write_text("before")
    with pytest.raises(BadInput):
        export(database, SYSTEM, project.id, "gold", "srt", path)
    assert path.read_text() == "before"
    export(database, SYSTEM, project.id, "gold", "txt", path)
    assert path.read_text() == "Yes.\n"
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".srt"] == ["out.srt"]


def test_a_pipe_is_written_into_and_a_link_stays_a_link(database, project, ann, tmp_path):
    """What is no file of its own is never replaced: as root, ``-o /dev/null`` would be its end."""
    put(database, project, "Yes.\n", "call.txt", "ann")
    pipe, link, target = tmp_path / "pipe", tmp_path / "link.txt", tmp_path / "target.txt"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    export(database, SYSTEM, project.id, "gold", "txt", pipe)
    assert os.read(reader, 100) == b"Yes.\n"
    os.close(reader)
    assert pipe.is_fifo()
    target.write_text("before")
    link.symlink_to(target)
    export(database, SYSTEM, project.id, "gold", "txt", link)
    assert link.is_symlink()
    assert target.read_text() == "Yes.\n"
    with pytest.raises(BadInput, match="directory"):
        export(database, SYSTEM, project.id, "gold", "txt", tmp_path)
    with pytest.raises(BadInput, match="No space left"):
        export(database, SYSTEM, project.id, "gold", "txt", full := Path("/dev/full"))
    assert full.is_char_device()


def test_text_streams_are_written_too(database, project, ann):
    put(database, project, "好的。\n", "call.txt", "ann")
    out = io.StringIO()
    assert export(database, SYSTEM, project.id, "gold", "tsv", out).rows == 1
    assert out.getvalue() == "好\tO\n的\tPERIOD\n\n"


def test_sentences_begin_with_capitals_where_asked(database, project, ann):
    put(database, project, "yes. is it?\n", "call.txt", "ann")
    assert exported(database, project, "gold", "txt") == "yes. is it?\n"
    assert exported(database, project, "gold", "txt", capitalize=True) == "Yes. Is it?\n"


def test_suggestions_of_the_serving_model_in_the_projects_marks(database, project, ann):
    put(database, project, "yes is it\nno\n", "call.txt")
    with database.write() as session:
        model = ModelVersion(name="m", folder="m", marks=["NONE", "COMMA", "EXCLAMATION"])
        session.add(model)
        session.flush()
        session.get(Project, project.id).serving_model_id = model.id
        place = session.scalars(_ids("yes is it")).one()
        table = np.array([[0.2, 0.7, 0.1], [0.9, 0.1, 0.0], [0.3, 0.1, 0.6]])
        suggestions.put(session, model.id, {place: pack(table)})
    (row,) = rows_of(exported(database, project, "suggestions", "jsonl", probabilities=True))
    assert (row["labels"], row["model"]) == ([1, 0, 2], "m")
    assert np.allclose(row["probabilities"][2], [0.3, 0.1, 0.6, 0.0], atol=1e-3)
    assert exported(database, project, "suggestions", "txt") == "yes, is it.\n"


def test_documents_and_splits_can_be_chosen(database, project, ann):
    rows = [{"text": f"{n}.", "document": n, "split": s} for n, s in (("a", "pool"), ("b", "test"))]
    put(database, project, "\n".join(map(json.dumps, rows)), "x.jsonl", "ann")
    assert exported(database, project, "gold", "txt", document="a") == "a.\n"
    assert exported(database, project, "gold", "txt", split="test") == "b.\n"


@pytest.mark.parametrize(
    ("what", "format", "options", "error"),
    [
        ("all", "txt", {}, BadInput),
        ("gold", "csv", {}, BadInput),
        ("versions", "txt", {"annotator": "zoe"}, NotFound),
    ],
)
def test_what_cannot_be_exported_is_refused(database, project, what, format, options, error):
    with pytest.raises(error):
        exported(database, project, what, format, **options)


def test_annotators_may_not_export_and_folders_must_be_there(database, project, ann, tmp_path):
    with pytest.raises(NotAllowed):
        export(database, ann, project.id, "gold", "txt", io.BytesIO())
    with pytest.raises(BadInput, match="No such file"):
        export(database, SYSTEM, project.id, "gold", "txt", tmp_path / "no" / "out.txt")


def test_an_empty_project_exports_an_empty_file(database, project):
    assert exported(database, project, "gold", "jsonl") == ""
    assert exported(database, project, "suggestions", "txt") == ""
