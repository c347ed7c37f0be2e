"""The demo project's transcripts: like a recogniser's, and marked word for word."""

import json
from collections import Counter
from pathlib import Path

import pytest

import labeling
from model.punctuation import parse, strip_marks
from model.units import unit_texts

DEMO = Path(labeling.__file__).parent / "demo"
# The annotator who puts few commas, and the one who puts many.
ANNOTATORS = {"zh": ("lin", "wei"), "nl": ("anna", "bram"), "en": ("maya", "tom")}
KINDS = {"interview", "care", "call", "meeting"}

each_language = pytest.mark.parametrize("language", ANNOTATORS)


def rows(language: str) -> list[dict]:
    lines = (DEMO / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@each_language
def test_there_is_something_of_every_kind_and_length(language):
    transcripts = rows(language)
    kinds = Counter(row["kind"] for row in transcripts)
    lengths = [len(unit_texts(row["text"])) for row in transcripts]

    assert len(transcripts) >= 40
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 10
    assert min(lengths) >= 15
    assert 200 <= max(lengths) <= 250
    assert sum(40 <= length <= 100 for length in lengths) > len(lengths) / 2


@each_language
def test_places_are_unique_and_count_on_from_one(language):
    positions: dict[str, list[int]] = {}
    for row in rows(language):
        positions.setdefault(row["document"], []).append(row["position"])

    assert all(found == list(range(1, len(found) + 1)) for found in positions.values())
    assert sum(len(found) > 1 for found in positions.values()) >= 10


@each_language
def test_no_transcript_comes_twice(language):
    texts = ["\x1f".join(unit_texts(row["text"])) for row in rows(language)]

    assert len(set(texts)) == len(texts)


@each_language
def test_a_transcript_holds_no_marks(language):
    # Decimals, times and the dots of abbreviations belong to units and are no marks.
    held = [row["text"] for row in rows(language) if set(parse(row["text"]).marks) != {"NONE"}]

    assert held == []


@each_language
def test_every_marking_keeps_every_word(language):
    for row in rows(language):
        words = unit_texts(row["text"])
        for marked in (row["marked"], *row.get("versions", {}).values()):
            assert unit_texts(strip_marks(marked)) == unit_texts(marked) == words


@each_language
def test_the_careful_marking_ends_every_transcript(language):
    for row in rows(language):
        assert parse(row["marked"]).marks[-1] in {"PERIOD", "QUESTION"}


@each_language
def test_two_annotators_differ_on_commas_and_agree_on_most_else(language):
    few, many = ANNOTATORS[language]
    pairs = [row["versions"] for row in rows(language) if "versions" in row]
    ends = Counter()
    commas = Counter()
    for versions in pairs:
        assert set(versions) == {few, many}
        marks = {name: parse(text).marks for name, text in versions.items()}
        commas.update({name: found.count("COMMA") for name, found in marks.items()})
        assert marks[few].count("COMMA") <= marks[many].count("COMMA")
        assert marks[few] != marks[many]
        for one, other in zip(marks[few], marks[many], strict=True):
            if {one, other} & {"PERIOD", "QUESTION"}:
                ends[one == other] += 1

    assert len(pairs) == 12
    assert commas[few] * 1.5 < commas[many]
    assert ends[True] > ends[False] > 0
