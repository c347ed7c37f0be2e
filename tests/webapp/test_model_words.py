"""What Models says of a round, in the language of who reads it."""

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest

from model.training_settings import Note
from webapp.context import error_text
from webapp.i18n import translate
from webapp.model_words import ModelWords


def words(language: str) -> ModelWords:
    context: Any = SimpleNamespace(
        t=lambda request, key, **params: translate(language, key, **params),
        say=lambda request, error: error_text(language, error),
        language=lambda request: language,
    )
    return ModelWords(context, SimpleNamespace())  # type: ignore[arg-type]


def failed(error: str, **progress: Any) -> Any:
    return SimpleNamespace(state="failed", error=error, progress=progress)


def test_why_a_round_failed_is_told_in_the_readers_language() -> None:
    job = failed("There is nothing to learn from yet.", failure={"code": "no_gold", "params": {}})
    assert "nog niets om van te leren" in words("nl").progress(job)
    named = failed("No.", failure={"code": "no_such_model", "params": {"model": "<b>"}})
    assert "&lt;b&gt;" in words("zh").progress(named), "what people typed is no markup"


def test_a_worker_that_stopped_is_told_with_how_far_it_was() -> None:
    job = failed(
        "The worker stopped while training: step 3 of 9.",
        failure={"code": "worker_stopped", "params": {}},
        stage="training",
        done=3,
        total=9,
        epoch=1,
        epochs=3,
    )
    said = words("nl").progress(job)
    assert "De verwerker stopte" in said
    assert "stap 3 van 9" in said


def test_a_reason_without_translation_is_told_as_it_is() -> None:
    assert "the disk is full" in words("nl").progress(failed("OSError: the disk is full"))
    odd = failed("Something new.", failure={"code": "something_new", "params": {}})
    assert "Something new." in words("zh").progress(odd)


@pytest.mark.parametrize("language", ["nl", "zh"])
def test_notes_on_a_training_are_told_in_the_readers_language(language: str) -> None:
    english = "Thresholds, tuned on 31 dev marks."
    told = words(language).note(asdict(Note.of("tuned", marks="31")))
    assert "31" in told
    assert told != english
    assert words(language).note(english) == english, "rounds from before hold plain sentences"
    assert words(language).note(asdict(Note("of_later", "A note.", {}))) == "A note."
