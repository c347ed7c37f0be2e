"""A round's work: train, measure before and after, judge, store."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sqlalchemy.orm import Session

from db import jobs, models, rounds
from db.tables import Round
from labeling.errors import NotFound
from labeling.home import MODELS, home_of
from labeling.models import check_usable, serve_project
from labeling.permissions import ENGINEER, Actor
from labeling.projects import find_project
from labeling.queue import wake_worker
from labeling.rounds import train_settings
from labeling.running import Running
from labeling.snapshot import Texts, read_snapshot
from labeling.verdict import Measured, judge, measure
from model.card import read_card
from model.training import fine_tune
from model.training_settings import Progress, TrainResult

_MOST_LOSSES: Final = 200


def run_round_job(running: Running) -> None:
    """Do a round's job: train, measure, judge, store; or stop where it is told to.

    Raises
    ------
    Refused, TrainingRefused
        It cannot be done, for a reason that people can act on.
    """
    database = running.database
    with database.read() as session:
        row = rounds.of_job(session, running.job_id)
        if row is None:
            raise NotFound("no_such_round", "The round of this job is not there.")
        texts = read_snapshot(session, row.project_id, row.snapshot)
        parent = models.by_id(session, row.parent_model_id)
        assert parent is not None
        parent_folder = check_usable(database, parent)
    folder = Path(MODELS) / f"project-{row.project_id}-r{row.number}"
    result = _train(running, row, texts, parent_folder, home_of(database) / folder)
    if result.state != "finished" or running.should_stop():
        return
    measured = []
    for which, model_folder in (("before", parent_folder), ("after", result.folder)):

        def report(done: int, total: int, which: str = which) -> None:
            running.report(
                stage="measuring",
                done=done,
                total=total,
                message=f"Measuring on the frozen test ({which}): {done} of {total} texts.",
            )

        limits = row.settings.get("thresholds")
        measured.append(measure(model_folder, texts.test, texts.marks, limits, report))
        if running.should_stop():
            return
    _store(running, row, texts, folder, result, *measured)


def _train(
    running: Running, row: Round, texts: Texts, parent_folder: Path, out: Path
) -> TrainResult:
    settings = train_settings(row.settings.get("training", {}), texts.marks.names)
    losses: list[list[float]] = []

    def report(progress: Progress) -> None:
        if progress.loss is not None:
            losses.append([progress.step, round(progress.loss, 4)])
            if len(losses) > _MOST_LOSSES:
                del losses[1:-1:2]
        running.report(
            stage="training",
            done=progress.step,
            total=progress.steps,
            message=f"Training: step {progress.step} of {progress.steps}.",
            epoch=progress.epoch,
            epochs=progress.epochs,
            loss=progress.loss,
            dev_f1=progress.dev_f1,
            seconds_left=progress.seconds_left,
            losses=list(losses),
        )

    running.report(stage="loading", done=0, total=0, message="Loading the model.")
    base = row.settings.get("base") or parent_folder
    return fine_tune(base, out, texts.train, texts.dev, settings, report, running.should_stop)


def _store(
    running: Running,
    row: Round,
    texts: Texts,
    folder: Path,
    result: TrainResult,
    before: Measured,
    after: Measured,
) -> None:
    card = read_card(result.folder)
    verdict = judge(texts.test, before, after, texts.marks)
    with running.database.write() as session:
        project = find_project(session, row.project_id)
        fresh = rounds.by_id(session, row.id)
        assert fresh is not None
        running.report(message="Done.", seconds_left=0)
        running.end(session, jobs.DONE)
        model = models.add(
            session,
            project_id=project.id,
            name=_free_name(session, f"{project.name}-r{row.number}"),
            folder=folder.as_posix(),
            marks=list(card.marks),
            parent_id=row.parent_model_id,
            settings={
                "round": row.number,
                "thresholds": card.thresholds,
                "temperature": card.temperature,
                "base": card.base,
                "training": _plain(result),
            },
            metrics=after.metrics.as_dict(),
        )
        promoted = (
            row.settings.get("promote") == "auto"
            and verdict["advice"] == "promote"
            and project.serving_model_id == row.parent_model_id
        )
        fresh.model_id = model.id
        fresh.before, fresh.after = before.metrics.as_dict(), after.metrics.as_dict()
        fresh.verdict = verdict | {
            "promoted": promoted,
            "notes": [asdict(note) for note in result.notes],
        }
        if promoted:
            actor = Actor(row.user_id, "", ENGINEER)
            serve_project(session, actor, project, model, reason=verdict["words"]["en"])
    if promoted:
        wake_worker(running.database)


def _plain(result: TrainResult) -> dict[str, Any]:
    return {key: value for key, value in result.as_dict().items() if key != "folder"}


def _free_name(session: Session, wanted: str) -> str:
    name, number = wanted[:110], 2
    while models.by_name(session, name) is not None:
        name, number = f"{wanted[:110]}-{number}", number + 1
    return name
