import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model.card import BrokenModel, Card, read_card, write_card
from model.marks import ALL_MARKS
from model.windows import plan_windows

GOOD = {"marks": ["NONE", "COMMA", "PERIOD"], "thresholds": {"COMMA": 0.4}}


def read(folder, content):
    (folder / "interpunct.json").write_text(json.dumps(content), encoding="utf-8")
    return read_card(folder)


@pytest.mark.parametrize(
    ("field", "value", "match"),
    [
        ("temperature", "1", "temperature cannot be so: Input should be a valid number"),
        ("temperature", True, "temperature cannot be so"),
        ("temperature", None, "temperature cannot be so"),
        ("temperature", 0, "A temperature is from 0.01 to 100; got 0"),
        ("temperature", -1.5, "A temperature is from"),
        ("temperature", float("nan"), "A temperature is from"),
        ("temperature", float("inf"), "A temperature is from"),
        ("temperature", 1e-320, "A temperature is from"),
        ("thresholds", ["COMMA"], "thresholds cannot be so"),
        ("thresholds", None, "thresholds cannot be so"),
        ("thresholds", {"COMMA": "x"}, "thresholds.COMMA cannot be so"),
        ("thresholds", {"COMMA": float("nan")}, "A threshold is above 0"),
        ("marks", [["NONE"]], "marks.0 cannot be so"),
        ("marks", ["NONE", "SMILE"], "There is no mark 'SMILE'"),
        ("marks", ["NONE", "\ud800"], "cannot be so"),
        ("marks", {"NONE": 0}, "names no marks"),
        ("lowercase", "no", "lowercase cannot be so"),
        ("max_units", 16, "An overlap is 0 or more, and smaller.*got 32 with 16"),
        ("max_units", "256", "max_units cannot be so"),
        ("max_units", 256.5, "max_units cannot be so"),
        ("overlap", -1, "An overlap is 0 or more"),
        ("base", 3, "base cannot be so"),
    ],
)
def test_what_means_nothing_is_refused_by_name(tmp_path, field, value, match):
    with pytest.raises(BrokenModel, match=match):
        read(tmp_path, GOOD | {field: value})


@pytest.mark.parametrize(("windows", "smaller"), [((256, 32), (64, 8)), ((160, 120), (32, 24))])
def test_smaller_windows_overlap_by_the_same_share(windows, smaller):
    card = Card(marks=("NONE", "COMMA"), max_units=windows[0], overlap=windows[1])
    other = card.with_windows(smaller[0])
    assert (other.max_units, other.overlap) == smaller


@pytest.mark.parametrize("units", [0, -3])
def test_windows_of_no_size_are_refused(units):
    with pytest.raises(BrokenModel, match="overlap"):
        Card(marks=("NONE", "COMMA")).with_windows(units)


@pytest.mark.parametrize("content", ['{"marks": ' + "1" * 5000 + "}", '{"marks": ' + "[" * 100_000])
def test_json_that_python_cannot_read_is_refused(tmp_path, content):
    (tmp_path / "interpunct.json").write_text(content, encoding="utf-8")
    with pytest.raises(BrokenModel, match="cannot be read"):
        read_card(tmp_path)


def test_no_folder_and_no_card_are_told_apart(tmp_path):
    with pytest.raises(BrokenModel, match=r"There is no model folder .*gone"):
        read_card(tmp_path / "gone")
    with pytest.raises(BrokenModel, match=r"it has no interpunct\.json"):
        read_card(tmp_path)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
MARKS = st.lists(st.sampled_from([*ALL_MARKS.names, "SMILE"]), max_size=5)
NEARLY = {
    "marks": MARKS,
    "temperature": st.floats(),
    "thresholds": st.dictionaries(st.sampled_from(ALL_MARKS.names), ANY_JSON, max_size=2),
    "lowercase": st.booleans(),
    "max_units": st.integers(),
    "overlap": st.integers(-1, 300),
    "base": st.text(),
    "more": ANY_JSON,
    "anything": ANY_JSON,
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.fixed_dictionaries({}, optional={k: v | ANY_JSON for k, v in NEARLY.items()}))
def test_any_card_loads_as_one_that_serves_or_is_refused(tmp_path, given_fields):
    try:
        card = read(tmp_path, GOOD | given_fields)
    except BrokenModel:
        return
    assert card.mark_set.names[0] == "NONE"
    assert 0.01 <= card.temperature <= 100
    assert all(0 < limit <= 1 for limit in card.thresholds.values())
    plan_windows([1] * 300, card.max_units, card.overlap)
    assert set(card.more) == {"more", "anything"} & set(given_fields)


def test_a_key_that_is_called_more_is_kept(tmp_path):
    card = read(tmp_path, GOOD | {"more": 5, "story": {"a": 1}})
    assert card.more == {"more": 5, "story": {"a": 1}}
    write_card(tmp_path, card)
    assert read_card(tmp_path) == card
    assert Card(marks=("NONE", "COMMA")).more == {}
