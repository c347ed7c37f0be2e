"""The Models page: train, watch, compare, promote, roll back. For engineers; leads may look."""

from typing import Any, Final

import gradio as gr

from model.training_settings import CLASS_WEIGHTS
from webapp import threshold_panel
from webapp.context import Context, on_load
from webapp.i18n import label
from webapp.round_handlers import RoundHandlers

_EVENT: Final[dict[str, Any]] = {"concurrency_limit": None, "show_progress": "hidden"}
SECONDS: Final = 1.0  # between two looks at a round that runs


def build(context: Context) -> None:
    """Lay the page out."""
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=420):
            gr.Markdown(label("models.gold_title"), elem_classes="ip-title")
            serving = gr.HTML(elem_id="serving", elem_classes="ip-prose")
            gold = _table("gold", ["28%", "18%", "18%", "18%", "18%"])
            missing = gr.HTML(visible=False, elem_id="missing")
        with gr.Column(scale=1, min_width=420):
            gr.Markdown(label("models.train_title"), elem_classes="ip-title")
            train = gr.Button(label("models.train"), variant="primary", elem_id="train")
            with gr.Accordion(label("models.settings"), open=False, elem_id="train-settings"):
                with gr.Row():
                    epochs = gr.Number(
                        label=label("models.epochs"),
                        info=label("models.epochs_hint"),
                        precision=0,
                        minimum=0,
                        maximum=100,
                        value=0,
                        min_width=140,
                        elem_id="epochs",
                    )
                    seed = gr.Number(
                        label=label("models.seed"),
                        info=label("models.seed_hint"),
                        precision=0,
                        minimum=0,
                        value=0,
                        min_width=140,
                    )
                with gr.Row():
                    none = _weight("NONE")
                    comma = _weight("COMMA")
                    period = _weight("PERIOD")
                    question = _weight("QUESTION")
                base = gr.Textbox(
                    label=label("models.base"),
                    info=label("models.base_hint"),
                    placeholder="ernie-3.0-nano-zh",
                    max_length=300,
                    elem_id="base",
                )
                auto = gr.Checkbox(label=label("models.auto"), info=label("models.auto_hint"))
            progress = gr.HTML(visible=False, elem_id="progress", elem_classes="ip-prose")
            losses = gr.Plot(
                show_label=False, visible=False, elem_id="losses", elem_classes="ip-plot"
            )
            with gr.Row():
                cancel = gr.Button(
                    label("models.cancel"), visible=False, size="sm", elem_id="cancel"
                )
                retry = gr.Button(label("models.retry"), visible=False, size="sm", elem_id="retry")
    with gr.Column(visible=False) as results:
        gr.Markdown(label("models.result_title"), elem_classes="ip-title")
        which = gr.Dropdown([], show_label=False, elem_id="round", container=False)
        verdict = gr.HTML(elem_id="verdict", elem_classes="ip-prose")
        compared = _table("compared", ["20%", "10%", "10%", "10%", "10%", "8%", "8%", "17%", "7%"])
        gr.Markdown(label("models.table_hint"), elem_classes="ip-hint")
        gr.Markdown(label("models.history_title"), elem_classes="ip-title")
        history = gr.Plot(show_label=False, elem_id="history", elem_classes="ip-plot")
    gr.Markdown(label("models.models_title"), elem_classes="ip-title")
    versions = _table("versions", ["25%", "12%", "20%", "16%", "12%", "15%"])
    with gr.Row(equal_height=False, elem_classes="ip-bottom"):
        model = gr.Dropdown([], label=label("models.model"), scale=1, elem_id="model")
        promote = gr.Button(label("models.promote"), scale=0, min_width=180, elem_id="promote")
        back = gr.Button(label("models.rollback"), scale=0, min_width=180, elem_id="rollback")
    with gr.Group(visible=False, elem_id="confirm-change") as confirm:
        question_text = gr.HTML(padding=True, elem_id="question")
        with gr.Row():
            yes = gr.Button(label("models.yes"), variant="primary", elem_id="yes")
            no = gr.Button(label("models.no"), elem_id="no")
    follow = threshold_panel.build(context)
    timer = gr.Timer(SECONDS, active=False)
    asked = gr.State({})

    running = [timer, train, progress, losses, cancel, retry]
    standing = [serving, gold, missing, results, which, verdict, compared, history]
    choosing = [versions, model, promote, back]
    everything = [*running, *standing, *choosing]

    do = RoundHandlers(context)
    on_load(do.load, [], everything, api_name="models", **_EVENT)
    timer.tick(do.tick, [], everything, api_visibility="undocumented", **_EVENT)
    train.click(
        do.start,
        [epochs, seed, none, comma, period, question, base, auto],
        running,
        api_name="start_round",
        **_EVENT,
    )
    cancel.click(do.stop, [], running, api_name="cancel_round", **_EVENT)
    retry.click(do.again, [], running, api_name="retry_round", **_EVENT)
    which.input(
        do.show_round, which, [verdict, compared], preprocess=False, api_name="round", **_EVENT
    )
    # Choices that a page made itself are checked by the use cases: a page that was open while
    # the server was started anew would else be told that its choice is none.
    questions = [confirm, question_text, asked]
    promote.click(
        do.ask_promote, model, questions, preprocess=False, api_name="ask_promote", **_EVENT
    )
    back.click(do.ask_back, [], questions, api_visibility="undocumented", **_EVENT)
    follow(
        yes.click(do.do_it, asked, [confirm, asked, *everything], api_name="change_model", **_EVENT)
    )
    no.click(lambda: gr.update(visible=False), [], confirm, api_visibility="undocumented", **_EVENT)


def _table(name: str, widths: list[str]) -> gr.Dataframe:
    return gr.Dataframe(
        headers=[""] * len(widths),
        interactive=False,
        show_label=False,
        wrap=True,
        column_widths=list(widths),
        buttons=[],
        elem_id=f"models-{name}",
        elem_classes="ip-table",
        max_height=520,
    )


def _weight(mark: str) -> gr.Number:
    return gr.Number(
        label=label(f"mark.{mark}"),
        value=CLASS_WEIGHTS.get(mark, 1.0),
        minimum=0,
        maximum=20,
        step=0.1,
        min_width=90,
    )
