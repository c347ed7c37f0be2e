"""A training step put through the Paddle kernels that are fast on a processor.

Three things took much of a step: copies of transposed views (the stride kernels,
which `model.processor` switches off), adding a mask that is spread over heads and rows in
every layer, and summing up the gradient of each bias. Here the mask is spread once a batch,
and a bias goes in as a product with a column of ones, so that a matrix product sums its
gradient. `python -m benchmarks.training` measures a step.
"""

from types import MethodType
from typing import Any, Final

import numpy as np
import paddle

# Encoders that add a mask of four dimensions to their scores as it is; others read it otherwise,
# or make their own from the ids, as all of these do too where none is given.
TAKES_SPREAD_MASKS: Final = frozenset({"bert", "ernie", "roberta", "electra"})
_NOWHERE: Final = np.float32(-1e4)  # what PaddleNLP's encoders add to the scores of padding


def quicken(layer: Any) -> None:
    """Let the linear layers in a layer add their biases so that learning them is fast."""
    for part in layer.sublayers():
        if isinstance(part, paddle.nn.Linear) and part.bias is not None:
            _replace_forward(part)


def _replace_forward(linear: Any) -> None:
    linear.forward = MethodType(_linear, linear)


def _linear(self: Any, x: Any) -> Any:
    ones = paddle.ones([*x.shape[:-1], 1], x.dtype)
    return paddle.matmul(x, self.weight) + paddle.matmul(ones, self.bias.unsqueeze(0))


def attention_mask(ids: np.ndarray, pad_id: int, heads: int) -> np.ndarray:
    """Spread out what is added to attention scores, so that no token looks at padding.

    Parameters
    ----------
    ids : ndarray of int64, shape (n, length)
        A batch, padded.
    pad_id : int
        The id of padding.
    heads : int
        Attention heads of the encoder.

    Returns
    -------
    ndarray of float32, shape (n, heads, length, length)
        0 where a token is, -10,000 where padding is.
    """
    n, length = ids.shape
    mask = np.where(ids == pad_id, _NOWHERE, np.float32(0))[:, None, None, :]
    return np.ascontiguousarray(np.broadcast_to(mask, (n, heads, length, length)))
