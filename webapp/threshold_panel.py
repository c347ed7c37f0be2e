"""The threshold slider: what it would do to precision and recall is seen first."""

from typing import Any, Final

import gradio as gr

from labeling.permissions import may
from labeling.projects import update_settings
from labeling.threshold_preview import ThresholdPreview, preview_threshold
from model.marks import NONE
from webapp import model_plots
from webapp.context import Context, on_load, show_errors
from webapp.figures import number, percent
from webapp.i18n import label

_EVENT: Final[dict[str, Any]] = {"concurrency_limit": None, "show_progress": "hidden"}


def build(context: Context) -> None:
    """Lay the panel out, folded: what it shows is computed when it is opened."""
    with gr.Accordion(label("models.threshold_title"), open=False, elem_id="threshold") as panel:
        gr.Markdown(label("models.threshold_hint"), elem_classes="ip-hint")
        with gr.Row(equal_height=False):
            with gr.Column(scale=1, min_width=320):
                mark = gr.Dropdown([], label=label("models.mark"), elem_id="threshold-mark")
                at = gr.Slider(
                    5,
                    95,
                    step=1,
                    value=40,
                    label=label("models.threshold"),
                    info=label("models.threshold_info"),
                    elem_id="threshold-slider",
                )
                said = gr.Markdown(elem_id="threshold-said")
                use = gr.Button(label("models.threshold_use"), elem_id="threshold-use")
            with gr.Column(scale=2, min_width=420):
                plot = gr.Plot(show_label=False, elem_classes="ip-plot")

    def seen(request: gr.Request, mark: str) -> ThresholdPreview:
        return preview_threshold(
            context.database, context.actor(request), context.project(request).id, mark
        )

    def shown(request: gr.Request, found: ThresholdPreview, at: float) -> list[Any]:
        curve = found.curve
        nearest = min(range(len(curve.thresholds)), key=lambda i: abs(curve.thresholds[i] - at))
        names = (
            context.t(request, "models.precision"),
            context.t(request, "models.recall"),
            context.t(request, "models.threshold_axis"),
        )
        said = context.t(
            request,
            "models.threshold_said",
            precision=percent(curve.precision[nearest]),
            recall=percent(curve.recall[nearest]),
            rate=f"{curve.rate[nearest]:.1f}",
            n=number(found.n_texts),
        )
        drawn = model_plots.threshold(curve.thresholds, curve.precision, curve.recall, at, names)
        return [said, drawn]

    @show_errors
    def load(request: gr.Request) -> list[Any]:
        project = context.project(request)
        names = [
            (context.t(request, f"mark.{name}"), name) for name in project.marks if name != NONE
        ]
        allowed = may(context.actor(request), "change_project")
        return [gr.update(choices=names, value=names[0][1]), gr.update(visible=allowed)]

    @show_errors
    def open_it(mark: str, request: gr.Request) -> list[Any]:
        found = seen(request, mark)
        now = found.thresholds[mark]
        return [gr.update(value=round(100 * now)), *shown(request, found, now)]

    @show_errors
    def move(mark: str, at: float, request: gr.Request) -> list[Any]:
        return shown(request, seen(request, mark), at / 100)

    @show_errors
    def do_use(mark: str, at: float, request: gr.Request) -> None:
        found = seen(request, mark)
        thresholds = {**found.thresholds, mark: at / 100}
        actor, project = context.actor(request), context.project(request)
        update_settings(context.database, actor, project.id, {"thresholds": thresholds})
        gr.Info(context.t(request, "models.threshold_used"))

    on_load(load, [], [mark, use], api_visibility="undocumented", **_EVENT)
    panel.expand(
        open_it, mark, [at, said, plot], api_visibility="undocumented", preprocess=False, **_EVENT
    )
    mark.input(
        open_it, mark, [at, said, plot], api_visibility="undocumented", preprocess=False, **_EVENT
    )
    at.release(
        move, [mark, at], [said, plot], api_name="preview_threshold", preprocess=False, **_EVENT
    )
    use.click(do_use, [mark, at], [], api_name="set_threshold", preprocess=False, **_EVENT)
