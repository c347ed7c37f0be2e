"""The agreement of a project, on a real database: what counts, and what does not."""

import json

import pytest

from db import versions
from db.engine import Database
from db.tables import Transcript
from labeling.agreement_report import AgreementReport, agreement_report
from labeling.errors import NotAllowed, NotFound
from labeling.history import decide, restore
from labeling.importing import import_file
from labeling.permissions import SYSTEM, Actor
from labeling.projects import update_settings
from labeling.workflow import open_next, open_transcript, save_draft, submit

ANN = "Yes, I know, but not now.\nWell, that is it.\nGood day.\n"
BOB = "Yes, I know but not now.\nWell that is it.\nGood day.\n"


@pytest.fixture
def two(database: Database, project, ann: Actor, bob: Actor) -> None:
    """Two people's punctuation of three texts, who differ on two commas."""
    for content, name in ((ANN, "ann"), (BOB, "bob")):
        import_file(database, SYSTEM, project.id, content.encode(), name="call.txt", annotator=name)


def report(database: Database, project) -> AgreementReport:
    return agreement_report(database, SYSTEM, project.id, resamples=100)


def numbers(found: AgreementReport) -> dict:
    return found.as_dict()["agreement"]


def test_imports_count_and_every_disagreement_has_its_place(database, project, two):
    found = report(database, project)
    assert (found.agreement.n_transcripts, found.agreement.n_slots) == (3, 12)
    assert found.agreement.edits == {"matched": 4, "missed": 2, "moved": 0, "other_mark": 0}
    assert (found.n_disagreements, found.n_comma_disagreements, found.n_answers) == (2, 2, 6)
    first = found.disagreements[0]
    assert (first.document, first.position, first.slot) == ("call.txt", 2, 0)
    assert (first.before, first.after) == ("Well", "that is it")
    assert first.marks == {"ann": "COMMA", "bob": "NONE"}
    with database.read() as session:
        assert session.get(Transcript, first.transcript).text == "Well that is it"
    assert {(c.side, c.words) for c in found.comma_contexts} == {
        ("before", "but"), ("after", "know"), ("before", "that"), ("after", "well"),
    }  # fmt: skip
    assert [found.people[rate.annotator] for rate in found.comma_rates] == ["ann", "bob"]
    assert [rate.commas for rate in found.comma_rates] == [3, 1]


def test_the_report_is_plain_json_and_the_same_each_time(database, project, two):
    first, second = report(database, project), report(database, project)
    assert json.loads(json.dumps(first.as_dict(), allow_nan=False)) == json.loads(
        json.dumps(second.as_dict())
    )
    matrix = first.kappa_matrix()
    assert matrix[0][1] == matrix[1][0] == first.agreement.pairs[0].kappa.value
    assert matrix[0][0] is None
    assert "ann and bob: kappa" in str(first)


def test_decisions_drafts_and_unsubmitted_versions_change_nothing(
    database, project, two, ann, bob, lea
):
    before = numbers(report(database, project))
    place = report(database, project).disagreements[0].transcript
    decide(database, lea, place, bytes(4), note="no commas")
    restore(database, lea, place, ann.id, 1)
    assert numbers(report(database, project)) == before
    work = open_transcript(database, bob, place)
    save_draft(database, bob, place, bytes(4), work.draft_number)
    assert numbers(report(database, project)) == before
    with database.write() as session:
        versions.add(
            session, place, bob.id, bytes(4), number=2, based_on=1, kind="save", submitted=False
        )
    assert numbers(report(database, project)) == before
    submit(database, bob, place, bytes(4), 2, 3.0)
    assert numbers(report(database, project)) != before


def test_what_is_still_to_be_decided_comes_first(database, project, lea, ann, bob):
    for name, text in (("a", b"So, we, left, now. Yes."), ("b", b"Well, he stayed. No.")):
        import_file(database, SYSTEM, project.id, text, name=f"{name}.txt", annotator="ann")
        bare = text.replace(b",", b"")
        import_file(database, SYSTEM, project.id, bare, name=f"{name}.txt", annotator="bob")
    most, less = (row.transcript for row in report(database, project).comma_transcripts)
    first = report(database, project).disagreements
    assert [one.transcript for one in first] == [most] * 3 + [less]
    assert not any(one.decided for one in first)
    decide(database, lea, most, bytes(5))
    then = report(database, project).disagreements
    assert [(one.transcript, one.decided) for one in then] == [
        (less, False),
        *[(most, True)] * 3,
    ]


def test_only_the_newest_submitted_version_counts(database, project, two):
    import_file(database, SYSTEM, project.id, ANN.encode(), name="call.txt", annotator="bob")
    found = report(database, project)
    assert found.agreement.alpha.value == 1
    assert found.disagreements == []


def test_an_open_transcript_that_nobody_submitted_does_not_count(database, project, ann, fill):
    fill(2, wanted=2)
    open_next(database, ann, project.id)
    found = report(database, project)
    assert found.n_answers == 0
    assert found.agreement.alpha.value is None
    assert found.agreement.alpha.reason.startswith("n/a: ")
    assert "n/a: " in str(found)


def test_marks_outside_the_projects_set_count_as_their_kin(database, project, ann, bob):
    import_file(database, SYSTEM, project.id, b"Yes! No.", name="a.txt", annotator="ann")
    import_file(database, SYSTEM, project.id, b"Yes. No.", name="a.txt", annotator="bob")
    assert report(database, project).n_disagreements == 0
    update_settings(database, SYSTEM, project.id, marks=["NONE", "COMMA", "PERIOD", "EXCLAMATION"])
    assert report(database, project).n_disagreements == 1


def test_a_project_without_commas_has_a_report(database, project, two):
    update_settings(database, SYSTEM, project.id, marks=["NONE", "PERIOD"])
    found = report(database, project)
    assert (found.comma_rates, found.comma_contexts) == ([], [])
    assert found.agreement.alpha.value == 1


def test_two_transcripts_with_the_same_words_are_two(database, project, ann, bob):
    for content, name in ((b"yes.\nyes,\n", "ann"), (b"yes.\nyes.\n", "bob")):
        import_file(database, SYSTEM, project.id, content, name="a.txt", annotator=name)
    assert report(database, project).agreement.n_transcripts == 2


def test_who_may_see_it(database, project, ann, lea):
    with pytest.raises(NotAllowed):
        agreement_report(database, ann, project.id)
    with pytest.raises(NotFound):
        agreement_report(database, lea, 999)
    assert agreement_report(database, lea, "calls").project == "calls"
