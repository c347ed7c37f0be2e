"""The Models page: train, watch, compare, promote, roll back. For engineers; leads may look."""

from typing import Any, Final

import gradio as gr

from labeling import jobs, models, rounds
from labeling.errors import BadInput, Refused
from labeling.gold_counts import count_gold
from labeling.jobs import JobInfo
from labeling.permissions import may
from labeling.rounds import RoundInfo
from model.training_settings import CLASS_WEIGHTS
from webapp import model_plots, threshold_panel
from webapp.context import Context, on_load, show_errors
from webapp.i18n import label
from webapp.model_words import ModelWords

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
    with gr.Row(equal_height=True):
        model = gr.Dropdown([], label=label("models.model"), scale=2, elem_id="model")
        promote = gr.Button(label("models.promote"), scale=1, elem_id="promote")
        back = gr.Button(label("models.rollback"), scale=1, elem_id="rollback")
    with gr.Group(visible=False, elem_id="confirm") as confirm:
        question_text = gr.HTML(padding=True, elem_id="question")
        with gr.Row():
            yes = gr.Button(label("models.yes"), variant="primary", elem_id="yes")
            no = gr.Button(label("models.no"), elem_id="no")
    threshold_panel.build(context)
    timer = gr.Timer(SECONDS, active=False)
    asked = gr.State({})

    running = [timer, train, progress, losses, cancel, retry]
    standing = [serving, gold, missing, results, which, verdict, compared, history]
    choosing = [versions, model, promote, back]
    everything = [*running, *standing, *choosing]

    def watch(request: gr.Request, job: JobInfo | None) -> list[Any]:
        words = ModelWords(context, request)
        actor = context.actor(request)
        at_it = job is not None and job.unfinished
        allowed = may(actor, "run_rounds")
        curve = model_plots.losses(job.progress, words.t("loss"), words.t("step")) if job else None
        failed = job is not None and job.state in ("failed", "cancelled")
        return [
            gr.Timer(active=at_it),
            gr.update(interactive=allowed and not at_it),
            gr.update(value=words.progress(job) if job else "", visible=at_it or failed),
            gr.update(value=curve, visible=at_it and curve is not None),
            gr.update(visible=at_it and allowed, interactive=bool(job and not job.cancel_asked)),
            gr.update(visible=failed and allowed),
        ]

    def stand(request: gr.Request, chosen: int | None = None) -> list[Any]:
        words = ModelWords(context, request)
        actor, project = context.actor(request), context.project(request)
        found = rounds.list_rounds(context.database, actor, project.id)
        done = [one for one in found if one.state == "done"]
        picked = next((one for one in done if one.number == chosen), done[0] if done else None)
        gap = _gap(context, request, project.id)
        return [
            words.serving(project),
            words.gold(count_gold(context.database, actor, project.id)),
            gr.update(value=gap, visible=bool(gap)),
            gr.update(visible=bool(done)),
            gr.update(
                choices=[(words.round_name(one), one.number) for one in done],
                value=picked.number if picked else None,
            ),
            *compare(words, picked),
            model_plots.history(done, words.t("before"), words.t("after"), words.t("round"))
            if done
            else None,
        ]

    def compare(words: ModelWords, one: RoundInfo | None) -> list[Any]:
        if one is None:
            return ["", gr.skip()]
        return [words.verdict(one), words.compared(one)]

    def choose(request: gr.Request) -> list[Any]:
        words = ModelWords(context, request)
        actor, project = context.actor(request), context.project(request)
        found = models.list_models(context.database, actor, project.id)
        others = [one for one in found if not one.serving and one.state == "ready"]
        allowed = may(actor, "promote")
        return [
            words.versions(found),
            gr.update(
                choices=[(one.name, one.id) for one in others],
                value=others[-1].id if others else None,
                visible=allowed,
            ),
            gr.update(interactive=bool(others), visible=allowed),
            gr.update(visible=allowed),
        ]

    def newest(request: gr.Request) -> JobInfo | None:
        found = jobs.list_jobs(
            context.database,
            context.actor(request),
            context.project(request).id,
            kind=jobs.ROUND,
            limit=1,
        )
        return found[0] if found else None

    def whole(request: gr.Request) -> list[Any]:
        return [*watch(request, newest(request)), *stand(request), *choose(request)]

    @show_errors
    def load(request: gr.Request) -> list[Any]:
        return whole(request)

    @show_errors
    def tick(request: gr.Request) -> list[Any]:
        job = newest(request)
        if job is not None and job.unfinished:
            return [*watch(request, job), *[gr.skip()] * (len(standing) + len(choosing))]
        return whole(request)

    @show_errors
    def start(
        epochs: int | None,
        seed: int | None,
        none: float,
        comma: float,
        period: float,
        question: float,
        auto: bool,
        request: gr.Request,
    ) -> list[Any]:
        weights = {"NONE": none, "COMMA": comma, "PERIOD": period, "QUESTION": question}
        training: dict[str, Any] = {"seed": int(seed or 0)}
        changed = {k: float(v) for k, v in weights.items() if v != CLASS_WEIGHTS.get(k, 1.0)}
        if changed:
            training["class_weights"] = CLASS_WEIGHTS | changed
        if epochs:
            training["epochs"] = int(epochs)
        rounds.start_round(
            context.database,
            context.actor(request),
            context.project(request).id,
            promote="auto" if auto else "never",
            training=training,
        )
        return watch(request, newest(request))

    @show_errors
    def stop(request: gr.Request) -> list[Any]:
        job = newest(request)
        if job is not None:
            jobs.cancel_job(context.database, context.actor(request), job.id)
        return watch(request, newest(request))

    @show_errors
    def again(request: gr.Request) -> list[Any]:
        job = newest(request)
        if job is not None:
            jobs.retry_job(context.database, context.actor(request), job.id)
        return watch(request, newest(request))

    @show_errors
    def show_round(number: int | None, request: gr.Request) -> list[Any]:
        actor, project = context.actor(request), context.project(request)
        if number is None:
            return ["", gr.skip()]
        one = rounds.get_round(context.database, actor, project.id, int(number))
        return compare(ModelWords(context, request), one)

    @show_errors
    def ask_promote(model: int | None, request: gr.Request) -> list[Any]:
        actor, project = context.actor(request), context.project(request)
        found = models.list_models(context.database, actor, project.id)
        chosen = next((one for one in found if one.id == model), None)
        if chosen is None:
            raise BadInput("choose_a_model", "Choose a model first.")
        words = context.t(
            request,
            "models.ask_promote",
            model=chosen.name,
            project=project.name,
            serving=project.serving_model or "–",
        )
        return [gr.update(visible=True), words, {"model": chosen.id, "project": project.id}]

    @show_errors
    def ask_back(request: gr.Request) -> list[Any]:
        project = context.project(request)
        words = context.t(
            request,
            "models.ask_rollback",
            project=project.name,
            serving=project.serving_model or "–",
        )
        return [gr.update(visible=True), words, {"project": project.id}]

    @show_errors
    def do_it(asked: dict[str, int], request: gr.Request) -> list[Any]:
        actor = context.actor(request)
        if "model" in asked:
            done = models.promote(context.database, actor, asked["model"], asked["project"])
        else:
            done = models.rollback(context.database, actor, asked["project"])
        gr.Info(context.t(request, "models.serves_now", model=done.name))
        return [gr.update(visible=False), {}, *whole(request)]

    on_load(load, [], everything, api_name="models", **_EVENT)
    timer.tick(tick, [], everything, api_visibility="undocumented", **_EVENT)
    train.click(
        start,
        [epochs, seed, none, comma, period, question, auto],
        running,
        api_name="start_round",
        **_EVENT,
    )
    cancel.click(stop, [], running, api_name="cancel_round", **_EVENT)
    retry.click(again, [], running, api_name="retry_round", **_EVENT)
    which.input(show_round, which, [verdict, compared], api_name="round", **_EVENT)
    questions = [confirm, question_text, asked]
    promote.click(ask_promote, model, questions, api_visibility="undocumented", **_EVENT)
    back.click(ask_back, [], questions, api_visibility="undocumented", **_EVENT)
    yes.click(do_it, asked, [confirm, asked, *everything], api_name="change_model", **_EVENT)
    no.click(lambda: gr.update(visible=False), [], confirm, api_visibility="undocumented", **_EVENT)


def _gap(context: Context, request: gr.Request, project_id: int) -> str:
    """Say what is missing before a round can start; nothing where one can."""
    try:
        rounds.gold_available(context.database, context.actor(request), project_id)
    except Refused as error:
        return f'<div class="ip-empty">{context.say(request, error)}</div>'
    return ""


def _table(name: str, widths: list[str]) -> gr.Dataframe:
    return gr.Dataframe(
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
