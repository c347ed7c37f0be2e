"""Transcripts that look like Chinese speech without marks, and what a model could say of them."""

import random
from collections.abc import Sequence

import numpy as np

# The most frequent characters of written Chinese, in about their order.
FREQUENT = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
    "完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
)
_WEIGHTS = [1 / (rank + 10) for rank in range(len(FREQUENT))]  # Zipf's law, flattened as Mandelbrot
FULL_WIDTH_SPACE = "\u3000"


def random_transcripts(count: int, length: int, rng: random.Random) -> list[str]:
    """Return texts of `length` characters; the first one ends in a full-width space.

    Some tools trim what they import, and every label after it is then one too far.
    """
    texts = ["".join(rng.choices(FREQUENT, _WEIGHTS, k=length)) for _ in range(count)]
    texts[0] = texts[0][:-1] + FULL_WIDTH_SPACE
    return texts


def random_probabilities(
    units: Sequence[int], marks: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return, for texts of so many units, what a model could say: float32, units by marks.

    One slot in nine looks like a mark, one in twenty could go either way, and the last of a
    text nearly always holds one.
    """
    lean = np.full(marks, 0.15)
    tables = []
    for count in units:
        table = rng.dirichlet(lean / 4, count)
        kind = rng.random(count)
        certain = kind >= 1 / 9
        certain[-1:] = False
        table[certain] *= 0.06
        table[certain, 0] += 0.94
        either = kind >= 0.95
        table[either] = table[either] * 0.2 + 0.8 * rng.dirichlet(np.ones(marks), int(either.sum()))
        tables.append(table.astype(np.float32))
    return tables
