import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.marks import ALL_MARKS, DEFAULT_MARKS, MarkSet, UnknownMark
from model.predictor import load_predictor
from model.punctuate import punctuate
from model.punctuation import parse, strip_marks, unmark
from model.units import find_units

PIECES = "ja nee d.w.z dr. 3.5 10:30 今 天 iPhone15 zo'n www.x.nl jan@zkh.nl 😀 ... , . ? 。 —"
TEXTS = (
    st.text()
    | st.text(alphabet="今天我们好龘 abcdeAB019'’.,?!，。？、—-…:\n\u3000\u200b😀\u0301\"()")
    | st.lists(st.sampled_from(PIECES.split(" ")), max_size=40).map(" ".join)
)


@pytest.fixture(scope="module")
def predictor(tiny_checkpoint):
    return load_predictor(tiny_checkpoint)


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.sampled_from(["keep", "strip"]), st.sampled_from(["auto", "zh", "nl", "en"]))
@example("3你www.x", "keep", "auto")
def test_nothing_but_marks_changes(predictor, text, existing, language):
    done = punctuate([text], predictor, existing=existing, language=language)[0]
    assert strip_marks(done.text) == strip_marks(text)
    assert done.units == find_units(text)
    assert len(done.marks) == len(done.units) == len(done.probabilities)
    np.testing.assert_allclose(done.probabilities.sum(1), 1, atol=1e-5)


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.sampled_from([None, DEFAULT_MARKS]))
def test_a_second_time_changes_nothing(predictor, text, marks):
    once = punctuate([text], predictor, marks=marks)[0]
    twice = punctuate([once.text], predictor, marks=marks)[0]
    assert twice.text == once.text
    assert (twice.probabilities == once.probabilities).all()


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_existing_marks_stay_or_go_as_asked(predictor, text):
    before = parse(text)
    kept = punctuate([text], predictor)[0]
    for held, mark in zip(before.marks, kept.marks, strict=True):
        assert held in ("NONE", mark)
    bare = unmark(text)
    stripped = punctuate([text], predictor, existing="strip")[0]
    assert stripped.text == punctuate([bare], predictor, existing="strip")[0].text


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_the_model_sees_neither_gaps_nor_marks(predictor, text):
    spaced = punctuate([text], predictor)[0]
    units = [text[start:end] for start, end in spaced.units]
    assert (predictor.probabilities([units])[0] == spaced.probabilities).all()


def test_only_the_marks_of_the_set_are_put(predictor):
    text = "今天天气不错我们出去走走吧 hallo dit is een test en hier is nog een zin" * 5
    done = punctuate([text], predictor, marks=MarkSet(("NONE", "PERIOD")))[0]
    assert set(done.marks) == {"NONE", "PERIOD"}
    assert done.probabilities.shape == (len(done.units), 2)
    np.testing.assert_allclose(done.probabilities.sum(1), 1, atol=1e-5)


def test_marks_that_the_model_lacks_are_never_put_but_kept(predictor, tiny_checkpoint):
    wide = punctuate(["a: b"], predictor, marks=ALL_MARKS)[0]
    assert wide.marks[0] == "COLON"
    narrow = punctuate(["a: b"], predictor, marks=DEFAULT_MARKS)[0]
    assert narrow.marks[0] == "COLON"


def test_thresholds_decide(predictor):
    text = "今天天气不错我们出去走走吧" * 20
    names = ALL_MARKS.names[1:]
    none = punctuate([text], predictor, thresholds=dict.fromkeys(names, 1.0))[0]
    assert none.text == text
    some = punctuate([text], predictor, thresholds={**dict.fromkeys(names, 1.0), "PERIOD": 0.1})[0]
    assert set(some.marks) == {"NONE", "PERIOD"}


def test_an_enumeration_mark_is_called_what_is_written(predictor):
    done = punctuate(["a b 今天 c"] * 2, predictor, thresholds={"ENUMERATION": 1e-6})[0]
    assert "ENUMERATION" in done.marks
    assert parse(done.text).marks == done.marks


def test_capitals_only_where_asked(predictor):
    assert punctuate(["hallo dit is"], predictor)[0].text.startswith("hallo")
    assert punctuate(["hallo dit is"], predictor, capitalize=True)[0].text.startswith("Hallo")


def test_texts_come_back_in_order(predictor):
    texts = ["今天", "", "hallo dit is een test", " \n", "😀", "b " * 400]
    assert [strip_marks(p.text) for p in punctuate(texts, predictor)] == texts
    assert punctuate([], predictor) == []


@pytest.mark.parametrize(
    "wrong", [{"language": "de"}, {"language": ""}, {"existing": "merge"}, {"existing": ""}]
)
def test_wrong_wishes_are_refused(predictor, wrong):
    with pytest.raises(ValueError, match=r"language|Existing"):
        punctuate(["a"], predictor, **wrong)


def test_an_unknown_mark_is_refused():
    with pytest.raises(UnknownMark):
        MarkSet.of(["smile"])
