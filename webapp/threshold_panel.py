"""The threshold slider: what it would do to precision and recall is seen first."""

from collections.abc import Callable
from typing import Any, Final

import gradio as gr

from labeling.errors import BadInput
from labeling.permissions import may
from labeling.threshold_preview import ThresholdPreview, preview_threshold
from labeling.thresholds import set_threshold
from model.calibration import DEFAULT_THRESHOLD
from model.marks import NONE
from webapp import model_plots
from webapp.context import Context, on_load, show_errors
from webapp.figures import MISSING, number, percent
from webapp.i18n import label

_EVENT: Final[dict[str, Any]] = {"concurrency_limit": None, "show_progress": "hidden"}
_LOWEST, _HIGHEST = 5, 95


def build(context: Context) -> Callable[[Any], None]:
    """Lay the panel out, folded: what it shows is computed when it is opened.

    Returns
    -------
    callable
        Takes a Gradio event after which another model may serve, and has the panel follow.
    """
    with gr.Accordion(label("models.threshold_title"), open=False, elem_id="threshold") as panel:
        gr.Markdown(label("models.threshold_hint"), elem_classes="ip-hint")
        with gr.Row(equal_height=False):
            with gr.Column(scale=1, min_width=320):
                mark = gr.Dropdown([], label=label("models.mark"), elem_id="threshold-mark")
                at = gr.Slider(
                    _LOWEST,
                    _HIGHEST,
                    step=1,
                    value=40,
                    label=label("models.threshold"),
                    info=label("models.threshold_info"),
                    elem_id="threshold-slider",
                    buttons=[],  # Gradio's reset would go to 40, which is no model's threshold
                )
                said = gr.Markdown(elem_id="threshold-said")
                use = gr.Button(label("models.threshold_use"), elem_id="threshold-use")
                own = gr.Button(label("models.threshold_own"), elem_id="threshold-own", size="sm")
            with gr.Column(scale=2, min_width=420):
                plot = gr.Plot(show_label=False, elem_classes="ip-plot")

    def seen(request: gr.Request, mark: str | None) -> ThresholdPreview:
        project = context.project(request)
        # Whoever opens the panel before the page has filled it has chosen no mark yet.
        return preview_threshold(
            context.database, context.actor(request), project.id, mark or project.marks[1]
        )

    def shown(request: gr.Request, found: ThresholdPreview, at: float) -> list[Any]:
        said = [_standing(context, request, found), _effect(context, request, found, at)]
        if found.curve is None:
            return ["\n\n".join(said), gr.update(visible=False)]
        names = (
            context.t(request, "models.precision"),
            context.t(request, "models.recall"),
            context.t(request, "models.threshold_axis"),
        )
        curve = found.curve
        drawn = model_plots.threshold(curve.thresholds, curve.precision, curve.recall, at, names)
        return ["\n\n".join(said), gr.update(value=drawn, visible=True)]

    def standing(request: gr.Request, mark: str | None) -> list[Any]:
        found = seen(request, mark)
        now = DEFAULT_THRESHOLD if found.stands.threshold is None else found.stands.threshold
        now = min(max(now, _LOWEST / 100), _HIGHEST / 100)
        allowed = may(context.actor(request), "change_project")
        return [
            gr.update(value=round(100 * now)),
            *shown(request, found, now),
            gr.update(visible=allowed and found.stands.is_set),
        ]

    @show_errors
    def load(request: gr.Request) -> list[Any]:
        project = context.project(request)
        names = [
            (context.t(request, f"mark.{name}"), name) for name in project.marks if name != NONE
        ]
        allowed = may(context.actor(request), "change_project")
        return [
            gr.update(choices=names, value=names[0][1]),
            gr.update(visible=allowed),
            gr.update(visible=False),
        ]

    @show_errors
    def open_it(mark: str | None, request: gr.Request) -> list[Any]:
        return standing(request, mark)

    @show_errors
    def move(mark: str | None, at: float, request: gr.Request) -> list[Any]:
        return shown(request, seen(request, mark), _share(at))

    @show_errors
    def do_use(mark: str, at: float, request: gr.Request) -> list[Any]:
        return change(request, mark, _share(at), "models.threshold_used")

    @show_errors
    def do_own(mark: str, request: gr.Request) -> list[Any]:
        return change(request, mark, None, "models.threshold_own_used")

    def change(request: gr.Request, mark: str, at: float | None, told: str) -> list[Any]:
        project = context.project(request)
        set_threshold(context.database, context.actor(request), project.id, mark, at)
        gr.Info(context.t(request, told))
        return standing(request, mark)

    everything = [at, said, plot, own]
    quiet = {"api_visibility": "undocumented", "preprocess": False, **_EVENT}
    on_load(load, [], [mark, use, own], api_visibility="undocumented", **_EVENT)
    panel.expand(open_it, mark, everything, **quiet)
    mark.input(open_it, mark, everything, **quiet)
    # Arrow keys send no release, and a drag many inputs: the last of these is what counts.
    gr.on(
        [at.input, at.release],
        move,
        [mark, at],
        [said, plot],
        api_name="preview_threshold",
        preprocess=False,
        trigger_mode="always_last",
        **_EVENT,
    )
    use.click(do_use, [mark, at], everything, api_name="set_threshold", preprocess=False, **_EVENT)
    own.click(do_own, mark, everything, api_name="unset_threshold", preprocess=False, **_EVENT)
    return lambda event: event.then(open_it, mark, everything, **quiet)


def _share(at: Any) -> float:
    """Take what the slider sent; its number box, and other programs, can send anything."""
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 < at <= 100:
        raise BadInput("bad_setting", "A threshold is above 0 and at most 100 %.", setting="at")
    return at / 100


def _standing(context: Context, request: gr.Request, found: ThresholdPreview) -> str:
    """Say where the threshold stands, and who set it."""
    if found.stands.threshold is None:
        return context.t(request, "models.threshold_likeliest")
    own = MISSING if found.stands.own is None else percent(found.stands.own, 0)
    told = "models.threshold_is_set" if found.stands.is_set else "models.threshold_is_own"
    return context.t(request, told, at=percent(found.stands.threshold, 0), own=own)


def _effect(context: Context, request: gr.Request, found: ThresholdPreview, at: float) -> str:
    """Lay out what another threshold would do beside what holds now, and on what that rests."""
    if found.curve is None or found.now is None:
        return context.t(request, "models.threshold_no_gold")
    both = (found.now, found.curve.at(at))
    rows = [
        ("models.precision", [percent(one.precision) for one in both]),
        ("models.recall", [percent(one.recall) for one in both]),
        ("models.threshold_rate", [f"{one.rate:.1f}" for one in both]),
    ]
    heads = (
        context.t(request, "models.threshold_now"),
        context.t(request, "models.threshold_then", at=percent(at, 0)),
    )
    lines = [f"| | {heads[0]} | {heads[1]} |", "| --- | --: | --: |"]
    lines += [f"| {context.t(request, name)} | {cells[0]} | {cells[1]} |" for name, cells in rows]
    rests = context.t(request, "models.threshold_counted", n=number(found.n_texts))
    if found.n_tuned:
        rests += " " + context.t(request, "models.threshold_tuned", n=number(found.n_tuned))
    return "\n".join(lines) + "\n\n" + rests
