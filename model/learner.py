"""The part of a training that computes with Paddle: forward, backward, optimizer, states."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from model.card import CARD, Card, read_card
from model.checkpoint import load_for_training, save_checkpoint
from model.encoding import Encoder, most_tokens
from model.marks import DEFAULT_MARKS, MarkSet
from model.processor import prepare_processor, reuse_freed_memory
from model.training_batches import IGNORED, Piece, cut_pieces, padded
from model.training_settings import Example, TrainSettings

prepare_processor()

import paddle  # noqa: E402
import paddle.nn.functional as F  # noqa: E402

from model.training_kernels import TAKES_SPREAD_MASKS, attention_mask, quicken  # noqa: E402


class Learner:
    """A token classifier that learns batch by batch.

    Parameters
    ----------
    parent : Path or str
        Model folder, or the name of an encoder.
    settings : TrainSettings
        How to learn.
    """

    def __init__(self, parent: Path | str, settings: TrainSettings):
        self.settings = settings
        reuse_freed_memory()
        # A bare encoder has no card; its classifier starts anew.
        has_card = Path(parent).is_dir() and (Path(parent) / CARD).is_file()
        fresh = Card(marks=settings.marks or DEFAULT_MARKS.names, base=str(parent))
        self.card = read_card(parent) if has_card else fresh
        if settings.max_units is not None:
            self.card = self.card.with_windows(settings.max_units)
        self.marks = MarkSet(tuple(settings.marks or self.card.marks))
        # The head keeps the parent's outputs, also those that these labels don't know: serving
        # gives their probability to their kin, so learning must too, or a round would begin with
        # a worse model than the one that serves.
        new = [name for name in self.marks.names if name not in self.card.mark_set.ids]
        self.outputs = MarkSet((*self.card.marks, *new))
        self._groups = [
            [self.outputs.ids[name] for name in self.outputs.names if self.marks.fold[name] == mark]
            for mark in range(len(self.marks))
        ]
        paddle.seed(settings.seed)
        self.layer, self.tokenizer = load_for_training(parent, self.outputs, settings.dropout)
        self.encoder = Encoder(self.tokenizer, self.card.lowercase)
        weights = [settings.class_weights.get(name, 1.0) for name in self.marks.names]
        self._weights = paddle.to_tensor(np.array(weights, dtype=np.float32))
        self._shift = paddle.log(self._weights)
        self._heads_at_temperature_one()
        quicken(self.layer)

    def cut(self, examples: Sequence[Example], *, reading: bool = False) -> list[Piece]:
        """Cut transcripts into this model's windows, to learn from or to read (`cut_pieces`)."""
        return cut_pieces(
            [example.units for example in examples],
            [example.labels for example in examples],
            self.encoder,
            max_units=self.card.max_units,
            overlap=self.card.overlap,
            max_tokens=most_tokens(self.layer.config.to_dict()),
            reading=reading,
        )

    def prepare(self, steps: int) -> None:
        """Make the optimizer for so many steps: linear warm-up, then linear decay to 0."""
        settings = self.settings
        warmup = max(1, round(steps * settings.warmup))

        def share(step: int) -> float:
            if step < warmup:
                return (step + 1) / warmup
            return max(0.0, (steps - step) / max(1, steps - warmup))

        self._rate = paddle.optimizer.lr.LambdaDecay(settings.learning_rate, share)
        named = dict(self.layer.named_parameters())
        for name, parameter in named.items():
            parameter.optimize_attr["learning_rate"] = self._layer_share(name)
        # Matrices decay; biases and layer norms don't.
        decayed = {p.name for p in named.values() if len(p.shape) > 1}
        self._optimizer = paddle.optimizer.AdamW(
            self._rate,
            parameters=list(named.values()),
            weight_decay=settings.weight_decay,
            apply_decay_param_fun=decayed.__contains__,
            grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
        )

    def learn(self, pieces: Sequence[Piece], step: int) -> float:
        """Take one step.

        Parameters
        ----------
        pieces : sequence of Piece
            A batch.
        step : int
            Its number, from 0; with dropout, the seed of what is dropped.

        Returns
        -------
        float
            The loss before the step: weighted cross-entropy a slot.
        """
        if self.settings.dropout:
            paddle.seed(self.settings.seed * 1_000_003 + step)
        self.layer.train()
        ids, labels = padded(pieces, self.encoder.pad_id)
        loss = self.loss(self._logits(ids), labels)
        loss.backward()
        self._optimizer.step()
        self._optimizer.clear_grad()
        self._rate.step()
        return float(loss)

    def loss(self, logits: Any, labels: np.ndarray) -> Any:
        """Weighted cross-entropy over the labelled positions, with its logits adjusted.

        Parameters
        ----------
        logits : Tensor of float32, shape (n, length, n_outputs)
            The model's; outputs that the labels don't know count for their kin.
        labels : ndarray of int64, shape (n, length)
            Mark ids; -100 where there is no slot.

        Returns
        -------
        Tensor of float32
            One number.
        """
        flat = labels.reshape(-1)
        where = np.flatnonzero(flat != IGNORED)
        slots = paddle.gather(logits.reshape([-1, len(self.outputs)]), paddle.to_tensor(where))
        return F.cross_entropy(
            self._folded(slots) + self._shift, paddle.to_tensor(flat[where]), weight=self._weights
        )

    def probabilities(self, pieces: Sequence[Piece], lengths: Sequence[int]) -> list[np.ndarray]:
        """Predict slots.

        Parameters
        ----------
        pieces : sequence of Piece
            Windows of texts, cut for reading.
        lengths : sequence of int
            Units of each text.

        Returns
        -------
        list of ndarray of float32, shape (n_units, n_outputs)
            At temperature 1, for each text; of the marks of `outputs`.
        """
        self.layer.eval()
        out = [np.zeros((n, len(self.outputs)), dtype=np.float32) for n in lengths]
        order = sorted(range(len(pieces)), key=lambda i: len(pieces[i].ids))
        with paddle.no_grad():
            for start in range(0, len(order), 16):
                batch = [pieces[i] for i in order[start : start + 16]]
                ids, labels = padded(batch, self.encoder.pad_id)
                table = self._logits(ids).numpy()
                for row, piece in enumerate(batch):
                    slots = table[row][labels[row] != IGNORED]
                    out[piece.text][piece.start : piece.stop] += slots * piece.share[:, None]
        return [special.softmax(logits, axis=1) for logits in out]

    def weights(self) -> dict[str, np.ndarray]:
        """Return a copy of the layer's weights."""
        return {name: value.numpy().copy() for name, value in self.layer.state_dict().items()}

    def use(self, weights: dict[str, Any]) -> None:
        """Put weights into the layer."""
        self.layer.set_state_dict(weights)

    def optimizer_state(self) -> dict[str, Any]:
        """Return what the optimizer remembers, by names that another process has too."""
        names = {p.name: name for name, p in self.layer.named_parameters()}
        return _renamed(self._optimizer.state_dict(), names)

    def use_optimizer(self, state: dict[str, Any]) -> None:
        """Go on with what an optimizer remembered."""
        names = {name: p.name for name, p in self.layer.named_parameters()}
        self._optimizer.set_state_dict(_renamed(state, names))

    def save(
        self,
        folder: Path,
        temperature: float,
        thresholds: dict[str, float],
        story: dict[str, Any],
    ) -> None:
        """Write the model folder; `story` goes into the card as ``training``."""
        card = self.card.changed(
            marks=self.outputs.names,
            temperature=temperature,
            thresholds=thresholds,
            more=self.card.more | {"training": story | {"settings": asdict(self.settings)}},
        )
        save_checkpoint(self.layer, self.tokenizer, folder, card)

    def _logits(self, ids: np.ndarray) -> Any:
        masks: dict[str, Any] = {}
        if self.layer.base_model_prefix in TAKES_SPREAD_MASKS:
            heads = self.layer.config.num_attention_heads
            mask = attention_mask(ids, self.encoder.pad_id, heads)
            masks["attention_mask"] = paddle.to_tensor(mask)
        out = self.layer(paddle.to_tensor(ids), **masks)
        return (out[0] if isinstance(out, (tuple, list)) else out).astype("float32")

    def _folded(self, slots: Any) -> Any:
        """Add up the outputs of each mark, as logits: softmax of these is the folded softmax."""
        if self._groups == [[mark] for mark in range(len(self.marks))]:
            return slots
        columns = [
            paddle.logsumexp(paddle.index_select(slots, paddle.to_tensor(group), axis=1), axis=1)
            for group in self._groups
        ]
        return paddle.stack(columns, axis=1)

    def _heads_at_temperature_one(self) -> None:
        """Divide the classifier by the parent's temperature, so that its logits are honest."""
        if self.card.temperature != 1.0:
            head = self.layer.classifier
            for parameter in head.parameters():
                parameter.set_value(parameter / self.card.temperature)

    def _layer_share(self, name: str) -> float:
        """Return the share of the learning rate that a parameter gets."""
        if self.settings.layer_decay == 1.0 or name.startswith("classifier"):
            return 1.0
        layers = int(self.layer.config.num_hidden_layers)
        parts = name.split(".")
        depth = int(parts[parts.index("layers") + 1]) + 1 if "layers" in parts else 0
        return float(self.settings.layer_decay ** (layers + 1 - depth))


def _renamed(state: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Give an optimizer's entries other parameters' names: Paddle numbers them by process."""
    longest_first = sorted(names, key=len, reverse=True)
    out: dict[str, Any] = {}
    for key, value in state.items():
        old = next((n for n in longest_first if key == n or key.startswith(n + "_")), None)
        if key == "master_weights" or old is None:
            out[key] = value
        else:
            out[names[old] + key[len(old) :]] = value
    return out
