"""Imports into a real database: what is added once, whose marks they become, what is refused."""

import json

import pytest
from sqlalchemy import func, select

from db.tables import Assignment, AuditEvent, Transcript, Version
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.importing import import_file
from labeling.permissions import SYSTEM, Actor
from labeling.projects import update_settings
from labeling.workflow import open_next
from model.marks import ALL_MARKS

FILE = "Yes, I think so. Do you?\nyes\nno\nyes\n"


def put(database, project, content, **options):
    data = content.encode() if isinstance(content, str) else content
    return import_file(database, SYSTEM, project.id, data, **{"name": "call.txt", **options})


def stored(database) -> list[Transcript]:
    with database.read() as session:
        return list(session.scalars(select(Transcript).order_by(Transcript.id)))


def versions(database) -> list[Version]:
    with database.read() as session:
        return list(session.scalars(select(Version).order_by(Version.id)))


def test_texts_are_stored_without_marks_and_the_report_says_so(database, project):
    report = put(database, project, FILE)
    assert (report.added, report.already_there, report.marks_dropped) == (4, 0, 1)
    assert [row.text for row in stored(database)] == ["Yes I think so Do you", "yes", "no", "yes"]
    assert [(row.document, row.position) for row in stored(database)] == [
        ("call.txt", i) for i in (1, 2, 3, 4)
    ]
    assert "name an annotator" in str(report)


def test_a_second_time_adds_nothing_and_says_so(database, project):
    put(database, project, FILE)
    again = put(database, project, FILE)
    assert (again.added, again.already_there, again.same_words) == (0, 4, 0)
    assert str(again).startswith("call.txt: nothing new; 4 transcripts were there already.")
    assert len(stored(database)) == 4


def test_marks_do_not_make_another_transcript(database, project):
    put(database, project, "yes I think so do you\n")
    assert put(database, project, "yes, I think so. do you?\n").added == 0


def test_another_file_is_another_document_and_the_report_warns(database, project):
    put(database, project, FILE)
    other = put(database, project, FILE, name="other.txt")
    assert (other.added, other.same_words) == (4, 4)


def test_a_row_that_comes_twice_in_one_place_counts_once(database, project):
    row = '{"text": "yes", "document": "d", "position": 1}\n'
    assert put(database, project, row * 3, name="x.jsonl").added == 1


def test_only_the_last_part_of_a_path_names_the_document(database, project, tmp_path):
    path = tmp_path / "deep.txt"
    path.write_text("yes\n")
    import_file(database, SYSTEM, project.name, path)
    put(database, project, "no\n", name="C:\\calls\\deep.txt")
    assert {row.document for row in stored(database)} == {"deep.txt"}


def test_bad_rows_are_reported_and_good_ones_kept(database, project):
    content = "\n".join(
        [
            '{"text": "yes"}',
            '{"text": "..."}',
            '{"text": "no\\u0000"}',
            '{"text": "no\\ud800"}',
            json.dumps({"text": "no", "document": "d" * 256}),
            '{"text": "no", "position": -1}',
            '{"text": "no", "language": "fr"}',
            '{"text": "no", "split": "dev"}',
            "{",
            '{"text": "no"}',
            json.dumps({"text": "no " * 83_334}),
        ]
    )
    report = put(database, project, content, name="x.jsonl")
    assert report.added == 2
    assert [number for number, _ in report.bad_rows] == [2, 3, 4, 5, 6, 7, 8, 9, 11]
    reasons = " / ".join(reason for _, reason in report.bad_rows)
    for words in (
        "no letter or digit",
        "NUL",
        "surrogate",
        "longer than 255",
        "-1",
        "'fr'",
        "250000",
    ):
        assert words in reasons
    assert "Row 9 was left out: broken JSON" in str(report)


@pytest.mark.parametrize(
    ("content", "options", "error", "words"),
    [
        (b"ca\xe9", {}, BadInput, "line 1, byte 3"),
        ("{\n", {"name": "x.jsonl"}, BadInput, "Row 1: broken JSON"),
        ("", {}, BadInput, "holds no text"),
        ("ja", {"language": "fr"}, BadInput, "no language fr"),
        ("ja", {"format": "pdf"}, BadInput, "no format 'pdf'"),
        ("ja", {"annotator": "zoe"}, NotFound, "nobody called zoe"),
    ],
)
def test_what_cannot_be_imported_changes_nothing(database, project, content, options, error, words):
    with pytest.raises(error, match=words):
        put(database, project, content, **options)
    assert stored(database) == []
    with database.read() as session:
        assert not session.scalar(select(func.count()).where(AuditEvent.action == "import"))


def test_a_missing_file_and_a_missing_project_are_refused(database, project, tmp_path):
    with pytest.raises(BadInput, match="No such file"):
        import_file(database, SYSTEM, project.id, tmp_path / "none.txt")
    with pytest.raises(NotFound):
        import_file(database, SYSTEM, "nowhere", b"ja")


def test_annotators_may_not_import(database, project, ann: Actor):
    with pytest.raises(NotAllowed):
        import_file(database, ann, project.id, b"ja")


def test_marks_become_versions_of_transcripts_with_the_same_words(database, project, ann):
    put(database, project, FILE)
    report = put(database, project, "yes!\nno,\nyes?\nnew one.\n", name="ann.txt", annotator="ann")
    assert (report.added, report.versions_added) == (1, 4)
    by_id = {row.id: row for row in stored(database)}
    found = [
        (by_id[v.transcript_id].position, ALL_MARKS.decode(v.labels)) for v in versions(database)
    ]
    assert sorted(found) == [
        (2, ["EXCLAMATION"]),
        (3, ["COMMA"]),
        (4, ["NONE", "PERIOD"]),
        (4, ["QUESTION"]),
    ]
    assert {(v.kind, v.submitted, v.number) for v in versions(database)} == {("import", True, 1)}


def test_the_same_labels_again_add_no_version_and_others_add_one(database, project, ann, bob):
    marked = "yes!\nno,\nyes?\n"
    put(database, project, marked, annotator="ann")
    again = put(database, project, marked, annotator="ann")
    assert (again.added, again.versions_added, again.versions_already_there) == (0, 0, 3)
    assert "nothing new" in str(again)
    other = put(database, project, "yes!\nno.\nyes?\n", annotator="ann")
    assert (other.versions_added, other.versions_already_there) == (1, 2)
    newest = versions(database)[-1]
    assert (newest.number, newest.based_on) == (2, 1)
    assert put(database, project, marked, name="b.txt", annotator="bob").added == 0


def test_a_fold_of_what_was_submitted_is_the_same_answer(database, project, ann):
    put(database, project, "yes!\n", annotator="ann")
    assert put(database, project, "yes.\n", annotator="ann").versions_added == 0


def test_a_row_that_names_a_place_gets_that_one(database, project, ann):
    put(database, project, FILE)
    row = '{"text": "yes?", "document": "call.txt", "position": 2}\n{"text": "yes!"}\n'
    assert put(database, project, row, name="x.jsonl", annotator="ann").added == 0
    by_id = {row.id: row.position for row in stored(database)}
    found = {by_id[v.transcript_id]: ALL_MARKS.decode(v.labels) for v in versions(database)}
    assert found == {2: ["QUESTION"], 4: ["EXCLAMATION"]}


def test_a_history_is_imported_once_and_others_rows_are_passed_over(database, project, ann):
    rows = [
        {"text": "yes", "labels": [1], "annotator": "ann"},
        {"text": "yes", "labels": [2], "annotator": "ann"},
        {"text": "yes", "labels": [3], "annotator": "bob"},
        {"text": "yes", "labels": [3], "annotator": "ann", "submitted": False},
    ]
    content = "\n".join(json.dumps(row | {"document": "d", "position": 1}) for row in rows)
    first = put(database, project, content, name="x.jsonl", annotator="ann")
    assert (first.versions_added, first.other_rows) == (2, 2)
    assert [v.labels[0] for v in versions(database)] == [1, 2]
    assert put(database, project, content, name="x.jsonl", annotator="ann").versions_added == 0


def test_an_imported_answer_takes_a_place_and_is_not_handed_out_again(database, project, ann, bob):
    update_settings(database, SYSTEM, project.id, {"overlap_share": 1.0, "test_share": 0.0})
    put(database, project, "yes!\n", annotator="ann")
    assert (stored(database)[0].wanted, stored(database)[0].places) == (2, 1)
    assert open_next(database, ann, project.id) is None
    work = open_next(database, bob, project.id)
    assert work is not None
    put(database, project, "yes?\n", annotator="bob")
    assert stored(database)[0].places == 0
    with database.read() as session:
        states = session.scalars(select(Assignment.state)).all()
    assert states == ["submitted", "submitted"]


def test_splits_and_overlap_follow_the_shares_and_are_always_the_same(database, project):
    put(database, project, "\n".join(f"text number {i}" for i in range(2000)))
    first = {row.text: (row.split, row.wanted, row.lot) for row in stored(database)}
    tests = sum(split == "test" for split, _, _ in first.values())
    twice = sum(wanted == 2 for _, wanted, _ in first.values())
    assert 340 < tests < 460
    assert 340 < twice < 460
    assert len({lot for _, _, lot in first.values()}) == 2000
    assert 0.45 < sum(lot for _, _, lot in first.values()) / 2000 < 0.55
    both = sum(split == "test" and wanted == 2 for split, wanted, _ in first.values())
    assert 50 < both < 115, "one draw must not decide the other"


def test_a_document_is_in_one_split_unless_a_row_says_which(database, project):
    rows = [{"text": f"text {i}", "document": f"d{i % 50}", "position": i} for i in range(500)]
    rows += [{"text": "said", "document": "s", "position": i, "split": "test"} for i in (1, 2)]
    put(database, project, "\n".join(map(json.dumps, rows)), name="x.jsonl")
    splits: dict[str, set[str]] = {}
    for row in stored(database):
        splits.setdefault(row.document, set()).add(row.split)
    assert all(len(found) == 1 for found in splits.values())
    assert {"pool", "test"} == set().union(*splits.values())
    assert splits["s"] == {"test"}


def test_languages_come_from_the_row_the_option_or_the_project(database, project):
    put(database, project, '{"text": "ja", "language": "nl"}\n{"text": "yes"}', name="x.jsonl")
    put(database, project, "我们今天开会\n", name="zh.txt", language="auto")
    assert [row.language for row in stored(database)] == ["nl", "en", "zh"]


def test_two_hundred_thousand_characters_are_one_transcript(database, project):
    text = "so I said yes, and then no. " * 7200
    put(database, project, text)
    assert stored(database)[0].unit_count == 7 * 7200


def test_an_import_is_on_the_audit_trail(database, project, lea):
    import_file(database, lea, project.id, b"yes\n", name="call.txt")
    with database.read() as session:
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "import")).one()
    assert (event.user_id, event.detail["added"], event.detail["name"]) == (lea.id, 1, "call.txt")
