"""The states of a transcript on the History page, in a person's language."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from labeling import differences
from labeling.differences import State, states_of
from labeling.history import DecisionView, History, VersionView
from webapp.figures import moment

_EXCERPT = 90


@dataclass(frozen=True, slots=True)
class Side:
    """One state of a transcript's marks, in words.

    Attributes
    ----------
    key : str
        As in `labeling.differences.State`.
    title : str
        What it is, in the person's language.
    labels : list of int
        Canonical ids, one a slot.
    kind, text : str
        How it came to be, and the text with its marks.
    when : datetime or None
        When; None for suggestions.
    changed : int or None
        How many slots differ from what it was based on.
    """

    key: str
    title: str
    labels: list[int]
    kind: str
    text: str
    when: datetime | None = None
    changed: int | None = None


def sides_of(past: History, t: Callable[..., str]) -> list[Side]:
    """Return everything that a person may compare, newest first, suggestions last.

    Parameters
    ----------
    past : History
        As the use case gave it: only what the person may see.
    t : callable
        Strings in the person's language.
    """
    return [_side(state, t) for state in states_of(past)]


def _side(state: State, t: Callable[..., str]) -> Side:
    view = state.view
    if isinstance(view, DecisionView):
        return Side(
            key=state.key,
            title=t("history.decision", number=view.number, name=view.reviewer),
            labels=view.labels,
            kind=t("history.kind_decision") + (f": {view.note}" if view.note else ""),
            text=view.text,
            when=view.created_at,
        )
    if isinstance(view, VersionView):
        return Side(
            key=state.key,
            title=t("history.version", number=view.number, name=view.annotator),
            labels=view.labels,
            kind=t(f"history.kind_{view.kind}"),
            text=view.text,
            when=view.created_at,
            changed=view.changed,
        )
    return Side(
        key=state.key,
        title=t("history.suggestion", model=view.model),
        labels=view.labels,
        kind=t("history.kind_suggestion"),
        text=view.text,
    )


def table_row(side: Side) -> list[str]:
    """Return a side as a row of the table: what, when, kind, how much changed, how it reads."""
    when = moment(side.when) if side.when else ""
    changed = "" if side.changed is None else str(side.changed)
    text = " ".join(side.text.split())
    excerpt = text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
    return [side.title, when, side.kind, changed, excerpt]


def opening_pair(past: History, sides: list[Side]) -> tuple[Side | None, Side | None]:
    """Return what is put side by side first, as `labeling.differences.opening_pair` chose it."""
    by_key = {side.key: side for side in sides}
    left, right = (
        None if state is None else by_key[state.key] for state in differences.opening_pair(past)
    )
    return left, right
