"""The Agreement page: how far people agree, on which marks, and where they differ. For leads."""

from html import escape
from typing import Any, Final

import gradio as gr

from labeling.agreement import Coefficient
from labeling.agreement_report import AgreementReport, agreement_report
from webapp import agreement_plots
from webapp.context import Context, on_load, show_errors
from webapp.figures import link, number, percent, plain, table
from webapp.i18n import label

# Krippendorff, Content Analysis (2004): from .800 on reliable, from .667 on for tentative
# conclusions.
RELIABLE: Final = 0.8
TENTATIVE: Final = 0.667
ROWS: Final = 40


def build(context: Context) -> None:
    """Lay the page out."""
    headline = gr.HTML(elem_id="headline", elem_classes="ip-prose")
    with gr.Column(visible=False) as whole:
        with gr.Row(equal_height=False):
            with gr.Column(scale=3, min_width=480):
                _title("marks_title")
                marks = _table("marks", ["34%", "24%", "24%", "18%"])
            with gr.Column(scale=2, min_width=360):
                _title("rates_title", "rates_hint")
                rates = gr.Plot(show_label=False, elem_id="rates", elem_classes="ip-plot")
        _title("slots_title", "slots_hint")
        slots = _table("slots", ["9%", "20%", "41%", "30%"], ["html", "str", "html", "str"])
        with gr.Row(equal_height=False):
            with gr.Column(scale=1, min_width=420):
                _title("transcripts_title")
                transcripts = _table("differing", ["40%", "30%", "30%"], ["html", "str", "str"])
            with gr.Column(scale=1, min_width=420):
                _title("contexts_title", "contexts_hint")
                contexts = _table(
                    "contexts", ["34%", "18%", "18%", "30%"], ["str", "str", "str", "html"]
                )
        with gr.Row(equal_height=False):
            with gr.Column(scale=1, min_width=420):
                _title("pairs_title", "pairs_hint")
                matrix = gr.Plot(show_label=False, elem_id="kappas", elem_classes="ip-plot")
            with gr.Column(scale=1, min_width=420):
                _title("pairs_table")
                pairs = _table("pairs", ["40%", "18%", "21%", "21%"])

    @show_errors
    def load(request: gr.Request) -> list[Any]:
        actor, project = context.actor(request), context.project(request)
        report = agreement_report(context.database, actor, project.id)
        told = _Telling(context, request, project.id, report)
        if not report.agreement.n_transcripts:
            return [told.empty(), gr.update(visible=False), *[gr.skip()] * 7]
        return [
            told.headline(),
            gr.update(visible=True),
            told.marks(),
            told.rates(),
            told.slots(),
            told.transcripts(),
            told.contexts(),
            told.matrix(),
            told.pairs(),
        ]

    on_load(
        load,
        [],
        [headline, whole, marks, rates, slots, transcripts, contexts, matrix, pairs],
        api_name="agreement",
        concurrency_limit=None,
        show_progress="hidden",
    )


def _title(key: str, hint: str = "") -> None:
    gr.Markdown(label(f"agreement.{key}"), elem_classes="ip-title")
    if hint:
        gr.Markdown(label(f"agreement.{hint}"), elem_classes="ip-hint")


def _table(name: str, widths: list[str], types: list[str] | str = "str") -> gr.Dataframe:
    return gr.Dataframe(
        headers=[""] * len(widths),
        interactive=False,
        show_label=False,
        wrap=True,
        datatype=types,  # type: ignore[arg-type]
        column_widths=list(widths),
        buttons=[],
        elem_id=f"agreement-{name}",
        elem_classes="ip-table",
        max_height=460,
    )


class _Telling:
    """A report in one person's language."""

    def __init__(
        self, context: Context, request: gr.Request, project_id: int, report: AgreementReport
    ) -> None:
        self.context = context
        self.request = request
        self.project_id = project_id
        self.report = report

    def t(self, key: str, **params: Any) -> str:
        return self.context.t(self.request, f"agreement.{key}", **params)

    def mark(self, name: str) -> str:
        return self.context.t(self.request, f"mark.{name}")

    def coefficient(self, one: Coefficient) -> str:
        """Write a figure with its interval, or why there is none."""
        if one.value is None:
            return self.reason(one.reason)
        if one.low is None or one.high is None:
            return plain(one.value)
        return self.t("figure", value=plain(one.value), low=plain(one.low), high=plain(one.high))

    def reason(self, english: str) -> str:
        """Say in this language why there is no figure."""
        key = next((key for start, key in _REASONS if english.startswith(start)), "")
        return self.t(f"reason.{key}") if key else english

    def place(self, transcript: int, slot: int | None = None) -> str:
        """Return the address of a transcript, or of a slot in it, in History."""
        at = "" if slot is None else f"&slot={slot}"
        return f"/history?transcript={transcript}{at}&project={self.project_id}"

    def empty(self) -> str:
        answers = number(self.report.n_answers)
        project = self.context.project(self.request)
        share = percent(project.settings.overlap_share, 0)
        return (
            f'<div class="ip-empty"><b>{escape(self.t("empty_title"))}</b>'
            f"<p>{escape(self.t('empty', n=answers))}</p>"
            f"<p>{escape(self.t('empty_how', share=share))}</p></div>"
        )

    def headline(self) -> str:
        found = self.report.agreement
        alpha = found.alpha
        figure = plain(alpha.value, 2) if alpha.value is not None else "n/a"
        words = self.reason(alpha.reason) if alpha.value is None else self.words(alpha)
        rested = self.t(
            "rests_on",
            transcripts=number(found.n_transcripts),
            people=found.n_annotators,
            slots=number(found.n_slots),
        )
        beside = self.t(
            "beside", ac1=self.coefficient(found.ac1), boundary=self.coefficient(found.boundary)
        )
        return (
            f'<div class="ip-headline"><b title="Krippendorff α">{figure}</b>'
            f"<span>{escape(words)}<small>{escape(rested)}</small>"
            f"<small>{escape(beside)}</small></span></div>"
        )

    def words(self, alpha: Coefficient) -> str:
        """Say what alpha means; by its lower limit, so that a lucky sample promises nothing."""
        assert alpha.value is not None
        low = alpha.value if alpha.low is None else alpha.low
        key = "high" if low >= RELIABLE else "middle" if low >= TENTATIVE else "low"
        if alpha.low is None or alpha.high is None:
            return f"{self.t('alpha')} {self.t('no_interval')} {self.t(f'words.{key}')}"
        limits = self.t("interval", low=plain(alpha.low, 2), high=plain(alpha.high, 2))
        return f"{self.t('alpha')} {limits} {self.t(f'words.{key}')}"

    def marks(self) -> dict[str, Any]:
        headers = [self.t(key) for key in ("mark", "alpha_one", "specific", "placed")]
        rows = [
            [
                self.mark(one.mark),
                self.coefficient(one.alpha),
                self.coefficient(one.specific),
                number(one.placed),
            ]
            for one in self.report.agreement.marks
        ]
        return table(headers, rows)

    def slots(self) -> dict[str, Any]:
        headers = [self.t(key) for key in ("open", "document", "place", "chosen")]
        rows = []
        for one in self.report.disagreements[:ROWS]:
            chosen = [f"{name}: {self.mark(mark)}" for name, mark in one.marks.items()]
            chosen += [self.t("is_decided")] if one.decided else []
            rows.append(
                [
                    link(self.place(one.transcript, one.slot), f"№ {one.transcript}"),
                    f"{one.document} · {one.position}",
                    f"{escape(one.before)} <mark>▾</mark> {escape(one.after)}",
                    ", ".join(chosen),
                ]
            )
        return table(headers, rows)

    def transcripts(self) -> dict[str, Any]:
        headers = [self.t(key) for key in ("transcript", "differ", "slots")]
        documents = {d.transcript: (d.document, d.position) for d in self.report.disagreements}
        rows = []
        for one in self.report.comma_transcripts[:ROWS]:
            document, position = documents.get(one.transcript, ("", 0))
            name = f"№ {one.transcript}" + (f" · {document} · {position}" if document else "")
            first = one.slots[0] if one.slots else None
            rows.append(
                [link(self.place(one.transcript, first), name), str(one.differ), str(one.n_slots)]
            )
        return table(headers, rows)

    def contexts(self) -> dict[str, Any]:
        headers = [self.t(key) for key in ("context", "differ", "agree", "examples")]
        rows = [
            [
                self.t(f"side.{one.side}", words=one.words),
                self.t("of", n=one.differ, all=one.seen),
                str(one.agree),
                " ".join(link(self.place(*example), f"№ {example[0]}") for example in one.examples),
            ]
            for one in self.report.comma_contexts[:ROWS]
        ]
        return table(headers, rows)

    def pairs(self) -> dict[str, Any]:
        headers = [self.t(key) for key in ("pair", "kappa", "transcripts", "slots")]
        people = self.report.people
        rows = [
            [
                f"{people[one.a]} – {people[one.b]}",
                plain(one.kappa.value, 2) if one.kappa.value is not None else "n/a",
                number(one.n_transcripts),
                number(one.n_slots),
            ]
            for one in self.report.agreement.pairs
        ]
        return table(headers, rows)

    def rates(self) -> Any:
        people = self.report.people
        rates = [rate for rate in self.report.comma_rates if rate.per_100 is not None]
        return agreement_plots.comma_rates(
            [people[rate.annotator] for rate in rates],
            [rate.per_100 or 0.0 for rate in rates],
            [(rate.low, rate.high) for rate in rates],
            [self.t("rate_texts", n=number(rate.n_transcripts)) for rate in rates],
            self.t("rate_axis"),
        )

    def matrix(self) -> Any:
        people = list(self.report.people.values())
        slots = {}
        ids = list(self.report.people)
        for one in self.report.agreement.pairs:
            i, j = ids.index(one.a), ids.index(one.b)
            slots[i, j] = slots[j, i] = one.n_slots
        return agreement_plots.kappa_matrix(
            people, self.report.kappa_matrix(), slots, self.t("n_slots")
        )


_REASONS: Final = (
    ("n/a: no transcript was submitted", "nobody"),
    ("n/a: everybody chose", "alone"),
    ("n/a: nobody chose", "unused"),
)
