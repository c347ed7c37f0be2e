"""The History page: every version of a transcript, what differs, bringing back, deciding."""

from html import escape
from pathlib import Path
from typing import Any, Final

import gradio as gr

from labeling import history
from labeling.errors import NotFound, Refused
from labeling.permissions import may
from webapp.context import Context, on_load, show_errors
from webapp.html import STATIC_PATH
from webapp.i18n import label
from webapp.sides import Side, opening_pair, sides_of, table_row

_EDITOR: Final = Path(__file__).parent / "editor"
_EXCERPT: Final = 48
_RECENT: Final = 200
_COLUMNS: Final = ("what", "when", "kind", "changed", "text")
_MOST_DIGITS: Final = 9  # what is longer is the id of no transcript, and no number for a database


def build(context: Context) -> None:
    """Lay the page out."""
    with gr.Row(equal_height=True):
        which = gr.Dropdown(
            label=label("history.transcript"),
            info=label("history.transcript_info"),
            allow_custom_value=True,
            filterable=True,
            scale=4,
        )
        mine = gr.Checkbox(label=label("history.only_mine"), visible=False, scale=1, min_width=160)
    about = gr.HTML(elem_classes="ip-about")
    table = gr.Dataframe(
        headers=["", "", "", "", ""],
        datatype="str",
        interactive=False,
        show_label=False,
        wrap=True,
        max_height=260,
        column_widths=["19%", "13%", "12%", "9%", "47%"],
        buttons=[],
        elem_id="versions",
    )
    with gr.Row():
        left = gr.Dropdown(label=label("history.left"), filterable=False)
        right = gr.Dropdown(label=label("history.right"), filterable=False)
    compare = gr.HTML(
        html_template='<div class="ip-ui ip-compare"></div>',
        js_on_load=f"""import('{STATIC_PATH}/editor/history.js').then((module) => {{
            const root = element.querySelector('.ip-compare');
            const draw = () => module.showComparison(root, props.value);
            watch('value', draw);
            draw();
        }});""",
        apply_default_css=False,
        elem_id="compare",
    )
    with gr.Row():
        restore = gr.Button(label("history.restore"), interactive=False, scale=0, min_width=280)
        decide = gr.Button(label("history.decide"), visible=False, scale=0, min_width=280)
    decider = gr.HTML(
        html_template=(_EDITOR / "decide.html").read_text(encoding="utf-8"),
        js_on_load=f"""import('{STATIC_PATH}/editor/history.js').then((module) => {{
            const root = element.querySelector('.ip-decide');
            const decider = module.makeDecider(root, () => trigger('submit'));
            watch('value', () => decider.open(props.value));
            decider.open(props.value);
        }});""",
        apply_default_css=False,
        elem_id="decide",
    )
    page = _Page(context)
    shown = [about, table, left, right, compare, restore, decide, decider]
    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    on_load(page.arrive, None, [which, mine, *shown], **private)
    mine.input(page.list_recent, mine, which, **private)
    which.input(page.show, which, shown, **private)
    for side in (left, right):
        side.input(page.compare, [which, left, right], compare, **private)
    table.select(page.pick, [which, left], [right, compare], **private)
    restore.click(page.restore, [which, right], shown, **private)
    decide.click(page.begin_deciding, [which, right], decider, **private)
    decider.submit(page.show, which, shown, **private)


class _Page:
    """The handlers; each asks a use case, which checks who may see what."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @show_errors
    def arrive(self, request: gr.Request) -> tuple:
        """Open the page: at the transcript in its address, else at the newest one."""
        context = self.context
        actor = context.actor(request)
        choices = self._recent(request, only_mine=False)
        asked = dict(request.query_params).get("transcript")
        if asked and asked.isdecimal() and asked not in {value for _, value in choices}:
            choices.insert(0, (context.t(request, "history.number", id=asked), asked))
        value = asked or (choices[0][1] if choices else None)
        mine = gr.update(visible=may(actor, "see_all_history") and may(actor, "annotate"))
        try:
            shown = self._shown(value, request)
        except Refused as error:
            gr.Warning(context.say(request, error))
            shown = self._shown(None, request)
        return gr.update(choices=choices, value=value), mine, *shown

    @show_errors
    def list_recent(self, only_mine: bool, request: gr.Request) -> Any:
        """List the transcripts with the newest versions: all, or only one's own."""
        return gr.update(choices=self._recent(request, only_mine=only_mine))

    @show_errors
    def show(self, which: str | None, request: gr.Request) -> tuple:
        """Show one transcript."""
        return self._shown(which, request)

    @show_errors
    def compare(self, which: str, left: str, right: str, request: gr.Request) -> Any:
        """Compare two sides."""
        past = self._past(which, request)
        sides = {side.key: side for side in sides_of(past, self._t(request))}
        return _comparison(past, sides.get(left), sides.get(right))

    @show_errors
    def pick(
        self, which: str, left: str, event: gr.SelectData, request: gr.Request
    ) -> tuple[Any, Any]:
        """Compare the row that was clicked."""
        past = self._past(which, request)
        sides = sides_of(past, self._t(request))
        picked = sides[event.index[0]]
        by_key = {side.key: side for side in sides}
        return gr.update(value=picked.key), _comparison(past, by_key.get(left), picked)

    @show_errors
    def restore(self, which: str, right: str, request: gr.Request) -> tuple:
        """Bring the right side back."""
        kind, _, rest = (right or "").partition(":")
        annotator, _, number = rest.partition(":")
        if kind != "version":
            raise NotFound("no_such_version", "Choose somebody's version on the right side first.")
        made = history.restore(
            self.context.database,
            self.context.actor(request),
            _number(which),
            int(annotator),
            int(number),
        )
        gr.Info(self.context.t(request, f"history.restored_{made.kind}", number=made.number))
        return self._shown(which, request)

    @show_errors
    def begin_deciding(self, which: str, right: str, request: gr.Request) -> Any:
        """Open the editor with the right side's marks."""
        past = self._past(which, request)
        sides = {side.key: side for side in sides_of(past, self._t(request))}
        side = sides.get(right)
        suggestion = past.suggestions[0].labels if past.suggestions else None
        return {
            "transcript_id": past.transcript_id,
            "text": past.text,
            "units": past.units,
            "language": past.language,
            "marks": past.marks,
            "labels": side.labels if side else [0] * len(past.units),
            "suggested": suggestion,
            "disputed": past.disputed,
            "based_on": past.decisions[-1].number if past.decisions else 0,
        }

    def _t(self, request: gr.Request) -> Any:
        return lambda key, **params: self.context.t(request, key, **params)

    def _past(self, which: str | None, request: gr.Request) -> history.History:
        return history.history(self.context.database, self.context.actor(request), _number(which))

    def _recent(self, request: gr.Request, *, only_mine: bool) -> list[tuple[str, str]]:
        actor = self.context.actor(request)
        rows = history.recent_versions(
            self.context.database,
            actor,
            self.context.project(request).id,
            annotator_id=actor.id if only_mine else None,
            limit=_RECENT,
        )
        choices: dict[str, str] = {}
        for row in rows:
            excerpt = " ".join(row.text.split())[:_EXCERPT]
            name = f"{row.document} · {row.position}" if row.document else f"{row.transcript_id}"
            choices.setdefault(str(row.transcript_id), f"{name} — {excerpt}")
        return [(text, value) for value, text in choices.items()]

    def _shown(self, which: str | None, request: gr.Request) -> tuple:
        t = self._t(request)
        if not which:
            nothing = gr.update(choices=[], value=None)
            empty = f"<p>{t('history.nothing')}</p>"
            off = gr.update(interactive=False)
            hidden = gr.update(visible=False)
            return empty, gr.update(visible=False), nothing, nothing, None, off, hidden, None
        past = self._past(which, request)
        actor = self.context.actor(request)
        sides = sides_of(past, t)
        choices = [(side.title, side.key) for side in sides]
        first, last = opening_pair(past, sides)
        rows = [table_row(side) for side in sides]
        headers = [t(f"history.column_{name}") for name in _COLUMNS]
        return (
            _about(past, t),
            gr.update(value={"headers": headers, "data": rows}, visible=True),
            gr.update(choices=choices, value=first.key if first else None),
            gr.update(choices=choices, value=last.key if last else None),
            _comparison(past, first, last, _slot(request)),
            gr.update(interactive=bool(past.versions)),
            gr.update(visible=may(actor, "decide")),
            None,
        )


def _comparison(
    past: history.History, left: Side | None, right: Side | None, slot: int | None = None
) -> dict[str, Any] | None:
    if left is None or right is None:
        return None
    return {
        "work": {"text": past.text, "units": past.units, "language": past.language},
        "left": {"title": left.title, "labels": left.labels},
        "right": {"title": right.title, "labels": right.labels},
        "slot": slot,
    }


def _about(past: history.History, t: Any) -> str:
    place = _place(past.document, past.position, past.transcript_id)
    parts = [f"<b>{escape(place)}</b>", t(f"language.{past.language}")]
    if past.split == "test":
        parts.append(t("history.test"))
    if past.disputed:
        parts.append(t("history.disputed", n=len(past.disputed)))
    flags = [h for h in past.holders if h.flagged or (h.state == "skipped" and h.reason)]
    parts += [
        escape(
            t(f"history.{'flagged' if h.flagged else 'skipped'}", name=h.annotator, why=h.reason)
        )
        for h in flags
    ]
    return f"<p class='ip-about-line'>{' · '.join(parts)}</p>"


def _place(document: str, position: int, transcript_id: int) -> str:
    return f"{document} · {position}" if document else str(transcript_id)


def _slot(request: gr.Request) -> int | None:
    slot = dict(request.query_params).get("slot", "")
    return int(slot) if slot.isdecimal() else None


def _number(which: str | None) -> int:
    written = "" if which is None else str(which).strip()
    if not written.isdecimal() or len(written) > _MOST_DIGITS:
        raise NotFound("no_such_transcript", f"There is no transcript {which}.", id=which)
    return int(written)
