"""What an export writes, an import reads back to the same marks, for any text in Unicode."""

import csv
import io

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.encodings import decode
from labeling.formats import detect_format, read_rows
from labeling.incoming import usable_texts
from labeling.subtitles import NotASubtitle
from labeling.words import words_hash
from labeling.writing import BEGINNINGS, OutRow, writer_of
from labeling.written import written_text
from model.marks import ALL_MARKS
from model.punctuation import parse, render, strip_marks, unmark
from model.units import find_units, unit_texts

NASTY = [
    "dhr", "dr", "bijv", "d.w.z", "我", "用", "か", "iPhone", "3.5", "10:30", "...", "…", "。。。",
    " ", "\u3000", "(", ")", "«", '"', "'s", "-", "—", "\n", "\r\n", "\r", "\n\n", "\u2028", "\t",
    "\u200d", "\u0301", "\ufeff", "\U00020000", "🙂", "<i>", "&amp;", "-->", "42", "\x85", "\x1c",
    "00:00:01,000 --> 00:00:02,000", "{\\an8}", "NOTE", "WEBVTT", "a@b.nl", "שלום", ",", "O",
]  # fmt: skip
any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
texts = st.one_of(any_text, st.lists(st.sampled_from(NASTY), min_size=1).map("".join))


@st.composite
def labelled(draw: st.DrawFn) -> OutRow:
    text = unmark(draw(texts.filter(find_units)))
    count = len(find_units(text))
    labels = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    start = draw(st.integers(0, 400_000_000))
    cue = [start / 1000, (start + draw(st.integers(0, 99_999))) / 1000]
    return OutRow(1, text, bytes(labels), "nl", "d", 1, "pool", {"cue": cue})


def written(rows: list[OutRow], format: str) -> tuple[str, list[OutRow]]:
    """Write rows as an export does; return the file and the rows that it holds."""
    write = writer_of(format, ALL_MARKS.names)
    held, pieces = [], [BEGINNINGS.get(format, "")]
    for row in rows:
        try:
            pieces.append(write(len(held) + 1, row)[0])
        except NotASubtitle:
            continue
        held.append(row)
    return "".join(pieces), held


@pytest.mark.parametrize("format", ["jsonl", "txt", "tsv", "srt", "vtt"])
@settings(deadline=None)
@given(rows=st.lists(labelled(), min_size=1, max_size=4))
def test_marks_words_and_times_come_back(format, rows):
    file, held = written(rows, format)
    if not held:
        return
    text = decode(file.encode("utf-8"))
    good, bad = usable_texts(read_rows(text, format, ALL_MARKS.names), "file", "nl")
    assert bad == []
    assert [one.labels for one in good] == [row.labels for row in held]
    assert [one.words for one in good] == [words_hash(row.text) for row in held]
    if format == "jsonl":
        assert [one.text for one in good] == [row.text for row in held]
    if format in ("srt", "vtt", "jsonl"):
        assert [one.row.timing["cue"] for one in good] == [row.timing["cue"] for row in held]


@settings(deadline=None)
@given(row=labelled())
def test_plain_text_keeps_all_but_the_kind_of_line_breaks(row):
    file, _ = written([row], "txt")
    good, _ = usable_texts(read_rows(decode(file.encode()), "txt", ALL_MARKS.names), "f", "nl")
    assert good[0].text == regex.sub("\r\n|\r|\u2028", "\n", row.text)


@settings(deadline=None)
@given(row=labelled())
def test_marks_are_written_so_that_they_can_be_read(row):
    names = ALL_MARKS.decode(row.labels)
    text, exact = written_text(row.text, names)
    assert exact
    assert parse(text).marks == names
    assert unmark(text) == row.text


@pytest.mark.parametrize("text", ['DR"0', "dr 0", "dr. 0", "d.w.z. ja", "Mr) x", "dhr"])
@pytest.mark.parametrize("mark", ["NONE", "PERIOD", "PARAGRAPH", "COMMA", "QUESTION"])
def test_the_dots_of_abbreviations_are_neither_lost_nor_added(text, mark):
    names = [mark] + ["NONE"] * (len(find_units(text)) - 1)
    written, exact = written_text(text, names, "nl")
    assert exact
    assert (parse(written).marks, unmark(written)) == (names, text)


PLAIN = ["dhr", "zkh", "nl", "a", "我", "か", "iPhone", "3", "e\u0301", " ", "\u3000", "好", "\t"]
signless = st.one_of(
    st.text(st.characters(categories=["L", "N", "M", "Z"])),
    st.lists(st.sampled_from(PLAIN), min_size=1).map("".join),
)


@settings(deadline=None)
@given(text=signless.filter(find_units), data=st.data(), language=st.sampled_from(["zh", "nl"]))
def test_the_fast_way_writes_what_render_writes(text, data, language):
    text = strip_marks(text)
    units = find_units(text)
    plain = st.sampled_from(["NONE", "COMMA", "PERIOD", "QUESTION", "SEMICOLON"])
    names = data.draw(st.lists(plain, min_size=len(units), max_size=len(units)))
    rendered = render(text, units, names, language=language)
    if parse(rendered).marks == names:
        assert written_text(text, names, language) == (rendered, True)
    assert parse(written_text(text, names, language)[0]).marks == names


def test_only_slots_that_cannot_be_read_are_written_in_another_form():
    names = ["PERIOD", "NONE", "ENUMERATION", "PERIOD"]
    assert written_text("dhr Jansen en Piet", names)[0] == "dhr． Jansen en、 Piet."


@settings(deadline=None)
@given(rows=st.lists(labelled(), min_size=1, max_size=4), delimiter=st.sampled_from(",;\t|"))
def test_tables_written_by_others_come_back(rows, delimiter):
    file = io.StringIO()
    table = csv.writer(file, delimiter=delimiter)
    table.writerow(["id", "text"])
    table.writerows([i, row.text] for i, row in enumerate(rows))
    text = file.getvalue()
    found = [row.text for row in read_rows(text, "csv", ALL_MARKS.names)]
    assert found == [row.text for row in rows]


@given(row=labelled())
def test_token_tables_hold_every_unit(row):
    file, _ = written([row], "tsv")
    assert [line.split("\t")[0] for line in file.split("\n") if line] == unit_texts(row.text)


def test_a_text_that_srt_would_misread_is_left_out_with_the_reason():
    row = OutRow(1, "ja <i> hoor", bytes(3), "nl", "d", 1, "pool", {"cue": [0.0, 1.0]})
    with pytest.raises(NotASubtitle, match="styling"):
        writer_of("srt", ALL_MARKS.names)(1, row)
    assert "&lt;i&gt;" in writer_of("vtt", ALL_MARKS.names)(1, row)[0]


def test_an_export_is_recognised_without_its_name():
    row = OutRow(1, "ja hoor", b"\1\2", "nl", "d", 1, "pool", {"cue": [0.0, 1.0]})
    for format in ("jsonl", "txt", "tsv", "srt", "vtt"):
        assert detect_format("", written([row], format)[0]) == format
