"""A project's settings: marks, who gets what, and when a slot is tinted. For leads."""

from typing import Any, Final

import gradio as gr

from labeling.permissions import require
from labeling.projects import ProjectInfo, update_settings
from model.marks import MARKS, NONE
from webapp.context import Context, on_load, show_errors
from webapp.i18n import label

_EVENT: Final[dict[str, Any]] = {"concurrency_limit": None, "show_progress": "hidden"}


def build(context: Context) -> None:
    """Lay the form out."""
    chosen = [
        (label(f"project_settings.mark.{mark.name}"), mark.name)
        for mark in MARKS
        if mark.name != NONE
    ]
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=360):
            gr.Markdown(label("project_settings.marks_title"), elem_classes="ip-title")
            gr.Markdown(label("project_settings.marks_hint"), elem_classes="ip-hint")
            marks = gr.CheckboxGroup(chosen, show_label=False, elem_id="marks")
            guideline = gr.Textbox(
                label=label("project_settings.guideline"),
                info=label("project_settings.guideline_hint"),
                lines=5,
                max_lines=14,
                max_length=5000,
                elem_id="guideline",
            )
        with gr.Column(scale=1, min_width=360):
            gr.Markdown(label("project_settings.incoming_title"), elem_classes="ip-title")
            gr.Markdown(label("project_settings.incoming_hint"), elem_classes="ip-hint")
            overlap = _share("overlap_share")
            test = _share("test_share")
            gr.Markdown(label("project_settings.handing_title"), elem_classes="ip-title")
            random = _share("random_share")
            with gr.Row():
                lease = gr.Number(
                    label=label("project_settings.lease_minutes"),
                    info=label("project_settings.lease_minutes_hint"),
                    minimum=1,
                    maximum=43200,
                    min_width=150,
                    elem_id="lease",
                )
                top_k = gr.Number(
                    label=label("project_settings.top_k"),
                    info=label("project_settings.top_k_hint"),
                    precision=0,
                    minimum=1,
                    maximum=100,
                    min_width=150,
                )
            doubt = gr.Slider(
                0,
                100,
                step=1,
                label=label("project_settings.doubt_threshold"),
                info=label("project_settings.doubt_threshold_hint"),
                elem_id="doubt",
            )
            save = gr.Button(label("project_settings.save"), variant="primary", elem_id="save")

    fields = [marks, guideline, overlap, test, random, lease, top_k, doubt]

    @show_errors
    def load(request: gr.Request) -> list[Any]:
        return _values(context.project(request))

    @show_errors
    def do_save(
        marks: list[str],
        guideline: str,
        overlap: float,
        test: float,
        random: float,
        lease: float,
        top_k: int,
        doubt: float,
        request: gr.Request,
    ) -> list[Any]:
        actor = context.actor(request)
        require(actor, "change_project")
        project = context.project(request)
        changes = {
            "guideline": guideline.strip(),
            "overlap_share": overlap / 100,
            "test_share": test / 100,
            "random_share": random / 100,
            "lease_minutes": lease,
            "top_k": top_k,
            "doubt_threshold": doubt / 100,
        }
        changed = update_settings(
            context.database, actor, project.id, changes, marks=_in_order(project.marks, marks)
        )
        gr.Info(context.t(request, "project_settings.saved"))
        return _values(changed)

    on_load(load, [], fields, api_visibility="undocumented", **_EVENT)
    save.click(do_save, fields, fields, api_name="save_settings", **_EVENT)


def _share(name: str) -> gr.Slider:
    return gr.Slider(
        0,
        100,
        step=1,
        label=label(f"project_settings.{name}"),
        info=label(f"project_settings.{name}_hint"),
        elem_id=name.replace("_", "-"),
    )


def _values(project: ProjectInfo) -> list[Any]:
    settings = project.settings
    return [
        [name for name in project.marks if name != NONE],
        settings.guideline,
        *(round(100 * getattr(settings, name)) for name in ("overlap_share", "test_share")),
        round(100 * settings.random_share),
        settings.lease_minutes,
        settings.top_k,
        round(100 * settings.doubt_threshold),
    ]


def _in_order(before: tuple[str, ...], chosen: list[str]) -> list[str]:
    """Keep the order that the marks had; new ones follow in the order of the ten."""
    kept = [name for name in before if name in chosen or name == NONE]
    return kept + [mark.name for mark in MARKS if mark.name in chosen and mark.name not in kept]
