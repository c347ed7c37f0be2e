"""The ten marks, and the ordered sets of them that projects use.

Ids belong to a mark set, not to a mark: id 0 is always NONE, the others follow the
set's order. What a set lacks folds into its nearest kin (`MarkSet.fold`), so that text
with exclamation marks can be read into a project that only knows full stops.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final


class UnknownMark(ValueError):
    """A mark name or id that is not one of the ten, or not in the set at hand."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One punctuation mark.

    Attributes
    ----------
    name : str
        The name that data and probabilities carry.
    full, ascii : str
        What is written after a Han unit, and after any other unit.
    strength : int
        Where marks meet in one gap, the strongest counts.
    kin : str
        The mark that takes its place in a set that lacks it; followed until one is there.
    """

    name: str
    full: str
    ascii: str
    strength: int
    kin: str = "NONE"


NONE: Final = "NONE"
MARKS: Final[tuple[Mark, ...]] = (
    Mark("NONE", "", "", 0),
    Mark("COMMA", "，", ",", 2),
    Mark("PERIOD", "。", ".", 6),
    Mark("QUESTION", "？", "?", 8, "PERIOD"),
    Mark("COLON", "：", ":", 4, "COMMA"),
    Mark("DASH", "——", " —", 3),
    Mark("ENUMERATION", "、", ",", 1, "COMMA"),
    Mark("EXCLAMATION", "！", "!", 7, "PERIOD"),
    Mark("SEMICOLON", "；", ";", 5, "PERIOD"),
    # Unicode's own sign for the end of a paragraph, so that line breaks that the text had before
    # and the ones that a model proposes are never mistaken for each other.
    Mark("PARAGRAPH", "。\u2029", ".\u2029", 9, "PERIOD"),
)
BY_NAME: Final = {mark.name: mark for mark in MARKS}
SENTENCE_END: Final = frozenset({"PERIOD", "QUESTION", "EXCLAMATION", "PARAGRAPH"})


@dataclass(frozen=True)
class MarkSet:
    """The ordered marks that a project or a model uses, id 0 = NONE.

    Parameters
    ----------
    names : tuple of str
        Names from the ten; the first is NONE and none comes twice.

    Raises
    ------
    UnknownMark
        A name is not one of the ten, comes twice, or NONE is not first.
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in BY_NAME:
                known = ", ".join(BY_NAME)
                raise UnknownMark(f"There is no mark {name!r}. The marks are: {known}.")
        if len(set(self.names)) != len(self.names):
            raise UnknownMark("A mark set names each mark once.")
        if not self.names or self.names[0] != NONE or len(self.names) < 2:
            raise UnknownMark("A mark set begins with NONE and has at least one mark after it.")

    @classmethod
    def of(cls, names: Iterable[str]) -> "MarkSet":
        """Make a set from names in any case, with or without NONE; the order is kept.

        Raises
        ------
        UnknownMark
            As the class.
        """
        upper = [name.strip().upper() for name in names if name.strip()]
        return cls((NONE, *(name for name in upper if name != NONE)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Ids by name, of the marks in the set."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def fold(self) -> dict[str, int]:
        """Ids by name, of all ten marks; what the set lacks goes to its nearest kin."""
        folded = {}
        for name in BY_NAME:
            here = name
            while here not in self.ids:
                here = BY_NAME[here].kin
            folded[name] = self.ids[here]
        return folded

    def encode(self, names: Sequence[str]) -> list[int]:
        """Turn mark names (any of the ten) into ids of this set, folding what it lacks.

        Raises
        ------
        UnknownMark
            A name is not one of the ten.
        """
        try:
            return [self.fold[name] for name in names]
        except KeyError as error:
            raise UnknownMark(f"There is no mark {error.args[0]!r}.") from None

    def decode(self, ids: Sequence[int]) -> list[str]:
        """Turn ids of this set into mark names.

        Raises
        ------
        UnknownMark
            An id is below 0 or not in the set.
        """
        for i in ids:
            if not 0 <= i < len(self.names):
                raise UnknownMark(f"Mark ids here go from 0 to {len(self.names) - 1}; got {i}.")
        return [self.names[i] for i in ids]


DEFAULT_MARKS: Final = MarkSet(("NONE", "COMMA", "PERIOD", "QUESTION"))
ALL_MARKS: Final = MarkSet(tuple(mark.name for mark in MARKS))
