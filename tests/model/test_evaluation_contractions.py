import json

import pytest

from model.evaluation_data import BadData, read_texts


def units(tmp_path, *texts, **options):
    """Read texts that are written as tokens between spaces, a label behind a slash."""
    path = tmp_path / "talk.tsv"
    cells = [[(*token.split("/"), "O")[:2] for token in text.split()] for text in texts]
    path.write_text(
        "\n".join("".join(f"{token}\t{label}\n" for token, label in text) for text in cells),
        encoding="utf-8",
    )
    found, marks = read_texts(path, **options)
    return [
        " ".join(
            unit + (f"/{name}" if name != "NONE" else "")
            for unit, name in zip(text.units, marks.decode(text.labels.tolist()), strict=True)
        )
        for text in found
    ]


DUTCH = [
    "ik heb/COMMA 'm gezien/PERIOD 's werelds",
    "ik heb 'm gisteren nog gezien/COMMA 's morgens/COMMA en dat was 't",
    "ik weet 't en 'k heb 'r met 'n vriend gezien",
    "ja die foto 's ochtends was goed maar ik heb 'd niet",
]


@pytest.mark.parametrize("text", DUTCH)
@pytest.mark.parametrize("language", [None, "nl"])
def test_in_dutch_they_are_words_of_their_own(tmp_path, text, language):
    assert units(tmp_path, text, language=language) == [text]


@pytest.mark.parametrize("language", [None, "en", "zh"])
def test_in_english_they_are_the_ends_of_words(tmp_path, language):
    texts = ["it 's/COMMA", "I 'm here/COMMA do n't you 've", "i 'd say that she 'LL 'S"]
    found = units(tmp_path, *texts, language=language)
    assert found == ["it's/COMMA", "I'm here/COMMA don't you've", "i'd say that she'LL'S"]


def test_chinese_with_english_in_it(tmp_path):
    assert units(tmp_path, "我 们 说 it 's/COMMA 好 的/PERIOD") == [
        "我 们 说 it's/COMMA 好 的/PERIOD"
    ]


def test_a_file_in_two_languages(tmp_path):
    texts = [
        "ik heb 'm gisteren nog gezien en dat was goed/PERIOD",
        "and then he said that it 's not what they want/PERIOD",
    ]
    assert units(tmp_path, *texts) == [texts[0], texts[1].replace(" '", "'")]


def test_the_file_tells_the_language_of_a_short_text(tmp_path):
    dutch, english = "geef 'm terug", "Zoe 's suit"
    assert units(tmp_path, "dat heb ik niet gezegd en het is niet waar", dutch)[1] == dutch
    assert units(tmp_path, "that is not what they said about it", english)[1] == "Zoe's suit"
    assert units(tmp_path, english, language="nl") == [english]


def test_what_is_only_english_is_so_within_dutch(tmp_path):
    text = "hij zei dat het goed was en toen we 're done"
    assert units(tmp_path, text) == [text.replace(" '", "'")]


def test_dutch_within_english(tmp_path):
    text = "they say 's morgens and that is what the king 's landscape was"
    assert units(tmp_path, text) == [text.replace("king '", "king'")]
    assert units(tmp_path, "that is the king 's lands", language="en") == [
        "that is the king's lands"
    ]


def test_a_text_does_not_go_on_in_the_text_before(tmp_path):
    texts = ["that is what they said/PERIOD", "'s what i mean"]
    assert units(tmp_path, *texts, join="stream") == [" ".join(texts)]


@pytest.mark.parametrize("text", ["ik heb 'm gezien", "and it 's what they said"])
def test_a_jsonl_text_keeps_the_words_that_it_has(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    row = {"text": text, "labels": [0] * (len(text.split()) - 1) + [2]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    for join in ("turn", "document", "stream"):
        (found,), _ = read_texts(path, join=join)
        assert found.units == text.split()
        assert found.labels.tolist() == row["labels"]


def test_an_unknown_language_is_refused(tmp_path):
    with pytest.raises(BadData, match="not in 'fr'"):
        units(tmp_path, "a b", language="fr")
