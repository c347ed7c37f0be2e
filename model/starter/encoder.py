"""The starter's encoder in PyTorch, for its long training in bfloat16.

A plain BERT (post-norm, exact GELU) with the parameter names of the source; what it
learns is carried into a PaddleNLP folder by `model.starter.convert`. The sequences of a batch
are padded to the longest of them; batches are made of like lengths, so that this is little.
"""

import random
from typing import Any, Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from model.starter.source import Source

_DRAWN: Final = 1 << 24


class Dropout(nn.Module):
    """Dropout from a long row of chances drawn once: drawing them anew is slow on a processor.

    Parameters
    ----------
    share : float
        Of the values, how many become 0 in training; the others are scaled up.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.rng = random.Random(0)
        self.kept: dict[torch.dtype, torch.Tensor] = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return `x` in serving, and a scaled part of it in training."""
        if not self.training or not self.share:
            return x
        if x.dtype not in self.kept:
            kept = torch.rand(_DRAWN) >= self.share
            self.kept[x.dtype] = kept.to(x.dtype) / (1 - self.share)
        start = self.rng.randrange(_DRAWN - x.numel())
        return x * self.kept[x.dtype][start : start + x.numel()].view_as(x)


class Block(nn.Module):
    """One transformer layer."""

    def __init__(self, hidden: int, heads: int, inner: int, dropout: Dropout) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.ao = nn.Linear(hidden, hidden)
        self.aln = nn.LayerNorm(hidden, eps=1e-12)
        self.fi = nn.Linear(hidden, inner)
        self.fo = nn.Linear(inner, hidden)
        self.oln = nn.LayerNorm(hidden, eps=1e-12)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Map (batch, length, hidden) to the same shape; `bias` is added to attention scores."""
        b, n, h = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        # Written out: PyTorch's fused attention took a third of a step in its backward pass here.
        scores = torch.matmul(q * (h // self.heads) ** -0.5, k.transpose(-1, -2)) + bias
        a = torch.matmul(torch.softmax(scores, -1, dtype=v.dtype), v)
        x = self.aln(x + self.dropout(self.ao(a.transpose(1, 2).reshape(b, n, h))))
        return self.oln(x + self.dropout(self.fo(F.gelu(self.fi(x)))))


class Encoder(nn.Module):
    """Embeddings, layers, and a linear head over the marks; dropout after `train()` only."""

    def __init__(
        self,
        shape: dict[str, int],
        vocabulary: int,
        layers: int,
        marks: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        hidden = shape["hidden"]
        self.dropout = Dropout(dropout)
        self.word = nn.Embedding(vocabulary, hidden)
        self.position = nn.Embedding(shape["positions"], hidden)
        self.kind = nn.Parameter(torch.zeros(hidden))
        self.ln = nn.LayerNorm(hidden, eps=1e-12)
        self.blocks = nn.ModuleList(
            Block(hidden, shape["heads"], shape["inner"], self.dropout) for _ in range(layers)
        )
        self.head = nn.Linear(hidden, marks)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Return logits (batch, length, marks) for int64 ids; `real` is False on padding."""
        return self.head(self.hidden(ids, real))

    def hidden(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Return what the last layer gives, (batch, length, hidden)."""
        x = self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind
        x = self.dropout(self.ln(x))
        dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else x.dtype
        bias = torch.zeros(real.shape, dtype=dtype).masked_fill_(~real, -1e4)[:, None, None, :]
        for block in self.blocks:
            x = block(x, bias)
        return x


def from_source(
    source: Source, rows: np.ndarray, layers: list[int], marks: int, dropout: float = 0.0
) -> tuple[Encoder, dict[str, Any]]:
    """Build the encoder from the source's weights.

    Parameters
    ----------
    source : Source
        What `read_source` gave.
    rows : ndarray of int64, shape (vocabulary,)
        The source row of each token.
    layers : list of int
        Which of the source's layers to keep, in order.
    marks : int
        Width of the head.
    dropout : float
        Share of the values that each layer loses in training.

    Returns
    -------
    encoder : Encoder
        With copied weights and a fresh head.
    shape : dict
        The keyword arguments that build it again.
    """
    encoder = Encoder(source.shape, len(rows), len(layers), marks, dropout)
    tensor = {name: torch.from_numpy(value) for name, value in source.tensors.items()}
    with torch.no_grad():
        encoder.word.weight.copy_(tensor["emb.word"][torch.from_numpy(rows)])
        encoder.position.weight.copy_(tensor["emb.pos"])
        encoder.kind.copy_(tensor["emb.type"][0])
        _copy(encoder.ln, tensor, "emb.ln")
        for block, number in zip(encoder.blocks, layers, strict=True):
            for part in ("w", "b"):
                name = "weight" if part == "w" else "bias"
                joined = torch.cat([tensor[f"l{number}.{x}.{part}"] for x in "qkv"])
                getattr(block.qkv, name).copy_(joined)
            for part in ("ao", "fi", "fo", "aln", "oln"):
                _copy(getattr(block, part), tensor, f"l{number}.{part}")
    shape = {
        "shape": source.shape,
        "vocabulary": len(rows),
        "layers": len(layers),
        "marks": marks,
    }
    return encoder, shape


def _copy(module: Any, tensor: dict[str, torch.Tensor], name: str) -> None:
    module.weight.copy_(tensor[f"{name}.w"].view_as(module.weight))
    module.bias.copy_(tensor[f"{name}.b"].view_as(module.bias))
