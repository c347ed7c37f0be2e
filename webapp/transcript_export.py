"""Exporting: choose what and how, and take the file away."""

import tempfile
from pathlib import Path
from typing import Any, Final, cast

import gradio as gr
import regex

from labeling.exporting import KINDS, ExportReport, export
from labeling.writing import EXPORT_FORMATS
from webapp.context import Context, show_errors
from webapp.figures import number
from webapp.i18n import label

_UNSAFE: Final = regex.compile(r"[^\p{L}\p{N}_.-]+")
_SHOWN: Final = 20


def build(context: Context) -> None:
    """Lay the form out."""
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=360):
            what = gr.Radio(
                [(label(f"transcripts.what.{kind}"), kind) for kind in KINDS],
                value=KINDS[0],
                label=label("transcripts.what"),
                elem_id="what",
            )
            format = gr.Dropdown(
                [(label(f"transcripts.format.{name}"), name) for name in EXPORT_FORMATS],
                value="jsonl",
                label=label("transcripts.format"),
                elem_id="export-format",
            )
            capitals = gr.Checkbox(
                label=label("transcripts.capitals"), info=label("transcripts.capitals_hint")
            )
            go = gr.Button(label("transcripts.export_go"), variant="primary", elem_id="export-go")
        with gr.Column(scale=1, min_width=360):
            told = gr.Markdown(elem_id="exported")
            file = gr.DownloadButton(
                cast(str, label("transcripts.download")), visible=False, elem_id="download"
            )

    @show_errors
    def make(what: str, format: str, capitals: bool, request: gr.Request) -> list[Any]:
        project = context.project(request)
        name = _UNSAFE.sub("-", project.name).strip("-.") or "project"
        with tempfile.TemporaryDirectory(prefix="interpunct-export-") as folder:
            path = Path(folder) / f"{name}-{what}.{format}"
            report = export(
                context.database,
                context.actor(request),
                project.id,
                what,
                format,
                path,
                capitalize=capitals,
            )
            # Gradio gives its own copy away, and deletes it after a day (see `webapp.app`).
            kept = file.move_resource_to_block_cache(path)
        return [_told(context, request, report), gr.update(value=kept, visible=True)]

    go.click(
        make,
        [what, format, capitals],
        [told, file],
        api_name="export_transcripts",
        concurrency_limit=None,
    )


def _told(context: Context, request: gr.Request, report: ExportReport) -> str:
    lines = [context.t(request, "transcripts.exported", n=number(report.rows))]
    if report.left_out:
        count = number(len(report.left_out))
        lines.append(context.t(request, "transcripts.left_out", n=count))
        lines += [f"- № {i}: {reason}" for i, reason in report.left_out[:_SHOWN]]
    if report.inexact:
        which = ", ".join(f"№ {i}" for i in report.inexact[:_SHOWN])
        count = number(len(report.inexact))
        lines.append(context.t(request, "transcripts.inexact", n=count, which=which))
    return "\n\n".join(lines)
