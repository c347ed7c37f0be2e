"""The words before and after which people differ on commas."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from labeling.answers import MISSING, Shared
from model.units import is_han

_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class CommaContext:
    """Words before or after which people differ on commas.

    Attributes
    ----------
    side : str
        ``before``: the comma would stand before these words; ``after``: after them.
    words : str
        One word, or one or two Han characters, in small letters.
    differ : int
        Slots there in which people differ.
    agree : int
        Slots there in which all set a comma.
    seen : int
        All slots there.
    examples : list of (int, int)
        Transcript and slot of some in which they differ.
    """

    side: str
    words: str
    differ: int
    agree: int
    seen: int
    examples: list[tuple[int, int]]


def comma_contexts(
    shared: Shared,
    comma: int,
    units_of: Mapping[int, Sequence[str]],
    *,
    limit: int = 50,
) -> list[CommaContext]:
    """Rank the words before and after which people differ on commas.

    Parameters
    ----------
    shared : Shared
        What two or more people submitted.
    comma : int
        The comma's id.
    units_of : mapping
        A transcript's unit texts, by its id.
    limit : int
        How many contexts to return.

    Returns
    -------
    list of CommaContext
        Those with the most differing slots first; of equal ones, the one where a larger
        share of its slots differs. For Han text pairs of characters are contexts too; a
        character that always comes in the same pair is left to that pair.
    """
    given = (shared.labels != MISSING).sum(axis=0)
    commas = (shared.labels == comma).sum(axis=0)
    differs = (commas > 0) & (commas < given)
    agrees = (commas == given) & (given > 0)
    tally: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    examples: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for index, transcript in enumerate(shared.transcripts):
        start, stop = int(shared.starts[index]), int(shared.starts[index + 1])
        units = [unit.lower() for unit in units_of[transcript]]
        states = zip(differs[start:stop].tolist(), agrees[start:stop].tolist(), strict=True)
        for slot, (differ, agree) in enumerate(states):
            for key in _contexts(units, slot):
                counts = tally[key]
                counts[0] += differ
                counts[1] += agree
                counts[2] += 1
                if differ and len(examples[key]) < _EXAMPLES:
                    examples[key].append((transcript, slot))
    in_pairs = _always_paired(tally)
    rows = [
        CommaContext(side, words, differ, agree, seen, examples[side, words])
        for (side, words), (differ, agree, seen) in tally.items()
        if differ and (side, words) not in in_pairs
    ]
    rows.sort(key=lambda row: (-row.differ, -row.differ / row.seen, -len(row.words), row.words))
    return rows[:limit]


def _contexts(units: Sequence[str], slot: int) -> Iterable[tuple[str, str]]:
    if slot + 1 < len(units):  # the last slot has nothing to be before
        yield "before", units[slot + 1]
        if slot + 2 < len(units) and is_han(units[slot + 1]) and is_han(units[slot + 2]):
            yield "before", units[slot + 1] + units[slot + 2]
    yield "after", units[slot]
    if slot and is_han(units[slot]) and is_han(units[slot - 1]):
        yield "after", units[slot - 1] + units[slot]


def _always_paired(tally: Mapping[tuple[str, str], Sequence[int]]) -> set[tuple[str, str]]:
    """Find the Han characters whose differing slots are all those of one pair."""
    paired = set()
    for (side, words), counts in tally.items():
        if len(words) == 2 and is_han(words[0]):
            near = (side, words[0] if side == "before" else words[1])
            if counts[0] and near in tally and tally[near][0] == counts[0]:
                paired.add(near)
    return paired
