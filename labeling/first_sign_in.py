"""The first people of an installation, their passwords, and the file that tells them."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from db import audit
from db.engine import Database
from labeling.accounts import add_user, list_users
from labeling.permissions import ADMIN, ANNOTATOR, ENGINEER, LEAD, SYSTEM

FILE: Final = "first-sign-in.txt"
ADMIN_NAME: Final = "admin"
LEAD_NAME: Final = "lea"
ENGINEER_NAME: Final = "eve"
DEMO_PEOPLE: Final = {
    LEAD_NAME: LEAD,
    ENGINEER_NAME: ENGINEER,
    **dict.fromkeys(("anna", "bram", "lin", "wei", "maya", "tom"), ANNOTATOR),
}
_MADE: Final = "first_people_made"
_NOT_TOLD: Final = "(INTERPUNCT_ADMIN_PASSWORD)"  # stands in the file for a password that was given
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # none that are mistaken for another


@dataclass(frozen=True, slots=True)
class FirstPerson:
    """Somebody who can sign in from the start."""

    name: str
    role: str
    password: str


def make_first_people(
    database: Database, home: Path, *, demo: bool, admin_password: str = ""
) -> list[FirstPerson]:
    """Make an admin, and the demo's people, at the first start of an installation.

    Their passwords stand in a file of the home folder that its owner alone can read. It is
    written before they are made, so that a start that was broken off is finished by the
    next one with the same passwords.

    Parameters
    ----------
    database : Database
        Migrated.
    home : Path
        The home folder.
    demo : bool
        Whether the demo's people are made too.
    admin_password : str
        The admin's; one is made up if empty. One that was given stands in no file.

    Returns
    -------
    list of FirstPerson
        Who was made now; empty at later starts. Names that somebody has already stay theirs.

    Raises
    ------
    BadInput
        The password that was given is too short.
    """
    with database.read() as session:
        if audit.happened(session, _MADE):
            return []
    there = {person.name for person in list_users(database, SYSTEM)}
    path = home / FILE
    known = _read(path)
    roles = {ADMIN_NAME: ADMIN, **(DEMO_PEOPLE if demo else {})}
    people = [
        FirstPerson(name, role, known.get(name) or _made_up()) for name, role in roles.items()
    ]
    _write(path, [p for p in people if p.name not in there - known.keys()], admin_password)
    made = []
    for person in people:
        if person.name not in there:
            given = admin_password if person.name == ADMIN_NAME else ""
            password = given or person.password
            add_user(database, SYSTEM, name=person.name, password=password, role=person.role)
            made.append(FirstPerson(person.name, person.role, password))
    with database.write() as session:
        audit.record(session, None, _MADE, subject=f"{len(made)} people")
    return made


def _made_up() -> str:
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def _read(path: Path) -> dict[str, str]:
    """Return the passwords that a start which was broken off has written, by name."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    rows = [line.split() for line in lines if line.startswith("  ")]
    return {row[0]: row[2] for row in rows if len(row) == 3 and row[2] != _NOT_TOLD}


def _write(path: Path, people: list[FirstPerson], admin_password: str) -> None:
    lines = ["Who can sign in, with which role and password. Change them under People.", ""]
    for person in people:
        hidden = admin_password and person.name == ADMIN_NAME
        shown = _NOT_TOLD if hidden else person.password
        lines.append(f"  {person.name:<8}{person.role:<11}{shown}")
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")
    fresh.replace(path)
