"""The table of roles, as people were promised it."""

import pytest

from labeling.errors import NotAllowed
from labeling.permissions import ALLOWED, ROLES, SYSTEM, Actor, may, require, require_person

PROMISED = {
    "annotator": {"see_projects", "see_own_history", "annotate"},
    "lead": {
        "see_projects",
        "see_own_history",
        "annotate",
        "see_all_history",
        "see_agreement",
        "see_transcripts",
        "see_models",
        "export",
        "decide",
        "import",
        "change_project",
        "add_project",
    },
    "engineer": {
        "see_projects",
        "see_own_history",
        "see_all_history",
        "see_agreement",
        "see_transcripts",
        "see_models",
        "export",
        "run_rounds",
        "promote",
    },
    "admin": set(ALLOWED),
}


@pytest.mark.parametrize("role", ROLES)
def test_what_each_role_may(role: str) -> None:
    actor = Actor(1, "x", role)
    assert {action for action in ALLOWED if may(actor, action)} == PROMISED[role]


def test_an_unknown_role_may_nothing_and_an_unknown_action_is_a_mistake() -> None:
    assert not any(may(Actor(1, "x", "boss"), action) for action in ALLOWED)
    with pytest.raises(KeyError):
        require(SYSTEM, "fly")


def test_the_command_line_is_no_person() -> None:
    require(SYSTEM, "annotate")
    with pytest.raises(NotAllowed):
        require_person(SYSTEM, "annotate")
    assert require_person(Actor(3, "x", "annotator"), "annotate") == 3
