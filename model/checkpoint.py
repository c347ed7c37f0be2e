"""A model folder: a standard PaddleNLP folder, and a card that says how to read its answers.

``config.json``, ``model_state.pdparams`` and the tokenizer's files are what PaddleNLP's
Auto classes read and write. ``interpunct.json`` is the card (`model.card`). ``static/``
may hold the graph that serves (`model.static_graph`).

A vocabulary that was cut short gives wrong marks without a word: units become unknown
tokens. So the card says under ``tokens`` how many a ``vocab.txt`` has.
"""

from pathlib import Path
from typing import Any, Final

from model.auto import CONFIG, WEIGHTS, load_any_tokenizer, load_layer
from model.card import CARD, BrokenModel, Card, read_card, read_object, write_card
from model.marks import MarkSet
from model.static_graph import export_static
from model.wordpiece import VOCABULARY, WordPiece, read_vocabulary

TOKENS: Final = "tokens"


def load_for_training(
    folder_or_name: Path | str, marks: MarkSet, dropout: float = 0.0
) -> tuple[Any, Any]:
    """Load an encoder with a token classifier, and its tokenizer.

    Parameters
    ----------
    folder_or_name : Path or str
        A model folder, any PaddleNLP folder, or where there is internet a name such as
        ``ernie-3.0-nano-zh``. Weights stored as float16 become float32.
    marks : MarkSet
        What the classifier tells apart. Where the folder's own classifier has other
        marks, rows of the marks that both have are kept and the others start anew.
    dropout : float
        Share of activations dropped in training, in the encoder and before the classifier.

    Returns
    -------
    layer : paddle.nn.Layer
        A PaddleNLP ``...ForTokenClassification`` with ``len(marks)`` outputs, in eval mode.
    tokenizer
        The PaddleNLP tokenizer of the folder.

    Raises
    ------
    BrokenModel
        There is no such folder, or it (or what the name stands for) cannot be loaded.
    """
    name = str(folder_or_name)
    settings = {
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
        "classifier_dropout": dropout,
    }
    has_card = (Path(name) / CARD).is_file()
    old = read_card(name).mark_set if has_card else None
    if not has_card and Path(name).parent != Path() and not Path(name).is_dir():
        raise BrokenModel(f"There is no model folder {name}.")
    # Somebody else's classifier, of other labels, starts anew like a missing one.
    layer = load_layer(
        name,
        whole=has_card,
        num_labels=len(old or marks),
        ignore_mismatched_sizes=old is None,
        **settings,
    )
    tokenizer = _checked(load_any_tokenizer(name), Path(name))
    if old is not None and old.names != marks.names:
        _change_marks(layer, old, marks)
    layer.eval()
    return layer, tokenizer


def save_checkpoint(layer: Any, tokenizer: Any, folder: Path | str, card: Card) -> None:
    """Write a model folder: weights (as float16), tokenizer, card and serving graph.

    That halves the bytes, and rounds probabilities only a little.

    Raises
    ------
    BrokenModel
        The layer has another number of outputs than the card has marks.
    """
    import paddle

    folder = Path(folder)
    state = layer.state_dict()
    outputs = layer.config.num_labels
    if outputs != len(card.marks):
        raise BrokenModel(f"{outputs} outputs do not fit {len(card.marks)} marks.")
    folder.mkdir(parents=True, exist_ok=True)
    layer.config.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    half = {
        name: value.astype("float16") if value.dtype == paddle.float32 else value
        for name, value in state.items()
    }
    paddle.save(half, str(folder / WEIGHTS[0]))
    more = {name: value for name, value in card.more.items() if name != TOKENS}
    if (folder / VOCABULARY).is_file():
        more[TOKENS] = len(read_vocabulary(folder))
    write_card(folder, card.changed(more=more))
    export_static(folder)


def load_tokenizer(folder: Path | str) -> Any:
    """Load a tokenizer for `Encoder`: our own reader where it is equal, else PaddleNLP's.

    Raises
    ------
    BrokenModel
        It cannot be loaded, or the model is one of another vocabulary.
    """
    folder = Path(folder)
    own = WordPiece.reads(folder)
    return _checked(WordPiece(folder) if own else load_any_tokenizer(folder), folder)


def _checked(tokenizer: Any, folder: Path) -> Any:
    """Return a tokenizer, if it and the model of its folder can belong together.

    Raises
    ------
    BrokenModel
        It lacks a token that every text needs, or its vocabulary is not the model's.
    """
    for name in ("unk", "cls", "sep", "pad"):
        if getattr(tokenizer, f"{name}_token_id", None) is None:
            raise BrokenModel(f"{folder}: its tokenizer knows no {name} token.")
    if (folder / VOCABULARY).is_file() and (folder / CONFIG).is_file():
        _check_vocabulary(folder)
    return tokenizer


def _check_vocabulary(folder: Path) -> None:
    """Refuse a ``vocab.txt`` that is not the one the model was made with.

    More tokens than rows are wrong in any folder. Fewer can be right: encoders come with rows to
    spare, so there it takes a card. One that doesn't say how many tokens there are is older than
    that, or the starter's; with BERT each row is then a token.
    """
    config = read_object(folder / CONFIG)
    rows, tokens = config.get("vocab_size"), len(read_vocabulary(folder))
    if not isinstance(rows, int):
        return
    if tokens > rows:
        raise BrokenModel(
            f"{folder}: {VOCABULARY} has {tokens} tokens, but the model only {rows} "
            f"(vocab_size in {CONFIG}); one of the two files is another model's."
        )
    if not (folder / CARD).is_file():
        return
    wanted, place = read_card(folder).more.get(TOKENS), CARD
    if wanted is None and config.get("model_type") == "bert":
        wanted, place = rows, f"vocab_size in {CONFIG}"
    if isinstance(wanted, int) and tokens != wanted:
        raise BrokenModel(
            f"{folder}: {VOCABULARY} has {tokens} tokens instead of {wanted} ({place}); it is not "
            f'whole, or not of this model. If it is right, put "{TOKENS}": {tokens} into {CARD}.'
        )


def _change_marks(layer: Any, old: MarkSet, new: MarkSet) -> None:
    """Give the classifier other outputs, keeping what it knows about marks that stay."""
    import paddle

    before = layer.classifier
    after = paddle.nn.Linear(before.weight.shape[0], len(new))
    weight, bias = after.weight.numpy(), after.bias.numpy()
    for name, index in new.ids.items():
        if name in old.ids:
            weight[:, index] = before.weight.numpy()[:, old.ids[name]]
            bias[index] = before.bias.numpy()[old.ids[name]]
    after.weight.set_value(weight)
    after.bias.set_value(bias)
    layer.classifier = after
    layer.num_labels = layer.config.num_labels = len(new)
