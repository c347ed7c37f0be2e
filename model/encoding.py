"""From units to the model's sub-token ids, by our own offsets.

Each unit is looked up alone, so which sub-tokens are whose is never in doubt, whatever a
tokenizer does to case, spaces, accents or characters that it doesn't know. The label and
the prediction of a unit sit on its last sub-token; a sequence is [CLS] sub-tokens [SEP].
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

MAX_TOKENS_A_UNIT: Final = 16
BUCKET: Final = 8  # sequences are padded to a multiple of it, and share batches by length
# Encoders that number positions from behind the padding token's id on.
_NUMBERED_BEHIND_PADDING: Final = ("roberta", "mpnet", "ernie_m")
_KEPT_CHARS: Final = 100  # of each end of a very long unit; more could not matter
_CACHED_UNITS: Final = 100_000
_FOLDED: Final = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)} | {
    0x2019: 0x27,  # ’ and ' are one apostrophe, as in zo’n
    0x2010: 0x2D,
    0x2011: 0x2D,
}


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sub-tokens of n units.

    Attributes
    ----------
    ids : ndarray of int32, (m,)
        Sub-token ids of all units, without special tokens.
    offsets : ndarray of int32, (n + 1,)
        The sub-tokens of unit i are ``ids[offsets[i]:offsets[i + 1]]``, at least one.
    """

    ids: np.ndarray
    offsets: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Sub-tokens of each unit, int32 (n,)."""
        return np.diff(self.offsets)


def most_tokens(config: Mapping[str, Any]) -> int:
    """Return how many sub-tokens of a text fit into one sequence of an encoder.

    Parameters
    ----------
    config : mapping
        What the encoder's ``config.json`` says.

    Returns
    -------
    int
        Special tokens and padding have room beside them; never less than one unit may have.
    """
    positions = int(config.get("max_position_embeddings", 512))
    if config.get("model_type") in _NUMBERED_BEHIND_PADDING:
        positions -= int(config.get("pad_token_id", 0)) + 1
    return max(positions // BUCKET * BUCKET - 2, MAX_TOKENS_A_UNIT)


class Encoder:
    """Looks units up, and remembers what it looked up.

    Parameters
    ----------
    tokenizer
        Any PaddleNLP tokenizer, or `model.wordpiece.WordPiece`.
    lowercase : bool
        Whether the model was trained on lower-case text. Lower-casing is ours, because
        BERT tokenizers strip accents with it (``één`` and ``een`` are different words).
    """

    def __init__(self, tokenizer: Any, lowercase: bool):
        self.lowercase = lowercase
        self.cls_id = int(tokenizer.cls_token_id)
        self.sep_id = int(tokenizer.sep_token_id)
        self.pad_id = int(tokenizer.pad_token_id)
        self._unknown = int(tokenizer.unk_token_id)
        self._tokenizer = tokenizer
        self._cache: dict[str, tuple[int, ...]] = {}

    def encode(self, units: Sequence[str]) -> Encoded:
        """Look units up.

        Parameters
        ----------
        units : sequence of str
            The texts of n units, as `model.units.unit_texts` gives them.

        Returns
        -------
        Encoded
            Their sub-tokens.
        """
        pieces = [self._pieces(unit) for unit in units]
        offsets = np.zeros(len(units) + 1, np.int32)
        np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
        ids = np.fromiter((i for piece in pieces for i in piece), np.int32, int(offsets[-1]))
        return Encoded(ids, offsets)

    def looked_up(self, unit: str) -> str:
        """Return the form under which a unit is looked up; the text itself is never changed."""
        if len(unit) > 2 * _KEPT_CHARS:
            unit = unit[:_KEPT_CHARS] + unit[-_KEPT_CHARS:]
        unit = unicodedata.normalize("NFC", unit).translate(_FOLDED)
        # Tokenizers take "[SEP]" inside a link for the special token.
        unit = unit.replace("[", "[ ")
        return unit.lower() if self.lowercase else unit

    def _pieces(self, unit: str) -> tuple[int, ...]:
        known = self._cache.get(unit)
        if known is not None:
            return known
        tokens = self._tokenizer.tokenize(self.looked_up(unit))
        ids = tuple(self._tokenizer.convert_tokens_to_ids(tokens)) or (self._unknown,)
        if len(ids) > MAX_TOKENS_A_UNIT:
            half = MAX_TOKENS_A_UNIT // 2
            ids = ids[:half] + ids[-half:]
        if len(unit) <= 2 * _KEPT_CHARS:
            if len(self._cache) >= _CACHED_UNITS:
                self._cache.clear()
            self._cache[unit] = ids
        return ids
