"""What a model makes of the regression texts, and how that differs from last time.

`en.jsonl`, `nl.jsonl` and `zh.jsonl` hold texts that were written for this purpose, with
the marks that a careful editor puts; no model is trained on them. `stored.json` holds the
texts as the starter marked them when someone last looked and was content.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from model.marks import DEFAULT_MARKS
from model.metrics import micro_f1, text_counts
from model.punctuation import parse
from model.units import unit_texts

HERE: Final = Path(__file__).parent
CHECKPOINT: Final = HERE.parent.parent / "model" / "starter" / "checkpoint"
STORED: Final = HERE / "stored.json"
LANGUAGES: Final = ("zh", "nl", "en")


@dataclass(frozen=True, slots=True)
class Sample:
    """One text without marks, and with the marks that a careful editor puts."""

    text: str
    marked: str


def read_samples(language: str) -> list[Sample]:
    """Read the regression texts of one language, in file order."""
    lines = (HERE / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Sample(**json.loads(line)) for line in lines]


def mark_with(folder: Path) -> dict[str, list[str]]:
    """Let the model in a folder mark all regression texts: one list a language."""
    from model.predictor import load_predictor
    from model.punctuate import punctuate

    predictor = load_predictor(folder, bfloat16=False)
    marked = {}
    for language in LANGUAGES:
        texts = [sample.text for sample in read_samples(language)]
        results = punctuate(texts, predictor, language=language, marks=DEFAULT_MARKS)
        marked[language] = [result.text for result in results]
    return marked


def labels(text: str) -> np.ndarray:
    """Read a text's marks as ids of the default set; what it lacks goes to the nearest kin."""
    return np.array(DEFAULT_MARKS.encode(parse(text).marks), dtype=np.int64)


def micro_points(careful: Sequence[str], marked: Sequence[str]) -> float:
    """Micro F1 without NONE of marked texts against careful ones, in points of 100."""
    counts = text_counts([labels(text) for text in careful], [labels(text) for text in marked])
    return 100 * float(micro_f1(counts.sum(axis=0)))


def belongs_to(samples: Sequence[Sample], marked: Sequence[str]) -> bool:
    """Whether marked texts are these samples with marks in them, one for one."""
    return len(samples) == len(marked) and all(
        unit_texts(sample.text) == unit_texts(text)
        for sample, text in zip(samples, marked, strict=True)
    )


def changes(samples: Sequence[Sample], stored: Sequence[str], now: Sequence[str]) -> list[str]:
    """Tell, text by text, what is marked otherwise than before and whether that helped."""
    lines = []
    for number, (sample, before, after) in enumerate(
        zip(samples, stored, now, strict=True), start=1
    ):
        if before == after:
            continue
        careful = labels(sample.marked)
        gained = int((labels(before) != careful).sum() - (labels(after) != careful).sum())
        verdict = f"{gained:+d} slots right" if gained else "no more and no fewer slots right"
        lines += [
            f"  line {number}: {verdict}",
            f"    careful {sample.marked}",
            f"    stored  {before}",
            f"    now     {after}",
        ]
    return lines
