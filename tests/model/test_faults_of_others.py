"""Faults that people reported of other punctuation tools, each as a whole kind of input.

The names in the comments are the public threads, `owner/repository#number`.
"""

import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from model.predictor import Predictor, load_predictor
from model.punctuate import Punctuated, punctuate
from model.punctuation import parse, strip_marks
from model.units import find_units

LONG_DUTCH = "arbeidsongeschiktheidsverzekering"


@pytest.fixture(scope="module")
def tiny(tiny_checkpoint) -> Predictor:
    return load_predictor(tiny_checkpoint)


@pytest.fixture(scope="module")
def starter(starter_checkpoint) -> Predictor:
    return load_predictor(starter_checkpoint)


def one(text: str, predictor: Predictor, **wishes) -> Punctuated:
    done = punctuate([text], predictor, **wishes)[0]
    assert strip_marks(done.text) == strip_marks(text)
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
    # silero-models#274: an IndexError at 7,000 words
    "seven thousand words": ["woord " * 7000],
    # ekhodzitsky/gigastt#237: silently nothing done beyond the position table
    "twenty thousand characters": ["我们今天说一下这个问题" * 1819],
    # oliverguhr/deepmultilingualpunctuation#4, whisper-diarization#74, alvenirai/punctfix#4
    "very long words": [f"{LONG_DUTCH} " * 230, "x" * 5000, f"{LONG_DUTCH * 40} ja"],
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


@pytest.mark.parametrize("text", CASES)
def test_a_second_time_changes_nothing(tiny, text):
    # aengus-signal4/signal4-core#63, snakers4/silero-models#249: `,,` and `..,`
    once = one(text, tiny)
    assert punctuate([once.text], tiny)[0].text == once.text


def test_all_of_it_in_one_batch_is_the_same(tiny):
    # modelscope/FunASR#1601, notAI-tech/fastPunct#2: a batch is refused or breaks;
    # PaddlePaddle/PaddleNLP#1774, ERNIE#351, Paddle#23148: batch size changes labels
    texts = [text for kind in KINDS.values() for text in kind]
    together = punctuate(texts, tiny)
    for text, done in zip(texts, together, strict=True):
        alone = punctuate([text], tiny)[0]
        assert alone.text == done.text
        assert alone.probabilities.tobytes() == done.probabilities.tobytes()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("ja, dat klopt.", "ja, dat klopt."),  # silero-models#249
        ("Goed. Tot morgen!", "Goed. Tot morgen!"),  # gladia#953: existing marks erased
        ("名单如下：", "名单如下："),  # yongzhuo/macro-correct#11: a last colon becomes a full stop
        ("wat?! nee…", "wat?! nee…"),
        ("“好。”他说。", "“好。”他说。"),
    ],
)
def test_marks_that_are_there_stay(tiny, text, kept):
    done = one(text, tiny)
    before = parse(text)
    for held, mark, closed in zip(before.marks, done.marks, before.closed, strict=True):
        assert mark == (held if held != "NONE" or closed else mark)
    # Nothing is taken away: what was there can still be read in what came out, in order.
    rest = iter(done.text)
    assert all(char in rest for char in kept)
    assert one(text, tiny, existing="strip").probabilities.tobytes() == done.probabilities.tobytes()


@pytest.mark.parametrize(
    "text", ["well yes we can", "THIS IS A TEST", "zo'n foto's zijn mooi", "ok 3 uur"]
)
def test_latin_text_gets_ascii_marks_and_keeps_its_spaces(tiny, text):
    # FireRedASR2S#21: no space after a mark; QuintinShaw/openasr#63: full-width on English
    thresholds = dict.fromkeys(("COMMA", "PERIOD", "QUESTION", "EXCLAMATION", "SEMICOLON"), 0.02)
    done = one(text, tiny, thresholds=thresholds, language="en")
    assert not set(done.text) & set("，。？！；：、")
    assert parse(done.text).marks[0] != "NONE"
    assert len(done.text.split()) >= len(text.split())


@pytest.mark.parametrize("text", ["下午有空吗我想约你吃饭", "打开地图去学校"])
def test_chinese_text_gets_full_width_marks(tiny, text):
    thresholds = dict.fromkeys(("COMMA", "PERIOD", "QUESTION", "EXCLAMATION", "SEMICOLON"), 0.02)
    done = one(text, tiny, thresholds=thresholds)
    assert set(done.text) & set("，。？！；")
    assert not set(done.text) & set(",.?!;")


def test_slots_are_one_a_han_character_whatever_the_tokenizer_makes_of_it(tiny):
    # PaddleNLP#3988: `Ⅲ` becomes three letters; PaddleNLP#4498: offsets off by the hyphen
    assert units_of(one("分期Ⅲ期㎡", tiny), "分期Ⅲ期㎡") == ["分", "期", "Ⅲ", "期"]
    assert units_of(one("型号AB-12的泵", tiny), "型号AB-12的泵") == [
        "型",
        "号",
        "AB-12",
        "的",
        "泵",
    ]


def test_every_slot_of_a_long_text_is_really_predicted(tiny):
    # gigastt#237: the part beyond the position table comes back untouched, with success
    text = "我们今天说一下这个问题" * 1819
    done = one(text, tiny)
    assert len(done.units) > 20_000
    assert np.isfinite(done.probabilities).all()
    per_thousand = [set(done.marks[i : i + 1000]) - {"NONE"} for i in range(0, 20_000, 1000)]
    assert all(per_thousand)


@pytest.mark.parametrize("filler", ["天", "arbeidsongeschiktheidsverzekering "])
def test_a_text_is_marked_the_same_where_a_longer_one_begins_like_it(tiny, filler):
    # tutorials that shift labels by the overlap, or keep a window's edge without context
    short, long = filler * 100, filler * 1000
    first = one(long, tiny).probabilities[: len(one(short, tiny).units) - 80]
    whole = tiny.probabilities([[filler.strip()] * 1000])[0]
    assert (first == whole[: len(first)]).all()
    middle = whole[300:600]
    assert len(np.unique(middle.round(4), axis=0)) < len(middle)


def test_eight_threads_do_not_mix_texts_up(tiny):
    # PaddlePaddle/Paddle#56524: results of one thread reach another; PaddleNLP#9066,
    # Paddle#42607, FunASR#2587, ottokart/punctuator#14: lengths 5 and 300 together crash
    texts = [
        "今天天气不错",
        "a b c d e",
        "woord " * 300,
        "我们" * 150,
        "",
        "😀",
        "x" * 400,
        "一" * 700,
    ]
    serial = [done.text for done in punctuate(texts, tiny)]

    def hundred(index: int) -> set[str]:
        return {punctuate([texts[index]], tiny)[0].text for _ in range(100)}

    with ThreadPoolExecutor(8) as pool:
        for expected, got in zip(serial, pool.map(hundred, range(8)), strict=True):
            assert got == {expected}


def test_a_tie_is_always_broken_alike(tiny):
    # AppTek/SubER#12: ties change with the version; here one rule, by mark order
    from model.marks import DEFAULT_MARKS
    from model.predictor import choose

    tied = np.full((3, 4), 0.25, np.float32)
    assert choose(tied, DEFAULT_MARKS) == [0, 0, 0]
    assert choose(tied, DEFAULT_MARKS, {"COMMA": 0.25, "PERIOD": 0.25}) == [1, 1, 1]


def test_a_warm_call_is_quick(tiny):
    # modelscope/FunASR#1314, notAI-tech/fastPunct#13: 20 s a call. The model is loaded once, so
    # that a second call never costs what the first did: compared with loading, not with a clock.
    started = time.perf_counter()
    Predictor(tiny.folder).probabilities([["你", "好"]])
    loading = time.perf_counter() - started
    calls = []
    for _ in range(20):
        started = time.perf_counter()
        punctuate(["你好"], tiny)
        calls.append(time.perf_counter() - started)
    assert min(calls) < loading


def test_a_text_that_cannot_be_done_is_a_loud_fault(tiny_checkpoint, tmp_path):
    # gigastt#237: HTTP 200 and nothing done
    import shutil

    from model.card import BrokenModel

    folder = tmp_path / "model"
    shutil.copytree(tiny_checkpoint, folder)
    (folder / "model_state.pdparams").unlink()
    with pytest.raises(BrokenModel):
        load_predictor(folder)


def test_random_texts_in_random_batches(tiny):
    rng = random.Random(0)
    pool = [text for kind in KINDS.values() for text in kind if len(text) < 100]
    for _ in range(10):
        texts = ["".join(rng.choices(pool, k=rng.randint(0, 6))) for _ in range(rng.randint(1, 9))]
        for text, done in zip(texts, punctuate(texts, tiny), strict=True):
            assert strip_marks(done.text) == strip_marks(text)


# From here on the answer matters, so the starter gives it.


@pytest.mark.parametrize(
    "text",
    [
        "下午有空吗我想约你吃饭",
        "今天天气不错我们出去走走吧",
        "please turn it off",
        "ik kom morgen bij u langs",
    ],
)
def test_an_utterance_has_its_end_mark(starter, text):
    # PaddlePaddle/PaddleSpeech#3257: the end mark is missing or wrong
    assert one(text, starter).marks[-1] in ("PERIOD", "QUESTION", "EXCLAMATION")


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("how are you today", "QUESTION"),  # PaddleSpeech#3698: a Chinese model on English
        ("你叫什么名字", "QUESTION"),
        ("waar woont u", "QUESTION"),
        ("see you tomorrow", "PERIOD"),  # FunASR#2120
        ("我明天去北京", "PERIOD"),
        ("de patiënt heeft goed geslapen", "PERIOD"),
    ],
)
def test_each_language_gets_its_own_end(starter, text, mark):
    assert one(text, starter).marks[-1] == mark


def test_a_question_that_is_not_in_the_text_is_held_in_doubt(starter):
    # huggingface/speechbox#2: the end of `we gaan nu weg toch` could be either; say so
    last = one("we gaan nu weg toch", starter).probabilities[-1]
    assert last.max() < 0.99


def test_case_and_marks_of_the_input_do_not_change_the_answer(starter):
    texts = ["How are you today", "HOW ARE YOU TODAY", "how are you, today?", "how  are\nyou today"]
    answers = [starter.probabilities([units_of(one(t, starter), t)])[0] for t in texts]
    assert all((answer == answers[0]).all() for answer in answers)


def test_the_starter_answers_the_same_in_every_way(starter):
    texts = [text for kind in KINDS.values() for text in kind if len(text) < 2000]
    together = punctuate(texts, starter)
    with ThreadPoolExecutor(8) as pool:
        threaded = list(pool.map(lambda text: punctuate([text], starter)[0], texts))
    for a, b in zip(together, threaded, strict=True):
        assert a.text == b.text
        np.testing.assert_allclose(a.probabilities, b.probabilities, atol=1e-5)


def test_importing_the_engine_needs_no_paddle():
    code = "import sys, model.punctuate; print('paddle' in sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
