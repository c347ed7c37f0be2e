"""Projects and their settings."""

import pytest
from sqlalchemy import select, update

from db.engine import Database
from db.tables import AuditEvent, Project
from labeling.errors import BadInput, NotAllowed, NotFound
from labeling.permissions import SYSTEM, Actor
from labeling.projects import (
    ProjectInfo,
    add_project,
    get_project,
    list_projects,
    update_settings,
)


def test_a_project_is_found_by_name_and_by_id(database: Database) -> None:
    made = add_project(
        database, SYSTEM, name=" Zorg ", language="nl", marks=["comma", "period"], settings={}
    )
    assert made.name == "Zorg"
    assert made.marks == ("NONE", "COMMA", "PERIOD")
    assert made.settings.random_share == 0.15
    assert get_project(database, SYSTEM, "Zorg") == made
    assert get_project(database, SYSTEM, made.id) == made
    assert get_project(database, SYSTEM, str(made.id)) == made
    assert list_projects(database, SYSTEM) == [made]
    with pytest.raises(NotFound, match="There is no project elsewhere"):
        get_project(database, SYSTEM, "elsewhere")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": ""}, "bad_name"),
        ({"name": "two\u2028lines"}, "bad_name"),
        ({"name": "calls"}, "name_taken"),
        ({"language": "de"}, "no_such_language"),
        ({"marks": ["comma", "interrobang"]}, "bad_marks"),
        ({"marks": []}, "bad_marks"),
        ({"settings": {"random_share": 1.5}}, "bad_setting"),
        ({"settings": {"randomshare": 0.5}}, "bad_setting"),
        ({"settings": {"thresholds": {"COMMMA": 0.5}}}, "bad_setting"),
        ({"settings": {"lease_minutes": float("nan")}}, "bad_setting"),
    ],
)
def test_what_cannot_be_is_refused(
    database: Database, project: ProjectInfo, changes: dict, code: str
) -> None:
    with pytest.raises(BadInput) as caught:
        add_project(database, SYSTEM, **({"name": "new", "language": "en"} | changes))
    assert caught.value.code == code
    assert list_projects(database, SYSTEM) == [project]


def test_settings_change_one_by_one(database: Database, project: ProjectInfo, lea: Actor) -> None:
    update_settings(database, lea, project.id, {"random_share": 0.5})
    changed = update_settings(database, lea, project.id, {"top_k": 3})
    assert (changed.settings.random_share, changed.settings.top_k) == (0.5, 3)
    with pytest.raises(BadInput):
        update_settings(database, lea, project.id, {"top_k": 0, "random_share": 0.1})
    assert get_project(database, lea, project.id) == changed
    wider = update_settings(
        database, lea, project.id, marks=["comma", "period", "question", "colon"], name="care"
    )
    assert wider.marks[-1] == "COLON"
    assert wider.name == "care"
    with database.read() as session:
        events = session.scalars(select(AuditEvent).where(AuditEvent.user_id == lea.id)).all()
    assert [event.detail["changes"] for event in events] == [
        {"random_share": 0.5},
        {"top_k": 3},
        {"marks": ["NONE", "COMMA", "PERIOD", "QUESTION", "COLON"], "name": "care"},
    ]


def test_settings_of_another_release_do_not_stop_this_one(
    database: Database, project: ProjectInfo
) -> None:
    with database.write() as session:
        session.execute(update(Project).values(settings={"top_k": 4, "from_the_future": 1}))
    assert get_project(database, SYSTEM, project.id).settings.top_k == 4


def test_annotators_read_projects_and_do_not_change_them(
    database: Database, project: ProjectInfo, ann: Actor
) -> None:
    assert list_projects(database, ann) == [project]
    with pytest.raises(NotAllowed):
        update_settings(database, ann, project.id, {"top_k": 3})
    with pytest.raises(NotAllowed):
        add_project(database, ann, name="mine", language="en")
