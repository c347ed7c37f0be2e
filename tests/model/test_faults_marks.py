"""Faults that people reported of other tools: which mark is written, and where."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.words import words_hash
from model.marks import ALL_MARKS, DEFAULT_MARKS
from model.predictor import Predictor, choose, load_predictor
from model.punctuate import punctuate
from tests.model.test_faults_of_others import Says, one

ASCII = {"NONE": "", "COMMA": ",", "PERIOD": ".", "QUESTION": "?", "EXCLAMATION": "!"}
ASCII |= {"COLON": ":", "SEMICOLON": ";", "ENUMERATION": ",", "DASH": " —"}
FULL = {"NONE": "", "COMMA": "，", "PERIOD": "。", "QUESTION": "？", "EXCLAMATION": "！"}
FULL |= {"COLON": "：", "SEMICOLON": "；", "ENUMERATION": "、", "DASH": "——"}
ENDS = ("PERIOD", "QUESTION", "EXCLAMATION")

WORDS = st.sampled_from("well yes we can ja nee zo'n foto drie-jarig één 3.5 ben".split(" "))
MARKED = st.lists(st.tuples(WORDS, st.sampled_from(list(ASCII))), min_size=1, max_size=30)
HAN = st.lists(
    st.tuples(st.sampled_from("今天气不错我们走"), st.sampled_from(list(FULL))), min_size=1
)


@pytest.fixture(scope="module")
def tiny(tiny_checkpoint) -> Predictor:
    return load_predictor(tiny_checkpoint)


def put_into(pairs: list[tuple[str, str]], between: str, **wishes) -> str:
    """Have these marks put after these words."""
    text = between.join(word for word, _ in pairs)
    return punctuate([text], Says(*(name for _, name in pairs)), **wishes)[0].text


@given(MARKED, st.sampled_from(["auto", "zh", "nl", "en"]))
@settings(max_examples=200, deadline=None)
def test_latin_text_gets_ascii_marks_each_with_its_space(pairs, language):
    # FireRedASR2S#21: no space after a mark; QuintinShaw/openasr#63: full-width on English
    pairs = [("this", "NONE"), *pairs]  # or only numbers, which take the language's marks
    assert put_into(pairs, " ", language=language) == " ".join(w + ASCII[name] for w, name in pairs)


def test_capital_letters_are_latin_text_too():
    assert one("THIS IS A TEST", Says("PERIOD")).text == "THIS. IS. A. TEST."


@given(HAN, st.sampled_from(["auto", "zh", "nl", "en"]))
@settings(max_examples=200, deadline=None)
def test_chinese_text_gets_full_width_marks_and_no_space(pairs, language):
    marked = "".join(char + FULL[name] for char, name in pairs)
    assert put_into(pairs, "", language=language) == marked


@given(MARKED)
@settings(max_examples=300, deadline=None)
def test_a_capital_follows_the_end_of_a_sentence_and_nothing_else(pairs):
    # FireRedASR2S#21: a capital after a comma
    expected, fresh = [], True
    for word, name in pairs:
        first = word[0].upper() if fresh else word[0]
        expected.append(first + word[1:] + ASCII[name])
        fresh = name in ENDS
    assert put_into(pairs, " ", capitalize=True) == " ".join(expected)


def test_names_and_acronyms_keep_their_letters():
    # FunASR: `Nasa`, `Iphone15`
    text = "yes NASA iPhone15 van der Berg"
    capitals = one(text, Says("COMMA"), capitalize=False).text
    assert capitals == "yes, NASA, iPhone15, van, der, Berg,"
    done = punctuate([text], Says("PERIOD"), capitalize=True)[0]
    assert done.text == "Yes. NASA. iPhone15. Van. Der. Berg."


@pytest.mark.parametrize(
    ("text", "kept", "filled", "stripped", "anew"),
    [  # keep, with nothing and with commas from the model; strip, with nothing and with commas
        # gladia#953: existing marks erased
        (
            "Goed. Tot morgen!",
            "Goed. Tot morgen!",
            "Goed. Tot, morgen!",
            "Goed Tot morgen",
            "Goed, Tot, morgen,",
        ),
        # snakers4/silero-models#249, aengus-signal4/signal4-core#63: `,,` and `..,`
        ("ja, dat klopt.", "ja, dat klopt.", "ja, dat, klopt.", "ja dat klopt", "ja, dat, klopt,"),
        # oliverguhr/deepmultilingualpunctuation#1: gaps stay, whatever they hold
        ("ja , nee", "ja , nee", "ja , nee,", "ja  nee", "ja,  nee,"),
        # yongzhuo/macro-correct#11: a last colon becomes a full stop
        ("名单如下：", "名单如下：", "名，单，如，下：", "名单如下", "名，单，如，下，"),
        # modelscope/FunASR#2194
        (
            "we saw Dune: Part Two",
            "we saw Dune: Part Two",
            "we, saw, Dune: Part, Two,",
            "we saw Dune Part Two",
            "we, saw, Dune, Part, Two,",
        ),
        ("wat?! nee…", "wat?! nee…", "wat?! nee…", "wat nee…", "wat, nee…"),
        ("“好。”他说。", "“好。”他说。", "“好。”他，说。", "“好”他说", "“好”，他，说，"),
    ],
)
def test_marks_that_are_there_stay_or_go_as_asked(text, kept, filled, stripped, anew):
    assert one(text, Says("NONE")).text == kept
    assert one(text, Says("COMMA")).text == filled
    assert one(text, Says("NONE"), existing="strip").text == stripped
    assert one(text, Says("COMMA"), existing="strip").text == anew


@pytest.mark.parametrize("name", ALL_MARKS.names)
def test_a_mark_that_is_there_is_not_changed_into_another(name):
    # gladia#953, yongzhuo/macro-correct#11, in a project that does not know the mark at all
    for held, written in FULL.items():
        if held != "NONE":
            done = one(f"名单{written}", Says("NONE", name), marks=DEFAULT_MARKS)
            assert (done.text, done.marks[-1]) == (f"名单{written}", held)


def test_a_colon_can_be_put_where_one_belongs():
    # yongzhuo/macro-correct#11: a tool without the label can only put a full stop
    assert one("名单如下", Says("NONE", "NONE", "NONE", "COLON")).text == "名单如下："


@pytest.mark.parametrize("existing", ["keep", "strip"])
def test_existing_marks_are_nothing_to_the_model(tiny, existing):
    bare = punctuate(["Goed Tot morgen", "wat nee", "好他说", "ja nee"], tiny)
    texts = ["Goed. Tot, morgen!", "wat?! nee…", "“好，”他说。", "ja , nee"]
    for text, without in zip(texts, bare, strict=True):
        with_marks = one(text, tiny, existing=existing)
        assert with_marks.probabilities.tobytes() == without.probabilities.tobytes()


# AppTek/SubER#12: which of two equal words has the mark changes with the version of a library.


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(list(ASCII))), min_size=1))
@settings(max_examples=200, deadline=None)
def test_a_mark_stays_at_its_word_however_often_the_word_comes(pairs):
    text = " ".join(word + ASCII[name] for word, name in pairs)
    read = ["COMMA" if name == "ENUMERATION" else name for _, name in pairs]
    done = one(text, Says("NONE"))
    assert (done.text, done.marks) == (text, read)


def test_texts_whose_words_could_be_aligned_in_two_ways_are_other_texts():
    # Marks go over to a text with the same fingerprint only, so there is nothing to align.
    texts = [" ".join(words) for n in range(1, 7) for words in product("ab", repeat=n)]
    assert len({words_hash(text) for text in texts}) == len(texts)
    assert words_hash("a a b") != words_hash("a b b")


def test_marks_that_are_equally_likely_are_chosen_by_their_order():
    tied = np.full((3, 4), 0.25, np.float32)
    assert choose(tied, DEFAULT_MARKS) == [0, 0, 0]
    assert choose(tied, DEFAULT_MARKS, {"COMMA": 0.25, "PERIOD": 0.25}) == [1, 1, 1]
