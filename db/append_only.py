"""Rows that are written once: nothing in this program can change or delete one.

Versions, decisions, promotions and audit events are what people's work and its measures
rest on. The guards stand in the ORM, and so hold on every database alike; a project that
is deleted whole takes its rows with it (the foreign keys do that).
"""

from typing import Any, NoReturn

from sqlalchemy import event
from sqlalchemy.orm import ORMExecuteState, Session

from db.tables import AuditEvent, Decision, Promotion, Version

APPEND_ONLY = (Version, Decision, Promotion, AuditEvent)


class AppendOnly(RuntimeError):
    """Code tried to change or delete a row that is written once."""


def _refuse(mapper: Any, connection: Any, target: Any) -> NoReturn:
    raise AppendOnly(f"A {type(target).__name__} is written once, and never changed or deleted.")


def _refuse_bulk(state: ORMExecuteState) -> None:
    if (state.is_update or state.is_delete) and state.bind_mapper is not None:
        table = state.bind_mapper.class_
        if issubclass(table, APPEND_ONLY):
            raise AppendOnly(f"{table.__name__} rows are written once, and never changed.")


def guard() -> None:
    """Put the guards in place; more than once does no harm."""
    for table in APPEND_ONLY:
        for name in ("before_update", "before_delete"):
            if not event.contains(table, name, _refuse):
                event.listen(table, name, _refuse)
    if not event.contains(Session, "do_orm_execute", _refuse_bulk):
        event.listen(Session, "do_orm_execute", _refuse_bulk)
