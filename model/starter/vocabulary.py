"""From SentencePiece pieces to a WordPiece vocabulary.

Pieces that start a word (U+2581) become word starts, the others continuations (``##``);
a single Han character, always a word of its own here, takes the piece without the sign.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from model.units import is_han

SPECIAL: Final = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_SPECIAL_ROWS: Final = {"[PAD]": 1, "[UNK]": 3, "[CLS]": 0, "[SEP]": 2, "[MASK]": 250001}


def candidates(pieces: list[str]) -> dict[str, int]:
    """Map WordPiece tokens to the piece whose embedding they take.

    Parameters
    ----------
    pieces : list of str
        SentencePiece pieces by id.

    Returns
    -------
    dict of str to int
        Lower-case tokens (``huis``, ``##en``, ``的``) to piece ids.
    """
    found: dict[str, int] = {}
    bare: dict[str, int] = {}
    for row, piece in enumerate(pieces):
        if row < 4 or not piece or piece != piece.lower():
            continue
        if piece.startswith("\u2581"):
            word = piece[1:]
            if word and "\u2581" not in word and not (len(word) == 1 and is_han(word)):
                found.setdefault(word, row)
        elif len(piece) == 1 and is_han(piece):
            found[piece] = row
        else:
            bare[piece] = row
    for piece, row in bare.items():
        if all(unicodedata.category(char)[0] in "LNM" for char in piece):
            found.setdefault("##" + piece, row)
        if len(piece) == 1:
            found.setdefault(piece, row)
            found.setdefault("##" + piece, row)
    return found


def split_word(word: str, vocabulary: dict[str, int]) -> list[str]:
    """Cut a word greedily into the longest known pieces, as WordPiece does.

    Parameters
    ----------
    word : str
        A word without spaces or punctuation.
    vocabulary : dict of str to int
        Known tokens.

    Returns
    -------
    list of str
        Tokens, or ``["[UNK]"]`` where some part is unknown.
    """
    tokens, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            token = word[start:end] if start == 0 else "##" + word[start:end]
            if token in vocabulary:
                tokens.append(token)
                start = end
                break
        else:
            return ["[UNK]"]
    return tokens


def choose(
    counted: Iterable[tuple[str, float]], pieces: list[str], size: int
) -> tuple[list[str], np.ndarray]:
    """Choose the tokens that the training text uses most.

    Parameters
    ----------
    counted : iterable of (str, float)
        Units and the weight of each occurrence.
    pieces : list of str
        SentencePiece pieces by id.
    size : int
        Tokens to keep, special ones included.

    Returns
    -------
    tokens : list of str
        The vocabulary, in order of id.
    rows : ndarray of int64
        For each token, the row of the source's embedding.
    """
    known = candidates(pieces)
    units: defaultdict[str, float] = defaultdict(float)
    for unit, weight in counted:
        units[unit] += weight
    used: defaultdict[str, float] = defaultdict(float)
    for unit, weight in units.items():
        for word in split_punctuation(unit):
            for token in split_word(word, known):
                used[token] += weight
    # Letters and digits alone always stay, so that no word in these languages is unknown.
    keep = {t for t in known if len(t.removeprefix("##")) == 1 and t.removeprefix("##").isascii()}
    keep |= {
        t
        for t in known
        if len(t) <= 3 and t.removeprefix("##") in "àáâãäåçèéêëìíîïñòóôõöøùúûüýÿœæß"
    }
    ranked = [
        token
        for token in sorted(used, key=used.__getitem__, reverse=True)
        if token in known and token not in keep
    ]
    tokens = SPECIAL + sorted(keep) + ranked
    tokens = tokens[:size]
    rows = np.array([_SPECIAL_ROWS[t] if t in _SPECIAL_ROWS else known[t] for t in tokens])
    return tokens, rows


def split_punctuation(unit: str) -> list[str]:
    """Cut a unit at its punctuation, each sign a word of its own, as BERT's tokenizers do."""
    words, start = [], 0
    for at, char in enumerate(unit):
        if unicodedata.category(char).startswith("P") or char in "$+<=>^`|~":
            words += [unit[start:at], char] if start < at else [char]
            start = at + 1
    if start < len(unit):
        words.append(unit[start:])
    return words
