"""Text as the starter's training reads it: drawn windows as ids, in batches of like lengths."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import torch

from model.encoding import Encoder as UnitEncoder
from model.starter.corpora import Lines, draw, weights
from model.starter.recipe import Recipe
from model.wordpiece import WordPiece

IGNORED: Final = -100


class Tokens:
    """Units to ids, exactly as serving looks them up.

    Parameters
    ----------
    folder : Path
        Holds ``vocab.txt`` and ``tokenizer_config.json``.
    """

    def __init__(self, folder: Path) -> None:
        self._encoder = UnitEncoder(WordPiece(folder), lowercase=True)
        self.first, self.last = self._encoder.cls_id, self._encoder.sep_id
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]

    def ids(self, units: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the sub-tokens of units, and for each the number of its unit."""
        encoded = self._encoder.encode(units)
        return encoded.ids.astype(np.int64), np.repeat(np.arange(len(units)), encoded.lengths)

    def window(
        self, units: list[str], labels: list[int], learn: int
    ) -> tuple[list[int], list[int]]:
        """Return ids and labels of one window; a unit's label sits on its last sub-token."""
        encoded = self._encoder.encode(units)
        marks = np.full(len(encoded.ids), IGNORED)
        marks[encoded.offsets[1 : learn + 1] - 1] = labels[:learn]
        ids = [self.first, *encoded.ids[:510].tolist(), self.last]
        return ids, [IGNORED, *marks[:510].tolist(), IGNORED]


def batches(
    sources: list[Lines], tokens: Tokens, recipe: Recipe, seed: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield batches without end: ids, real, labels, each (batch, length).

    Windows are drawn in pools and sorted by length, so that little is padded.
    """
    rng = random.Random(seed)
    chances = weights(sources)
    while True:
        pool = []
        for source in rng.choices(sources, chances, k=768):
            units, labels, at_end = draw(source, rng, recipe.window)
            learn = len(units) if at_end else max(1, len(units) - recipe.edge)
            pool.append(tokens.window(units, labels, learn))
        pool.sort(key=lambda window: len(window[0]))
        groups: list[list[tuple[list[int], list[int]]]] = []
        group: list[tuple[list[int], list[int]]] = []
        for window in pool:
            if group and len(window[0]) * (len(group) + 1) > recipe.tokens_a_step:
                groups.append(group)
                group = []
            group.append(window)
        groups.append(group)
        rng.shuffle(groups)
        yield from map(collate, groups)


def collate(group: list[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, ...]:
    """Pad windows to the longest of them."""
    length = max(len(ids) for ids, _ in group)
    ids = torch.zeros(len(group), length, dtype=torch.int64)
    labels = torch.full((len(group), length), IGNORED)
    real = torch.zeros(len(group), length, dtype=torch.bool)
    for row, (window, marks) in enumerate(group):
        ids[row, : len(window)] = torch.tensor(window)
        labels[row, : len(marks)] = torch.tensor(marks)
        real[row, : len(window)] = True
    return ids, real, labels
