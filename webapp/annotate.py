"""The Annotate page: the slot editor, and the same steps for programs."""

from pathlib import Path
from typing import Final

import gradio as gr
import orjson

from labeling import workflow
from webapp.context import Context, show_errors
from webapp.html import STATIC_PATH

EDITOR: Final = Path(__file__).parent / "editor"


def build(context: Context) -> None:
    """Lay the page out."""
    gr.HTML(
        html_template=(EDITOR / "editor.html").read_text(encoding="utf-8"),
        js_on_load=f"import('{STATIC_PATH}/editor/bench.js')"
        ".then((module) => module.mountBench(element.querySelector('.ip-bench')));",
        apply_default_css=False,
        elem_id="annotate",
    )
    _offer_to_programs(context)


def _offer_to_programs(context: Context) -> None:
    """Offer an annotator's steps to gradio_client; the editor itself uses the JSON routes."""
    database = context.database

    @show_errors
    def next_transcript(project_id: int, request: gr.Request) -> dict:
        work = workflow.open_next(database, context.actor(request), int(project_id))
        return {"work": None if work is None else orjson.loads(orjson.dumps(work))}

    @show_errors
    def save_draft(
        transcript_id: int, labels: list[int], draft_number: int, request: gr.Request
    ) -> int:
        return workflow.save_draft(
            database, context.actor(request), int(transcript_id), labels, int(draft_number)
        )

    @show_errors
    def submit(
        transcript_id: int, labels: list[int], based_on: int, seconds: float, request: gr.Request
    ) -> int:
        return workflow.submit(
            database,
            context.actor(request),
            int(transcript_id),
            labels,
            int(based_on),
            float(seconds),
        )

    @show_errors
    def skip(transcript_id: int, reason: str, request: gr.Request) -> bool:
        workflow.skip(database, context.actor(request), int(transcript_id), reason)
        return True

    @show_errors
    def flag(transcript_id: int, reason: str, request: gr.Request) -> bool:
        workflow.flag(database, context.actor(request), int(transcript_id), reason)
        return True

    steps = {
        "next": next_transcript,
        "save_draft": save_draft,
        "submit": submit,
        "skip": skip,
        "flag": flag,
    }
    for name, step in steps.items():
        gr.api(step, api_name=name, queue=False, concurrency_limit=None)
