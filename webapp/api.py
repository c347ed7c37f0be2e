"""The JSON routes: what the slot editor calls, and what other programs may call as well.

Same cookie, same use cases, same roles as the pages. A refusal is
``{"code", "message", ...}`` with status 401 (not signed in), 403 (not for this role), 404,
422 (bad input) or 409 (a stale save: ``theirs``, ``theirs_number`` and ``yours`` come with it,
and nothing was overwritten). See docs/api.md.
"""

from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field

from labeling import history, workflow
from labeling.errors import BadInput, NotAllowed, NotFound, Refused, StaleSave
from labeling.permissions import Actor
from labeling.work import Work
from webapp.context import Context, error_text
from webapp.suggesting import Suggester

# Numbers as JSON has them: true is not 1 here, nor is "1".
Label = Annotated[int, Field(ge=0, le=255, strict=True)]
_LARGEST: Final = 2**31 - 1  # of what the tables number
Number = Annotated[int, Field(ge=0, le=_LARGEST, strict=True)]
Id = Annotated[int, Path(ge=0, le=_LARGEST)]
_STATUS: Final = {NotAllowed: 403, NotFound: 404, BadInput: 422, StaleSave: 409}


class Draft(BaseModel):
    """A draft to save, and the number of the draft that it was made from."""

    labels: list[Label]
    draft_number: Number


class Submission(BaseModel):
    """An answer, what it was made from (a version, and a draft), and how long it took."""

    labels: list[Label]
    based_on: Number
    seconds: float | None = Field(None, ge=0)
    draft_number: Number | None = None


class Reason(BaseModel):
    """Why a transcript is skipped or flagged."""

    reason: str = Field("", max_length=500)


class VersionName(BaseModel):
    """One annotator's version."""

    annotator_id: Number
    number: Number


class Verdict(BaseModel):
    """A lead's decision on a transcript."""

    labels: list[Label]
    note: str = Field("", max_length=2000)
    based_on: Number | None = None


def annotating(context: Context, suggester: Suggester) -> APIRouter:
    """Return the routes of an annotator's day, under ``/api``."""
    router = APIRouter(prefix="/api", tags=["annotating"])
    database, who = context.database, context.actor

    @router.post("/projects/{project_id}/next")
    def next_transcript(request: Request, project_id: Id) -> Response:
        """Hand out the next transcript, or the one that is open; ``work`` is null when done."""
        actor = who(request)
        work = workflow.open_next(database, actor, project_id)
        if work is None:
            counts = workflow.progress(database, actor, project_id)
            return _json({"work": None, "counts": counts})
        return _json({"work": _with_suggestion(actor, work)})

    @router.post("/transcripts/{transcript_id}/open")
    def open_transcript(request: Request, transcript_id: Id) -> Response:
        """Open a given transcript (again)."""
        actor = who(request)
        work = workflow.open_transcript(database, actor, transcript_id)
        return _json({"work": _with_suggestion(actor, work)})

    @router.post("/transcripts/{transcript_id}/draft")
    def save_draft(request: Request, transcript_id: Id, draft: Draft) -> Response:
        """Save a draft; 409 where another tab saved since."""
        number = workflow.save_draft(
            database,
            who(request),
            transcript_id,
            labels=_packed(draft.labels),
            draft_number=draft.draft_number,
        )
        return _json({"draft_number": number})

    @router.post("/transcripts/{transcript_id}/submit")
    def submit(request: Request, transcript_id: Id, answer: Submission) -> Response:
        """Submit an answer as a new version; 409 where a newer version was submitted since."""
        number = workflow.submit(
            database,
            who(request),
            transcript_id,
            labels=_packed(answer.labels),
            based_on=answer.based_on,
            seconds=answer.seconds,
            draft_number=answer.draft_number,
        )
        return _json({"version": number})

    @router.post("/transcripts/{transcript_id}/skip")
    def skip(request: Request, transcript_id: Id, why: Reason) -> Response:
        """Leave a transcript to others."""
        workflow.skip(database, who(request), transcript_id, reason=why.reason)
        return _json({"ok": True})

    @router.post("/transcripts/{transcript_id}/flag")
    def flag(request: Request, transcript_id: Id, why: Reason) -> Response:
        """Mark a transcript for a lead to look at; it stays open."""
        workflow.flag(database, who(request), transcript_id, reason=why.reason)
        return _json({"ok": True})

    def _with_suggestion(actor: Actor, work: Work) -> Work:
        if work.needs_suggestion and suggester.make(work.transcript_id):
            return workflow.open_transcript(database, actor, work.transcript_id)
        return work

    return router


def reviewing(context: Context) -> APIRouter:
    """Return the routes of a transcript's past, under ``/api``."""
    router = APIRouter(prefix="/api", tags=["reviewing"])
    database, who = context.database, context.actor

    @router.get("/transcripts/{transcript_id}/history")
    def past(request: Request, transcript_id: Id) -> Response:
        """Return all versions, decisions and suggestions; an annotator's own part for them."""
        return _json(history.history(database, who(request), transcript_id))

    @router.post("/transcripts/{transcript_id}/restore")
    def restore(request: Request, transcript_id: Id, which: VersionName) -> Response:
        """Bring a version back: one's own as a new version, somebody else's as a decision."""
        return _json(
            history.restore(database, who(request), transcript_id, which.annotator_id, which.number)
        )

    @router.post("/transcripts/{transcript_id}/decide")
    def decide(request: Request, transcript_id: Id, verdict: Verdict) -> Response:
        """Record a decision; annotators' versions stay as they are."""
        number = history.decide(
            database,
            who(request),
            transcript_id,
            _packed(verdict.labels),
            verdict.note,
            based_on=verdict.based_on,
        )
        return _json({"decision": number})

    return router


def refusal(context: Context, request: Request, error: Refused) -> Response:
    """Return what a refusal looks like as JSON."""
    body: dict[str, Any] = {
        "code": error.code,
        "message": error_text(context.language(request), error),
    }
    if isinstance(error, StaleSave):
        body |= {
            "theirs": list(error.theirs),
            "theirs_number": error.theirs_number,
            "yours": list(error.yours),
            "of": error.of,
        }
    status = 401 if error.code == "not_signed_in" else _STATUS.get(type(error), 422)
    return _json(body, status)


def misfit(context: Context, request: Request, error: RequestValidationError) -> Response:
    """Return what a request hears that does not fit its route; nothing that came is repeated.

    What came can be a password, or a million labels of which each is wrong.
    """
    first = error.errors()[0]
    where, why = ".".join(str(part) for part in first["loc"]), first["msg"]
    said = BadInput("misfit", f"{where} does not fit: {why}.", where=where, reason=why)
    return refusal(context, request, said)


def _packed(labels: list[int]) -> bytes:
    return bytes(labels)


def _json(content: Any, status: int = 200) -> Response:
    return Response(
        orjson.dumps(content),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
