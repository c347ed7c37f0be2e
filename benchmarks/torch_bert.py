"""The same encoder and weights in PyTorch, to measure against."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class TorchBert(nn.Module):
    """BERT with a token classifier, in eval mode, with PyTorch's fused attention."""

    def __init__(self, weights: dict[str, np.ndarray], config: dict[str, Any]):
        super().__init__()
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.weights = nn.ParameterDict(
            {
                # Paddle keeps a Linear's weight as [in, out], PyTorch as [out, in].
                name.replace(".", "/"): nn.Parameter(
                    torch.from_numpy(_torch_layout(name, value)), requires_grad=False
                )
                for name, value in weights.items()
            }
        )

    def _at(self, name: str) -> torch.Tensor:
        return self.weights[name.replace(".", "/")]

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return F.linear(x, self._at(name + ".weight"), self._at(name + ".bias"))

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight = self._at(name + ".weight")
        return F.layer_norm(x, weight.shape, weight, self._at(name + ".bias"), 1e-12)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits (batch, length, marks); mask is 0 at tokens and -1e4 at padding."""
        batch, length = ids.shape
        base = "bert.embeddings."
        x = F.embedding(ids, self._at(base + "word_embeddings.weight"))
        x = x + self._at(base + "position_embeddings.weight")[:length]
        x = x + self._at(base + "token_type_embeddings.weight")[0]
        x = self._norm(x, base + "layer_norm")
        for layer in range(self.layers):
            at = f"bert.encoder.layers.{layer}."
            q, k, v = (
                self._linear(x, f"{at}self_attn.{name}_proj")
                .view(batch, length, self.heads, -1)
                .transpose(1, 2)
                for name in "qkv"
            )
            attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            attended = attended.transpose(1, 2).reshape(batch, length, -1)
            x = self._norm(x + self._linear(attended, at + "self_attn.out_proj"), at + "norm1")
            inner = F.gelu(self._linear(x, at + "linear1"))
            x = self._norm(x + self._linear(inner, at + "linear2"), at + "norm2")
        return self._linear(x, "classifier")


def _torch_layout(name: str, value: np.ndarray) -> np.ndarray:
    value = np.asarray(value, np.float32)
    linear = value.ndim == 2 and "embeddings" not in name
    return np.ascontiguousarray(value.T if linear else value)


def load_torch_bert(folder: Path) -> TorchBert:
    """Read a PaddleNLP BERT folder into PyTorch.

    Parameters
    ----------
    folder : Path
        Its padding has the id 0.

    Returns
    -------
    TorchBert
        In eval mode; nothing in it learns.

    Raises
    ------
    ValueError
        The folder holds another encoder than BERT.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("pad_token_id", 0) != 0:
        raise ValueError(f"Only BERT is there in PyTorch to measure against, not {folder}.")
    return TorchBert(_read_weights(folder / "model_state.pdparams"), config).eval()


def _read_weights(path: Path) -> dict[str, np.ndarray]:
    """Read what Paddle saved, without Paddle, which would bring its own threads and settings."""
    with path.open("rb") as file:
        saved = pickle.load(file)
    return {name: value for name, value in saved.items() if isinstance(value, np.ndarray)}
