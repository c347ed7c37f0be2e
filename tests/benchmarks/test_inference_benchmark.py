"""The benchmark of serving: every engine does all of every text."""

import random
from pathlib import Path

import numpy as np
import pytest

from benchmarks.engines import Answer, TutorialLoop, start_engine
from benchmarks.inference import KINDS, check_answers
from benchmarks.random_model import random_text
from model.units import unit_texts


@pytest.fixture(scope="module")
def loop(tiny_checkpoint: Path) -> TutorialLoop:
    return TutorialLoop(tiny_checkpoint)


def test_the_tutorial_loop_does_all_of_a_text(loop: TutorialLoop) -> None:
    text = random_text(random.Random(0), 600)
    short, long = loop.answer([text[:20], text])
    assert [len(short), len(long)] == [20, 600]
    windows = loop.answer([text[:254], text[254:508], text[508:]])
    np.testing.assert_allclose(long, np.concatenate(windows), atol=1e-6)


def test_the_tutorial_loop_answers_as_ours_does(loop: TutorialLoop, tiny_checkpoint: Path) -> None:
    from model.predictor import Predictor

    text = random_text(random.Random(1), 90)
    ours = Predictor(tiny_checkpoint, bfloat16=False).probabilities([unit_texts(text)])
    np.testing.assert_allclose(loop.answer([text])[0], ours[0], atol=1e-4)


def test_an_engine_says_what_it_did(tiny_checkpoint: Path) -> None:
    engine = start_engine("tutorial", tiny_checkpoint)
    answer = engine.ask(["今天天气很好" * 60, "好"])
    engine.close()
    assert engine.threads >= 1
    assert answer.slots == 361
    assert answer.seconds > 0
    assert answer.first.shape == (8, 10)


def test_an_engine_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="tutorial"):
        start_engine("tutorial", tmp_path / "nowhere")


def test_engines_that_do_not_the_same_are_not_compared() -> None:
    answers = {kind: Answer(1.0, 300, np.full((8, 10), 0.1, np.float32)) for kind in KINDS}
    check_answers(answers, 300)
    with pytest.raises(AssertionError, match="tutorial"):
        check_answers({**answers, "tutorial": answers["tutorial"]._replace(slots=254)}, 300)
    other = answers["pytorch"]._replace(first=np.full((8, 10), 0.2, np.float32))
    with pytest.raises(AssertionError):
        check_answers({**answers, "pytorch": other}, 300)
