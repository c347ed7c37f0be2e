"""The list of transcripts: search, filters, and a page of rows at a time."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import gradio as gr

from db.transcript_search import STATES
from labeling.transcript_list import (
    PAGE_LENGTH,
    ListedTranscript,
    list_documents,
    list_transcripts,
)
from webapp.context import Context, on_load, show_errors
from webapp.figures import link, number, table
from webapp.i18n import LANGUAGES, label

_EVENT: Final[dict[str, Any]] = {"concurrency_limit": None, "show_progress": "hidden"}
FIRST_PAGE: Final[dict[str, int]] = {"start": 0, "first": 0, "last": 0}


class Refresh(NamedTuple):
    """What another tab calls when it has changed the transcripts."""

    handler: Callable[..., list[Any]]
    inputs: list[Any]
    outputs: list[Any]


def build(context: Context) -> Refresh:
    """Lay the list out."""
    any_one: tuple[Any, str] = (label("transcripts.any"), "")
    states = [any_one, *((label(f"transcripts.state.{state}"), state) for state in STATES)]
    splits = [any_one, *((label(f"transcripts.split.{s}"), s) for s in ("pool", "test"))]
    languages = [any_one, *((name, code) for code, name in LANGUAGES.items())]
    with gr.Row(equal_height=True):
        search = gr.Textbox(
            label=label("transcripts.search"),
            placeholder=label("transcripts.search_hint"),
            max_length=200,
            scale=3,
            min_width=260,
            elem_id="search",
        )
        state = gr.Dropdown(
            states, value="", label=label("transcripts.state"), min_width=140, elem_id="state"
        )
        split = gr.Dropdown(
            splits, value="", label=label("transcripts.split"), min_width=120, elem_id="split"
        )
        document = gr.Dropdown(
            [any_one],
            value="",
            label=label("transcripts.document"),
            allow_custom_value=True,
            min_width=170,
            scale=2,
            elem_id="document",
        )
        language = gr.Dropdown(
            languages, value="", label=label("transcripts.language"), min_width=120
        )
    rows = gr.Dataframe(
        interactive=False,
        show_label=False,
        wrap=True,
        datatype=["html", "str", "str", "str", "str", "str"],
        column_widths=["9%", "42%", "19%", "14%", "8%", "8%"],
        buttons=[],
        elem_id="transcripts",
        elem_classes="ip-table",
        max_height=1200,
    )
    nothing = gr.HTML(visible=False, elem_id="no-transcripts")
    with gr.Row(elem_classes="ip-pager"):
        back = gr.Button(
            label("transcripts.back"), size="sm", scale=0, min_width=110, elem_id="back"
        )
        where = gr.Markdown(elem_id="where")
        on = gr.Button(label("transcripts.on"), size="sm", scale=0, min_width=110, elem_id="on")
    place = gr.State(FIRST_PAGE)
    filters = [search, state, split, document, language]
    outputs = [rows, nothing, back, where, on, place]

    def show(
        request: gr.Request, chosen: tuple[str, ...], start: int = 0, **side: int
    ) -> list[Any]:
        text, state, split, document, language = (value or "" for value in chosen)
        project = context.project(request)
        page = list_transcripts(
            context.database,
            context.actor(request),
            project.id,
            search=text,
            state=state,
            split=split,
            document=document or None,
            language=language,
            **side,
        )
        data = [_row(context, request, project.id, row) for row in page.rows]
        headers = [context.t(request, f"transcripts.{key}") for key in _HEADERS]
        stop = start + len(data)
        numbers = {"start": number(start + 1), "stop": number(stop), "total": number(page.total)}
        empty = "transcripts.none_found" if any(chosen) else "transcripts.none"
        return [
            gr.update(value=table(headers, data), visible=bool(data)),
            gr.update(
                value=f'<div class="ip-empty">{context.t(request, empty)}</div>', visible=not data
            ),
            gr.update(interactive=start > 0),
            context.t(request, "transcripts.where", **numbers) if data else "",
            gr.update(interactive=stop < page.total),
            {
                "start": start,
                "first": page.rows[0].id if data else 0,
                "last": page.rows[-1].id if data else 0,
            },
        ]

    @show_errors
    def find(
        text: str, state: str, split: str, document: str, language: str, request: gr.Request
    ) -> list[Any]:
        return show(request, (text, state, split, document, language))

    @show_errors
    def load(
        text: str, state: str, split: str, document: str, language: str, request: gr.Request
    ) -> list[Any]:
        found = list_documents(
            context.database, context.actor(request), context.project(request).id
        )
        names = [(f"{name} ({number(count)})", name) for name, count in found if name]
        choices = [(context.t(request, "transcripts.any"), ""), *names]
        rows = show(request, (text, state, split, document, language))
        return [*rows, gr.update(choices=choices)]

    @show_errors
    def first(request: gr.Request) -> list[Any]:
        return load("", "", "", "", "", request)

    @show_errors
    def go_on(
        text: str,
        state: str,
        split: str,
        document: str,
        language: str,
        at: dict[str, int],
        request: gr.Request,
    ) -> list[Any]:
        chosen = (text, state, split, document, language)
        return show(request, chosen, at["start"] + PAGE_LENGTH, after_id=at["last"])

    @show_errors
    def go_back(
        text: str,
        state: str,
        split: str,
        document: str,
        language: str,
        at: dict[str, int],
        request: gr.Request,
    ) -> list[Any]:
        chosen = (text, state, split, document, language)
        start = at["start"] - PAGE_LENGTH
        side = {"before_id": at["first"]} if start > 0 else {}
        return show(request, chosen, max(0, start), **side)

    changes = [search.submit, search.blur, *(cast(Any, box).input for box in filters[1:])]
    gr.on(changes, find, filters, outputs, api_name="list_transcripts", **_EVENT)
    on_load(first, [], [*outputs, document], api_visibility="undocumented", **_EVENT)
    for button, handler in ((on, go_on), (back, go_back)):
        button.click(handler, [*filters, place], outputs, api_visibility="undocumented", **_EVENT)
    return Refresh(load, filters, [*outputs, document])


_HEADERS: Final = ("open", "text", "document", "state", "answers", "split")


def _row(
    context: Context, request: gr.Request, project_id: int, row: ListedTranscript
) -> list[str]:
    states = ", ".join(context.t(request, f"transcripts.state.{state}") for state in row.states)
    return [
        link(f"/history?transcript={row.id}&project={project_id}", f"№ {row.id}"),
        row.excerpt,
        f"{row.document} · {row.position}" if row.document else str(row.position),
        states,
        context.t(request, "transcripts.of", done=row.answers, wanted=row.wanted),
        context.t(request, f"transcripts.split.{row.split}"),
    ]
