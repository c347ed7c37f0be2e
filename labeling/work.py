"""What an annotator sees of a transcript: its units, the labels to start from, the doubts."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from db import suggestions, versions
from db.tables import Assignment, ModelVersion, Project, Transcript
from labeling import probabilities as arrays
from labeling.counting import Counts
from labeling.projects import settings_of
from labeling.thresholds import in_force
from labeling.words import fold_labels
from model.units import find_units


@dataclass(frozen=True, slots=True)
class Work:
    """One transcript in an annotator's hands; plain values, ready for JSON.

    Attributes
    ----------
    transcript_id, project_id : int
        Which.
    text, language, document, position
        As in the transcript.
    units : list of [int, int]
        Spans in code points; n of them.
    marks : list of str
        The project's mark set.
    labels : list of int
        n canonical ids: the draft, else the annotator's newest version, else the
        suggestion, else 0.
    source : str
        Where `labels` come from: draft, version, suggestion or nothing.
    probabilities : list of list of float or None
        n rows over `marks`; None where the serving model has said nothing yet.
    doubtful : list of bool
        n flags: the model is less certain than the project's threshold.
    suggested : list of int or None
        n canonical ids: the suggestion itself.
    draft_number, based_on : int
        What a save and a submission must name, so that a stale one is noticed.
    state : str
        open, submitted, skipped or expired.
    flagged : bool
        Whether the annotator flagged it.
    reason : str
        Why it was flagged or skipped.
    model_id, model
        The model whose suggestion this is, or would be.
    needs_suggestion : bool
        There is a serving model, and it has said nothing on this transcript yet.
    timing : dict or None
        Word times and audio, as imported.
    counts : Counts
        For the progress display.
    """

    transcript_id: int
    project_id: int
    text: str
    language: str
    document: str
    position: int
    units: list[list[int]]
    marks: list[str]
    labels: list[int]
    source: str
    probabilities: list[list[float]] | None
    doubtful: list[bool]
    suggested: list[int] | None
    draft_number: int
    based_on: int
    state: str
    flagged: bool
    reason: str
    model_id: int | None
    model: str | None
    needs_suggestion: bool
    timing: dict[str, Any] | None = field(repr=False)
    counts: Counts


def build_work(
    session: Session,
    project: Project,
    transcript: Transcript,
    assignment: Assignment,
    counts: Counts,
) -> Work:
    """Gather what an annotator sees of a transcript that they hold.

    Nothing of anybody else's is read: no labels, no versions, not even whether there are
    any.

    Parameters
    ----------
    session : Session
        Any session.
    project, transcript, assignment
        Rows that belong together.
    counts : Counts
        For the progress display.

    Returns
    -------
    Work
    """
    settings = settings_of(project)
    version = versions.latest(session, transcript.id, assignment.annotator_id)
    model = project.serving_model
    count = transcript.unit_count
    shown = suggested = None
    if model is not None and (said := read_suggestion(session, project, transcript, model)):
        shown, suggested = said
    if assignment.draft is not None:
        labels, source = assignment.draft, "draft"
    elif version is not None:
        labels, source = version.labels, "version"
    elif suggested is not None:
        labels, source = suggested, "suggestion"
    else:
        labels, source = bytes(count), "nothing"
    return Work(
        transcript_id=transcript.id,
        project_id=project.id,
        text=transcript.text,
        language=transcript.language,
        document=transcript.document,
        position=transcript.position,
        units=[list(span) for span in find_units(transcript.text)],
        marks=list(project.marks),
        labels=list(fold_labels(labels, project.marks)),
        source=source,
        probabilities=None if shown is None else shown.astype(float).round(4).tolist(),
        doubtful=[False] * count
        if shown is None
        else arrays.doubtful(shown, settings.doubt_threshold),
        suggested=None if suggested is None else list(suggested),
        draft_number=assignment.draft_number,
        based_on=assignment.draft_based_on
        if assignment.draft is not None
        else (version.number if version else 0),
        state=assignment.state,
        flagged=assignment.flagged,
        reason=assignment.reason,
        model_id=model.id if model else None,
        model=model.name if model else None,
        needs_suggestion=model is not None and shown is None,
        timing=transcript.timing,
        counts=counts,
    )


def read_suggestion(
    session: Session, project: Project, transcript: Transcript, model: ModelVersion
) -> tuple[np.ndarray, bytes] | None:
    """Return what a model says of a transcript, in the project's marks.

    Parameters
    ----------
    session : Session
        Any session.
    project, transcript, model
        Rows.

    Returns
    -------
    ndarray of float32, shape (n, K)
        Probabilities over the project's K marks.
    bytes
        n canonical ids: what the thresholds in force choose (`labeling.thresholds`).
    None
        Instead of both, where the model has not been asked yet.
    """
    stored = suggestions.of(session, transcript.id, model.id)
    if stored is None:
        return None
    own = arrays.unpack(stored, transcript.unit_count, len(model.marks))
    shown = arrays.in_marks(own, model.marks, project.marks)
    labels = arrays.chosen_labels(shown, project.marks, in_force(project, model))
    return shown, arrays.without_barred(labels, transcript.text)
