"""What moving a mark's threshold would do, seen before it is moved.

Counted on gold of the pool that the serving model has not learned from, and never on the
frozen test: whoever tunes on the test has no test any more.
"""

from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from db import models, rounds, suggestions
from db.engine import Database
from db.tables import ModelVersion, Project
from labeling.errors import BadInput
from labeling.gold import read_gold
from labeling.permissions import Actor, require
from labeling.probabilities import in_marks, unpack
from labeling.projects import find_project, settings_of
from labeling.words import to_set_ids
from model.calibration import DEFAULT_THRESHOLD, ThresholdCurve, threshold_curve
from model.marks import NONE, MarkSet


@dataclass(frozen=True, slots=True)
class ThresholdPreview:
    """A mark's curve, where its threshold stands now, and on how much it rests.

    Attributes
    ----------
    mark : str
        The mark.
    curve : ThresholdCurve
        Precision, recall and rate by threshold.
    thresholds : dict of str to float
        Those of all marks as they stand; what is not set has the default.
    n_texts, n_slots : int
        Gold that was counted on.
    """

    mark: str
    curve: ThresholdCurve
    thresholds: dict[str, float]
    n_texts: int
    n_slots: int


def preview_threshold(
    database: Database, actor: Actor, project_id: int | str, mark: str
) -> ThresholdPreview:
    """Compute what each threshold of a mark would give.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who asks.
    project_id : int or str
        The project's id, or its name.
    mark : str
        One of its marks.

    Returns
    -------
    ThresholdPreview

    Raises
    ------
    NotAllowed, NotFound
        The actor may not; no such project.
    BadInput
        The project does not use the mark, has no serving model, or there is no gold with
        suggestions that the model has not learned from.
    """
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        model = project.serving_model
        if mark == NONE or mark not in project.marks:
            raise BadInput("mark_not_in_set", f"This project does not use {mark}.", marks=mark)
        if model is None:
            raise BadInput("no_model", f"{project.name} has no model to start from.")
        learned = _learned_from(session, project, model)
        rows = [
            row
            for row in read_gold(session, project.id, split="pool")
            if row.transcript_id not in learned
        ]
        stored = suggestions.of_many(session, [row.transcript_id for row in rows], model.id)
        marks = MarkSet(tuple(project.marks))
        own = model.settings.get("thresholds") or {}
        given = {**own, **settings_of(project).thresholds}
        names = model.marks
    rows = [row for row in rows if row.transcript_id in stored]
    if not rows:
        raise BadInput(
            "no_unseen_gold",
            "There is no gold yet that the serving model has suggested marks for and has not "
            "learned from.",
        )
    tables = [
        in_marks(unpack(stored[row.transcript_id], len(row.labels), len(names)), names, marks.names)
        for row in rows
    ]
    gold = [np.array(to_set_ids(row.labels, marks.names), np.int64) for row in rows]
    limits = {n: float(given.get(n, DEFAULT_THRESHOLD)) for n in marks.names if n != NONE}
    return ThresholdPreview(
        mark=mark,
        curve=threshold_curve(tables, gold, marks, mark, limits),
        thresholds=limits,
        n_texts=len(rows),
        n_slots=sum(len(labels) for labels in gold),
    )


def _learned_from(session: Session, project: Project, model: ModelVersion) -> set[int]:
    """Return the transcripts that a model or one that it grew from was trained on."""
    line: set[int] = set()
    step: ModelVersion | None = model
    while step is not None and step.id not in line:
        line.add(step.id)
        step = None if step.parent_id is None else models.by_id(session, step.parent_id)
    learned: set[int] = set()
    for one in rounds.of_project(session, project.id):
        if one.model_id in line:
            whole = rounds.by_number(session, project.id, one.number)
            assert whole is not None
            session.refresh(whole, ["snapshot"])
            for split in ("train", "dev"):
                learned |= {entry[0] for entry in whole.snapshot.get(split, [])}
    return learned
