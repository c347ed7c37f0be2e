"""Every string in every language, and no string that nobody uses or that is missing."""

import ast
import re
from pathlib import Path

import pytest

from db.models import PROMOTE, ROLLBACK
from labeling.jobs import ROUND, SUGGEST
from model.training_settings import NOTES
from webapp.i18n import LANGUAGES, choose_language, strings, translate
from webapp.pages import PAGES

WEBAPP = Path(__file__).parents[2] / "webapp"
LABELING = WEBAPP.parent / "labeling"
TRAINING = WEBAPP.parent / "model" / "training.py"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_languages_have_the_same_strings(language: str) -> None:
    english, other = strings("en"), strings(language)
    assert other.keys() == english.keys()
    assert [key for key, text in other.items() if not text.strip()] == []
    for key, text in english.items():
        assert set(PLACEHOLDER.findall(other[key])) == set(PLACEHOLDER.findall(text)), key


def test_what_pages_ask_for_is_there() -> None:
    # A key is a literal like "editor.undo"; one with a {} in it is put together and skipped.
    areas = {key.partition(".")[0] for key in strings("en")}
    pattern = re.compile(rf"""["'`]((?:{"|".join(areas)})\.[A-Za-z_]+)["'`]""")
    files = [f for ext in ("*.py", "*.js", "*.html") for f in WEBAPP.rglob(ext)]
    used = {(key, file.name) for file in files for key in pattern.findall(file.read_text("utf-8"))}
    files_named_alike = {"editor.html", "editor.css", "sign_in.html", "password.html"}
    missing = {key for key, _ in used} - strings("en").keys() - files_named_alike
    assert sorted(missing) == []
    assert {page.key for page in PAGES} <= strings("en").keys()


# Met on the command line alone, which speaks English.
OF_THE_COMMAND_LINE = {
    "bad_address",
    "bad_database",
    "bad_home",
    "bad_starter",
    "no_home",
    "passwords_differ",
}


def _calls_with_a_name(*names: str) -> list[ast.Call]:
    """All calls in use cases, pages and training of functions and classes with these names."""
    found = []
    for file in (*LABELING.rglob("*.py"), *WEBAPP.rglob("*.py"), TRAINING):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            called = getattr(node, "func", None)
            if getattr(called, "id", getattr(called, "attr", "")) in names:
                assert isinstance(node, ast.Call)
                found.append(node)
    return found


def test_refusals_are_translated() -> None:
    codes = {"stale_save", *(f"{kind}_running" for kind in (ROUND, SUGGEST))}
    for call in _calls_with_a_name("NotAllowed", "NotFound", "BadInput"):
        if call.args and isinstance(call.args[0], ast.Constant):
            codes.add(call.args[0].value)
    assert len(codes) > 40
    lacking = {code for code in codes if f"error.{code}" not in strings("en")}
    assert sorted(lacking - OF_THE_COMMAND_LINE) == []


def test_what_training_says_is_translated() -> None:
    for code, text in NOTES.items():
        assert strings("en")[f"models.note.{code}"] == text
    refused = {
        call.args[0].value
        for call in _calls_with_a_name("TrainingRefused")
        if isinstance(call.args[0], ast.Constant)
    }
    of_callers = {"labels_do_not_fit", "unknown_label"}  # no page can bring these about
    assert refused > of_callers
    assert sorted(c for c in refused - of_callers if f"error.{c}" not in strings("en")) == []


def test_what_the_audit_trail_tells_is_translated() -> None:
    actions = {PROMOTE, ROLLBACK, "flagged", "unflagged", "demo_made", "first_people_made"}
    for call in _calls_with_a_name("record", "record_event"):
        if len(call.args) > 2 and isinstance(call.args[2], ast.Constant):
            actions.add(call.args[2].value)
    assert len(actions) > 20
    assert sorted(a for a in actions if f"people.event.{a}" not in strings("en")) == []


def test_language_is_the_chosen_one_else_the_browsers() -> None:
    assert choose_language("nl", "zh-CN,zh;q=0.9") == "nl"
    assert choose_language(None, "zh-CN,zh;q=0.9,en;q=0.8") == "zh"
    assert choose_language("xx", "fr-FR,nl;q=0.4,en;q=0.7") == "en"
    assert choose_language(None, None) == "en"
    assert choose_language(None, "en;q=x,nl") == "nl"


def test_a_string_that_lacks_a_parameter_still_comes_out() -> None:
    assert translate("en", "editor.transcript", wrong=1) == strings("en")["editor.transcript"]
    assert translate("nl", "no.such.key") == "no.such.key"
