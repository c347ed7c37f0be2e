"""A model folder of a given size with random weights, for measuring speed where no model is."""

import random
import tempfile
from pathlib import Path

from model.card import Card, write_card
from model.marks import ALL_MARKS
from model.processor import prepare_processor
from model.static_graph import find_static

VOCABULARY = 24_000


def starter_sized() -> Path:
    """Write random weights in the starter's size and with its windows, and return the folder."""
    return write_random_model("10x384-160", 384, 10, 12, max_units=160, overlap=120)


def write_random_model(name: str, hidden: int, layers: int, heads: int, **windows: int) -> Path:
    """Write a PaddleNLP BERT folder with its serving graph, unless it is there.

    Parameters
    ----------
    name : str
        Of the folder, in the system's temporary one.
    hidden, layers, heads : int
        Its size; the inner width is 4 x hidden.
    **windows : int
        ``max_units`` and ``overlap``, where they are not those of any card.

    Returns
    -------
    Path
        The folder.
    """
    folder = Path(tempfile.gettempdir()) / "interpunct-benchmarks" / name
    if (folder / "interpunct.json").is_file():
        find_static(folder)
        return folder
    prepare_processor()
    import paddle
    from paddlenlp.transformers import BertConfig, BertForTokenClassification, BertTokenizer
    from paddlenlp.utils.log import logger

    logger.set_level("ERROR")
    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + c for c in letters)]
    words += [chr(0x4E00 + i) for i in range(VOCABULARY - len(words))]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        max_position_embeddings=512,
        type_vocab_size=2,
        num_labels=len(ALL_MARKS),
    )
    paddle.seed(0)
    BertForTokenClassification(config).save_pretrained(str(folder))
    BertTokenizer(str(folder / "vocab.txt"), do_lower_case=False).save_pretrained(str(folder))
    write_card(folder, Card(marks=ALL_MARKS.names, base="random", **windows))
    find_static(folder)
    return folder


def random_text(rng: random.Random, characters: int) -> str:
    """Return Han characters that the random model and the starter know, most of them."""
    return "".join(chr(0x4E00 + rng.randrange(3000)) for _ in range(characters))
