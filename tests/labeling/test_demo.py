"""What a newcomer finds: people, projects with something on every page, and a round that works."""

import stat

import pytest
from sqlalchemy import func, select

from db import decisions, versions
from db.settings import Settings
from db.tables import Decision, Transcript, User, Version
from labeling.accounts import sign_in
from labeling.agreement_report import agreement_report
from labeling.demo import PROJECTS, make_demo
from labeling.errors import BadInput
from labeling.first_sign_in import DEMO_PEOPLE, FILE, make_first_people
from labeling.gold import awaiting_review
from labeling.permissions import SYSTEM
from labeling.projects import list_projects, update_settings
from labeling.rounds import gold_available
from model.comparison import FEWEST_TEXTS


def numbers(database):
    with database.read() as session:
        return [
            session.scalar(select(func.count()).select_from(table))
            for table in (User, Transcript, Version, Decision)
        ]


def test_people_can_sign_in_with_what_the_file_says(database, tmp_path):
    people = make_first_people(database, tmp_path, demo=True)
    assert {p.name for p in people} == {"admin", *DEMO_PEOPLE}
    path = tmp_path / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = {row[0]: row for row in map(str.split, path.read_text().splitlines()) if len(row) == 3}
    for person in people:
        assert lines[person.name] == [person.name, person.role, person.password]
        assert sign_in(database, person.name, person.password)[0].role == person.role
    assert len({p.password for p in people}) == len(people)
    assert make_first_people(database, tmp_path, demo=True) == []


def test_the_admins_password_can_be_given_and_stands_in_no_file(database, tmp_path):
    made = make_first_people(database, tmp_path, demo=False, admin_password="given by me")
    assert [(p.name, p.password) for p in made] == [("admin", "given by me")]
    assert sign_in(database, "admin", "given by me")
    assert "given by me" not in (tmp_path / FILE).read_text()
    assert "given by me" not in repr(Settings(admin_password="given by me"))


def test_a_first_start_that_was_broken_off_is_finished(database, tmp_path, monkeypatch):
    real, calls = make_first_people.__globals__["add_user"], []

    def fail_at_the_third(*args, **kwargs):
        calls.append(kwargs["name"])
        if len(calls) == 3:
            raise BadInput("power", "The power failed.")
        return real(*args, **kwargs)

    monkeypatch.setitem(make_first_people.__globals__, "add_user", fail_at_the_third)
    with pytest.raises(BadInput):
        make_first_people(database, tmp_path, demo=True)
    monkeypatch.undo()
    first = (tmp_path / FILE).read_text()
    made = make_first_people(database, tmp_path, demo=True)
    assert len(made) == 9 - 2
    assert (tmp_path / FILE).read_text() == first
    for name, _, password in (row.split() for row in first.splitlines() if row.startswith("  ")):
        assert sign_in(database, name, password)


def test_what_stands_for_a_given_password_never_becomes_one(database, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise BadInput("power", "The power failed.")

    monkeypatch.setitem(make_first_people.__globals__, "add_user", fail)
    with pytest.raises(BadInput):
        make_first_people(database, tmp_path, demo=False, admin_password="given by me")
    monkeypatch.undo()
    (admin,) = make_first_people(database, tmp_path, demo=False)
    assert "(" not in admin.password
    assert admin.password in (tmp_path / FILE).read_text()


def test_somebody_who_is_there_already_keeps_their_password(database, tmp_path, person):
    person("anna", "lead")
    made = make_first_people(database, tmp_path, demo=True)
    assert "anna" not in {p.name for p in made}
    assert "anna" not in (tmp_path / FILE).read_text()


@pytest.fixture
def demo_people(person):
    """The demo's people without the cost of hashing their passwords."""
    for name, role in DEMO_PEOPLE.items():
        person(name, role)


def test_every_page_has_something_to_show(database, demo_people):
    made = make_demo(database)
    projects = list_projects(database, SYSTEM)
    assert [p.id for p in projects] == made
    assert [p.name for p in projects] == list(PROJECTS.values())
    for project in projects:
        report = agreement_report(database, SYSTEM, project.id, resamples=50)
        assert report.agreement.n_annotators == 2
        assert report.n_comma_disagreements > 0
        assert awaiting_review(database, SYSTEM, project.id)
        counts = gold_available(database, SYSTEM, project.id)
        assert counts["test"] >= FEWEST_TEXTS
        assert counts["train"] >= 6
        assert counts["dev"] >= 1
        assert counts["left_out"] == 0
        with database.read() as session:
            texts = session.scalars(
                select(Transcript).where(Transcript.project_id == project.id)
            ).all()
            answered = {row.transcript_id for row in versions.submitted(session, project.id)}
            decided = decisions.of_project(session, project.id)
        assert len(texts) >= 40
        left = [t for t in texts if t.id not in answered and t.id not in decided]
        assert len(left) >= 10  # for whoever wants to try annotating


def test_the_demo_is_made_once_whatever_becomes_of_it(database, demo_people):
    first, *_ = make_demo(database)
    before = numbers(database)
    update_settings(database, SYSTEM, first, name="my own now")
    assert make_demo(database) == []
    assert numbers(database) == before


def test_a_demo_that_was_broken_off_is_finished_without_doubles(database, demo_people, monkeypatch):
    real, calls = make_demo.__globals__["decide"], []

    def fail_later(*args):
        calls.append(args)
        if len(calls) == 30:
            raise BadInput("power", "The power failed.")
        return real(*args)

    monkeypatch.setitem(make_demo.__globals__, "decide", fail_later)
    with pytest.raises(BadInput):
        make_demo(database)
    monkeypatch.undo()
    assert len(make_demo(database)) == 3
    finished = numbers(database)
    with database.read() as session:
        assert session.scalar(select(func.max(Decision.number))) == 1
    assert finished[1] == 124
