"""What the buttons of the Models page do: each calls one use case and shows what came of it."""

from html import escape
from typing import Any, Final

import gradio as gr

from labeling import jobs, models, rounds
from labeling.errors import BadInput, Refused
from labeling.gold_counts import count_gold
from labeling.jobs import JobInfo
from labeling.permissions import may, require
from labeling.rounds import RoundInfo
from model.training_settings import CLASS_WEIGHTS
from webapp import model_plots
from webapp.context import Context, show_errors
from webapp.model_words import ModelWords

# How many components two parts of the page have, in the order of `RoundHandlers.whole`.
STANDING: Final = 8
CHOOSING: Final = 4


class RoundHandlers:
    """The handlers, for one installation."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def watch(self, request: gr.Request, job: JobInfo | None) -> list[Any]:
        """Show how far a round is, and what can be done about it."""
        words = ModelWords(self.context, request)
        actor = self.context.actor(request)
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

    def stand(self, request: gr.Request, chosen: int | None = None) -> list[Any]:
        """Show the gold, and what the last rounds came to."""
        words = ModelWords(self.context, request)
        actor, project = self.context.actor(request), self.context.project(request)
        found = rounds.list_rounds(self.context.database, actor, project.id)
        done = [one for one in found if one.state == "done"]
        picked = next((one for one in done if one.number == chosen), done[0] if done else None)
        gap = self._gap(request, project.id)
        return [
            words.serving(project),
            words.gold(count_gold(self.context.database, actor, project.id)),
            gr.update(value=gap, visible=bool(gap)),
            gr.update(visible=bool(done)),
            gr.update(
                choices=[(words.round_name(one), one.number) for one in done],
                value=picked.number if picked else None,
            ),
            *self.compare(words, picked),
            model_plots.history(done, words.t("before"), words.t("after"), words.t("round"))
            if done
            else None,
        ]

    def compare(self, words: ModelWords, one: RoundInfo | None) -> list[Any]:
        """Show both models of a round."""
        if one is None:
            return ["", gr.skip()]
        return [words.verdict(one), words.compared(one)]

    def choose(self, request: gr.Request) -> list[Any]:
        """Show the model versions, and which can be promoted."""
        words = ModelWords(self.context, request)
        actor, project = self.context.actor(request), self.context.project(request)
        found = models.list_models(self.context.database, actor, project.id)
        others = [one for one in found if not one.serving and one.state == "ready"]
        allowed = may(actor, "promote")
        before = models.can_roll_back(self.context.database, actor, project.id)
        return [
            words.versions(found),
            gr.update(
                choices=[(one.name, one.id) for one in others],
                value=others[-1].id if others else None,
                visible=allowed,
            ),
            gr.update(interactive=bool(others), visible=allowed),
            gr.update(interactive=before is not None, visible=allowed),
        ]

    def newest(self, request: gr.Request) -> JobInfo | None:
        """Return the project's newest round's job."""
        found = jobs.list_jobs(
            self.context.database,
            self.context.actor(request),
            self.context.project(request).id,
            kind=jobs.ROUND,
            limit=1,
        )
        return found[0] if found else None

    def whole(self, request: gr.Request) -> list[Any]:
        """Show everything."""
        return [
            *self.watch(request, self.newest(request)),
            *self.stand(request),
            *self.choose(request),
        ]

    @show_errors
    def load(self, request: gr.Request) -> list[Any]:
        """Fill the page."""
        return self.whole(request)

    @show_errors
    def tick(self, request: gr.Request) -> list[Any]:
        """Look at the running round; when it has ended, show everything anew."""
        job = self.newest(request)
        if job is not None and job.unfinished:
            return [*self.watch(request, job), *[gr.skip()] * (STANDING + CHOOSING)]
        return self.whole(request)

    @show_errors
    def start(
        self,
        epochs: int | None,
        seed: int | None,
        none: float,
        comma: float,
        period: float,
        question: float,
        base: str,
        auto: bool,
        request: gr.Request,
    ) -> list[Any]:
        """Start a round."""
        weights = {"NONE": none, "COMMA": comma, "PERIOD": period, "QUESTION": question}
        training: dict[str, Any] = {"seed": int(seed or 0)}
        changed = {k: float(v) for k, v in weights.items() if v != CLASS_WEIGHTS.get(k, 1.0)}
        if changed:
            training["class_weights"] = CLASS_WEIGHTS | changed
        if epochs:
            training["epochs"] = int(epochs)
        rounds.start_round(
            self.context.database,
            self.context.actor(request),
            self.context.project(request).id,
            promote="auto" if auto else "never",
            training=training,
            base=base or "",
        )
        return self.watch(request, self.newest(request))

    @show_errors
    def stop(self, request: gr.Request) -> list[Any]:
        """Ask the round to stop."""
        require(self.context.actor(request), "run_rounds")
        job = self.newest(request)
        if job is not None:
            jobs.cancel_job(self.context.database, self.context.actor(request), job.id)
        return self.watch(request, self.newest(request))

    @show_errors
    def again(self, request: gr.Request) -> list[Any]:
        """Try the round again."""
        require(self.context.actor(request), "run_rounds")
        job = self.newest(request)
        if job is not None:
            jobs.retry_job(self.context.database, self.context.actor(request), job.id)
        return self.watch(request, self.newest(request))

    @show_errors
    def show_round(self, number: int | None, request: gr.Request) -> list[Any]:
        """Show another round."""
        actor, project = self.context.actor(request), self.context.project(request)
        if number is None:
            return ["", gr.skip()]
        one = rounds.get_round(self.context.database, actor, project.id, int(number))
        return self.compare(ModelWords(self.context, request), one)

    @show_errors
    def ask_promote(self, model: int | None, request: gr.Request) -> list[Any]:
        """Ask before another model serves."""
        actor, project = self.context.actor(request), self.context.project(request)
        found = models.list_models(self.context.database, actor, project.id)
        chosen = next((one for one in found if one.id == model), None)
        if chosen is None:
            raise BadInput("choose_a_model", "Choose a model first.")
        words = self.context.t(
            request,
            "models.ask_promote",
            model=chosen.name,
            project=project.name,
            serving=project.serving_model or "–",
        )
        asked = {"model": chosen.id, "project": project.id}
        return [gr.update(visible=True), escape(words), asked]

    @show_errors
    def ask_back(self, request: gr.Request) -> list[Any]:
        """Ask before the model before this one serves again."""
        project = self.context.project(request)
        words = self.context.t(
            request,
            "models.ask_rollback",
            project=project.name,
            serving=project.serving_model or "–",
        )
        return [gr.update(visible=True), escape(words), {"project": project.id}]

    @show_errors
    def do_it(self, asked: dict[str, int], request: gr.Request) -> list[Any]:
        """Do what was asked and confirmed."""
        actor = self.context.actor(request)
        if "model" in asked:
            done = models.promote(self.context.database, actor, asked["model"], asked["project"])
        else:
            done = models.rollback(self.context.database, actor, asked["project"])
        gr.Info(self.context.t(request, "models.serves_now", model=done.name))
        return [gr.update(visible=False), {}, *self.whole(request)]

    def _gap(self, request: gr.Request, project_id: int) -> str:
        """Say what is missing before a round can start; nothing where one can."""
        try:
            rounds.gold_available(self.context.database, self.context.actor(request), project_id)
        except Refused as error:
            return f'<div class="ip-empty">{escape(self.context.say(request, error))}</div>'
        return ""
