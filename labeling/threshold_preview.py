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
from labeling.gold import GoldRow, read_gold
from labeling.permissions import Actor, require
from labeling.probabilities import chosen_labels, in_marks, unpack
from labeling.projects import find_project
from labeling.thresholds import MarkThreshold, check_mark, in_force, serving, stands
from labeling.words import to_set_ids
from model.calibration import (
    ThresholdCurve,
    ThresholdPoint,
    point,
    threshold_curve,
)
from model.marks import MarkSet

_ENOUGH = 20  # of a mark, for its figures to mean something


@dataclass(frozen=True, slots=True)
class ThresholdPreview:
    """A mark's curve, where its threshold stands now, and on how much that rests.

    Attributes
    ----------
    stands : MarkThreshold
        Where it stands, and who set it.
    curve : ThresholdCurve or None
        Precision, recall and rate by threshold; None where there is no gold to count on.
    now : ThresholdPoint or None
        The same of what is suggested now.
    n_texts, n_slots : int
        Gold that was counted on.
    n_tuned : int
        Texts among it by which the model was tuned, which it fits a little better.
    """

    stands: MarkThreshold
    curve: ThresholdCurve | None
    now: ThresholdPoint | None
    n_texts: int
    n_slots: int
    n_tuned: int


def preview_threshold(
    database: Database, actor: Actor, project_id: int | str, mark: str
) -> ThresholdPreview:
    """Compute what each threshold of a mark would give.

    It counts on gold that the model has not seen at all; where that holds too few of the
    mark, as after a promotion, also on the gold that its training was stopped by.

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
        The project does not use the mark, or has no serving model.
    """
    require(actor, "see_models")
    with database.read() as session:
        project = find_project(session, project_id)
        check_mark(project, mark)
        model = serving(project)
        learned, tuned = _read_by(session, project, model)
        rows = [
            row
            for row in read_gold(session, project.id, split="pool")
            if row.transcript_id not in learned
        ]
        stored = suggestions.of_many(session, [row.transcript_id for row in rows], model.id)
        marks = MarkSet(tuple(project.marks))
        limits, standing = in_force(project, model), stands(project, model, mark)
        names = model.marks
    rows = _to_count([row for row in rows if row.transcript_id in stored], tuned, marks, mark)
    tables = [
        in_marks(unpack(stored[row.transcript_id], len(row.labels), len(names)), names, marks.names)
        for row in rows
    ]
    gold = [_ids(row, marks) for row in rows]
    curve = now = None
    if rows:
        curve = threshold_curve(tables, gold, marks, mark, limits)
        chosen = [
            np.array(to_set_ids(chosen_labels(table, marks.names, limits), marks.names))
            for table in tables
        ]
        now = point(np.concatenate(chosen), np.concatenate(gold), marks.ids[mark])
    return ThresholdPreview(
        stands=standing,
        curve=curve,
        now=now,
        n_texts=len(rows),
        n_slots=sum(len(labels) for labels in gold),
        n_tuned=sum(row.transcript_id in tuned for row in rows),
    )


def _to_count(rows: list[GoldRow], tuned: set[int], marks: MarkSet, mark: str) -> list[GoldRow]:
    """Leave out what the model was tuned by, if enough of the mark is left."""
    unseen = [row for row in rows if row.transcript_id not in tuned]
    there = sum(int((_ids(row, marks) == marks.ids[mark]).sum()) for row in unseen)
    return unseen if there >= _ENOUGH else rows


def _ids(row: GoldRow, marks: MarkSet) -> np.ndarray:
    return np.array(to_set_ids(row.labels, marks.names), np.int64)


def _read_by(session: Session, project: Project, model: ModelVersion) -> tuple[set[int], set[int]]:
    """Return the transcripts that a model, or one that it grew from, learned from and was tuned by.

    The first of the two has what was learned from at any time.
    """
    line: set[int] = set()
    step: ModelVersion | None = model
    while step is not None and step.id not in line:
        line.add(step.id)
        step = None if step.parent_id is None else models.by_id(session, step.parent_id)
    read: dict[str, set[int]] = {"train": set(), "dev": set()}
    for one in rounds.of_project(session, project.id):
        if one.model_id in line:
            whole = rounds.by_number(session, project.id, one.number)
            assert whole is not None
            session.refresh(whole, ["snapshot"])
            for split, ids in read.items():
                ids |= {entry[0] for entry in whole.snapshot.get(split, [])}
    return read["train"], read["dev"] - read["train"]
