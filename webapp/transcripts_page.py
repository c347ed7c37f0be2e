"""The Transcripts page: find, add, export, and the project's settings."""

import gradio as gr

from labeling.permissions import may
from webapp import project_settings, transcript_export, transcript_table, transcript_upload
from webapp.context import Context, on_load, show_errors
from webapp.i18n import label


def build(context: Context) -> None:
    """Lay the page out: a tab for each of the four things that are done here."""
    with gr.Tabs():
        with gr.Tab(label("transcripts.list"), id="list"):
            refresh = transcript_table.build(context)
        with gr.Tab(label("transcripts.add"), id="add", visible=False) as add:
            transcript_upload.build(context, refresh)
        with gr.Tab(label("transcripts.export"), id="export", visible=False) as export:
            transcript_export.build(context)
        with gr.Tab(label("transcripts.settings"), id="settings", visible=False) as settings:
            project_settings.build(context)

    @show_errors
    def for_role(request: gr.Request) -> list[dict]:
        actor = context.actor(request)
        needed = ("import", "export", "change_project")
        return [gr.update(visible=may(actor, action)) for action in needed]

    on_load(
        for_role,
        [],
        [add, export, settings],
        concurrency_limit=None,
        show_progress="hidden",
        api_visibility="undocumented",
    )
