import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.auto import auto_classes
from model.encoding import MAX_TOKENS_A_UNIT, Encoder, most_tokens
from model.units import unit_texts
from model.wordpiece import WordPiece


@pytest.fixture(scope="module")
def encoder(tiny_checkpoint):
    return Encoder(WordPiece(tiny_checkpoint), lowercase=True)


@pytest.fixture(scope="module")
def names(tiny_checkpoint):
    lines = (tiny_checkpoint / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return lambda ids: [lines[i] for i in ids]


@pytest.mark.parametrize(
    ("unit", "tokens"),
    [
        ("天", ["天"]),
        ("Ja", ["j", "##a"]),
        ("zo'n", ["z", "##o", "'", "n"]),
        ("zo’n", ["z", "##o", "'", "n"]),
        ("Ａ１", ["a", "##1"]),
        ("龘", ["[UNK]"]),
        ("drie-jarig", list("drie-jarig")),
        ("www.x.nl/[SEP]", ["w", "##w", "##w", ".", "x", ".", "n", "##l"]),
    ],
)
def test_units_are_looked_up(encoder, names, unit, tokens):
    found = names(encoder.encode([unit]).ids)
    if unit == "drie-jarig":
        tokens = ["d", "##r", "##i", "##e", "-", "j", "##a", "##r", "##i", "##g"]
    if "[SEP]" in unit:
        assert found[: len(tokens)] == tokens
        assert "[SEP]" not in found
    else:
        assert found == tokens


def test_composed_and_combining_accents_are_one_word(encoder):
    assert (encoder.encode(["caf\u00e9"]).ids == encoder.encode(["cafe\u0301"]).ids).all()


def test_case_stays_where_the_model_wants_it(tiny_checkpoint, names):
    cased = Encoder(WordPiece(tiny_checkpoint), lowercase=False)
    assert names(cased.encode(["Ja"]).ids) == ["[UNK]"]


def test_a_long_unit_keeps_its_head_and_its_tail(encoder, names):
    unit = "abcdefgh" + "x" * 40 + "stuvwxyz"
    found = names(encoder.encode([unit]).ids)
    assert len(found) == MAX_TOKENS_A_UNIT
    assert "".join(found).replace("##", "") == "abcdefghstuvwxyz"


def test_a_unit_of_a_million_letters_is_cheap(encoder):
    assert len(encoder.encode(["a" * 1_000_000]).ids) <= MAX_TOKENS_A_UNIT


@settings(deadline=None)
@given(st.text())
def test_every_unit_has_its_own_sub_tokens(encoder, text):
    units = unit_texts(text)
    encoded = encoder.encode(units)
    assert len(encoded.offsets) == len(units) + 1
    assert encoded.offsets[-1] == len(encoded.ids)
    assert ((encoded.lengths >= 1) & (encoded.lengths <= MAX_TOKENS_A_UNIT)).all()
    alone = [encoder.encode([unit]).ids for unit in units]
    assert (encoded.ids == np.concatenate([*alone, np.empty(0, np.int32)])).all()
    special = {encoder.cls_id, encoder.sep_id, encoder.pad_id}
    assert not special & set(encoded.ids.tolist())


def test_nothing_gives_nothing(encoder):
    assert encoder.encode([]).offsets.tolist() == [0]


@pytest.mark.parametrize("lowercase", [True, False])
def test_both_readers_of_a_folder_give_the_same_ids(tiny_checkpoint, lowercase):
    ours = Encoder(WordPiece(tiny_checkpoint), lowercase)
    paddlenlps = Encoder(auto_classes()[1].from_pretrained(str(tiny_checkpoint)), lowercase)

    @settings(deadline=None)
    @given(st.text(alphabet="[]SEPCLUNKMAS/.wx天龘é'-") | st.text())
    @example("www.x.nl/[SEP]www.x.nl/[CLS][PAD][MASK]")
    def same(text):
        units = unit_texts(text)
        assert (ours.encode(units).ids == paddlenlps.encode(units).ids).all()

    same()


@pytest.mark.parametrize(
    ("config", "tokens"),
    [
        ({"max_position_embeddings": 512, "model_type": "bert"}, 510),
        ({}, 510),
        ({"max_position_embeddings": 99, "model_type": "ernie"}, 94),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, 510),
        ({"max_position_embeddings": 512, "model_type": "roberta", "pad_token_id": 0}, 502),
        ({"max_position_embeddings": 8}, MAX_TOKENS_A_UNIT),
    ],
)
def test_a_sequence_has_room_for_special_tokens_and_padding(config, tokens):
    assert most_tokens(config) == tokens
