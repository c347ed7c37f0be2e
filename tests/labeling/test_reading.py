"""Files as people have them, good and broken, read by format."""

import pytest

from labeling.encodings import decode
from labeling.errors import BadInput
from labeling.formats import detect_format, read_rows
from labeling.rows import BadRow, Row
from model.marks import ALL_MARKS, DEFAULT_MARKS

MARKS = DEFAULT_MARKS.names


def rows(text: str, format: str, marks=MARKS) -> list[Row | BadRow]:
    return list(read_rows(text, format, marks))


def texts(text: str, format: str) -> list[str]:
    return [row.text for row in rows(text, format) if isinstance(row, Row)]


def names(row: Row) -> list[str]:
    assert row.labels is not None
    return ALL_MARKS.decode(row.labels)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le+", "utf-16-be+"])
def test_unicode_encodings_are_read_alike(encoding):
    text = "ja 我们 e\u0301 \U00020000 🙂\n"
    if encoding.endswith("+"):
        data = ("\ufeff" + text).encode(encoding[:-1])
    else:
        data = text.encode(encoding)
    assert decode(data) == text


def test_only_one_byte_order_mark_is_taken():
    assert decode(b"\xef\xbb\xbf\xef\xbb\xbfja") == "\ufeffja"


@pytest.mark.parametrize(
    ("data", "line", "byte"),
    [
        (b"goed\nca\xe9 dicht\n", 2, 8),
        ("好的".encode("gb18030"), 1, 1),
        (b"\xff\xfej\x00a", 1, 5),
        (b"ja\xed\xa0\x80", 1, 3),
    ],
)
def test_other_encodings_are_refused_with_the_place(data, line, byte):
    with pytest.raises(BadInput) as refused:
        decode(data, "calls.txt")
    assert refused.value.code == "wrong_encoding"
    assert (refused.value.params["line"], refused.value.params["byte"]) == (line, byte)
    assert "calls.txt" in str(refused.value)


def test_txt_lines_keep_their_spaces_and_only_line_feeds_end_them():
    text = "\u3000een \n\n  \t\ntwee\x0bdrie\x85vier\x1c\r\nvijf\u2028zes\u2029\rzeven"
    found = rows(text, "txt")
    assert [row.text for row in found] == [
        "\u3000een ",
        "twee\x0bdrie\x85vier\x1c",
        "vijf\nzes\u2029",
        "zeven",
    ]
    assert [row.number for row in found] == [1, 4, 5, 6]


def test_jsonl_labels_by_id_by_name_and_by_the_rows_own_set():
    found = rows(
        '{"text": "ja hoor", "labels": [1, 2]}\n'
        '{"text": "ja hoor", "labels": ["comma", "QUESTION"], "document": "d", "position": 7}\n'
        '{"text": "ja hoor", "labels": [1, 2], "marks": ["NONE", "QUESTION", "DASH"]}\n'
        '{"text": "ja hoor", "marks": ["NONE", "PERIOD"]}\n'
        '{"text": "a b c d", "marks": ["NONE", "COMMA", "PERIOD", "QUESTION"]}\n',
        "jsonl",
    )
    assert names(found[0]) == ["COMMA", "PERIOD"]
    assert names(found[1]) == ["COMMA", "QUESTION"]
    assert (found[1].document, found[1].position) == ("d", 7)
    assert names(found[2]) == ["QUESTION", "DASH"]
    assert names(found[3]) == ["NONE", "PERIOD"], "one name a unit, as punctuate --json writes"
    assert found[4].labels is None, "the names of the set, not marks by unit"
    assert (found[0].document, found[0].position) == (None, 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "ja"', "broken JSON at column"),
        ('{"txt": "ja"}', 'has no "text"'),
        ('{"text": 5}', '"text" is not a string'),
        ('["ja"]', "not a JSON object"),
        ('{"text": "ja hoor", "labels": [1]}', "has 1 labels for 2 units"),
        ('{"text": "ja", "labels": [4]}', "label 4 is not from 0 to 3"),
        ('{"text": "ja", "labels": [-1]}', "label -1 is not"),
        ('{"text": "ja", "labels": [true]}', "there is no mark True"),
        ('{"text": "ja", "labels": ["KOMMA"]}', "there is no mark 'KOMMA'"),
        ('{"text": "ja", "position": "x"}', '"position" is not a whole number'),
        ('{"text": "ja", "words": [[1, 0]]}', "not a start and an end"),
        ("[" * 100_000, "broken JSON"),
    ],
)
def test_bad_jsonl_rows_have_a_number_and_a_reason(line, reason):
    found = rows('{"text": "goed"}\n\n' + line + '\n{"text": "ook goed"}', "jsonl")
    assert [type(row) for row in found] == [Row, BadRow, Row]
    assert found[1].number == 3
    assert reason in found[1].reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,text\n1,ja\n2,nee", ["ja", "nee"]),
        ('id;text\n1;"ja; en ""nee"""\n', ['ja; en "nee"']),
        ('text,id\n"een\ntwee",1', ["een\ntwee"]),
        ('"Goed, dank je"\n"En jij, dan?"', ["Goed, dank je", "En jij, dan?"]),
        ("Goed, dank je\nja", ["Goed, dank je", "ja"]),
        ("text\nja\n\nnee\n", ["ja", "nee"]),
        ("TEXT|x\nja, hoor|1", ["ja, hoor"]),
        ("\n\nid,text\n1,ja", ["ja"]),
        ("a, b; c | d\te\nx", ["a, b; c | d\te", "x"]),
        ('"ja" zei hij, toen\nnee', ['"ja" zei hij, toen', "nee"]),
    ],
)
def test_csv_delimiters_quotes_and_headers(text, expected):
    assert texts(text, "csv") == expected


def test_csv_cells_longer_than_the_modules_limit():
    long = "woord " * 40_000
    assert texts(f'text,id\n"{long}",1', "csv") == [long]


def test_csv_tells_document_position_and_bad_rows():
    found = rows("text,document,position\nja,d,4\nnee,d,x\nok,d,5,6\nja,,\n", "csv")
    assert (found[0].document, found[0].position, found[0].number) == ("d", 4, 2)
    assert found[1] == BadRow(3, "the position 'x' is not a whole number")
    assert found[2] == BadRow(4, "has 4 cells for 3 columns")
    assert (found[3].document, found[3].position) == ("", 5)


@pytest.mark.parametrize(
    ("text", "code"),
    [("id,zin\n1,ja\n2,nee", "no_text_column"), ('text,id\n"ja,1\nnee,2', "broken_table")],
)
def test_tables_without_texts_are_refused(text, code):
    with pytest.raises(BadInput) as refused:
        rows(text, "csv")
    assert refused.value.code == code


def test_tsv_of_texts_with_loose_quotes():
    assert texts('text\tid\n"ja" zei hij\t1\n', "tsv") == ['"ja" zei hij']


def test_token_tables_as_the_field_has_them():
    text = (
        "你\tO\n好\tCOMMA\niPhone15\tO\n用\tENUM\n\nGood\tO\tO\nmorning\tEXCLAM\tO\n-\tCOLON\tO\n"
    )
    chinese, english = rows(text, "tsv")
    assert chinese.text == "你好 iPhone15 用"
    assert names(chinese) == ["NONE", "COMMA", "NONE", "ENUMERATION"]
    assert english.text == "Good morning -"
    assert names(english) == ["NONE", "EXCLAMATION"], "the stronger of ! and the colon after -"
    assert (chinese.number, english.number, english.position) == (1, 6, 2)


def test_an_unknown_label_spoils_its_own_text_alone():
    text = "a\tO\nb\tPERIOD\n\n" * 5 + "c\tO\nd\tSTOP\n\ne\tPERIOD\n"
    found = rows(text, "tsv")
    assert [row for row in found if isinstance(row, BadRow)] == [
        BadRow(16, "line 17: there is no mark 'STOP'")
    ]
    assert len(found) == 7


SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Ja</i>, hoor.\r\nEn dan?\r\n\r\n"
    "2\r\n00:00:03,5 --> 00:00:04,000 X1:40 X2:600\r\n{\\an8}42\r\n\r\n"
    "4\r\n01:00:00.250 --> 01:00:01\r\n\r\n"
)


def test_srt_cues_with_styles_odd_stamps_and_gaps_in_numbers():
    first, second, empty = rows(SRT, "srt")
    assert first.text == "Ja, hoor.\nEn dan?"
    assert first.timing == {"cue": [1.0, 2.5]}
    assert (second.text, second.timing["cue"]) == ("42", [3.5, 4.0])
    assert (empty.text, empty.timing["cue"]) == ("", [3600.25, 3601.0])
    assert [row.position for row in (first, second, empty)] == [1, 2, 4]
    assert [row.number for row in (first, second, empty)] == [1, 2, 3]


def test_srt_numbers_that_fall_back_do_not_name_positions():
    text = "".join(f"{n}\n00:00:0{i},000 --> 00:00:0{i},500\nja\n\n" for i, n in enumerate([7, 7]))
    assert [row.position for row in rows(text, "srt")] == [1, 2]


def test_srt_without_numbers_and_with_an_empty_line_inside():
    text = "00:00:01,000 --> 00:00:02,000\nja\n\nnee 5\n\n00:00:03,000 --> 00:00:02,000\nx\n"
    found = rows(text, "srt")
    assert found[0].text == "ja\n\nnee 5"
    assert found[1] == BadRow(2, "ends before it begins")


def test_srt_cues_whose_times_cannot_be_read_are_told_and_swallow_nothing():
    hours = "9" * 400
    text = (
        "1\n00:00:01,000 --> nonsense\nlost\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\nja\n\n"
        f"3\n{hours}:00:00,000 --> {hours}:00:01,000\nhuge\n\n"
        "4\n999999999:00:00,000 --> 999999999:00:01,000\nlong\n\n"
        "5\n00:00:05,000 -> 00:00:06,000 --> 00:07\ntwice\n"
    )
    found = rows(text, "srt")
    assert [type(row) for row in found] == [BadRow, Row, BadRow, BadRow, BadRow]
    assert [row.number for row in found] == [1, 2, 3, 4, 5]
    assert found[1].text == "ja"


def test_times_that_no_subtitle_can_hold_are_told_and_names_that_it_cannot_are_left_out():
    for cue in ("[0, 1e308]", "[0, 99999999999999999999]", "[0, NaN]", "[0, Infinity]"):
        (row,) = rows(f'{{"text": "ja", "timing": {{"cue": {cue}}}}}', "jsonl")
        assert row == BadRow(1, "a time is not a start and an end in seconds")
    for name in ("\\ud800", "a\\n\\n1", "a --> b", "\\u0000"):
        timing = f'{{"cue": [0, 1], "id": "{name}", "settings": "{name}"}}'
        (row,) = rows(f'{{"text": "ja", "timing": {timing}}}', "jsonl")
        assert row.timing == {"cue": [0, 1]}


def test_vtt_with_everything_around_the_cues():
    text = (
        "WEBVTT - talk\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE a note\nmore\n\n"
        "intro\n00:01.000 --> 00:02.000 align:start line:0\n"
        "<v Jan>Ja &amp; <c.x>nee</c> &lt;b&gt;\ndus\n\n"
        "1:00:00.000 --> 1:00:01.000\n<00:00:01.000>好\n\nREGION\nid:x\n"
    )
    first, second = rows(text, "vtt")
    assert first.text == "Ja & nee <b>\ndus"
    assert first.timing == {"cue": [1.0, 2.0], "settings": "align:start line:0", "id": "intro"}
    assert (second.text, second.timing, second.position) == ("好", {"cue": [3600.0, 3601.0]}, 2)


@pytest.mark.parametrize(("format", "code"), [("vtt", "no_webvtt"), ("srt", "no_cues")])
def test_files_that_are_no_subtitles_are_refused(format, code):
    with pytest.raises(BadInput) as refused:
        rows("ja hoor\n", format)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.SRT", "x", "srt"),
        ("a.ndjson", "x", "jsonl"),
        ("a.txt", "ja; hoor", "txt"),
        ("a.txt", "{ja}", "txt"),
        ("a.txt", '{"text": "ja"}', "jsonl"),
        ("a.txt", "WEBVTT\n\n", "vtt"),
        ("a.txt", SRT, "srt"),
        ("a.txt", "ja\thoor", "txt"),
        ("", "ja\tO", "tsv"),
        ("x", "id,text\n1,ja", "csv"),
        ("x", "Ja, hoor.", "txt"),
    ],
)
def test_the_format_is_found_by_ending_and_content(name, text, format):
    assert detect_format(name, text) == format


def test_an_unknown_format_is_refused():
    with pytest.raises(BadInput, match="no format 'docx'"):
        rows("", "docx")
