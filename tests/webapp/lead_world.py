"""A project for leads and engineers to look at: gold, and answers that differ."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from db import users, versions
from db.engine import Database
from labeling import accounts, history, importing, projects
from labeling.permissions import SYSTEM
from labeling.starter import register_starter
from labeling.words import fold_labels
from model.marks import DEFAULT_MARKS
from model.punctuation import parse, render
from tests.webapp.world import PASSWORD, PEOPLE

DEMO = Path(__file__).parents[2] / "labeling" / "demo"
MARKS = DEFAULT_MARKS.names
LONG_NAME = "Annemarie van der Westhuizen-Oosterbroek"


@dataclass(frozen=True)
class LeadWorld:
    """Ids of what `fill_for_leads` made."""

    project: int
    empty: int
    model: int


def fill_for_leads(database: Database, checkpoint: Path, texts: int = 24) -> LeadWorld:
    """Make people, a Dutch project that three of them have submitted, and an empty one."""
    for name, role in PEOPLE.items():
        accounts.add_user(database, SYSTEM, name=name, password=PASSWORD, role=role)
    accounts.add_user(database, SYSTEM, name=LONG_NAME, password=PASSWORD, role="annotator")
    project = projects.add_project(
        database,
        SYSTEM,
        name="Zorgrapportages",
        language="nl",
        settings={"overlap_share": 1.0, "test_share": 0.35, "random_share": 0.0},
    )
    empty = projects.add_project(database, SYSTEM, name="会议记录", language="zh")
    lines = (DEMO / "nl.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:texts]]
    luck = random.Random(5)
    # Two read the texts alike but for some commas; the third sets commas freely.
    for name, drop, add, share in (
        ("lotte", 0.0, 0.0, 1.0),
        ("lars", 0.25, 0.01, 1.0),
        (LONG_NAME, 0.1, 0.06, 0.4),
    ):
        chosen = rows[: int(len(rows) * share)]
        lines = [
            json.dumps({**row, "text": _other_commas(row["marked"], luck, drop, add)})
            for row in chosen
        ]
        importing.import_file(
            database,
            SYSTEM,
            project.id,
            "\n".join(lines).encode(),
            name="rapportages.jsonl",
            format="jsonl",
            annotator=name,
        )
    _decide_most(database, project.id)
    model = register_starter(database, checkpoint)
    assert model is not None
    return LeadWorld(project.id, empty.id, model)


def _decide_most(database: Database, project_id: int) -> None:
    """Have the lead decide as lotte submitted, but for every fourth transcript."""
    lead, _ = accounts.sign_in(database, "lea", PASSWORD)
    with database.read() as session:
        lotte = users.by_name(session, "lotte")
        assert lotte is not None
        answers = [a for a in versions.submitted(session, project_id) if a.annotator_id == lotte.id]
    for number, answer in enumerate(answers):
        if number % 4:
            labels = fold_labels(answer.labels, MARKS)
            history.decide(database, lead, answer.transcript_id, labels)


def _other_commas(marked: str, luck: random.Random, drop: float, add: float) -> str:
    parsed = parse(marked)
    marks = list(parsed.marks)
    for i, mark in enumerate(marks):
        if mark == "COMMA" and luck.random() < drop:
            marks[i] = "NONE"
        elif mark == "NONE" and luck.random() < add:
            marks[i] = "COMMA"
    return render(marked, parsed.units, marks)
