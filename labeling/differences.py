"""What of a transcript's past can be put side by side, and which two say most at first."""

from dataclasses import dataclass

from labeling.history import DecisionView, History, SuggestionView, VersionView


@dataclass(frozen=True, slots=True)
class State:
    """One state of a transcript's marks.

    Attributes
    ----------
    key : str
        ``version:ANNOTATOR_ID:NUMBER``, ``decision:NUMBER`` or ``suggestion:MODEL_ID``.
    view : VersionView, DecisionView or SuggestionView
        What it is.
    """

    key: str
    view: VersionView | DecisionView | SuggestionView


def states_of(past: History) -> list[State]:
    """Return everything that can be compared: decisions, versions and suggestions.

    Parameters
    ----------
    past : History
        As `labeling.history.history` gave it: only what the person may see.

    Returns
    -------
    list of State
        Of each kind the newest first.
    """
    return [
        *(State(f"decision:{d.number}", d) for d in reversed(past.decisions)),
        *(State(f"version:{v.annotator_id}:{v.number}", v) for v in reversed(past.versions)),
        *(State(f"suggestion:{s.model_id}", s) for s in past.suggestions),
    ]


def opening_pair(past: History) -> tuple[State | None, State | None]:
    """Choose what is put side by side first.

    Parameters
    ----------
    past : History
        A transcript's past.

    Returns
    -------
    (State or None, State or None)
        Two people's answers that differ, the later one on the right; where nobody differs
        the newest suggestion and the newest state, or what there is.
    """
    states = states_of(past)
    if past.disputed:
        newest: dict[int, State] = {}
        for state in states:
            if isinstance(state.view, VersionView) and state.view.submitted:
                newest.setdefault(state.view.annotator_id, state)
        right, *others = newest.values()
        left = next((s for s in others if s.view.labels != right.view.labels), others[0])
        return left, right
    said = [state for state in states if isinstance(state.view, SuggestionView)]
    first = next(iter(said or states[-1:]), None)
    return first, next((state for state in states if state is not first), first)
