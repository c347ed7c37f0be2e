"""Which labels hold."""

from collections.abc import Callable

import pytest

from db import decisions, versions
from db.engine import Database
from labeling.errors import NotAllowed
from labeling.gold import Gold, awaiting_review, gold_of, read_gold
from labeling.permissions import Actor
from labeling.projects import ProjectInfo

A, B = bytes([0, 1]), bytes([1, 0])


@pytest.mark.parametrize(
    ("decision", "submitted", "expected"),
    [
        (None, [], None),
        (None, [A], Gold(A, "single")),
        (None, [A, A, A], Gold(A, "agreed")),
        (None, [A, A, B], None),
        (B, [A, A], Gold(B, "decision")),
        (B, [], Gold(B, "decision")),
        (B, [A, B], Gold(B, "decision")),
    ],
)
def test_what_holds(decision: bytes | None, submitted: list[bytes], expected: Gold | None) -> None:
    assert gold_of(decision, submitted) == expected


def test_gold_of_a_project(
    database: Database,
    project: ProjectInfo,
    fill: Callable[..., list[int]],
    ann: Actor,
    bob: Actor,
    lea: Actor,
) -> None:
    ids = fill(5) + fill(1, start=5, split="test")
    one, two, three = bytes([0] * 6 + [2]), bytes([0] * 7), bytes([1] * 7)

    def say(actor: Actor, index: int, labels: bytes, number: int, submitted: bool = True) -> int:
        assert actor.id is not None
        with database.write() as session:
            return versions.add(
                session,
                ids[index],
                actor.id,
                labels,
                number=number,
                based_on=number - 1,
                submitted=submitted,
            ).id

    say(ann, 0, two, 1)
    single = say(ann, 0, one, 2)  # the newest submitted one counts,
    say(ann, 0, three, 3, submitted=False)  # and this was not submitted
    agreed = say(ann, 1, one, 1), say(bob, 1, one, 1)
    say(ann, 2, one, 1)
    say(bob, 2, two, 1)
    say(ann, 3, three, 1, submitted=False)
    frozen = say(bob, 5, two, 1)
    with database.write() as session:
        assert lea.id is not None
        decision = decisions.add(session, ids[4], lea.id, three, number=1).id
    with database.read() as session:
        rows = read_gold(session, project.id)
        assert [(r.transcript_id, r.labels, r.source, r.source_ids, r.split) for r in rows] == [
            (ids[0], one, "single", (single,), "pool"),
            (ids[1], one, "agreed", agreed, "pool"),
            (ids[4], three, "decision", (decision,), "pool"),
            (ids[5], two, "single", (frozen,), "test"),
        ]
        assert [r.transcript_id for r in read_gold(session, project.id, split="test")] == [ids[5]]
    assert awaiting_review(database, lea, project.id) == [ids[2]]
    with pytest.raises(NotAllowed):
        awaiting_review(database, ann, project.id)
