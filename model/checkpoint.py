"""A model folder: a standard PaddleNLP folder, and a card that says how to read its answers.

``config.json``, ``model_state.pdparams`` and the tokenizer's files are what PaddleNLP's
Auto classes read and write. ``interpunct.json`` is the card (`model.card`). ``static/``
may hold the graph that serves (`model.static_graph`).
"""

from pathlib import Path
from typing import Any

from model.auto import auto_classes
from model.card import CARD, BrokenModel, Card, read_card, write_card
from model.marks import MarkSet
from model.static_graph import WEIGHTS, export_static


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
    auto_model, auto_tokenizer = auto_classes()
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
    try:
        # Somebody else's classifier, of other labels, starts anew like a missing one.
        layer = auto_model.from_pretrained(
            name, num_labels=len(old or marks), ignore_mismatched_sizes=old is None, **settings
        )
    except (OSError, ValueError, RuntimeError) as error:  # what a hub or a foreign folder may raise
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise BrokenModel(
            f"The encoder {name} could not be loaded. By name it is fetched from the internet; "
            f"else name a folder with its files. ({first})"
        ) from error
    if old is not None and old.names != marks.names:
        _change_marks(layer, old, marks)
    layer.eval()
    return layer, auto_tokenizer.from_pretrained(name)


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
    write_card(folder, card)
    export_static(folder)


def load_tokenizer(folder: Path | str) -> Any:
    """Load a tokenizer for `Encoder`: our own reader where it is equal, else PaddleNLP's."""
    from model.wordpiece import WordPiece

    if WordPiece.reads(Path(folder)):
        return WordPiece(Path(folder))
    return auto_classes()[1].from_pretrained(str(folder))


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
