import json
import lzma

import pytest

from model.evaluation_data import BadData, read_texts


def refused(tmp_path, name, content, match):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(BadData, match=match):
        read_texts(path)


def test_streams_behind_each_other_are_one_file(tmp_path):
    path = tmp_path / "two.tsv.xz"
    first, second = (lzma.compress(f"{word}\tO\n\n".encode()) for word in ("one", "two"))
    for content in (first + second, first + bytes(8) + second + bytes(4)):
        path.write_bytes(content)
        assert [text.units for text in read_texts(path)[0]] == [["one"], ["two"]]


@pytest.mark.parametrize(
    "damage",
    [
        lambda second: b"\xfe" + second[1:],  # the magic bytes of its header
        lambda second: second[:-1],
        lambda second: second[:6],
        lambda second: b"something else",
        lambda second: bytes(4) + b"x",
    ],
)
def test_what_follows_a_whole_stream_is_not_left_out(tmp_path, damage):
    first, second = (lzma.compress(f"{word}\tO\n\n".encode()) for word in ("one", "two"))
    refused(tmp_path, "two.tsv.xz", first + damage(second), "not a whole xz file")


def test_an_empty_xz_file_is_none(tmp_path):
    refused(tmp_path, "a.tsv.xz", b"", "not a whole xz file")


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('{"text": "a", "n": ' + "7" * 5000 + "}", "line 2: a number in this JSON is too long"),
        ('{"text": "a", "n": ' + "[" * 100_000, "line 2: this JSON is nested too deep"),
        ('{"text": "a", "labels": [null]}', "line 2: a label is the name or the id.*not null"),
        (
            '{"text": "a", "labels": [true]}',
            "line 2: a label is the name or the id.*not true or false",
        ),
        (
            '{"text": "a", "labels": [1.0]}',
            "line 2: a label is the name or the id.*not the number 1.0",
        ),
        ('{"text": "a", "labels": [[]]}', "line 2: a label is the name or the id.*not a list"),
        ('{"text": "a", "labels": [""]}', "line 2: a label is missing"),
        ('{"text": "a", "labels": null}', "line 2: 1 units need 1 labels; got null"),
        ('{"text": "a", "labels": {"a": 0}}', "line 2: 1 units need 1 labels; got an object"),
        ('{"text": "a", "labels": [0], "mark_set": 5}', "line 2: a mark set is a list of names"),
        ('{"text": "a", "labels": [0], "mark_set": [["NONE"]]}', "line 2: a mark set is a list"),
        ('{"text": "a", "document": ["x"]}', "line 2: a 'document' is a name or a number"),
    ],
)
def test_rows_that_cannot_be_read_are_named(tmp_path, line, match):
    refused(tmp_path, "a.jsonl", f'{{"text": "a"}}\n{line}\n', match)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("a\tO\nb\t\n", "line 2: a label is missing; where there is no mark it is O or NONE"),
        ("a\tO\nb\t \n", "line 2: a label is missing"),
        ("a\tO\tO\nb\tO\t\n", "line 2: a label is missing"),
        ("a\tO\n\t\nb\tO\n", "line 2: a label is missing"),
        ("a\tO\n \t \nb\tO\n", "line 2: a label is missing"),
        ("a\tO\tO\tO\tO\n", "line 1: 5 columns; there are a token, a label and"),
        ("a\tO\rb\tO\r\rc\tO\r", "carriage returns alone"),
        ("a\tO\tO\nb\tO\n", "line 2: 3 columns so far, 2 here"),
    ],
)
def test_lines_that_say_nothing_are_named(tmp_path, content, match):
    refused(tmp_path, "a.tsv", content, match)


def test_blanks_alone_still_end_a_text_and_an_empty_token_still_carries_a_mark(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbfa\tO\r\n  \r\nb\to\r\n\tcomma\r\nc\tperiod\r\n")
    texts, _ = read_texts(path)
    assert [(text.units, text.labels.tolist()) for text in texts] == [
        (["a"], [0]),
        (["b", "c"], [1, 2]),
    ]


def test_labels_may_be_names_and_ids_of_the_same_row(tmp_path):
    path = tmp_path / "a.jsonl"
    row = {"text": "a b c", "labels": [1, "period", 0], "mark_set": ["NONE", "QUESTION"]}
    path.write_text(json.dumps(row), encoding="utf-8")
    (text,), marks = read_texts(path)
    assert marks.decode(text.labels.tolist()) == ["QUESTION", "PERIOD", "NONE"]
