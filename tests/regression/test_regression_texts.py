"""The regression texts themselves: enough of them, without marks, and marked word for word."""

import json
from collections import Counter
from pathlib import Path

import pytest

from model.punctuation import parse, strip_marks
from model.units import unit_texts
from tests.regression.results import LANGUAGES, labels, read_samples

DEMO = Path(__file__).parents[2] / "labeling" / "demo"


def words(text: str) -> tuple[str, ...]:
    return tuple(unit_texts(text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_enough_and_short(language):
    samples = read_samples(language)
    lengths = [len(words(sample.text)) for sample in samples]

    assert len(samples) >= 60
    assert min(lengths) >= 8
    assert max(lengths) <= 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_holds_no_marks(language):
    # Decimals, times and the dots of abbreviations belong to units and are no marks.
    held = {s.text for s in read_samples(language) if set(parse(s.text).marks) != {"NONE"}}

    assert held == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_marking_keeps_every_word(language):
    for sample in read_samples(language):
        assert words(strip_marks(sample.marked)) == words(sample.marked) == words(sample.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_marking_ends_its_text_and_all_three_marks_are_there(language):
    counts: Counter[int] = Counter()
    for sample in read_samples(language):
        marks = labels(sample.marked)
        assert marks[-1] in (2, 3), sample.marked
        counts.update(marks.tolist())

    assert all(counts[mark] >= 15 for mark in (1, 2, 3))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_comes_twice_or_stands_in_the_demo(language):
    ours = [words(sample.text) for sample in read_samples(language)]
    lines = (DEMO / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    demo = [" ".join(words(json.loads(line)["text"])) for line in lines]

    assert len(set(ours)) == len(ours)
    assert not [text for text in ours if any(" ".join(text) in other for other in demo)]
