"""The lossless rules, over arbitrary Unicode."""

from hypothesis import given, settings
from hypothesis import strategies as st

from model.capitals import capitalize
from model.marks import ALL_MARKS
from model.punctuation import parse, render, strip_marks, unmark
from model.units import find_units, is_han, unit_texts

PIECES = [
    "好", "的", "𠀀", "カ", "d.w.z", "D.W.Z.", "hello", "iPhone15", ", ", ".", "。", "，", "？!",
    "'s", "zo'n", "3.5", "10:30", "http://x.nl/", "www.", "jan@zkh.nl", "...", "……", "-", "—",
    " ", "\u3000", "\u200b", "\n\n", "\u2029", "a", "B", "e\u0301", "\u0301", "😀", "👨‍👩‍👧", "1️⃣",
    "“", "”", '"', "'", "（", ")", "%", "℃", "שלום", "مرحبا", "हिन्दी",
]  # fmt: skip
# What is rare among all those together: abbreviations, marks and ellipses one after the other,
# and the signs that are marks in one place and a part of a number or a name in another.
SHORT = st.sampled_from(["p.m", "dhr", "d.w.z", "'d.w.z", "ph.d", "Ph", "d", "v.chr", "a", "nee"])
DOTS = st.lists(st.sampled_from([".", "..", "...", "…", "?", ",", "。", "—", " ", "'"]), max_size=3)
SHORTENED = st.tuples(SHORT, st.sampled_from(["", "."]), DOTS.map("".join)).map("".join)
SIGNS = ["1", "10", "234", "５", "3.5", "x", "C", "1A", "fe80", "好", "README", "ftp", "py", "md"]
SIGNS += ["：", ":", "::", "．", ".", "，", ",", "–", "—", "——", "--", "~", "～", "℃", "%", "￥"]
SIGNS += ["$", "=", "/", "//", "(", ")", "（", "“", "”", '"', "_", "*", "\u00ad", "¿", "।", "‼"]
SIGNS += [" ", " ", "\u200b", "\u2029", "?", "...", "😀"]
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(SHORTENED, max_size=4).map("".join),
    st.lists(st.sampled_from(SIGNS), max_size=8).map("".join),
    st.text(alphabet="ab1好，。,.?!'’-–—…\"“ \n:;、@/é\u0301😀\u200b·(％%", max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
)


def marks_for(data, count):
    names = st.sampled_from(ALL_MARKS.names)
    return data.draw(st.lists(names, min_size=count, max_size=count))


@given(TEXTS, st.data())
@settings(max_examples=900, deadline=None)
def test_writing_any_marks_loses_nothing(text, data):
    units = find_units(text)
    marked = render(text, units, marks_for(data, len(units)))
    assert strip_marks(marked) == strip_marks(text)
    assert unit_texts(marked) == unit_texts(text)


@given(TEXTS)
@settings(max_examples=900, deadline=None)
def test_writing_the_marks_that_are_there_gives_the_text_back(text):
    parsed = parse(text)
    assert render(text, parsed.units, parsed.marks) == text


@given(TEXTS)
@settings(max_examples=700, deadline=None)
def test_without_marks_a_text_comes_back_byte_for_byte(text):
    bare = strip_marks(text)
    units = find_units(bare)
    assert render(bare, units, parse(bare).marks) == bare
    if set(parse(bare).marks) <= {"NONE"}:
        assert render(bare, units, ["NONE"] * len(units)) == bare


@given(TEXTS)
@settings(max_examples=700, deadline=None)
def test_stripping_keeps_the_units_and_is_done_at_once(text):
    bare = strip_marks(text)
    assert strip_marks(bare) == bare
    assert unit_texts(bare) == unit_texts(text)


@given(TEXTS)
@settings(max_examples=700, deadline=None)
def test_unmarking_differs_from_stripping_in_nothing_but_abbreviations(text):
    assert strip_marks(unmark(text)) == strip_marks(text)
    assert unit_texts(unmark(text)) == unit_texts(text)
    assert set(parse(unmark(text)).marks) <= {"NONE"}
    assert unmark(unmark(text)) == unmark(text)


@given(TEXTS, st.data())
@settings(max_examples=700, deadline=None)
def test_marks_are_read_back_as_written(text, data):
    """True for every mark but a stop that an abbreviation or an ellipsis swallows."""

    def is_short(word):
        return parse(word + ". a").marks[-2] == "NONE"

    bare = strip_marks(text)
    units = find_units(bare)
    marks = marks_for(data, len(units))
    read = parse(render(bare, units, marks))
    words = unit_texts(bare)
    closed = parse(bare).closed
    for index, (wanted, got) in enumerate(zip(marks, read.marks, strict=True)):
        swallowed = wanted == "PERIOD" and (
            closed[index] or is_short(words[index]) or is_short(".".join(words[: index + 1][-2:]))
        )
        han = is_han(words[index])
        if not swallowed and (wanted != "ENUMERATION" or han):
            assert got == wanted


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_units_lie_in_order_and_hold_no_space(text):
    last = 0
    for start, end in find_units(text):
        assert last <= start < end <= len(text)
        assert not any(char.isspace() for char in text[start:end])
        last = end


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_slot_is_never_barred_for_what_a_person_sets(text):
    """Where no model is to put a mark, and by hand one is set, it is written and read."""
    units = find_units(text)
    parsed = parse(text)
    for index, barred in enumerate(parsed.barred):
        if barred and not parsed.closed[index]:
            marks = list(parsed.marks)
            marks[index] = "QUESTION"
            assert parse(render(text, units, marks)).marks[index] == "QUESTION"


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_capitals_change_only_case(text):
    assert capitalize(text).casefold() == text.casefold()


def test_abbreviations_keep_their_dots_except_at_the_end():
    assert unmark("Hij komt, d.w.z. dhr. Jansen, enz.") == "Hij komt d.w.z. dhr. Jansen enz"
    assert parse("we gaan d.w.z., morgen").marks[2] == "COMMA"
