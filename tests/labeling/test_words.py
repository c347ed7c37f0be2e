"""Fingerprints of words, and labels in their several ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.errors import BadInput
from labeling.words import (
    check_labels,
    fold_labels,
    from_set_ids,
    pack_labels,
    to_set_ids,
    words_hash,
)
from model.marks import ALL_MARKS
from model.punctuation import strip_marks

FOUR = ("NONE", "COMMA", "PERIOD", "QUESTION")


def test_a_fingerprint_is_of_the_words_alone() -> None:
    assert words_hash("yes, I think") == words_hash("yes   I think!")
    assert words_hash("yes I think") != words_hash("yesI think")
    assert words_hash("a b") != words_hash("ab")
    assert words_hash("你好") == words_hash("你，好。")
    assert len(words_hash("")) == 32


@given(st.text())
def test_taking_marks_out_keeps_the_fingerprint(text: str) -> None:
    assert words_hash(strip_marks(text)) == words_hash(text)


def test_a_lone_surrogate_has_a_fingerprint() -> None:
    assert len(words_hash("a\ud800b")) == 32


def test_a_number_is_no_list_of_labels() -> None:
    with pytest.raises(BadInput):
        pack_labels(7)  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        pack_labels("0000")  # type: ignore[arg-type]


def test_labels_are_checked_against_the_set() -> None:
    assert check_labels([0, 3], 2, FOUR) == b"\0\3"
    with pytest.raises(BadInput, match="COLON, DASH"):
        check_labels([4, 5], 2, FOUR)


def test_labels_fold_into_a_set_and_stay_canonical() -> None:
    every = bytes(range(10))
    names = [ALL_MARKS.names[i] for i in fold_labels(every, ("NONE", "PERIOD", "COMMA"))]
    assert names == [
        "NONE",
        "COMMA",
        "PERIOD",
        "PERIOD",
        "COMMA",
        "NONE",
        "COMMA",
        "PERIOD",
        "PERIOD",
        "PERIOD",
    ]
    assert fold_labels(every, ALL_MARKS.names) == every


def test_ids_of_a_set_and_canonical_ids() -> None:
    marks = ("NONE", "PERIOD", "EXCLAMATION", "COMMA")
    assert to_set_ids(bytes([0, 1, 2, 3, 7]), marks) == [0, 3, 1, 1, 2]
    assert from_set_ids([0, 1, 2, 3], marks) == bytes([0, 2, 7, 1])
    with pytest.raises(BadInput):
        from_set_ids([4], marks)
