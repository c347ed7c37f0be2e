"""The card of a model folder: how the answers of its model are read."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from model.marks import MarkSet, UnknownMark
from model.windows import MAX_UNITS, OVERLAP

CARD: Final = "interpunct.json"
# Far outside of what calibration finds; beyond it the softmax leaves the range of float32.
_COLDEST, _HOTTEST = 0.01, 100.0


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
        Windows, in units. The more they overlap, the more often each slot is read, and the
        longer it takes; a slot's answer is the mean of all (`model.windows.shares`).
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
        if not _COLDEST <= self.temperature <= _HOTTEST:
            raise BrokenModel(
                f"A temperature is from {_COLDEST:g} to {_HOTTEST:g}; got {self.temperature}."
            )
        for name, threshold in self.thresholds.items():
            if name not in names or name == names[0] or not 0 < threshold <= 1:
                raise BrokenModel(
                    f"A threshold is above 0, at most 1, and for one of {', '.join(names[1:])}; "
                    f"got {name!r}: {threshold}."
                )
        if not 0 <= self.overlap < self.max_units:
            raise BrokenModel(
                "An overlap is 0 or more, and smaller than the max_units of a window; "
                f"got {self.overlap} with {self.max_units}."
            )

    @property
    def mark_set(self) -> MarkSet:
        """The marks as a set with ids."""
        return MarkSet(tuple(self.marks))

    def changed(self, **changes: Any) -> "Card":
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def with_windows(self, max_units: int) -> "Card":
        """Return a copy with windows of so many units that overlap by the same share.

        Raises
        ------
        BrokenModel
            `max_units` is not above 0.
        """
        return replace(
            self, max_units=max_units, overlap=self.overlap * max_units // self.max_units
        )


_CARDS: Final = TypeAdapter(Card)


def read_card(folder: Path | str) -> Card:
    """Read the card of a model folder.

    Raises
    ------
    BrokenModel
        There is no card, or something in it has no meaning; the message says what.
    """
    path = Path(folder) / CARD
    given = read_object(path)
    if not isinstance(given.get("marks"), list):
        raise BrokenModel(f"{path} names no marks.")
    own = {name: given[name] for name in Card.__dataclass_fields__ if name in given}
    own.pop("more", None)  # as a file's key it is one of those that are kept as they are
    try:
        # Strict, and as JSON: "1" is no number, and a list is how JSON writes a tuple.
        card = _CARDS.validate_json(json.dumps(own), strict=True)
    except ValidationError as error:
        raise BrokenModel(f"{path}: {_first_fault(error)}") from None
    except RecursionError:
        raise BrokenModel(f"{path} is nested too deep.") from None
    return card.changed(more={name: value for name, value in given.items() if name not in own})


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file of a model folder, which holds an object.

    Raises
    ------
    BrokenModel
        There is no such folder or file, or no object in it; the message names it.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise BrokenModel(f"There is no model folder {path.parent}.") from None
        raise BrokenModel(f"{path.parent} is no model folder: it has no {path.name}.") from None
    except OSError as error:
        raise BrokenModel(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        raise BrokenModel(f"{path} cannot be read: {error}") from None
    if not isinstance(given, dict):
        raise BrokenModel(f"{path} cannot be read: it holds no JSON object.")
    return given


def _first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    own = first.get("ctx", {}).get("error")
    if isinstance(own, BrokenModel | UnknownMark):
        return str(own)
    place = ".".join(map(str, first["loc"])) or "the card"
    return f"{place} cannot be so: {first['msg']}."


def write_card(folder: Path | str, card: Card) -> None:
    """Write the card of a model folder, over what was there."""
    content = asdict(card)
    content |= content.pop("more")
    path = Path(folder) / CARD
    new = path.with_suffix(".json.new")
    new.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(path)
