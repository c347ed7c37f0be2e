import json
import lzma

import pytest

from model.evaluation_data import BadData, read_texts
from model.marks import ALL_MARKS, DEFAULT_MARKS, MarkSet


def written(tmp_path, name, text, encoding="utf-8"):
    path = tmp_path / name
    data = text.encode(encoding)
    path.write_bytes(lzma.compress(data) if name.lower().endswith(".xz") else data)
    return path


def names(text, marks):
    return marks.decode(text.labels.tolist())


TSV = "你\tO\n好\tCOMMA\niPhone15\tO\n好\tO\n吗\tQUESTION\n\n\nhello-\tO\nworld\tPERIOD\n"


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.xz", "HAND.TSV", "a.Tsv.XZ"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tokens_become_units_with_marks(tmp_path, name, newline):
    texts, marks = read_texts(written(tmp_path, name, TSV.replace("\n", newline)))
    assert [text.units for text in texts] == [
        ["你", "好", "iPhone15", "好", "吗"],
        ["hello", "world"],
    ]
    assert names(texts[0], marks) == ["NONE", "COMMA", "NONE", "NONE", "QUESTION"]
    assert texts[0].own is None


def test_tokens_that_are_not_our_units(tmp_path):
    rows = (
        "$5.50\tCOMMA\nwell\tO\n-\tPERIOD\nU.S.\tCOMMA\nit\tO\n's\tO\n（\tCOMMA\nA和B\tQUESTION\n"
    )
    (text,), marks = read_texts(written(tmp_path, "a.tsv", rows))
    assert text.units == ["5.50", "well", "U.S", "it's", "A", "和", "B"]
    assert names(text, marks) == [
        "COMMA",
        "PERIOD",  # of the lone dash after it
        "COMMA",
        "COMMA",  # of the lone bracket
        "NONE",
        "NONE",
        "QUESTION",  # at the last of the token's three units
    ]


def test_the_stronger_mark_stays_where_two_meet(tmp_path):
    rows = "-\tPERIOD\na\tCOMMA\n-\tQUESTION\n-\tCOMMA\nb\tPERIOD\n)\tCOMMA\n"
    (text,), marks = read_texts(written(tmp_path, "a.tsv", rows))
    assert names(text, marks) == ["QUESTION", "PERIOD"]


def test_marks_are_counted_as_the_field_does(tmp_path):
    labels = ["O", "COMMA", "PERIOD", "QUESTION", "EXCLAM", "EXCLAMATION", "SEMICOLON", "COLON"]
    labels += ["ENUM", "DASH", "ELLIPSIS"]
    path = written(tmp_path, "a.tsv", "".join(f"字\t{label}\n" for label in labels))
    (text,), marks = read_texts(path)
    assert marks == DEFAULT_MARKS
    assert text.labels.tolist() == [0, 1, 2, 3, 2, 2, 2, 1, 1, 0, 0]
    (text,), marks = read_texts(path, mapping="none")
    assert names(text, marks) == [
        *["NONE", "COMMA", "PERIOD", "QUESTION", "EXCLAMATION", "EXCLAMATION"],
        *["SEMICOLON", "COLON", "ENUMERATION"],
        "DASH",
        "NONE",
    ]
    (text,), _ = read_texts(path, mapping="none", marks=MarkSet.of(["comma", "dash"]))
    assert text.labels.tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 1, 2, 0]


def test_third_column_is_the_recognisers_own(tmp_path):
    rows = "a\tO\tCOMMA\nb\tPERIOD\tPERIOD\n"
    (text,), _ = read_texts(written(tmp_path, "a.tsv", rows))
    assert text.labels.tolist() == [0, 2]
    assert text.own.tolist() == [1, 2]


def test_joins(tmp_path):
    path = written(tmp_path, "a.tsv", "a\tO\n\nb\tPERIOD\n")
    assert [t.units for t in read_texts(path, join="turn")[0]] == [["a"], ["b"]]
    assert [t.units for t in read_texts(path, join="document")[0]] == [["a"], ["b"]]
    assert [t.units for t in read_texts(path, join="stream")[0]] == [["a", "b"]]
    rows = [
        {"text": "Ja.", "document": "x"},
        {"text": "Los?"},
        {"text": "Nee, hoor.", "document": "x"},
        {"text": "Ook los."},
    ]
    path = written(tmp_path, "b.jsonl", "\n".join(map(json.dumps, rows)))
    texts, _ = read_texts(path, join="document", lowercase=True)
    assert [t.units for t in texts] == [["ja", "nee", "hoor"], ["los"], ["ook", "los"]]
    assert texts[0].labels.tolist() == [2, 1, 2]
    (stream,), _ = read_texts(path, join="stream")
    assert stream.units == ["Ja", "Los", "Nee", "hoor", "Ook", "los"]


def test_jsonl_labels_by_id_by_name_and_in_the_text(tmp_path):
    rows = [
        {"text": "你好吗", "labels": [0, 1, 7]},
        {"text": "你好吗", "labels": ["O", "COMMA", "EXCLAM"]},
        {"text": "你好，吗！"},
        {"text": "你好吗", "labels": [0, 2, 1], "mark_set": ["NONE", "EXCLAMATION", "COMMA"]},
    ]
    path = written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)) + "\n\n")
    for text in read_texts(path, mapping="none")[0]:
        assert names(text, ALL_MARKS) == ["NONE", "COMMA", "EXCLAMATION"]


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl"])
def test_byte_order_mark_and_odd_line_breaks_in_a_text(tmp_path, name):
    body = (
        "\ufeffa\tO\n" if name == "a.tsv" else "\ufeff" + '{"text": "a"}\n{"text": "b\u2028c."}\n'
    )
    assert read_texts(written(tmp_path, name, body))[0][0].units == ["a"]


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.tsv", "a\tO\nb\n", "line 2: a token, a TAB and a label"),
        ("a.tsv", "a\tO\n\nb\tKOMMA\n", "line 3: there is no label 'KOMMA'"),
        ("a.tsv", "a\tO\tO\nb\tO\n", "line 2: 3 columns so far, 2 here"),
        ("a.tsv", "a\tO\tO\tO\n", "line 1"),
        ("a.tsv", "\n\n", "holds no text"),
        ("a.tsv", "?\tO\n", "holds no text"),
        ("a.jsonl", '{"text": "a"}\n{"text": "a"\n', "line 2: this is not JSON"),
        ("a.jsonl", '["text"]\n', "line 1: a row is an object with a 'text'"),
        ("a.jsonl", '{"text": 3}\n', "line 1: a row is an object with a 'text'"),
        ("a.jsonl", '{"text": "a b", "labels": [1]}\n', "line 1: 2 units need 2 labels; got 1"),
        ("a.jsonl", '{"text": "a", "labels": [10]}\n', "line 1: Mark ids here go from 0 to 9"),
        ("a.jsonl", '{"text": "a", "labels": ["?"]}\n', "line 1: there is no label"),
        ("a.jsonl", '{"text": "a", "labels": [0], "mark_set": 5}\n', "line 1"),
        ("a.csv", "a,O\n", "not as .csv"),
    ],
)
def test_bad_lines_are_named(tmp_path, name, body, message):
    with pytest.raises(BadData, match=message):
        read_texts(written(tmp_path, name, body))


def test_bad_files_are_named(tmp_path):
    with pytest.raises(BadData, match="line 2: this is not UTF-8"):
        read_texts(written(tmp_path, "a.tsv", "a\tO\né\tO\n", "latin-1"))
    with pytest.raises(BadData, match="No such file"):
        read_texts(tmp_path / "none.tsv")
    broken = tmp_path / "a.tsv.xz"
    broken.write_bytes(lzma.compress(b"a\tO\n" * 1000)[:-20])
    with pytest.raises(BadData, match="not a whole xz file"):
        read_texts(broken)
    path = written(tmp_path, "b.tsv", "a\tO\n")
    with pytest.raises(BadData, match="not by 'talk'"):
        read_texts(path, join="talk")
    with pytest.raises(BadData, match="not by 'all'"):
        read_texts(path, mapping="all")


def test_ids_are_read_in_the_mark_set_that_an_export_names(tmp_path):
    path = tmp_path / "gold.jsonl"
    row = {"text": "wait what now", "labels": [0, 2, 1], "marks": ["NONE", "PERIOD", "QUESTION"]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    texts, marks = read_texts(path)
    assert marks.decode(texts[0].labels.tolist()) == ["NONE", "QUESTION", "PERIOD"]


def test_what_punctuate_writes_as_json_is_read(tmp_path):
    path = tmp_path / "marked.jsonl"
    row = {"text": "ja dus", "units": [[0, 2], [3, 6]], "marks": ["COMMA", "PERIOD"]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    texts, marks = read_texts(path)
    assert marks.decode(texts[0].labels.tolist()) == ["COMMA", "PERIOD"]


def test_contractions_that_a_treebank_cut_are_words_again(tmp_path):
    path = tmp_path / "talk.tsv"
    path.write_text("we\tO\n're\tO\nhere\tPERIOD\ndo\tO\nn't\tCOMMA\n's\tO\navonds\tO\n", "utf-8")
    (text,), marks = read_texts(path)
    assert text.units == ["we're", "here", "don't", "'s", "avonds"]
    assert marks.decode(text.labels.tolist()) == ["NONE", "PERIOD", "COMMA", "NONE", "NONE"]
