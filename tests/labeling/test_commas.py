"""Comma rates, and where and before which words people differ on commas."""

import numpy as np
import pytest

from labeling.answers import Answer, share
from labeling.comma_contexts import comma_contexts
from labeling.commas import comma_rates, differing_slots, differing_transcripts, measure_commas
from model.units import unit_texts


def answers_of(*transcripts: list[str]) -> list[Answer]:
    return [
        Answer(transcript, annotator, np.array([int(c) for c in given], dtype=np.uint8))
        for transcript, row in enumerate(transcripts, start=1)
        for annotator, given in enumerate(row, start=1)
        if given != "-"
    ]


def test_rates_count_all_that_somebody_submitted_and_compare_on_what_is_shared():
    answers = answers_of(["1000", "1100", "-"], ["1111", "-", "-"], ["0000", "0010", "-"])
    first, second = comma_rates(answers, share(answers), 1)
    assert (first.annotator, first.n_transcripts, first.n_slots, first.commas) == (1, 3, 12, 5)
    assert first.per_100 == pytest.approx(100 * 5 / 12)
    assert first.low is not None
    assert first.low < first.per_100 < first.high
    assert first.shared_per_100 == pytest.approx(100 / 8)
    assert first.others_per_100 == second.shared_per_100 == pytest.approx(300 / 8)


def test_one_transcript_gives_a_rate_without_an_interval():
    answers = answers_of(["1000"])
    (rate,) = comma_rates(answers, share(answers), 1)
    assert (rate.per_100, rate.low, rate.shared_per_100) == (25.0, None, None)


def test_other_marks_and_missing_people_are_no_difference_on_commas():
    shared = share(answers_of(["0230", "0320", "-"], ["1", "1", "-"]))
    assert differing_slots(shared, 1) == []


def test_slots_and_transcripts_come_with_what_divides_most_first():
    shared = share(answers_of(["0100", "0000", "0000", "0000"], ["0110", "0000", "0110", "0000"]))
    slots = differing_slots(shared, 1)
    assert [(s.transcript, s.slot) for s in slots] == [(2, 1), (2, 2), (1, 1)]
    assert (slots[0].with_comma, slots[0].without) == ([1, 3], [2, 4])
    rows = differing_transcripts(shared, slots)
    assert [(r.transcript, r.differ, r.n_slots, r.slots) for r in rows] == [
        (2, 2, 4, [1, 2]),
        (1, 1, 4, [1]),
    ]


def test_contexts_name_the_word_that_people_differ_before():
    texts = ["ik wil Maar ik kan niet", "ik kwam maar laat dus maar niet", "ja dus"]
    shared = share(answers_of(["010000", "000000"], ["0101200", "0001200"], ["10", "10"]))
    units = {i: unit_texts(text) for i, text in enumerate(texts, start=1)}
    before = [c for c in comma_contexts(shared, 1, units) if c.side == "before"]
    assert (before[0].words, before[0].differ, before[0].agree, before[0].seen) == ("maar", 2, 0, 3)
    assert before[0].examples == [(1, 1), (2, 1)]
    assert all(context.words != "dus" for context in before), "there people agree"
    after = [c for c in comma_contexts(shared, 1, units) if c.side == "after"]
    assert {c.words for c in after} == {"wil", "kwam"}


def test_han_characters_count_in_pairs_where_they_always_come_in_one():
    shared = share(answers_of(["010000", "000000"], ["010000", "000000"]))
    units = {1: unit_texts("我想但是不去"), 2: unit_texts("你来但是没说")}
    before = [c.words for c in comma_contexts(shared, 1, units) if c.side == "before"]
    assert before == ["但是"]


def test_the_end_of_a_text_is_before_nothing():
    shared = share(answers_of(["01", "00"]))
    contexts = comma_contexts(shared, 1, {1: ["ja", "hoor"]})
    assert [(c.side, c.words) for c in contexts] == [("after", "hoor")]


def test_nobody_shared_anything():
    answers = answers_of(["01", "-"], ["-", "10"])
    found = measure_commas(answers, share(answers), 1, {})
    assert (len(found.rates), found.slots, found.transcripts, found.contexts) == (2, [], [], [])
