"""What the Models page says: numbers in tables, and verdicts in words beside them."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

import gradio as gr

from labeling.errors import Refused
from labeling.gold_counts import SOURCES
from labeling.jobs import JobInfo
from labeling.models import ModelInfo
from labeling.projects import ProjectInfo
from labeling.rounds import RoundInfo
from webapp.context import Context
from webapp.figures import MISSING, minutes, moment, number, percent, points, table

_KIND: Final = {"promote": "better", "keep": "worse", "undecided": ""}


class ModelWords:
    """The words of one person's Models page."""

    def __init__(self, context: Context, request: gr.Request) -> None:
        self.context = context
        self.request = request
        self.language = context.language(request)

    def t(self, key: str, **params: Any) -> str:
        """Return a string of this page."""
        return self.context.t(self.request, f"models.{key}", **params)

    def mark(self, name: str) -> str:
        """Return a mark's name."""
        return self.context.t(self.request, f"mark.{name}")

    def serving(self, project: ProjectInfo) -> str:
        """Say which model serves."""
        if project.serving_model is None:
            return escape(self.t("serves_none", project=project.name))
        return self.t(
            "serves",
            project=escape(project.name),
            model=f"<b>{escape(project.serving_model)}</b>",
        )

    def gold(self, counts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
        """Show how much gold there is, by what it is for and where it comes from."""
        headers = [self.t("gold_for"), *(self.t(f"source.{s}") for s in SOURCES), self.t("sum")]
        rows = [
            [
                self.t(f"split.{split}"),
                *(number(by[source]) for source in SOURCES),
                number(sum(by.values())),
            ]
            for split, by in counts.items()
        ]
        return table(headers, rows)

    def progress(self, job: JobInfo) -> str:
        """Say how far a round is, or why it ended without a model."""
        state = escape(self.t(f"job.{job.state}"))
        if job.state == "failed":
            reason = escape(self.failure(job))
            return f'<div class="ip-verdict failed"><b>{state}</b> {reason}</div>'
        if job.state == "cancelled":
            return f'<div class="ip-verdict">{state}</div>'
        said = job.progress
        done, total = int(said.get("done") or 0), int(said.get("total") or 0)
        parts = [state if job.state == "waiting" else escape(self.stage(said, done, total))]
        if job.cancel_asked:
            parts.append(escape(self.t("cancelling")))
        if said.get("loss") is not None and said.get("stage") == "training":
            parts.append(escape(self.t("loss_is", loss=f"{said['loss']:.3f}")))
        if said.get("seconds_left") is not None:
            parts.append(escape(self.t("left", time=minutes(said["seconds_left"]))))
        share = 100 * done / total if total else 0
        bar = f'<div class="ip-bar" role="progressbar" aria-valuenow="{share:.0f}">'
        return f'{" · ".join(parts)}{bar}<i style="width:{share:.1f}%"></i></div>'

    def failure(self, job: JobInfo) -> str:
        """Say why a round failed; in English where the reason has no translation."""
        told = job.progress.get("failure")
        if not told:
            return job.error
        if told["code"] == "worker_stopped":
            done, total = (int(job.progress.get(key) or 0) for key in ("done", "total"))
            return self.t("worker_stopped", stage=self.stage(job.progress, done, total))
        reason = Refused(told["code"], job.error, **told["params"])
        return self.context.say(self.request, reason)

    def note(self, note: Mapping[str, Any] | str) -> str:
        """Say what people should know of a training; older rounds hold it in English only."""
        if isinstance(note, str):
            return note
        key, params = f"note.{note['code']}", note["params"]
        said = self.t(key, **params)
        return note["text"] if said == f"models.{key}" else said

    def stage(self, said: Mapping[str, Any], done: int, total: int) -> str:
        """Say what a running round is at."""
        stage = said.get("stage")
        if stage not in ("loading", "training", "measuring"):
            return self.t("job.running")
        return self.t(
            f"stage.{stage}",
            done=done,
            total=total,
            epoch=said.get("epoch", 0),
            epochs=said.get("epochs", 0),
        )

    def round_name(self, one: RoundInfo) -> str:
        """Name a round in a list."""
        return self.t(
            "round_name", number=one.number, model=one.model or "–", at=moment(one.created_at)
        )

    def verdict(self, one: RoundInfo) -> str:
        """Say in words what the figures mean."""
        found = one.verdict
        if not found:
            return ""
        said = found.get("words", {}).get(self.language) or found.get("words", {}).get("en", "")
        lines = [
            f"<b>{escape(self.t('advice.' + found.get('advice', 'undecided')))}</b>",
            escape(said),
        ]
        if worse := found.get("worse_marks"):
            names = ", ".join(self.mark(name) for name in worse)
            lines.append(escape(self.t("worse_marks", marks=names)))
        if found.get("promoted"):
            lines.append(escape(self.t("was_promoted")))
        texts = {key: number(one.counts.get(key, 0)) for key in ("train", "dev", "test")}
        lines.append(escape(self.t("texts", **texts)))
        lines += [escape(self.note(note)) for note in found.get("notes", [])]
        kind = _KIND.get(found.get("advice", ""), "")
        return f'<div class="ip-verdict {kind}">{"<br>".join(lines)}</div>'

    def compared(self, one: RoundInfo) -> dict[str, Any]:
        """Show both models on the frozen test, mark by mark and over all."""
        headers = [
            self.t("mark"),
            self.t("precision_before"),
            self.t("precision_after"),
            self.t("recall_before"),
            self.t("recall_after"),
            self.t("f1_before"),
            self.t("f1_after"),
            self.t("difference"),
            self.t("support"),
        ]
        before, after, found = one.before, one.after, one.verdict
        rows = []
        for name in after.get("per_mark", {}):
            old, new = before.get("per_mark", {}).get(name, {}), after["per_mark"][name]
            by = found.get("marks", {}).get(name, {})
            rows.append(
                self._row(self.mark(name), old, new, by.get("difference"), by.get("interval"))
            )
        whole = found.get("micro_difference"), found.get("micro_interval")
        for key, figures in (("micro", whole), ("macro", None), ("sentence_end", None)):
            old, new = before.get(key, {}), after.get(key, {})
            rows.append(self._row(self.t(key), old, new, *(figures or _difference(old, new))))
        rows.append(
            [
                self.t("flawless"),
                *[""] * 4,
                percent(before.get("flawless_rate")),
                percent(after.get("flawless_rate")),
                self._change(found.get("flawless_difference"), found.get("flawless_interval")),
                number(after.get("n_texts", 0)),
            ]
        )
        return table(headers, rows)

    def versions(self, found: Sequence[ModelInfo]) -> dict[str, Any]:
        """Show the model versions, newest first."""
        headers = [
            self.t(key) for key in ("model", "state", "parent", "made", "micro_f1", "flawless")
        ]
        rows = [
            [
                one.name,
                self.t("serving_now")
                if one.serving
                else self.t(f"model_state.{one.state}", note=one.note),
                one.parent or MISSING,
                moment(one.created_at),
                self._with_interval(
                    (one.metrics.get("micro") or {}).get("f1"), one.metrics.get("micro_interval")
                ),
                self._with_interval(
                    one.metrics.get("flawless_rate"), one.metrics.get("flawless_interval")
                ),
            ]
            for one in reversed(found)
        ]
        return table(headers, rows)

    def _row(
        self,
        name: str,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        difference: float | None,
        limits: Sequence[float] | None = None,
    ) -> list[str]:
        pairs = [(side.get(key)) for key in ("precision", "recall", "f1") for side in (old, new)]
        return [
            name,
            *(percent(figure) for figure in pairs),
            self._change(difference, limits),
            number(new.get("support") or 0),
        ]

    def _change(self, difference: float | None, limits: Sequence[float] | None) -> str:
        if difference is None or not limits:
            return points(difference)
        return self.t(
            "change", points=points(difference), low=points(limits[0]), high=points(limits[1])
        )

    def _with_interval(self, figure: float | None, limits: Sequence[float] | None) -> str:
        if figure is None or not limits:
            return percent(figure)
        low, high = (f"{100 * limit:.1f}" for limit in limits)
        return self.t("between", figure=percent(figure), low=low, high=high)


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[float | None, None]:
    if old.get("f1") is None or new.get("f1") is None:
        return None, None
    return new["f1"] - old["f1"], None
