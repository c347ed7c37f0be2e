"""The starter's long training: drawn windows, bfloat16, resumable at any moment.

An exponential mean of the weights is kept beside them; it is what snapshots hold. Each start of a
run leaves one that later ones keep.
"""

import json
import pickle
import random
import shutil
import signal
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from model.marks import ALL_MARKS
from model.starter.batches import IGNORED, Tokens, batches, collate
from model.starter.corpora import CORPORA, Lines, all_units, draw, read_corpora
from model.starter.encoder import Encoder, from_source
from model.starter.recipe import Recipe
from model.starter.schedule import Schedule
from model.starter.source import locate, read_source
from model.starter.vocabulary import choose


def prepare(data: Path, work: Path, recipe: Recipe) -> tuple[list[Lines], list[Lines]]:
    """Read the corpora and make the vocabulary once; later calls take them from `work`."""
    work.mkdir(parents=True, exist_ok=True)
    cache = work / "corpora.pickle"
    if cache.exists():
        # Our own file, made below. How much of each corpus is drawn may have changed since.
        read_train, read_held = (
            [replace(lines, corpus=CORPORA[lines.name]) for lines in part]
            for part in pickle.loads(cache.read_bytes())[:2]
        )
        return read_train, read_held
    train, held = read_corpora(data)
    source = read_source(locate())
    tokens, rows = choose(all_units(train), source.pieces, recipe.vocabulary)
    np.save(work / "rows.npy", rows)
    (work / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    kind = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    (work / "tokenizer_config.json").write_text(json.dumps(kind))
    cache.write_bytes(pickle.dumps((train, held)))
    return train, held


def parameter_groups(encoder: Encoder, recipe: Recipe) -> list[dict[str, Any]]:
    """Group what learns by its share of the rate, and by whether it decays.

    A lower rate for lower layers is that of Howard and Ruder, 2018 (discriminative
    fine-tuning); embeddings that stay are what Kumar et al., 2022, found to help on text of
    another kind.

    Returns
    -------
    list of dict
        For the optimiser; ``share`` is what the rate is multiplied with.
    """
    for module in (encoder.word, encoder.position):
        module.weight.requires_grad_(recipe.learn_words)
    shares = {"head": recipe.head_rate}
    for depth, _ in enumerate(encoder.blocks):
        shares[f"blocks.{depth}"] = recipe.layer_rate ** (len(encoder.blocks) - 1 - depth)
    lowest = recipe.layer_rate ** len(encoder.blocks)
    groups: dict[tuple[float, bool], list[torch.nn.Parameter]] = {}
    for name, parameter in encoder.named_parameters():
        if parameter.requires_grad:
            part = ".".join(name.split(".")[: 2 if name.startswith("blocks") else 1])
            key = (shares.get(part, lowest), parameter.ndim > 1)
            groups.setdefault(key, []).append(parameter)
    return [
        {
            "params": parameters,
            "share": share,
            "weight_decay": recipe.weight_decay if decays else 0.0,
        }
        for (share, decays), parameters in groups.items()
    ]


class Run:
    """One training run in a folder: state, log, snapshots."""

    def __init__(self, data: Path, work: Path, recipe: Recipe) -> None:
        self.work, self.recipe = work, recipe
        self.train, self.held = prepare(data, work, recipe)
        self.tokens = Tokens(work)
        source = read_source(locate())
        rows = np.load(work / "rows.npy")
        torch.manual_seed(recipe.seed)
        self.encoder, self.shape = from_source(
            source, rows, list(recipe.layers), len(ALL_MARKS.names), recipe.dropout
        )
        self.encoder.train()
        self.mean = {k: v.detach().clone() for k, v in self.encoder.state_dict().items()}
        self.optimiser = torch.optim.AdamW(
            parameter_groups(self.encoder, recipe),
            lr=recipe.peak,
            betas=(0.9, 0.98),
            fused=True,
        )
        self.step, self.seen = 0, 0
        self.schedule = Schedule(recipe.peak, recipe.floor, recipe.warm_up)
        if (work / "state.pt").exists():
            self._load()

    def _load(self) -> None:
        state = torch.load(self.work / "state.pt", weights_only=True)
        self.encoder.load_state_dict(state["encoder"])
        self.mean = state["mean"]
        now = [(group["share"], group["weight_decay"]) for group in self.optimiser.param_groups]
        self.optimiser.load_state_dict(state["optimiser"])
        for group, (share, decay) in zip(self.optimiser.param_groups, now, strict=True):
            group["share"], group["weight_decay"] = share, decay  # the recipe may have changed
        self.step, self.seen = state["step"], state["seen"]
        for key in self.schedule.state():
            if key in state:  # a run from before reruns lacks two of them
                setattr(self.schedule, key, state[key])

    def save(self) -> None:
        """Write the state in one move, and a snapshot of the mean weights."""
        state = {
            "encoder": self.encoder.state_dict(),
            "mean": self.mean,
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seen": self.seen,
        } | self.schedule.state()
        torch.save(state, self.work / "state.part")
        (self.work / "state.part").replace(self.work / "state.pt")
        torch.save({"mean": self.mean, "shape": self.shape}, self.work / "snapshot.part")
        (self.work / "snapshot.part").replace(self.work / "snapshot.pt")
        so_far = {"step": self.step, "sub_tokens_seen": self.seen}
        about = asdict(self.recipe) | self.schedule.state() | so_far
        (self.work / "run.json").write_text(json.dumps(about, indent=1))

    def one_step(self, batch: tuple[torch.Tensor, ...]) -> float:
        """Learn from one batch, and return its loss."""
        ids, real, labels = batch
        rate = self.schedule.at(self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["share"]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self.encoder(ids, real)
        loss = F.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), self.recipe.clip)
        self.optimiser.step()
        decay = min(self.recipe.ema, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            now = self.encoder.state_dict()
            names = list(now)
            torch._foreach_lerp_([self.mean[n] for n in names], [now[n] for n in names], 1 - decay)
        self.step += 1
        self.seen += int(real.sum())
        return loss.item()

    def go(self, minutes: float, finish: int = 0, again: float = 0.0) -> None:
        """Train until the time is over, a signal asks to stop, or the rate has fallen.

        Parameters
        ----------
        minutes : float
            Wall-clock time at most.
        finish : int
            Where above 0, let the rate fall from now on, over that many steps, then stop.
        again : float
            Where above 0, let the rate of a run that has ended rise to this again first.

        Raises
        ------
        ValueError
            It shall rise again, and has not fallen yet.
        """
        if again:
            self.schedule.rise_again(self.step, again)
        if finish:
            self.schedule.fall(self.step, finish)
        began = time.monotonic()
        asked = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: asked.set())
        losses: list[float] = []
        stream = batches(self.train, self.tokens, self.recipe, self.recipe.seed + self.step)
        for batch in stream:
            losses.append(self.one_step(batch))
            ended = self.schedule.ended(self.step)
            over = asked.is_set() or time.monotonic() - began > 60 * minutes
            if self.step % 50 == 0:
                rate = self.schedule.at(self.step)
                self._log({"step": self.step, "loss": float(np.mean(losses)), "rate": rate})
                losses = []
            if self.step % 500 == 0 or ended or over:
                self._log({"step": self.step, "held": self.held_out()})
                self.save()
            if ended or over:
                # For `write --mean`: the next start writes over snapshot.pt.
                shutil.copyfile(self.work / "snapshot.pt", self.work / f"snapshot-{self.step}.pt")
                break

    def _log(self, entry: dict[str, Any]) -> None:
        entry |= {"seen": self.seen, "at": time.strftime("%H:%M:%S")}
        line = json.dumps(entry)
        with (self.work / "log.jsonl").open("a") as file:
            file.write(line + "\n")
        print(line, flush=True)

    def held_out(self, texts: int = 24) -> dict[str, float]:
        """Return micro F1 without NONE on held-out text, a language each, of the mean weights."""
        encoder = Encoder(**self.shape).eval()
        encoder.load_state_dict(self.mean)
        counts: dict[str, np.ndarray] = {}
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            for source in self.held:
                rng = random.Random(1)
                group = []
                for _ in range(texts):
                    units, labels, _ = draw(source, rng, self.recipe.window)
                    group.append(self.tokens.window(units, labels, len(units)))
                ids, real, truth = collate(group)
                best = encoder(ids, real).argmax(-1)
                known = truth != IGNORED
                right = (known & (truth > 0) & (best == truth)).sum()
                count = np.array([right, (known & (best > 0)).sum(), (known & (truth > 0)).sum()])
                counts[source.language] = counts.get(source.language, 0) + count
        return {k: round(float(200 * c[0] / (c[1] + c[2])), 1) for k, c in counts.items()}
