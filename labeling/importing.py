"""Importing a file: its texts become transcripts, and their marks an annotator's versions.

What a transcript is. It is named by its words, its document and its position in it. A row
that names no document belongs to a document with the file's name, at the row's number; so
one text twice in a file is two transcripts, the same file twice adds nothing, and a file
of another name is another document (the report says how many of its words were there).

Whose marks. Texts are stored without marks. With an annotator, the marks become that
person's submitted versions: of the transcript that the row names, or else of the first one
with the same words that no other row of the file took, or else of a new one.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import regex
from sqlalchemy.orm import Session

from db import audit, bulk
from db.engine import Database
from db.tables import Project
from labeling.accounts import annotator_id_of
from labeling.encodings import decode
from labeling.errors import BadInput
from labeling.formats import detect_format, read_rows
from labeling.import_report import ImportReport
from labeling.incoming import (
    LONGEST_DOCUMENT,
    UNSTORABLE,
    IncomingText,
    transcript_row,
    usable_texts,
)
from labeling.permissions import Actor, require
from labeling.projects import LANGUAGES, find_project, settings_of
from labeling.words import fold_labels


def import_file(
    database: Database,
    actor: Actor,
    project_id: int | str,
    source: bytes | str | Path,
    *,
    name: str | None = None,
    format: str = "auto",
    language: str | None = None,
    annotator: str | None = None,
) -> ImportReport:
    """Import a file in one transaction: all its good rows, or nothing.

    Parameters
    ----------
    database : Database
        The database.
    actor : Actor
        Who imports.
    project_id : int or str
        The project's id, or its name.
    source : bytes, str or Path
        The file's content, or its path.
    name : str, optional
        The file's name, which becomes its texts' document; the path's last part by default.
    format : str
        ``auto``, or one of `labeling.formats.FORMATS`.
    language : str, optional
        Of rows that name none: zh, nl, en, or ``auto`` to have it detected; the project's
        by default.
    annotator : str, optional
        Whose submitted versions the marks become.

    Returns
    -------
    ImportReport
        What was added, what was there, and the rows that could not be used.

    Raises
    ------
    NotAllowed, NotFound
        The actor may not import; no such project or annotator.
    BadInput
        No such file, format or language; not UTF-8; no row that can be used. Nothing has
        changed.
    """
    require(actor, "import")
    if language not in (None, "auto", *LANGUAGES):
        raise BadInput(
            "no_such_language",
            f"There is no language {language}. The languages are: {', '.join(LANGUAGES)}, auto.",
            language=language,
        )
    data, name = _read(source, name)
    with database.read() as session:  # the slow part comes before the transaction that writes
        project = find_project(session, project_id)
        annotator_id_of(session, annotator)
    text = decode(data, name)
    if format == "auto":
        format = detect_format(name, text)
    fallback = project.language if language is None else language
    good, bad = usable_texts(read_rows(text, format, project.marks), name, fallback)
    if not bad and not good:
        raise BadInput("no_text", f"{name} holds no text.", name=name)
    if not good:
        raise BadInput(
            "no_good_row",
            f"{name}: no row can be used. Row {bad[0].number}: {bad[0].reason}.",
            name=name,
            row=bad[0].number,
            reason=bad[0].reason,
            rows=len(bad),
        )
    good, other = _chosen(good, annotator)
    with database.write() as session:
        project = find_project(session, project.id)
        annotator_id = annotator_id_of(session, annotator)
        there = bulk.places_of_words(session, project.id, (text.words for text in good))
        counts = (
            _add_texts(session, project, good, there)
            if annotator_id is None
            else _add_versions(session, project, good, there, annotator_id)
        )
        report = ImportReport(name, format, bad_rows=bad, other_rows=other, **counts)
        detail = {"annotator": annotator, **report.as_dict(), "bad_rows": len(bad)}
        audit.record(
            session,
            actor.id,
            "import",
            subject=f"project {project.name}",
            project_id=project.id,
            **detail,
        )
    return report


def _read(source: bytes | str | Path, name: str | None) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        return source, _file_name(name or "import")
    path = Path(source)
    try:
        return path.read_bytes(), _file_name(name or path.name)
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise BadInput("cannot_read", f"{path}: {why}.", name=str(path), reason=why) from None


def _file_name(name: str) -> str:
    """Return the last part of a name; what a browser or a shell gives can be a whole path."""
    return UNSTORABLE.sub("", regex.split(r"[/\\]", name)[-1])[-LONGEST_DOCUMENT:] or "import"


def _chosen(texts: list[IncomingText], annotator: str | None) -> tuple[list[IncomingText], int]:
    """Leave out, for an annotator, what a file of versions says somebody else did."""
    if annotator is None:
        return texts, 0
    mine = [t for t in texts if t.row.submitted and t.row.annotator in (None, annotator)]
    return mine, len(texts) - len(mine)


def _add_texts(
    session: Session, project: Project, texts: Sequence[IncomingText], there: Sequence[bulk.Place]
) -> dict[str, int]:
    known = {place[1:] for place in there}
    hashes = {place.words_hash for place in there}
    fresh: dict[tuple[str, str, int], IncomingText] = {}
    for text in texts:
        if text.place not in known:
            fresh.setdefault(text.place, text)
    settings = settings_of(project)
    rows = [transcript_row(project.id, settings, text) for text in fresh.values()]
    bulk.add_transcripts(session, rows)
    return {
        "added": len(fresh),
        "already_there": len(texts) - len(fresh),
        "marks_dropped": sum(text.had_marks for text in texts),
        "same_words": sum(text.words in hashes for text in fresh.values()),
        "test": sum(row["split"] == "test" for row in rows),
    }


def _add_versions(
    session: Session,
    project: Project,
    texts: Sequence[IncomingText],
    there: Sequence[bulk.Place],
    annotator_id: int,
) -> dict[str, int]:
    taken, fresh = _match(texts, there)
    settings = settings_of(project)
    rows = [transcript_row(project.id, settings, text) for text in fresh.values()]
    new_ids = dict(zip(fresh, bulk.add_transcripts(session, rows), strict=True))
    ids = [taken.get(text.place, 0) or new_ids[text.place] for text in texts]
    held = bulk.answers_of(session, annotator_id, taken.values())
    said: dict[int, list[bytes]] = defaultdict(list)
    for transcript_id, text in zip(ids, texts, strict=True):
        said[transcript_id].append(text.labels)
    versions: list[dict[str, Any]] = []
    for transcript_id, answers in said.items():
        before = held.get(transcript_id, [])
        number = before[-1][0] if before else 0
        submitted = [labels for _, is_submitted, labels in before if is_submitted]
        for labels in _unsaid(submitted, answers, project.marks):
            versions.append(
                {
                    "transcript_id": transcript_id,
                    "annotator_id": annotator_id,
                    "number": number + 1,
                    "labels": labels,
                    "kind": "import",
                    "submitted": True,
                    "based_on": number,
                }
            )
            number += 1
    bulk.add_versions(session, versions)
    bulk.fill_places(session, annotator_id, {row["transcript_id"] for row in versions})
    return {
        "added": len(fresh),
        "already_there": len(texts) - len(fresh),
        "versions_added": len(versions),
        "versions_already_there": len(texts) - len(versions),
        "test": sum(row["split"] == "test" for row in rows),
    }


def _match(
    texts: Sequence[IncomingText], there: Sequence[bulk.Place]
) -> tuple[dict[tuple[str, str, int], int], dict[tuple[str, str, int], IncomingText]]:
    """Find each text's transcript by place, else by words in order; the rest is new."""
    by_place = {place[1:]: place.id for place in there}
    taken = {text.place: by_place[text.place] for text in texts if text.place in by_place}
    used = set(taken.values())
    free: dict[str, deque[int]] = defaultdict(deque)
    for place in there:
        if place.id not in used:
            free[place.words_hash].append(place.id)
    fresh: dict[tuple[str, str, int], IncomingText] = {}
    for text in texts:
        if text.place in taken or text.place in fresh:
            continue
        if free[text.words]:
            taken[text.place] = free[text.words].popleft()
        else:
            fresh[text.place] = text
    return taken, fresh


def _unsaid(before: Sequence[bytes], answers: Sequence[bytes], marks: Sequence[str]) -> list[bytes]:
    """Return the answers that are not the end of what was submitted before.

    Compared as the project's marks show them, for that is what an export holds. Where an
    answer comes twice on end it counts once.
    """
    shown = [fold_labels(labels, marks) for labels in before]
    steps: list[bytes] = []
    for labels in answers:
        if not steps or fold_labels(labels, marks) != fold_labels(steps[-1], marks):
            steps.append(labels)
    folded = [fold_labels(labels, marks) for labels in steps]
    for length in range(min(len(shown), len(folded)), 0, -1):
        if shown[-length:] == folded[:length]:
            return steps[length:]
    return steps
