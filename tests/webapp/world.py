"""A small world to browse in: five people, two projects, and suggestions with doubts in them."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from db.engine import Database
from db.tables import ModelVersion, Project, Suggestion, Transcript
from labeling import accounts, importing, projects
from labeling.permissions import SYSTEM
from labeling.probabilities import pack
from model.marks import DEFAULT_MARKS
from model.punctuation import parse

PASSWORD = "correct-horse"
PEOPLE = {
    "lotte": "annotator",
    "lars": "annotator",
    "lea": "lead",
    "eva": "engineer",
    "ada": "admin",
}
CHINESE = [
    "今天上午我们开了一个会，主要讨论三件事：第一是预算，第二是人员，第三是时间。你觉得这样安排可以吗？我觉得可以。",
    "我用 iPhone 拍的，你看 this is it. 价格是 3.5 元，不贵吧？",
    "患者昨晚睡得不好，早上血压偏高，没有头痛，已经吃过药了。",
]
DUTCH = [
    "mevrouw de vries heeft vannacht goed geslapen, ze wilde eerst niet eten, maar later wel. "
    "om 10:30 is de huisarts geweest. moeten we de wond morgen opnieuw verbinden?",
    "ja, dat klopt, ik heb zo'n drie-jarig contract, maar ik wil ermee stoppen. kan dat?",
    "de vergadering begint om negen uur. iedereen is er, behalve jan, die is ziek.",
]


@dataclass(frozen=True)
class World:
    """Ids of what `fill` made."""

    chinese: int
    dutch: int
    model: int


def fill(database: Database) -> World:
    """Make the people, the projects and the suggestions."""
    for name, role in PEOPLE.items():
        accounts.add_user(database, SYSTEM, name=name, password=PASSWORD, role=role)
    ids = {}
    with database.write() as session:
        model = ModelVersion(name="starter", folder="starter", marks=list(DEFAULT_MARKS.names))
        session.add(model)
        session.flush()
        model_id = model.id
    for name, language, texts in (("会议", "zh", CHINESE), ("Zorgrapportages", "nl", DUTCH)):
        project = projects.add_project(
            database,
            SYSTEM,
            name=name,
            language=language,
            settings={"overlap_share": 1.0, "test_share": 0.0, "random_share": 0.0},
        )
        ids[language] = project.id
        rows = "\n".join(
            json.dumps({"text": text, "document": f"{name} 1", "position": i})
            for i, text in enumerate(texts)
        )
        importing.import_file(
            database, SYSTEM, project.id, rows.encode(), name="texts.jsonl", format="jsonl"
        )
        suggest(database, project.id, model_id, texts)
    return World(ids["zh"], ids["nl"], model_id)


def suggest(database: Database, project_id: int, model_id: int, marked: list[str]) -> None:
    """Store suggestions that are right mostly, and unsure at every fifth slot."""
    labels = {}
    for text in marked:
        parsed = parse(text)
        words = "".join(text[slice(*unit)] for unit in parsed.units)
        labels[words] = DEFAULT_MARKS.encode(parsed.marks)
    with database.write() as session:
        project = session.get(Project, project_id)
        assert project is not None
        project.serving_model_id = model_id
        for row in session.query(Transcript).filter_by(project_id=project_id):
            words = "".join(row.text[slice(*unit)] for unit in parse(row.text).units)
            gold = labels[words]
            probabilities = np.full((len(gold), len(DEFAULT_MARKS)), 0.01, np.float32)
            for i, label in enumerate(gold):
                sure = 0.97
                if i % 5 == 4:
                    sure = (0.65, 0.55, 0.42)[i // 5 % 3]
                probabilities[i, label] = sure
                probabilities[i, 1 if label != 1 else 0] += 0.98 - sure
            session.add(
                Suggestion(
                    transcript_id=row.id, model_id=model_id, probabilities=pack(probabilities)
                )
            )
            row.uncertainty = 1.0 / (row.position + 1)


def new_database(home: Path) -> Database:
    """Make an empty database in a folder."""
    database = Database(f"sqlite:///{home / 'interpunct.db'}")
    database.migrate()
    return database
