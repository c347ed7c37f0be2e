"""Putting marks into texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from model.capitals import capitalize as with_capitals
from model.language import LANGUAGES, detect_language
from model.marks import NONE, MarkSet
from model.predictor import Predictor, choose, fold_probabilities
from model.punctuation import parse, render, unmark
from model.units import Span, has_letter, is_han


@dataclass(frozen=True)
class Punctuated:
    """A text with its marks.

    Attributes
    ----------
    text : str
        The text, with marks.
    units : list of (int, int)
        Code-point spans of the n units in the text that was given.
    marks : list of str
        n mark names, one a slot: what was put, or what was there and kept.
    probabilities : ndarray of float32, (n, K)
        What the model gives each slot, whatever it holds already, in mark-set order.
    """

    text: str
    units: list[Span]
    marks: list[str]
    probabilities: np.ndarray


def punctuate(
    texts: Sequence[str],
    predictor: Predictor,
    *,
    language: str = "auto",
    existing: Literal["keep", "strip"] = "keep",
    marks: MarkSet | None = None,
    thresholds: dict[str, float] | None = None,
    capitalize: bool = False,
) -> list[Punctuated]:
    """Put marks into texts of any length; nothing else changes in them.

    The model sees units only, never spaces or marks, so punctuating a second time gives the
    same text.

    Parameters
    ----------
    texts : sequence of str
        Any Unicode texts, empty ones too.
    predictor : Predictor
        The model.
    language : str
        ``zh``, ``nl``, ``en``, or ``auto`` for each text's own. It only says how numbers at
        the start of a text are marked; the script of each unit says the rest.
    existing : str
        ``keep``: a slot that holds a mark keeps it. ``strip``: marks are taken out first.
    marks : MarkSet, optional
        Marks to put; the model's others count for their kin. All of the model's if None.
    thresholds : dict of str to float, optional
        Thresholds by mark name (see `choose`); the model's own hold for the others.
    capitalize : bool
        Give the first word of every sentence a capital.

    Returns
    -------
    list of Punctuated
        One a text, in order.

    Raises
    ------
    ValueError
        An unknown language or way with existing marks.
    """
    if language != "auto" and language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise ValueError(f"There is no language {language!r}. The languages are: {known}, auto.")
    if existing not in ("keep", "strip"):
        raise ValueError(f"Existing marks are kept or stripped; got {existing!r}.")
    target = marks or predictor.marks
    limits = {**predictor.card.thresholds, **(thresholds or {})}
    parsed = [parse(text) for text in texts]
    unit_lists = [
        [text[start:end] for start, end in p.units] for text, p in zip(texts, parsed, strict=True)
    ]
    answers = []
    for text, p, units, given in zip(
        texts, parsed, unit_lists, predictor.probabilities(unit_lists), strict=True
    ):
        probabilities = fold_probabilities(given, predictor.marks, target)
        spoken = detect_language(text) if language == "auto" else language
        names = target.decode(choose(probabilities, target, limits))
        names = _written_as(names, units, spoken)
        bare, before = (text, p) if existing == "keep" else _stripped(text)
        for slot, held in enumerate(before.marks):
            if held != NONE:
                names[slot] = held
            elif before.closed[slot] or before.barred[slot]:
                names[slot] = NONE
        marked = render(bare, before.units, names, language=spoken)
        if capitalize:
            marked = with_capitals(marked)
        answers.append(Punctuated(marked, p.units, names, probabilities))
    return answers


def _stripped(text: str):
    bare = unmark(text)
    return bare, parse(bare)


def _written_as(names: list[str], units: list[str], language: str) -> list[str]:
    """Call an enumeration mark a comma where it is written as one: after all but Han units."""
    full = language == "zh"
    written = []
    for name, unit in zip(names, units, strict=True):
        if has_letter(unit):
            full = is_han(unit)
        written.append("COMMA" if name == "ENUMERATION" and not full else name)
    return written
