"""Faults that people reported of other punctuation tools, each as a whole kind of input.

The names in the comments are the public threads, `owner/repository#number`. What a model
makes of a text does not matter for the kinds here and in `test_faults_marks.py` (which mark
is written, and where), `test_faults_running.py` (length, batches, threads, engines, loading)
and `test_faults_streams.py`; where the answer itself matters (`test_faults_answers.py`), the
starter gives it.

Some reports have no counterpart in this product, or another answer than people asked for:

- AppTek/SubER#12 and texterrors#8 are faults of an aligner of words. Nothing is aligned here:
  marks go from one text to another slot by slot, and only where all words are the same
  (`labeling/importing.py`). What is left of these kinds is tested: words that repeat, places
  where two windows or two marks are equally good, and words of any length.
- NVIDIA/NeMo#11507 is a product that was withdrawn: no input shows that.
- modelscope/FunASR#1314 asks for less than 100 ms a call. A limit in a test fails on a busy
  machine; `benchmarks/` measures. Tested is that a warm call loads and pads nothing.
- gladia#953 asks to keep, merge or strip existing marks. `keep` fills the slots that hold
  none, which is what others call merging; a third way is refused.
- deepmultilingualpunctuation#1 asks for `ja, nee` from `ja , nee`. The gap stays as it is.
- NVIDIA/NeMo#3761 asks what happens to acronyms. Spelled letters stay apart, without dots.

The last three are told in `docs/command-line.md`, under "What happens to a text".
"""

import random
import unicodedata

import numpy as np
import pytest

from model.card import Card
from model.language import detect_language
from model.marks import ALL_MARKS
from model.predictor import Predictor, load_predictor
from model.punctuate import Punctuated, punctuate
from model.punctuation import parse, render, strip_marks
from model.units import find_units

LONG_DUTCH = "arbeidsongeschiktheidsverzekering"
# Not read from the product, which may not be the judge of what it adds.
WRITTEN = frozenset(",.?:;!—，。？：；！、\u2029")


class Says:
    """A predictor whose answers are known: these marks, slot by slot, over and over."""

    marks = ALL_MARKS
    card = Card(marks=ALL_MARKS.names)

    def __init__(self, *names: str) -> None:
        self._ids = [ALL_MARKS.ids[name] for name in names]

    def probabilities(self, unit_lists) -> list[np.ndarray]:
        rows = np.eye(len(ALL_MARKS), dtype=np.float32)
        return [rows[np.resize(self._ids, len(units))] for units in unit_lists]


@pytest.fixture(scope="module")
def tiny(tiny_checkpoint) -> Predictor:
    return load_predictor(tiny_checkpoint)


def nothing_but_marks_came(text: str, marked: str) -> bool:
    """Whether `marked` is `text`, character by character, with marks put in between."""
    at, added = 0, []
    for char in marked:
        if at < len(text) and char == text[at]:
            at += 1
        else:
            added.append(char)
    spaces = added.count(" ")  # a dash is written with one
    return at == len(text) and spaces <= added.count("—") and set(added) <= WRITTEN | {" "}


def without_punctuation(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char)[0] not in "PZ")


def one(text: str, predictor, **wishes) -> Punctuated:
    done = punctuate([text], predictor, **wishes)[0]
    assert strip_marks(done.text) == strip_marks(text)
    assert without_punctuation(done.text) == without_punctuation(text)
    if wishes.get("existing") != "strip":
        assert nothing_but_marks_came(text, done.text)
    assert done.units == find_units(text)
    assert len(done.units) == len(done.marks) == len(done.probabilities)
    return done


def units_of(done: Punctuated, text: str) -> list[str]:
    return [text[start:end] for start, end in done.units]


# Each kind stands for one or more public reports; the model's opinion does not matter for them.
KINDS: dict[str, list[str]] = {
    # yeyupiaoling/PunctuationModel#15: English words glued and lower-cased
    "English inside Chinese": [
        "打开Google Maps去School",
        "用 Word 和 Excel 写 PPT 给 HR 看",
        "我的iPhone 15 Pro Max坏了",
    ],
    # yeyupiaoling/PPASR#87, PunctuationModel#10: more than 512 characters crash
    "long Chinese": ["今天天气不错" * 160, "天" * 511, "天" * 512, "天" * 513],
    # modelscope/FunASR#2194: a word is split near a colon that was there
    "a colon that was there": [
        "we saw Dune: Part Two yesterday",
        "名单: 张三 李四",
        "nota bene: lees dit",
    ],
    # modelscope/FunASR#2071: the last two words are glued
    "last words": ["please turn it off", "zet het maar uit", "a b", "i am"],
    # modelscope/FunASR#1301, #1383: the text is not its sentences joined
    "several sentences": ["现在开始吧大家安静", "we are ready let us go sit down"],
    # PaddlePaddle/PaddleNLP#4241, #4485: emoji shift or break offsets
    "emoji": [
        "收到😀😀好",
        "👩‍👩‍👧‍👦 family 👍🏽 goed",
        "🇳🇱Nederland🇨🇳中国",
        "😀",
        "😀😀😀",
        "1️⃣ 2️⃣",
    ],
    # PaddlePaddle/PaddleNLP#3985: unknown characters break offsets
    "unknown characters": ["α和β都测", "龘靐齉爩", "𠀀𠀁𪚥", "שלום hallo", "مرحبا 你好", "ꙮ x"],
    # PaddlePaddle/PaddleNLP#3988, #4003: NFKC makes one character several
    "compatibility characters": ["分期Ⅲ期㎡", "①②③步", "ﬁets ﬀ", "㈱会社", "½ liter", "Ａｂ１２３"],
    # PaddlePaddle/PaddleNLP#4498: character positions used as token positions
    "codes": ["型号AB-12的泵", "kamer B2.14 en bed 3a", "flight KL1234 to AMS", "X-7/B_9"],
    # k2-fsa/sherpa-onnx#855, #856: the last sentence is dropped
    "three languages in one": ["吃了吗let us go现在走", "ja dat kan 好的 see you"],
    # oliverguhr/deepmultilingualpunctuation#1: a lone comma crashes
    "lone marks": ["ja , nee", ", ja", "ja ,", ",", "...", "?!", " . ", "。，？", "- -", "—"],
    # snakers4/silero-models#274: an IndexError at 7,000 words
    "seven thousand words": ["woord " * 7000],
    # ekhodzitsky/gigastt#237: silently nothing done beyond the position table
    "twenty thousand characters": ["我们今天说一下这个问题" * 1819],
    # oliverguhr/deepmultilingualpunctuation#4, whisper-diarization#74, alvenirai/punctfix#4
    "very long words": [f"{LONG_DUTCH} " * 230, "x" * 5000, f"{LONG_DUTCH * 40} ja"],
    # texterrors#8: a buffer for words that sixty characters of an Indic script overrun
    "long compounds": ["विश्वविद्यालय" * 5 + " है", "தொழில்நுட்பம்" * 5, f"{'മലയാളം' * 12} ആണ്"],
    # alvenirai/punctfix#13: an apostrophe fails an assertion
    "apostrophes": ["zo'n foto's", "'s avonds 't is", "it’s o'clock rock 'n' roll", "d'r auto's"],
    # notAI-tech/fastPunct#6: the first letter is eaten
    "first letters": ["Mijn naam is Anna", "éen twee", "Ĳsland", "ß", "İstanbul is groot"],
    # obsidian-canzi/Enhanced-editing#65 and others: a number is broken
    "numbers": [
        "dosis 0.30 mg",
        "1.000,50 euro",
        "om 10:30 uur",
        "3,5%",
        "-2 °C",
        "2000–2012",
        "π is 3.14159",
    ],
    # deepmultilingualpunctuation and others: links, addresses and abbreviations are broken
    "links and abbreviations": [
        "kijk op www.x.nl of https://a.b/c?d=1,2 ja",
        "mail jan@zkh.nl even",
        "d.w.z. vandaag",
        "hij woont in de u s",  # NVIDIA/NeMo#3761
        "p.m. komt dr. Smit langs",
    ],
    # FunASR's splitting: every non-ASCII letter taken for a Han character
    "accents": ["een café is", "de één of de ander", "patiënten coördineren", "cafe\u0301 één"],
    # lost spaces and line breaks, in FunASR and PaddleSpeech
    "spaces": [
        "a\nb\n\nc",
        "\t你 好\u3000世界 ",
        " a  b ",
        "a\u200bb",
        "a\u00a0b",
        "\ufeffhallo",
        "a\r\nb",
    ],
    # FunASR#2051 and others: nothing to do
    "nothing": ["", " ", "\n", "\u3000", "\x00", "\u200d"],
}
TEXTS = [text for kind in KINDS.values() for text in kind]
CASES = [
    pytest.param(text, id=f"{kind} {i}")
    for kind, texts in KINDS.items()
    for i, text in enumerate(texts)
]


@pytest.mark.parametrize("existing", ["keep", "strip"])
@pytest.mark.parametrize("text", CASES)
def test_no_character_is_lost_moved_or_changed(tiny, text, existing):
    done = one(text, tiny, existing=existing)
    parsed = parse(done.text)
    assert units_of(done, text) == [done.text[start:end] for start, end in parsed.units]
    with_capitals = punctuate([text], tiny, existing=existing, capitalize=True)[0]
    assert with_capitals.text.casefold() == done.text.casefold()


# What comes out where every slot gets a comma, written down by hand: nobody's cutting into
# words is trusted here. A word that is broken or glued, an offset that is off by one, a mark
# that lands in a number, and a gap that is tidied all show.
COMMAS_EVERYWHERE = {
    # yeyupiaoling/PunctuationModel#15
    "打开Google Maps去School": "打，开，Google, Maps,去，School,",
    "please turn it off": "please, turn, it, off,",  # FunASR#2071
    "收到😀😀好": "收，到😀😀，好，",  # PaddleNLP#4241
    "α和β都测": "α,和，β,都，测，",  # PaddleNLP#3985
    "分期Ⅲ期㎡": "分，期，Ⅲ，期㎡，",  # PaddleNLP#3988
    "型号AB-12的泵": "型，号，AB-12,的，泵，",  # PaddleNLP#4498
    "吃了吗let us go现在走": "吃，了，吗，let, us, go,现，在，走，",  # sherpa-onnx#855
    "zo'n foto's": "zo'n, foto's,",  # punctfix#13
    "'s avonds 't is": "'s, avonds, 't, is,",
    "Mijn naam is Anna": "Mijn, naam, is, Anna,",  # fastPunct#6
    "dosis 0.30 mg": "dosis, 0.30, mg,",  # Enhanced-editing#65
    "om 10:30 uur 1.000,50 euro": "om, 10:30, uur, 1.000,50, euro,",
    "kijk op www.x.nl even": "kijk, op, www.x.nl, even,",
    "mail jan.smit@zkh.nl even": "mail, jan.smit@zkh.nl, even,",
    "d.w.z. vandaag": "d.w.z., vandaag,",
    "een café is één": "een, café, is, één,",
    # NVIDIA/NeMo#3761: one mark after a word, none before it or in it; letters stay apart
    "hij woont in de u s": "hij, woont, in, de, u, s,",
    "he lives in the u.s. now": "he, lives, in, the, u.s., now,",
    "¿qué tal “mooi” (zo)": "¿qué, tal, “mooi”, (zo),",
    LONG_DUTCH * 3: f"{LONG_DUTCH * 3},",
    # texterrors#8
    "विश्वविद्यालय" * 5 + " है": "विश्वविद्यालय" * 5 + ", है,",
    "தொழில்நுட்பம்" * 5 + " ஆம்": "தொழில்நுட்பம்" * 5 + ", ஆம்,",
}


@pytest.mark.parametrize("text", COMMAS_EVERYWHERE)
def test_where_a_mark_can_stand(text):
    assert one(text, Says("COMMA")).text == COMMAS_EVERYWHERE[text]
    # None of these holds a mark, so there is none to strip: a point in a number is none.
    assert one(text, Says("COMMA"), existing="strip").text == COMMAS_EVERYWHERE[text]


@pytest.mark.parametrize("text", CASES)
def test_a_second_time_changes_nothing(tiny, text):
    # aengus-signal4/signal4-core#63, snakers4/silero-models#249: `,,` and `..,`
    once = one(text, tiny)
    assert punctuate([once.text], tiny)[0].text == once.text


@pytest.mark.parametrize("name", ALL_MARKS.names)
def test_a_second_time_changes_nothing_whatever_the_mark(name):
    for text in [text for text in TEXTS if len(text) < 100] + ["ja, dat klopt.", "好，对。"]:
        once = one(text, Says(name))
        assert one(once.text, Says(name)).text == once.text


@pytest.mark.parametrize("text", CASES)
def test_text_and_marks_say_the_same(tiny, text):
    # modelscope/FunASR#1301, #1383: what is said in two ways is not the same thing
    done = one(text, tiny)
    assert render(text, done.units, done.marks, language=detect_language(text)) == done.text
    for unit, put, read in zip(
        units_of(done, text), done.marks, parse(done.text).marks, strict=True
    ):
        # The dot of an abbreviation is its full stop as well, and can't be read back as one.
        assert put == read or (put == "PERIOD" and read == "NONE" and f"{unit}." in text)


def test_all_of_it_in_one_batch_is_the_same(tiny):
    # modelscope/FunASR#1601, notAI-tech/fastPunct#2: a batch is refused or breaks;
    # PaddlePaddle/PaddleNLP#1774, ERNIE#351, Paddle#23148: batch size changes labels
    texts = [*TEXTS, "短", "长" * 400, "hi", "a b c d e"]
    for text, done in zip(texts, punctuate(texts, tiny), strict=True):
        alone = punctuate([text], tiny)[0]
        assert alone.text == done.text
        assert alone.probabilities.tobytes() == done.probabilities.tobytes()


def test_random_texts_in_random_batches(tiny):
    rng = random.Random(0)
    pool = [text for text in TEXTS if len(text) < 100]
    for _ in range(10):
        texts = ["".join(rng.choices(pool, k=rng.randint(0, 6))) for _ in range(rng.randint(1, 9))]
        for text, done in zip(texts, punctuate(texts, tiny), strict=True):
            assert nothing_but_marks_came(text, done.text)
