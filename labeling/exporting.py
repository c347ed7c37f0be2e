"""Exporting a project: its gold, everybody's versions, or a model's suggestions.

What an export writes, an import reads back to the same marks. Rows are read and written
in pieces, so that memory does not grow with the project; a file is replaced when it is
whole, and otherwise left as it was.
"""

import io
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy.orm import Session

from db import audit, bulk, suggestions, transcripts, users
from db.engine import Database
from db.tables import Project, Transcript, Version
from labeling.accounts import annotator_id_of
from labeling.errors import BadInput
from labeling.gold import gold_of
from labeling.permissions import Actor, require
from labeling.probabilities import chosen_labels, in_marks, unpack, without_barred
from labeling.projects import find_project
from labeling.subtitles import NotASubtitle
from labeling.thresholds import in_force
from labeling.words import fold_labels
from labeling.writing import BEGINNINGS, EXPORT_FORMATS, OutRow, writer_of

KINDS: Final = ("gold", "versions", "suggestions")
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote.

    Attributes
    ----------
    rows : int
        Rows written.
    left_out : list of (int, str)
        Transcripts that the format cannot hold, by id, and why.
    inexact : list of int
        Transcripts, by id, with a slot whose mark cannot be read back from plain text.
    """

    rows: int
    left_out: list[tuple[int, str]] = field(default_factory=list)
    inexact: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What to export beyond its kind."""

    annotator_id: int | None
    history: bool
    probabilities: bool


def export(
    database: Database,
    actor: Actor,
    project_id: int | str,
    what: str,
    format: str,
    out: str | Path | IO[Any],
    *,
    capitalize: bool = False,
    probabilities: bool = False,
    annotator: str | None = None,
    document: str | None = None,
    split: str | None = None,
) -> ExportReport:
    """Write a project's labels to a file or a stream, in order of document and position.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who exports.
    project_id : int or str
        The project's id, or its name.
    what : str
        ``gold``: decisions, what people agree on, and what only one submitted. ``versions``:
        every version as jsonl, each person's newest submitted one in other formats.
        ``suggestions``: what the serving model suggests, as far as it was asked.
    format : str
        ``jsonl``; ``txt``, one text a line, line breaks inside a text as U+2028; ``tsv``,
        token<TAB>label; ``srt`` or ``vtt``, for what has times.
    out : str, Path or file object
        A path, or a stream of bytes or text, which stays open.
    capitalize : bool
        Whether sentences begin with a capital (txt, srt and vtt).
    probabilities : bool
        Whether suggestions as jsonl carry their probabilities, slots by marks.
    annotator : str, optional
        Versions of this person alone.
    document, split : str, optional
        Only these.

    Returns
    -------
    ExportReport
        How many rows were written, and what was not.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not export; no such project or annotator.
    BadInput
        No such kind or format; the file cannot be written; nothing to export has times
        where subtitles were asked for. A file that was there is as it was.
    """
    require(actor, "export")
    if what not in KINDS:
        raise BadInput("unknown_export", f"{what!r} is none of: {', '.join(KINDS)}.", what=what)
    if format not in EXPORT_FORMATS:
        raise BadInput(
            "unknown_format",
            f"There is no format {format!r}. The formats are: {', '.join(EXPORT_FORMATS)}.",
            format=format,
        )
    with database.read() as session, _opened(out) as write:
        project = find_project(session, project_id)
        wanted = _Wanted(annotator_id_of(session, annotator), format == "jsonl", probabilities)
        chosen = (
            row
            for row in transcripts.in_order(session, project.id)
            if split in (None, row.split) and document in (None, row.document)
        )
        rows = _READERS[what](session, project, chosen, wanted)
        report = _write(rows, write, format, project.marks, capitalize)
    with database.write() as session:
        audit.record(
            session,
            actor.id,
            "export",
            subject=f"project {project.name}",
            project_id=project.id,
            what=what,
            format=format,
            rows=report.rows,
        )
    return report


def _write(
    rows: Iterator[OutRow],
    write: Callable[[str], object],
    format: str,
    marks: Sequence[str],
    capitals: bool,
) -> ExportReport:
    writer = writer_of(format, marks, capitals=capitals)
    write(BEGINNINGS.get(format, ""))
    number = 0
    left_out: list[tuple[int, str]] = []
    inexact: list[int] = []
    for row in rows:
        try:
            text, exact = writer(number + 1, row)
        except NotASubtitle as error:
            left_out.append((row.transcript_id, str(error)))
            continue
        number += 1
        if not exact:
            inexact.append(row.transcript_id)
        write(text)
    if left_out and not number:
        raise BadInput(
            "no_times",
            f"Nothing can be written as {format}: transcript {left_out[0][0]} {left_out[0][1]}.",
            format=format,
            transcripts=len(left_out),
        )
    return ExportReport(number, left_out, inexact)


@contextmanager
def _opened(out: str | Path | IO[Any]) -> Iterator[Callable[[str], object]]:
    """Give what writes text to a path or a stream."""
    if not isinstance(out, str | Path):
        stream = getattr(out, "buffer", out)
        if isinstance(stream, io.TextIOBase):
            yield stream.write
        else:
            yield lambda text: stream.write(text.encode("utf-8"))
        stream.flush()
        return
    path = Path(out)
    try:
        with _into(path) as write:
            yield write
    except OSError as error:
        why = error.strerror or "it cannot be written"
        raise BadInput("cannot_write", f"{path}: {why}.", name=str(path), reason=why) from None


@contextmanager
def _into(path: Path) -> Iterator[Callable[[str], object]]:
    if path.exists() and not path.is_file():
        # Into a device or a pipe, such as /dev/stdout: a file in its place would be its end.
        with open(path, "w", encoding="utf-8", newline="") as file:
            yield file.write
        return
    path = path.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            yield file.write
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _out_row(transcript: Transcript, labels: bytes, **more: Any) -> OutRow:
    return OutRow(
        transcript_id=transcript.id,
        text=transcript.text,
        labels=labels,
        language=transcript.language,
        document=transcript.document,
        position=transcript.position,
        split=transcript.split,
        timing=transcript.timing,
        more=more,
    )


def _gold(
    session: Session, project: Project, chosen: Iterator[Transcript], wanted: _Wanted
) -> Iterator[OutRow]:
    for rows in _batches(chosen):
        ids = [row.id for row in rows]
        decided, given = bulk.decisions_of(session, ids), bulk.versions_of(session, ids)
        for row in rows:
            decision = decided.get(row.id)
            # As training reads it: people agree where they agree in the project's marks.
            answers = [
                fold_labels(version.labels, project.marks)
                for version in _newest_submitted(given.get(row.id, []))
            ]
            gold = gold_of(decision.labels if decision else None, answers)
            if gold is not None:
                yield _out_row(row, gold.labels, source=gold.source)


def _versions(
    session: Session, project: Project, chosen: Iterator[Transcript], wanted: _Wanted
) -> Iterator[OutRow]:
    names = {user.id: user.name for user in users.everyone(session)}
    for rows in _batches(chosen):
        given = bulk.versions_of(session, [row.id for row in rows])
        for row in rows:
            versions = given.get(row.id, [])
            for version in versions if wanted.history else _newest_submitted(versions):
                if wanted.annotator_id not in (None, version.annotator_id):
                    continue
                yield _out_row(
                    row,
                    version.labels,
                    annotator=names[version.annotator_id],
                    number=version.number,
                    kind=version.kind,
                    submitted=version.submitted,
                    based_on=version.based_on,
                    created_at=version.created_at.isoformat(),
                )


def _suggestions(
    session: Session, project: Project, chosen: Iterator[Transcript], wanted: _Wanted
) -> Iterator[OutRow]:
    model = project.serving_model
    if model is None:
        return
    thresholds = in_force(project, model)
    for rows in _batches(chosen):
        said = suggestions.of_many(session, [row.id for row in rows], model.id)
        for row in rows:
            if row.id not in said:
                continue
            own = unpack(said[row.id], row.unit_count, len(model.marks))
            table = in_marks(own, model.marks, project.marks)
            more: dict[str, Any] = {"model": model.name, "uncertainty": round(row.uncertainty, 4)}
            if wanted.probabilities:
                more["probabilities"] = table.astype(float).round(4).tolist()
            labels = chosen_labels(table, project.marks, thresholds)
            yield _out_row(row, without_barred(labels, row.text), **more)


_READERS: Final = {"gold": _gold, "versions": _versions, "suggestions": _suggestions}


def _newest_submitted(versions: Sequence[Version]) -> list[Version]:
    newest = {version.annotator_id: version for version in versions if version.submitted}
    return list(newest.values())


def _batches(rows: Iterator[Transcript]) -> Iterator[list[Transcript]]:
    while batch := list(itertools.islice(rows, _AT_ONCE)):
        yield batch
