"""The checkpoint that ships with the program, made known to an installation."""

import hashlib
from pathlib import Path
from typing import Final

import model as model_package
from db import audit, models, projects
from db.engine import Database
from labeling.models import serve_project
from labeling.permissions import SYSTEM
from labeling.queue import wake_worker
from model.card import CARD, BrokenModel, read_card

STARTER_FOLDER: Final = Path(model_package.__file__).parent / "starter" / "checkpoint"
STARTER: Final = "starter"
# Weights, vocabularies and settings, by name or by what a name ends in; notes that lie beside
# them decide nothing.
_DECIDING: Final = frozenset(
    {".pdparams", ".safetensors", ".txt", ".model", CARD}
    | {"config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}
)


def register_starter(database: Database, folder: Path | None = None) -> int | None:
    """Make the shipped checkpoint known, and let it serve every project that has no model.

    A release with another checkpoint makes another version, and projects that the one
    before served move on to it: its files are not there any more.

    Parameters
    ----------
    database : Database
        Migrated.
    folder : Path, optional
        The checkpoint's folder; the one that ships if None.

    Returns
    -------
    int or None
        The version's id; None where this copy of the program ships no checkpoint.
    """
    folder = folder or STARTER_FOLDER
    try:
        card = read_card(folder)
    except BrokenModel:
        return None
    print_of = _fingerprint(folder)
    with database.write() as session:
        starters = models.shared(session)
        version = next((m for m in starters if m.settings.get("fingerprint") == print_of), None)
        if version is None:
            name = STARTER
            if models.by_name(session, name) is not None:
                name = f"{STARTER}-{print_of[:8]}"
            version = models.add(
                session,
                project_id=None,
                name=name,
                folder=str(folder.resolve()),
                marks=list(card.marks),
                settings={
                    "fingerprint": print_of,
                    "thresholds": card.thresholds,
                    "temperature": card.temperature,
                    "base": card.base,
                },
            )
            audit.record(session, None, "starter_registered", subject=f"model {name}")
        version.folder, version.state, version.note = str(folder.resolve()), models.READY, ""
        others = [m for m in starters if m.id != version.id]
        replaced = [m for m in others if m.folder == version.folder or not _is_there(m.folder)]
        gone = {m.id for m in replaced}
        for old in replaced:
            old.state, old.note = models.BROKEN, "A later release replaced its files."
        moved = [
            project
            for project in projects.everything(session)
            if project.serving_model_id is None or project.serving_model_id in gone
        ]
        for project in moved:
            serve_project(session, SYSTEM, project, version, reason="the starter of this release")
        model_id = version.id
    if moved:
        wake_worker(database)
    return model_id


def _is_there(folder: str) -> bool:
    return (Path(folder) / CARD).is_file()


def _fingerprint(folder: Path) -> str:
    """Hash the files that decide what a model says; the exported graph follows from them."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        if path.name not in _DECIDING and path.suffix not in _DECIDING:
            continue
        digest.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
