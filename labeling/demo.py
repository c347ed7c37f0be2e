"""The demo projects: one a language, with two people's versions, decisions and a frozen test."""

import json
from pathlib import Path
from typing import Any, Final

from db import audit, bulk, decisions, users
from db import projects as project_rows
from db.engine import Database
from labeling.first_sign_in import LEAD_NAME
from labeling.history import decide
from labeling.importing import import_file
from labeling.permissions import SYSTEM, Actor
from labeling.projects import add_project
from labeling.words import fold_labels, words_hash
from model.marks import ALL_MARKS, DEFAULT_MARKS
from model.punctuation import parse, strip_marks

FOLDER: Final = Path(__file__).parent / "demo"
PROJECTS: Final = {"nl": "Demo · Nederlands", "zh": "演示 · 中文", "en": "Demo · English"}
_ENUMERATES: Final = {"zh": (*DEFAULT_MARKS.names, "ENUMERATION")}
_MADE: Final = "demo_made"
# Enough for a first round and an honest "too small to decide"; the rest is left to annotate.
_TEST_EVERY: Final = 3
_DECIDED_DIFFERENCES: Final = 6
_DECIDED_OTHERS: Final = 5


def make_demo(database: Database, folder: Path = FOLDER) -> list[int]:
    """Make the demo projects once; a start that was broken off is finished by the next one.

    Of each language's texts, those with two people's versions are in the pool, six of them
    decided; of the others, every third is in the frozen test with its decision, and five
    are decided in the pool. What is left waits for annotators.

    Parameters
    ----------
    database : Database
        With the demo's people (`labeling.first_sign_in`).
    folder : Path
        Where ``nl.jsonl``, ``zh.jsonl`` and ``en.jsonl`` are.

    Returns
    -------
    list of int
        The projects' ids; empty where the demo was made before, whatever became of it.
    """
    with database.read() as session:
        if audit.happened(session, _MADE):
            return []
    made = []
    for language, name in PROJECTS.items():
        lines = (folder / f"{language}.jsonl").read_text(encoding="utf-8").split("\n")
        rows = [json.loads(line) for line in lines if line.strip()]
        made.append(_make_project(database, language, name, rows))
    with database.write() as session:
        audit.record(session, None, _MADE, subject=f"{len(made)} projects")
    return made


def _make_project(database: Database, language: str, name: str, rows: list[dict[str, Any]]) -> int:
    with database.read() as session:
        found = project_rows.by_name(session, name)
        project_id = found.id if found else None
    if project_id is None:
        marks = _ENUMERATES.get(language, DEFAULT_MARKS.names)
        project_id = add_project(
            database,
            SYSTEM,
            name=name,
            language=language,
            marks=marks,
            settings={"guideline": _GUIDELINES[language]},
        ).id
    plain = [row for row in rows if "versions" not in row]
    test = {id(row) for row in plain[::_TEST_EVERY]}
    texts = [
        {key: row[key] for key in ("text", "document", "position")}
        | {"split": "test" if id(row) in test else "pool"}
        for row in rows
    ]
    _import(database, project_id, texts, language)
    for annotator in sorted({name for row in rows for name in row.get("versions", {})}):
        answers = [
            {"text": row["versions"][annotator]}
            | {key: row[key] for key in ("document", "position")}
            for row in rows
            if annotator in row.get("versions", {})
        ]
        _import(database, project_id, answers, language, annotator)
    differing = [row for row in rows if len(set(row.get("versions", {}).values())) > 1]
    others = [row for row in plain if id(row) not in test]
    chosen = (
        plain[::_TEST_EVERY] + differing[:_DECIDED_DIFFERENCES] + others[1::2][:_DECIDED_OTHERS]
    )
    _decide(database, project_id, chosen)
    return project_id


def _import(
    database: Database,
    project_id: int,
    rows: list[dict[str, Any]],
    language: str,
    annotator: str | None = None,
) -> None:
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    import_file(
        database,
        SYSTEM,
        project_id,
        data,
        name=f"demo-{language}.jsonl",
        format="jsonl",
        annotator=annotator,
    )


def _decide(database: Database, project_id: int, rows: list[dict[str, Any]]) -> None:
    with database.read() as session:
        lead = users.by_name(session, LEAD_NAME)
        project = project_rows.by_id(session, project_id)
        hashes = [words_hash(strip_marks(row["text"])) for row in rows]
        places = {
            place[1:]: place.id for place in bulk.places_of_words(session, project_id, hashes)
        }
        decided = set(decisions.of_project(session, project_id))
    if lead is None or project is None:
        return
    actor = Actor(lead.id, lead.name, lead.role)
    for row, words in zip(rows, hashes, strict=True):
        transcript_id = places[words, row["document"], row["position"]]
        if transcript_id not in decided:
            labels = bytes(ALL_MARKS.ids[mark] for mark in parse(row["marked"]).marks)
            decide(database, actor, transcript_id, fold_labels(labels, project.marks))


_GUIDELINES: Final = {
    "nl": "Zet komma's waar een zorgvuldige lezer even pauzeert. Tussenwerpsels (eh, nou, ja) "
    "tussen komma's. Wijzig geen woorden.",
    "zh": "按语义断句。语气词（嗯、啊、那个）后用逗号。并列词语之间用顿号。不要修改文字。",
    "en": "Put commas where a careful reader pauses. Set fillers (uh, well, yeah) off by "
    "commas. Change no words.",
}
