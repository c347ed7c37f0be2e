"""Versions: what each annotator saved. Rows are only ever added."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Transcript, Version

_IDS_AT_ONCE = 500  # databases limit the parameters of one statement


def latest(session: Session, transcript_id: int, annotator_id: int) -> Version | None:
    """Return an annotator's newest version of a transcript, if there is one."""
    return session.scalar(
        select(Version)
        .where(Version.transcript_id == transcript_id, Version.annotator_id == annotator_id)
        .order_by(Version.number.desc())
        .limit(1)
    )


def numbered(
    session: Session, transcript_id: int, annotator_id: int, number: int
) -> Version | None:
    """Return one version, if it is there."""
    return session.scalar(
        select(Version).where(
            Version.transcript_id == transcript_id,
            Version.annotator_id == annotator_id,
            Version.number == number,
        )
    )


def add(
    session: Session,
    transcript_id: int,
    annotator_id: int,
    labels: bytes,
    *,
    number: int,
    based_on: int,
    kind: str = "submit",
    submitted: bool = True,
    model_id: int | None = None,
    seconds: float | None = None,
) -> Version:
    """Add a version; its id is known afterwards."""
    version = Version(
        transcript_id=transcript_id,
        annotator_id=annotator_id,
        number=number,
        labels=labels,
        kind=kind,
        submitted=submitted,
        based_on=based_on,
        model_id=model_id,
        seconds=seconds,
    )
    session.add(version)
    session.flush()
    return version


def of_transcript(
    session: Session, transcript_id: int, annotator_id: int | None = None
) -> Sequence[Version]:
    """Return the versions of a transcript in order of id; of one annotator where one is given."""
    query = select(Version).where(Version.transcript_id == transcript_id).order_by(Version.id)
    if annotator_id is not None:
        query = query.where(Version.annotator_id == annotator_id)
    return session.scalars(query).all()


def recent(
    session: Session,
    project_id: int,
    *,
    annotator_id: int | None = None,
    before_id: int | None = None,
    limit: int = 50,
) -> list[tuple[Version, Transcript]]:
    """Return a project's newest versions with their transcripts, a page at a time.

    Parameters
    ----------
    session : Session
        Any session.
    project_id : int
        The project.
    annotator_id : int, optional
        Only this person's.
    before_id : int, optional
        The last id of the page before.
    limit : int
        The length of a page.

    Returns
    -------
    list of (Version, Transcript)
        Newest first.
    """
    query = (
        select(Version, Transcript)
        .join(Transcript, Transcript.id == Version.transcript_id)
        .where(Transcript.project_id == project_id)
        .order_by(Version.id.desc())
        .limit(limit)
    )
    if annotator_id is not None:
        query = query.where(Version.annotator_id == annotator_id)
    if before_id is not None:
        query = query.where(Version.id < before_id)
    return [(version, transcript) for version, transcript in session.execute(query)]


class Submitted(NamedTuple):
    """An annotator's answer: the newest version that they submitted."""

    transcript_id: int
    annotator_id: int
    number: int
    id: int
    labels: bytes


def submitted(session: Session, project_id: int) -> Iterator[Submitted]:
    """Go through the answers of a project, in order of transcript and annotator."""
    query = (
        select(
            Version.transcript_id,
            Version.annotator_id,
            Version.number,
            Version.id,
            Version.labels,
        )
        .join(Transcript, Transcript.id == Version.transcript_id)
        .where(Transcript.project_id == project_id, Version.submitted.is_(True))
        .order_by(Version.transcript_id, Version.annotator_id, Version.number)
        .execution_options(yield_per=5000)
    )
    held: Submitted | None = None
    for row in map(Submitted._make, session.execute(query)):
        if held is not None and held[:2] != row[:2]:
            yield held
        held = row
    if held is not None:
        yield held


def labels_of(session: Session, ids: Iterable[int]) -> dict[int, bytes]:
    """Return the labels of versions by their ids."""
    wanted = sorted(set(ids))
    found: dict[int, bytes] = {}
    for start in range(0, len(wanted), _IDS_AT_ONCE):
        chosen = wanted[start : start + _IDS_AT_ONCE]
        query = select(Version.id, Version.labels).where(Version.id.in_(chosen))
        found.update((i, labels) for i, labels in session.execute(query))
    return found
