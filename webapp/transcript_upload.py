"""Adding transcripts: files in, a report of what became of every row out."""

from html import escape
from pathlib import Path
from typing import Any, Final

import gradio as gr

from labeling.accounts import list_names
from labeling.errors import BadInput, Refused
from labeling.formats import FORMATS
from labeling.import_report import ImportReport
from labeling.importing import import_file
from labeling.permissions import require
from labeling.suggestions import start_suggesting
from webapp.context import Context, on_load, show_errors
from webapp.figures import number
from webapp.i18n import LANGUAGES, label
from webapp.transcript_table import Refresh

_EVENT: Final[dict[str, Any]] = {"concurrency_limit": None}
_ROWS_SHOWN: Final = 50


def build(context: Context, refresh: Refresh) -> None:
    """Lay the form out."""
    of_project = (label("transcripts.project_language"), "")
    detect = (label("transcripts.detect"), "auto")
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=360):
            files = gr.File(
                label=label("transcripts.files"),
                file_count="multiple",
                file_types=[f".{name}" for name in (*FORMATS, "json", "ndjson", "tab")],
                height=150,
                elem_id="files",
            )
            gr.Markdown(label("transcripts.formats_hint"), elem_classes="ip-hint")
            with gr.Row():
                format = gr.Dropdown(
                    [(label("transcripts.detect"), "auto"), *FORMATS],
                    value="auto",
                    label=label("transcripts.format"),
                    min_width=150,
                )
                language = gr.Dropdown(
                    [of_project, detect, *((name, code) for code, name in LANGUAGES.items())],
                    value="",
                    label=label("transcripts.language"),
                    min_width=150,
                )
            annotator = gr.Dropdown(
                [(label("transcripts.no_annotator"), "")],
                value="",
                label=label("transcripts.annotator"),
                info=label("transcripts.annotator_hint"),
                allow_custom_value=True,  # the use case knows who there is
                elem_id="annotator",
            )
            go = gr.Button(label("transcripts.add_go"), variant="primary", elem_id="import")
        with gr.Column(scale=1, min_width=360):
            report = gr.HTML(elem_id="report", elem_classes="ip-prose")

    @show_errors
    def names(request: gr.Request) -> Any:
        nobody = (context.t(request, "transcripts.no_annotator"), "")
        found = list_names(context.database, context.actor(request))
        return gr.update(choices=[nobody, *((name, name) for name in found)])

    @show_errors
    def add(
        paths: list[str] | None,
        format: str,
        language: str,
        annotator: str,
        request: gr.Request,
    ) -> list[Any]:
        actor = context.actor(request)
        require(actor, "import")
        project = context.project(request)
        if not paths:
            raise BadInput("choose_a_file", "Choose a file first.")
        parts, added = [], 0
        for path in paths:
            name = Path(path).name
            try:
                done = import_file(
                    context.database,
                    actor,
                    project.id,
                    Path(path),
                    name=name,
                    format=format or "auto",
                    language=language or None,
                    annotator=annotator or None,
                )
                added += done.added
                parts.append(_report(context, request, done))
            except Refused as error:  # one bad file must not hide what became of the others
                parts.append(_refusal(context, request, name, error))
        if added:
            start_suggesting(context.database, actor, project.id)
        return ["".join(parts), None]

    on_load(
        names,
        [],
        annotator,
        api_visibility="undocumented",
        show_progress="hidden",
        **_EVENT,
    )
    go.click(
        add,
        [files, format, language, annotator],
        [report, files],
        api_name="import_transcripts",
        show_progress_on=report,
        **_EVENT,
    ).then(
        refresh.handler,
        refresh.inputs,
        refresh.outputs,
        api_visibility="undocumented",
        show_progress="hidden",
        **_EVENT,
    )


def _report(context: Context, request: gr.Request, report: ImportReport) -> str:
    nothing = not report.added and not report.versions_added
    lines = []
    if nothing:
        lines.append(context.t(request, "transcripts.nothing_new"))
    for key in (
        "added",
        "test",
        "already_there",
        "versions_added",
        "versions_already_there",
        "same_words",
        "marks_dropped",
        "other_rows",
    ):
        if count := getattr(report, key):
            lines.append(context.t(request, f"transcripts.report.{key}", n=number(count)))
    bad = ""
    if report.bad_rows:
        rows = "".join(
            f"<li>{escape(context.t(request, 'transcripts.row', number=row, reason=reason))}</li>"
            for row, reason in report.bad_rows[:_ROWS_SHOWN]
        )
        if len(report.bad_rows) > _ROWS_SHOWN:
            more = number(len(report.bad_rows) - _ROWS_SHOWN)
            rows += f"<li>{context.t(request, 'transcripts.more_rows', n=more)}</li>"
        count = number(len(report.bad_rows))
        bad = f"<p>{context.t(request, 'transcripts.report.bad', n=count)}</p><ul>{rows}</ul>"
    kind = "worse" if report.bad_rows else "better" if not nothing else ""
    told = "".join(f"<li>{escape(line)}</li>" for line in lines)
    name = f"<b>{escape(report.name)}</b> ({report.format})"
    return f'<div class="ip-verdict {kind}">{name}<ul>{told}</ul>{bad}</div>'


def _refusal(context: Context, request: gr.Request, name: str, error: Refused) -> str:
    said = escape(context.say(request, error))
    return f'<div class="ip-verdict failed"><b>{escape(name)}</b><p>{said}</p></div>'
