"""Fixtures that every part of the tests shares: a tiny model that any machine can run."""

import os
import string
from pathlib import Path

import pytest

from model.marks import ALL_MARKS

_HAN = (
    "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过"
    "天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些"
    "所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活"
    "正感见明问力理尔点文几定本公特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才"
    "便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白或住难望教命花结乐"
    "色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任"
)


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PaddleNLP BERT folder with ten marks: two layers, hidden size 32, seeded random weights.

    Its marks are nonsense, but never the same at every slot. Copy the folder before you
    change anything in it.
    """
    from model.card import Card, write_card
    from model.checkpoint import export_static
    from model.processor import prepare_processor

    prepare_processor()
    import paddle
    from paddlenlp.transformers import BertConfig, BertForTokenClassification, BertTokenizer
    from paddlenlp.utils.log import logger

    logger.set_level("ERROR")
    folder = tmp_path_factory.mktemp("tiny-model")
    single = string.ascii_lowercase + string.digits
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *single]
    vocabulary += ["##" + char for char in single]
    vocabulary += list(string.punctuation) + sorted(set(_HAN))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        num_labels=10,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.2,
    )
    paddle.seed(7)
    layer = BertForTokenClassification(config)
    layer.eval()
    layer.save_pretrained(str(folder))
    BertTokenizer(os.fspath(folder / "vocab.txt"), do_lower_case=False).save_pretrained(str(folder))
    write_card(folder, Card(marks=ALL_MARKS.names, base="random"))
    export_static(folder)
    return folder


@pytest.fixture(scope="session")
def starter_checkpoint() -> Path:
    """The folder of the starter that ships with the product."""
    folder = Path(__file__).parent.parent / "model" / "starter" / "checkpoint"
    if not (folder / "interpunct.json").is_file():
        pytest.skip("The starter checkpoint is not in this copy.")
    return folder
