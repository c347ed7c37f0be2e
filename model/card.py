"""The card of a model folder: how the answers of its model are read."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from model.marks import MarkSet
from model.windows import MAX_UNITS, OVERLAP

CARD: Final = "interpunct.json"


class BrokenModel(ValueError):
    """A folder is not a model folder, or its files do not fit together."""


@dataclass(frozen=True)
class Card:
    """How a model's answers are read.

    Attributes
    ----------
    marks : tuple of str
        The marks that it tells apart, in the order of its outputs; the first is NONE.
    temperature : float
        Outputs are divided by it before the softmax; above 1 makes the model less sure.
    thresholds : dict of str to float
        The probability from which a mark is put; empty means the likeliest mark is put.
    lowercase : bool
        Whether units are looked up in lower case.
    max_units, overlap : int
        Windows, in units.
    base : str
        What it was trained from.
    more : dict
        Anything else that whoever made the model wrote down; kept as it is.
    """

    marks: tuple[str, ...]
    temperature: float = 1.0
    thresholds: dict[str, float] = field(default_factory=dict)
    lowercase: bool = True
    max_units: int = MAX_UNITS
    overlap: int = OVERLAP
    base: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = MarkSet(tuple(self.marks)).names
        if not self.temperature > 0:
            raise BrokenModel(f"A temperature is above 0; got {self.temperature}.")
        for name, threshold in self.thresholds.items():
            if name not in names or name == names[0] or not 0 < threshold <= 1:
                raise BrokenModel(
                    f"A threshold is above 0, at most 1, and for one of {', '.join(names[1:])}; "
                    f"got {name!r}: {threshold}."
                )

    @property
    def mark_set(self) -> MarkSet:
        """The marks as a set with ids."""
        return MarkSet(tuple(self.marks))

    def changed(self, **changes: Any) -> "Card":
        """Return a copy with some fields changed."""
        return replace(self, **changes)


def read_card(folder: Path | str) -> Card:
    """Read the card of a model folder.

    Raises
    ------
    BrokenModel
        There is no card, or it is not a card.
    """
    path = Path(folder) / CARD
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BrokenModel(f"{folder} is no model folder: it has no {CARD}.") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BrokenModel(f"{path} cannot be read: {error}") from None
    if not isinstance(given, dict) or not isinstance(given.get("marks"), list):
        raise BrokenModel(f"{path} names no marks.")
    own = {name: given[name] for name in Card.__dataclass_fields__ if name in given}
    own["more"] = {name: value for name, value in given.items() if name not in own}
    return Card(**{**own, "marks": tuple(given["marks"])})


def write_card(folder: Path | str, card: Card) -> None:
    """Write the card of a model folder, over what was there."""
    content = asdict(card)
    content |= content.pop("more")
    path = Path(folder) / CARD
    new = path.with_suffix(".json.new")
    new.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(path)
