"""What a round read: which gold rows by split, named so that it can be read again.

Versions and decisions are never changed, so their ids and a hash are enough: the labels
of every round can be had again, and whether they are the same can be told.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from db import decisions, transcripts, versions
from db.tables import Project
from labeling.errors import BadInput
from labeling.gold import GoldRow, read_gold
from labeling.words import fold_labels, to_set_ids
from model.marks import MarkSet
from model.training_settings import Example
from model.units import unit_texts

SPLITS: Final = ("train", "dev", "test")
DEV_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a round by split, in units and ids of a mark set."""

    marks: MarkSet
    train: list[Example]
    dev: list[Example]
    test: list[Example]


def take_snapshot(session: Session, project: Project) -> dict[str, Any]:
    """Divide a project's gold for a round.

    The frozen test is what the import froze. Of the rest, a tenth goes to dev, by a hash
    of its words, so that the same words are never in both and a row stays where it is from
    round to round. Rows whose words are in the test as well are left out.

    Parameters
    ----------
    session : Session
        Any session.
    project : Project
        The project.

    Returns
    -------
    dict
        ``marks``; ``train``, ``dev`` and ``test``: [transcript id, source, ids of its
        decision or versions]; ``left_out``: how many rows share their words with the
        test; ``hash`` of words and labels.

    Raises
    ------
    BadInput
        No gold to train on (``no_gold``), or no frozen test with gold (``no_test``).
    """
    rows = read_gold(session, project.id)
    test = [row for row in rows if row.split == "test"]
    pool = [row for row in rows if row.split != "test"]
    if not pool:
        raise BadInput(
            "no_gold",
            "There is nothing to learn from yet: no transcript has been submitted, or people "
            "differ on all of them and nobody has decided.",
        )
    if not test:
        raise BadInput(
            "no_test",
            "There is nothing to measure on yet: none of the transcripts that are frozen for "
            "tests has been submitted or decided.",
        )
    frozen = set(transcripts.words_of_split(session, project.id, "test"))
    usable = [row for row in pool if row.words_hash not in frozen]
    if not usable:
        raise BadInput(
            "no_gold", "There is nothing to learn from yet: all that is done is in the test too."
        )
    marks = list(project.marks)
    dev = _dev_words(usable)
    split = {
        "train": [row for row in usable if row.words_hash not in dev],
        "dev": [row for row in usable if row.words_hash in dev],
        "test": test,
    }
    return {
        "marks": marks,
        **{
            name: [[row.transcript_id, row.source, list(row.source_ids)] for row in chosen]
            for name, chosen in split.items()
        },
        "left_out": len(pool) - len(usable),
        "hash": _hash(marks, ((name, row) for name in SPLITS for row in split[name])),
    }


def read_snapshot(session: Session, project_id: int, snapshot: dict[str, Any]) -> Texts:
    """Read the texts of a snapshot again.

    Raises
    ------
    BadInput
        Something of it is not there any more, or is not what it was.
    """
    marks = snapshot["marks"]
    wanted = {entry[0]: (name, entry) for name in SPLITS for entry in snapshot[name]}
    decided = {entry[2][0] for name in SPLITS for entry in snapshot[name] if entry[1] == "decision"}
    submitted = {
        entry[2][0] for name in SPLITS for entry in snapshot[name] if entry[1] != "decision"
    }
    by_decision = decisions.labels_of(session, decided)
    by_version = versions.labels_of(session, submitted)
    found = {t.id: t for t in transcripts.by_ids(session, list(wanted))}
    rows: dict[str, list[GoldRow]] = {name: [] for name in SPLITS}
    for transcript_id, (name, (_, source, ids)) in wanted.items():
        labels = (by_decision if source == "decision" else by_version).get(ids[0])
        transcript = found.get(transcript_id)
        if labels is None or transcript is None or transcript.project_id != project_id:
            raise _changed()
        rows[name].append(
            GoldRow(
                transcript_id=transcript_id,
                text=transcript.text,
                words_hash=transcript.words_hash,
                language=transcript.language,
                document=transcript.document,
                position=transcript.position,
                split=transcript.split,
                labels=labels,
                source=source,
                source_ids=tuple(ids),
            )
        )
    if _hash(marks, ((name, row) for name in SPLITS for row in rows[name])) != snapshot["hash"]:
        raise _changed()
    return Texts(
        MarkSet(tuple(marks)),
        *([_example(row, marks) for row in rows[name]] for name in SPLITS),
    )


def counts_of(snapshot: dict[str, Any]) -> dict[str, int]:
    """Count the rows of a snapshot by split, and those left out."""
    return {name: len(snapshot.get(name, ())) for name in SPLITS} | {
        "left_out": snapshot.get("left_out", 0)
    }


def _dev_words(rows: Sequence[GoldRow]) -> set[str]:
    """Choose a tenth of the words by their hash; at least one, and not all, of two or more."""
    lots = {row.words_hash: _lot(row.words_hash) for row in rows}
    chosen = {words for words, lot in lots.items() if lot < DEV_SHARE}
    if not chosen or len(chosen) == len(lots):
        in_order = sorted(lots, key=lambda words: lots[words])
        chosen = set(in_order[:1]) if len(in_order) > 1 else set()
    return chosen


def _lot(words_hash: str) -> float:
    """Draw a number in [0, 1) that is always the same for the same words."""
    digest = hashlib.blake2b(f"dev\x1f{words_hash}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _example(row: GoldRow, marks: Sequence[str]) -> Example:
    units = unit_texts(row.text)
    if len(units) != len(row.labels):
        raise _changed()
    return Example(units, to_set_ids(row.labels, marks))


def _hash(marks: Sequence[str], rows: Iterable[tuple[str, GoldRow]]) -> str:
    digest = hashlib.sha256(",".join(marks).encode())
    for name, row in rows:
        digest.update(f"\n{name} {row.transcript_id} {row.words_hash} ".encode())
        digest.update(fold_labels(row.labels, marks))
    return digest.hexdigest()


def _changed() -> BadInput:
    return BadInput(
        "snapshot_changed", "What this round read is not there any more, or has changed."
    )
