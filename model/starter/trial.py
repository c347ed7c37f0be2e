"""Which start learns best? A few short runs beside each other, on the same text.

    python -m model.starter.trial --data FOLDER --work FOLDER [--steps 300]

Each run has `steps` batches of about 2,000 sub-tokens from the source's weights: with six
and with ten of its twelve layers, and with ten where half of the steps go into guessing
masked tokens of punctuated text, half of the masks on marks, as Attendi did for care reports.
They are compared on held-out text by the loss a slot and by micro F1 over ten marks.
"""

import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from model.marks import ALL_MARKS
from model.starter.batches import IGNORED, Tokens, batches, collate
from model.starter.corpora import Lines, draw, weights
from model.starter.encoder import Encoder
from model.starter.recipe import Recipe
from model.starter.training import Run

_WRITTEN = {
    "COMMA": ",", "PERIOD": ".", "QUESTION": "?", "EXCLAMATION": "!", "COLON": ":",
    "SEMICOLON": ";", "ENUMERATION": ",", "DASH": "-", "PARAGRAPH": ".",
}  # fmt: skip
assert _WRITTEN.keys() <= set(ALL_MARKS.names)
_MASKED = 0.15


class Guessing(torch.nn.Module):
    """The encoder with its own word embedding as the output layer.

    Parameters
    ----------
    encoder : Encoder
        Shared with the classifier that comes after.
    """

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.bias = torch.nn.Parameter(torch.zeros(encoder.word.num_embeddings))

    def forward(self, ids: torch.Tensor, real: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        """Return logits (masked tokens, vocabulary) at the chosen places."""
        return F.linear(self.encoder.hidden(ids, real)[chosen], self.encoder.word.weight, self.bias)


def with_marks(units: list[str], labels: list[int]) -> tuple[list[str], list[bool]]:
    """Put marks between units, as tokens of their own; say which ones are marks."""
    tokens, marks = [], []
    for unit, label in zip(units, labels, strict=True):
        tokens.append(unit)
        marks.append(False)
        if sign := _WRITTEN.get(ALL_MARKS.names[label]):
            tokens.append(sign)
            marks.append(True)
    return tokens, marks


def masked(
    ids: np.ndarray, marks: np.ndarray, mask_id: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Hide a share of the tokens, half of them marks where there are so many.

    Returns
    -------
    ids, labels : ndarray of int64, shape (n,)
        With the mask's id where a token is hidden; its own id there, and -100 elsewhere.
    """
    wanted = max(2, round(_MASKED * len(ids)))
    signs, words = np.flatnonzero(marks), np.flatnonzero(~marks)
    of_signs = min(len(signs), wanted // 2)
    hidden = np.concatenate(
        [
            rng.choice(signs, of_signs, replace=False),
            rng.choice(words, min(len(words), wanted - of_signs), replace=False),
        ]
    ).astype(int)
    labels = np.full(len(ids), IGNORED)
    labels[hidden] = ids[hidden]
    ids = ids.copy()
    ids[hidden] = mask_id
    return ids, labels


def masked_batches(sources: list[Lines], tokens: Tokens, recipe: Recipe, seed: int):
    """Yield batches without end, as `training.batches` does, of masked text with its marks."""
    rng, chance = random.Random(seed), np.random.default_rng(seed)
    mask_id = tokens.vocabulary.index("[MASK]")
    while True:
        pool = []
        for source in rng.choices(sources, weights(sources), k=768):
            units, labels, _ = draw(source, rng, recipe.window)
            written, marks = with_marks(units, labels)
            ids, owner = tokens.ids(written)
            hidden, truth = masked(ids, np.array(marks)[owner], mask_id, chance)
            window = [tokens.first, *hidden[:510].tolist(), tokens.last]
            pool.append((window, [IGNORED, *truth[:510].tolist(), IGNORED]))
        pool.sort(key=lambda pair: len(pair[0]))
        count = max(1, recipe.tokens_a_step // (sum(len(w) for w, _ in pool) // len(pool)))
        groups = [pool[at : at + count] for at in range(0, len(pool), count)]
        rng.shuffle(groups)
        yield from map(collate, groups)


def guess(run: Run, steps: int) -> None:
    """Train the run's encoder on masked text, with an optimiser of its own."""
    model = Guessing(run.encoder)
    optimiser = torch.optim.AdamW(model.parameters(), lr=run.recipe.peak, betas=(0.9, 0.98))
    stream = masked_batches(run.train, run.tokens, run.recipe, 7)
    for step, (ids, real, labels) in zip(range(steps), stream, strict=False):
        for group in optimiser.param_groups:
            group["lr"] = run.recipe.peak * min(1.0, (step + 1) / 100)
        chosen = labels != IGNORED
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(ids, real, chosen)
        loss = F.cross_entropy(logits.float(), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), run.recipe.clip)
        optimiser.step()
        if (step + 1) % 50 == 0:
            print(f"  masked step {step + 1}: loss {loss.item():.2f}", flush=True)


def held_out_loss(run: Run, texts: int = 24) -> float:
    """Mean cross-entropy a slot on held-out text, of the weights as they are."""
    total, slots = 0.0, 0
    run.encoder.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for source in run.held:
            rng = random.Random(1)
            drawn = [draw(source, rng, run.recipe.window)[:2] for _ in range(texts)]
            group = [run.tokens.window(units, labels, len(units)) for units, labels in drawn]
            ids, real, labels = collate(group)
            logits = run.encoder(ids, real).float().flatten(0, 1)
            total += F.cross_entropy(logits, labels.flatten(), reduction="sum").item()
            slots += int((labels != IGNORED).sum())
    run.encoder.train()
    return total / slots


def main() -> None:
    """Read the command line and print a line for each start."""
    about = __doc__.splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m model.starter.trial", description=about)
    parser.add_argument("--data", type=Path, required=True, help="folder of *.txt.xz files")
    parser.add_argument("--work", type=Path, required=True, help="an empty folder")
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    if (options.work / "state.pt").exists():
        parser.error(f"{options.work} holds a run; a start from its weights would be no start")
    for name, layers, masked_steps in (
        ("six layers", 6, 0),
        ("ten layers", 10, 0),
        ("ten layers, masked first", 10, options.steps // 2),
    ):
        recipe = Recipe(warm_up=100, layers=tuple(range(layers)))
        run = Run(options.data, options.work, recipe)
        guess(run, masked_steps)
        stream = batches(run.train, run.tokens, recipe, 5)
        began = time.process_time()
        for _ in range(options.steps - masked_steps):
            run.one_step(next(stream))
        seconds = (time.process_time() - began) / (options.steps - masked_steps)
        print(
            f"{name}: held-out loss {held_out_loss(run):.4f}, F1 {run.held_out()}, "
            f"{seconds:.2f} processor seconds a step",
            flush=True,
        )


if __name__ == "__main__":
    main()
