import json
import shutil

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.auto import auto_classes
from model.checkpoint import load_tokenizer
from model.wordpiece import WordPiece


@pytest.fixture(scope="module")
def both(tiny_checkpoint):
    return WordPiece(tiny_checkpoint), auto_classes()[1].from_pretrained(str(tiny_checkpoint))


@settings(deadline=None, max_examples=400)
@given(
    st.text()
    | st.text(
        alphabet="abcz019 '-.@/我们天龘ñé\u0301\u00ad\u00b2\u3007\ufffd\x00\x1c\x85\t\n\u3000\u200b"
    )
)
@example("zo'n e-mail: jan@zkh.nl 3,5 我们Hello")
@example("a" * 101)
@example("\x1ca\x85b\u2028c")
def test_tokens_are_those_of_autotokenizer(both, text):
    ours, theirs = both
    text = text.replace("[", "")  # special tokens in text are kept from both by the encoder
    tokens = theirs.tokenize(text)
    assert ours.tokenize(text) == tokens
    assert ours.convert_tokens_to_ids(tokens) == theirs.convert_tokens_to_ids(tokens)


def test_special_tokens_are_those_of_autotokenizer(both):
    ours, theirs = both
    for name in ("cls_token_id", "sep_token_id", "pad_token_id", "unk_token_id"):
        assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize(
    "change",
    [{"do_lower_case": True}, {"strip_accents": True}, {"tokenizer_class": "ErnieTokenizer"}],
)
def test_any_other_tokenizer_is_left_to_paddlenlp(tiny_checkpoint, tmp_path, change):
    folder = tmp_path / "model"
    shutil.copytree(tiny_checkpoint, folder)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change))
    tokenizer = load_tokenizer(folder)
    assert not isinstance(tokenizer, WordPiece)
    assert tokenizer.tokenize("我们") == ["我", "们"]
