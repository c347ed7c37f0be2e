"""The product's training step as one writes it in PyTorch: the same loss from the same weights."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from benchmarks.torch_bert import load_torch_bert
from model.card import read_card
from model.marks import MarkSet
from model.processor import threads_to_use
from model.training_batches import IGNORED, Piece, padded
from model.training_settings import TrainSettings


class TorchLearner:
    """A token classifier that learns batch by batch, as `model.learner.Learner` does.

    Written from what the product says that it does, without its code: a test compares the two.

    Parameters
    ----------
    folder : Path
        A BERT model folder whose card has all marks of the settings.
    settings : TrainSettings
        How to learn; the marks are named there, and nothing is dropped.
    steps : int
        How many there will be: the learning rate depends on it.
    fused : bool
        Take PyTorch's fused AdamW, which people must ask for.
    """

    def __init__(self, folder: Path, settings: TrainSettings, steps: int, *, fused: bool = False):
        if settings.dropout or settings.layer_decay != 1.0 or not settings.marks:
            raise ValueError("Named marks, no dropout, and one learning rate for all layers.")
        torch.set_num_threads(threads_to_use())
        card = read_card(folder)
        self.layer = load_torch_bert(folder).requires_grad_(True)
        with torch.no_grad():  # logits outside the loss are those at temperature 1
            for name in ("weight", "bias"):
                self.layer.weights[f"classifier/{name}"] /= card.temperature
        marks = MarkSet(settings.marks)
        self._groups = [
            torch.tensor([i for i, name in enumerate(card.marks) if marks.fold[name] == mark])
            for mark in range(len(marks))
        ]
        self._weights = torch.tensor(
            [settings.class_weights.get(name, 1.0) for name in marks.names], dtype=torch.float32
        )
        matrices = [p for p in self.layer.parameters() if p.ndim > 1]
        others = [p for p in self.layer.parameters() if p.ndim < 2]
        self._optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": settings.weight_decay},
                {"params": others, "weight_decay": 0.0},
            ],
            settings.learning_rate,
            fused=fused,
        )
        warmup = max(1, round(steps * settings.warmup))
        self._rate = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda step: (
                (step + 1) / warmup
                if step < warmup
                else max(0.0, (steps - step) / max(1, steps - warmup))
            ),
        )

    def learn(self, pieces: Sequence[Piece], step: int) -> float:
        """Take one step.

        Parameters
        ----------
        pieces : sequence of Piece
            A batch.
        step : int
            Its number; without dropout, nothing depends on it.

        Returns
        -------
        float
            The loss before the step.
        """
        ids, labels = padded(pieces, pad_id=0)
        tokens = torch.from_numpy(ids)
        loss = self.loss(self.layer(tokens, (tokens == 0)[:, None, None] * -1e4), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.layer.parameters(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self._rate.step()
        return float(loss.detach())

    def loss(self, logits: torch.Tensor, labels: np.ndarray) -> torch.Tensor:
        """Weighted cross-entropy of all outputs, folded into the marks, with adjusted logits.

        Parameters
        ----------
        logits : Tensor of float32, shape (n, length, n_outputs)
            The model's.
        labels : ndarray of int64, shape (n, length)
            Mark ids; -100 where there is no slot.

        Returns
        -------
        Tensor of float32
            One number.
        """
        flat = torch.from_numpy(labels.reshape(-1))
        where = torch.nonzero(flat != IGNORED).squeeze(1)
        slots = logits.reshape(-1, logits.shape[-1])[where]
        folded = torch.stack([slots[:, group].logsumexp(1) for group in self._groups], dim=1)
        return F.cross_entropy(folded + self._weights.log(), flat[where], weight=self._weights)
