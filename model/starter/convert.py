"""From the training's snapshot to a standard PaddleNLP folder."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from model.marks import ALL_MARKS

_BLOCK: Final = {
    "ao": "self_attn.out_proj",
    "aln": "norm1",
    "fi": "linear1",
    "fo": "linear2",
    "oln": "norm2",
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A run's mean weights, by PyTorch name, and what builds the encoder."""

    weights: dict[str, np.ndarray]
    shape: dict[str, Any]


def read_snapshots(files: Sequence[Path]) -> Snapshot:
    """Read snapshots of one run, and take the mean of their weights.

    What a run was at several moments differs in what it got wrong, and the mean of such weights
    does better on text of another kind than the last of them (Izmailov et al., 2018,
    https://arxiv.org/abs/1803.05407).

    Parameters
    ----------
    files : sequence of Path
        ``snapshot.pt`` of a run's folder, or what was kept of it on the way.

    Returns
    -------
    Snapshot
        In float32.

    Raises
    ------
    FileNotFoundError
        One is not there, or none was named.
    ValueError
        They are of encoders that differ.
    """
    import torch

    if not files:
        raise FileNotFoundError("No snapshot was named.")
    total: dict[str, np.ndarray] = {}
    for file in files:
        state = torch.load(file, weights_only=True)
        weights = {name: value.double().numpy() for name, value in state["mean"].items()}
        shapes = {name: value.shape for name, value in weights.items()}
        if total and shapes != {name: value.shape for name, value in total.items()}:
            raise ValueError(f"{file} is of another encoder than {files[0]}.")
        total = {name: value + total.get(name, 0.0) for name, value in weights.items()}
    mean = {name: (value / len(files)).astype(np.float32) for name, value in total.items()}
    return Snapshot(mean, state["shape"])


def paddle_weights(snapshot: Snapshot) -> dict[str, np.ndarray]:
    """Rename and turn the weights for `paddlenlp.transformers.BertForTokenClassification`.

    Paddle's linear layers hold [in, out] where PyTorch's hold [out, in].

    Returns
    -------
    dict of str to ndarray of float16
        Half precision halves the folder; it is cast up when it is loaded.
    """
    have = snapshot.weights
    hidden = snapshot.shape["shape"]["hidden"]
    out = {
        "bert.embeddings.word_embeddings.weight": have["word.weight"],
        "bert.embeddings.position_embeddings.weight": have["position.weight"],
        "bert.embeddings.token_type_embeddings.weight": np.stack([have["kind"], have["kind"]]),
        "bert.embeddings.layer_norm.weight": have["ln.weight"],
        "bert.embeddings.layer_norm.bias": have["ln.bias"],
        # The pooler is part of the architecture and no part of token classification.
        "bert.pooler.dense.weight": np.zeros((hidden, hidden)),
        "bert.pooler.dense.bias": np.zeros(hidden),
        "classifier.weight": have["head.weight"].T,
        "classifier.bias": have["head.bias"],
    }
    for number in range(snapshot.shape["layers"]):
        to, ours = f"bert.encoder.layers.{number}", f"blocks.{number}"
        weight = np.split(have[f"{ours}.qkv.weight"], 3)
        bias = np.split(have[f"{ours}.qkv.bias"], 3)
        for at, name in enumerate(("q_proj", "k_proj", "v_proj")):
            out[f"{to}.self_attn.{name}.weight"] = weight[at].T
            out[f"{to}.self_attn.{name}.bias"] = bias[at]
        for short, name in _BLOCK.items():
            value = have[f"{ours}.{short}.weight"]
            out[f"{to}.{name}.weight"] = value.T if value.ndim == 2 else value
            out[f"{to}.{name}.bias"] = have[f"{ours}.{short}.bias"]
    return {name: np.ascontiguousarray(value, np.float16) for name, value in out.items()}


def write_folder(snapshot: Snapshot, vocabulary: list[str], folder: Path, about: dict) -> None:
    """Write a folder that PaddleNLP's Auto classes load, with the product's card.

    Parameters
    ----------
    snapshot : Snapshot
        The weights.
    vocabulary : list of str
        Tokens by id.
    folder : Path
        Where to write; made if it is missing.
    about : dict
        What else the card tells: windows, base, recipe, sources.
    """
    import paddle
    from paddlenlp.transformers import BertConfig, BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    shape = snapshot.shape["shape"]
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=shape["hidden"],
        num_hidden_layers=snapshot.shape["layers"],
        num_attention_heads=shape["heads"],
        intermediate_size=shape["inner"],
        max_position_embeddings=shape["positions"],
        type_vocab_size=2,
        layer_norm_eps=1e-12,
        hidden_act="gelu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_labels=len(ALL_MARKS.names),
        architectures=["BertForTokenClassification"],
    )
    config.save_pretrained(str(folder))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt"), do_lower_case=False).save_pretrained(str(folder))
    tensors = {name: paddle.to_tensor(value) for name, value in paddle_weights(snapshot).items()}
    paddle.save(tensors, str(folder / "model_state.pdparams"))
    card = {
        "marks": list(ALL_MARKS.names),
        "temperature": 1.0,
        "thresholds": {},
        "lowercase": True,
    }
    text = json.dumps(card | about, indent=2, ensure_ascii=False)
    (folder / "interpunct.json").write_text(text + "\n", encoding="utf-8")
