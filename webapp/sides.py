"""What can be put side by side on the History page: versions, decisions and suggestions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from labeling.history import History

_EXCERPT = 90


@dataclass(frozen=True, slots=True)
class Side:
    """One state of a transcript's marks.

    Attributes
    ----------
    key : str
        ``version:ANNOTATOR:NUMBER``, ``decision:NUMBER`` or ``suggestion:MODEL``.
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
    decisions = [
        Side(
            key=f"decision:{d.number}",
            title=t("history.decision", number=d.number, name=d.reviewer),
            labels=d.labels,
            kind=t("history.kind_decision") + (f": {d.note}" if d.note else ""),
            text=d.text,
            when=d.created_at,
        )
        for d in reversed(past.decisions)
    ]
    versions = [
        Side(
            key=f"version:{v.annotator_id}:{v.number}",
            title=t("history.version", number=v.number, name=v.annotator),
            labels=v.labels,
            kind=t(f"history.kind_{v.kind}"),
            text=v.text,
            when=v.created_at,
            changed=v.changed,
        )
        for v in sorted(past.versions, key=lambda v: v.created_at, reverse=True)
    ]
    suggestions = [
        Side(
            key=f"suggestion:{s.model_id}",
            title=t("history.suggestion", model=s.model),
            labels=s.labels,
            kind=t("history.kind_suggestion"),
            text=s.text,
        )
        for s in past.suggestions
    ]
    return decisions + versions + suggestions


def table_row(side: Side) -> list[str]:
    """Return a side as a row of the table: what, when, kind, how much changed, how it reads."""
    when = side.when.astimezone().strftime("%Y-%m-%d %H:%M") if side.when else ""
    changed = "" if side.changed is None else str(side.changed)
    text = " ".join(side.text.split())
    excerpt = text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
    return [side.title, when, side.kind, changed, excerpt]


def opening_pair(past: History, sides: list[Side]) -> tuple[Side | None, Side | None]:
    """Return what is put side by side first: two people who differ, else suggestion and newest."""
    if past.disputed:
        newest: dict[str, Side] = {}
        for side in sides:
            kind, _, rest = side.key.partition(":")
            if kind == "version":
                newest.setdefault(rest.partition(":")[0], side)
        right, left, *_ = newest.values()
        return left, right
    said = [side for side in sides if side.key.startswith("suggestion")]
    first = next(iter(said or sides[-1:]), None)
    return first, next((side for side in sides if side is not first), first)
