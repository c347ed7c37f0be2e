"""What differs between two states of a transcript, row by row, readable."""

from dataclasses import dataclass

from db.engine import Database
from labeling.errors import BadInput, NotFound
from labeling.history import DecisionView, History, SuggestionView, VersionView, history
from labeling.permissions import Actor
from model.marks import ALL_MARKS, BY_NAME
from model.units import is_han

_CONTEXT_UNITS = 8


@dataclass(frozen=True, slots=True)
class Side:
    """One of the states to compare.

    Attributes
    ----------
    kind : str
        version, decision or suggestion.
    number : int
        Of the version or the decision; the model's id for a suggestion.
    annotator_id : int
        Whose version; 0 for others.
    """

    kind: str
    number: int
    annotator_id: int = 0

    @classmethod
    def parse(cls, written: str) -> "Side":
        """Read ``version:ANNOTATOR_ID:NUMBER``, ``decision:NUMBER`` or ``suggestion:MODEL_ID``.

        Raises
        ------
        BadInput
            It is none of these.
        """
        kind, _, rest = written.partition(":")
        parts = rest.split(":")
        wanted = {"version": 2, "decision": 1, "suggestion": 1}.get(kind)
        if wanted != len(parts) or not all(p.isascii() and p.isdigit() for p in parts):
            raise BadInput("bad_side", f"{written!r} names no version, decision or suggestion.")
        return cls(kind, int(parts[-1]), int(parts[0]) if kind == "version" else 0)

    def __str__(self) -> str:
        whose = f"{self.annotator_id}:" if self.kind == "version" else ""
        return f"{self.kind}:{whose}{self.number}"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One slot at which two states differ.

    Attributes
    ----------
    slot : int
        Which.
    before, unit, after : str
        The words around it, without marks.
    left, right : str
        Mark names.
    left_sign, right_sign : str
        The marks as written there; empty for NONE.
    """

    slot: int
    before: str
    unit: str
    after: str
    left: str
    right: str
    left_sign: str
    right_sign: str


@dataclass(frozen=True, slots=True)
class Diff:
    """Two states of a transcript side by side.

    Attributes
    ----------
    left_name, right_name : str
        What they are, such as ``ann 2``, ``decision 1`` or a model's name.
    left_text, right_text : str
        The text with the marks of each.
    rows : list of DiffRow
        Where they differ, in order.
    slots : int
        How many slots there are.
    """

    left_name: str
    right_name: str
    left_text: str
    right_text: str
    rows: list[DiffRow]
    slots: int


def diff(database: Database, actor: Actor, transcript_id: int, left: Side, right: Side) -> Diff:
    """Compare two states of a transcript that the person may see.

    Raises
    ------
    NotFound
        There is no such transcript or state, or not for this person.
    NotAllowed
        An annotator never had the transcript.
    """
    past = history(database, actor, transcript_id)
    one, other = _state(past, left), _state(past, right)
    rows = [
        _row(past, slot, a, b)
        for slot, (a, b) in enumerate(zip(one.labels, other.labels, strict=True))
        if a != b
    ]
    return Diff(_name(one), _name(other), one.text, other.text, rows, len(past.units))


def _state(past: History, side: Side) -> VersionView | DecisionView | SuggestionView:
    for version in past.versions:
        if str(side) == f"version:{version.annotator_id}:{version.number}":
            return version
    for decision in past.decisions:
        if str(side) == f"decision:{decision.number}":
            return decision
    for suggestion in past.suggestions:
        if str(side) == f"suggestion:{suggestion.model_id}":
            return suggestion
    raise NotFound("no_such_state", f"There is no {side} of this transcript.", side=str(side))


def _name(state: VersionView | DecisionView | SuggestionView) -> str:
    if isinstance(state, VersionView):
        return f"{state.annotator} {state.number}"
    if isinstance(state, DecisionView):
        return f"decision {state.number}"
    return state.model


def _row(past: History, slot: int, left: int, right: int) -> DiffRow:
    units, text = past.units, past.text
    start, end = units[slot]
    first = units[max(0, slot - _CONTEXT_UNITS)][0]
    last = units[min(len(units) - 1, slot + _CONTEXT_UNITS)][1]
    names = ALL_MARKS.names[left], ALL_MARKS.names[right]
    full = is_han(text[start:end])
    signs = [BY_NAME[name].full if full else BY_NAME[name].ascii.strip() for name in names]
    return DiffRow(
        slot=slot,
        before=text[first:start],
        unit=text[start:end],
        after=text[end:last],
        left=names[0],
        right=names[1],
        left_sign=signs[0],
        right_sign=signs[1],
    )
