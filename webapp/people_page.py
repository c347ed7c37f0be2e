"""The People page: who may sign in, as what, and what was done lately. For admins."""

from typing import Any

import gradio as gr

from labeling import accounts
from labeling.accounts import Person
from labeling.audit_trail import Event, recent_events
from labeling.permissions import ANNOTATOR, ROLES
from webapp.context import SIGN_IN_COOKIE, Context, on_load, show_errors
from webapp.figures import moment, table
from webapp.i18n import label

EVENTS_AT_ONCE = 30


def build(context: Context) -> None:
    """Lay the page out."""
    roles = [(label(f"role.{role}"), role) for role in ROLES]
    with gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=520):
            gr.Markdown(label("people.title"), elem_classes="ip-title")
            people = gr.Dataframe(
                interactive=False,
                show_label=False,
                wrap=True,
                column_widths=["40%", "20%", "18%", "22%"],
                buttons=[],
                elem_id="people",
                elem_classes="ip-table",
            )
        with gr.Column(scale=2, min_width=320), gr.Tabs():
            with gr.Tab(label("people.change"), id="change"):
                who = gr.Dropdown(label=label("people.person"), choices=[], elem_id="person")
                role = gr.Dropdown(label=label("people.role"), choices=roles, elem_id="person-role")
                set_role = gr.Button(label("people.set_role"), elem_id="set-role")
                password = gr.Textbox(
                    label=label("people.new_password"), type="password", elem_id="person-password"
                )
                set_password = gr.Button(label("people.set_password"), elem_id="set-password")
                switch = gr.Button(label("people.deactivate"), elem_id="switch-person")
            with gr.Tab(label("people.add"), id="add"):
                new_name = gr.Textbox(label=label("people.name"), max_length=80, elem_id="new-name")
                new_role = gr.Dropdown(
                    label=label("people.role"), choices=roles, value=ANNOTATOR, elem_id="new-role"
                )
                new_password = gr.Textbox(
                    label=label("people.password"), type="password", elem_id="new-password"
                )
                add = gr.Button(label("people.add_go"), variant="primary", elem_id="add-person")
    gr.Markdown(label("people.events"), elem_classes="ip-title")
    events = gr.Dataframe(
        interactive=False,
        show_label=False,
        wrap=True,
        column_widths=["16%", "16%", "24%", "24%", "20%"],
        buttons=[],
        elem_id="events",
        elem_classes="ip-table",
        max_height=420,
    )
    older = gr.Button(label("people.older"), size="sm", elem_id="older-events")
    shown = gr.State([])

    def everybody(request: gr.Request, chosen: str | None) -> list[Any]:
        found = accounts.list_users(context.database, context.actor(request))
        named = {person.name: person for person in found}
        person = named.get(chosen or "")
        return [
            gr.update(value=_people_table(context, request, found)),
            gr.update(choices=list(named), value=person.name if person else None),
            gr.update(value=person.role if person else None),
            _switch(context, request, person),
        ]

    def newest(request: gr.Request) -> list[Any]:
        found = recent_events(context.database, context.actor(request), limit=EVENTS_AT_ONCE)
        return _events(context, request, found)

    def again(request: gr.Request, chosen: str | None) -> list[Any]:
        return [*everybody(request, chosen), *newest(request)]

    @show_errors
    def load(request: gr.Request) -> list[Any]:
        return again(request, None)

    @show_errors
    def choose(chosen: str | None, request: gr.Request) -> list[Any]:
        return everybody(request, chosen)[2:]

    @show_errors
    def pick(event: gr.SelectData, request: gr.Request) -> list[Any]:
        return everybody(request, str(event.row_value[0]))[1:]

    @show_errors
    def do_add(name: str, role: str, password: str, request: gr.Request) -> list[Any]:
        person = accounts.add_user(
            context.database, context.actor(request), name=name, password=password, role=role
        )
        gr.Info(context.t(request, "people.added", name=person.name))
        return [*again(request, person.name), "", ""]

    @show_errors
    def do_set_role(name: str | None, role: str | None, request: gr.Request) -> list[Any]:
        person = accounts.set_role(context.database, context.actor(request), name or "", role or "")
        words = context.t(request, f"role.{person.role}")
        gr.Info(context.t(request, "people.role_is_set", name=person.name, role=words))
        return again(request, person.name)

    @show_errors
    def do_set_password(name: str | None, password: str, request: gr.Request) -> list[Any]:
        actor = context.actor(request)
        mine = request.cookies.get(SIGN_IN_COOKIE) if name == actor.name else None
        accounts.set_password(context.database, actor, name or "", password, keep_token=mine)
        gr.Info(context.t(request, "people.password_is_set", name=name))
        return [*again(request, name), ""]

    @show_errors
    def do_switch(name: str | None, request: gr.Request) -> list[Any]:
        actor = context.actor(request)
        found = {p.name: p for p in accounts.list_users(context.database, actor)}.get(name or "")
        change = accounts.deactivate if found is None or found.active else accounts.activate
        person = change(context.database, actor, name or "")
        key = "people.is_active" if person.active else "people.is_inactive"
        gr.Info(context.t(request, key, name=person.name))
        return again(request, person.name)

    @show_errors
    def more(so_far: list[int], request: gr.Request) -> list[Any]:
        found = recent_events(
            context.database, context.actor(request), limit=(len(so_far) + EVENTS_AT_ONCE)
        )
        return _events(context, request, found)

    # Names are checked by the use cases: a page that was open while the server was started
    # anew would else be told that its choice is none.
    named: dict[str, Any] = {"preprocess": False}
    state = [people, who, role, switch]
    trail = [events, older, shown]
    plain: dict[str, Any] = {"concurrency_limit": None, "show_progress": "hidden"}
    on_load(load, [], state + trail, api_name="people", **plain)
    who.input(choose, who, state[2:], api_visibility="undocumented", **named, **plain)
    people.select(pick, None, state[1:], api_visibility="undocumented", **plain)
    add.click(
        do_add,
        [new_name, new_role, new_password],
        [*state, *trail, new_name, new_password],
        api_name="add_person",
        **plain,
    )
    set_role.click(do_set_role, [who, role], state + trail, api_name="set_role", **named, **plain)
    set_password.click(
        do_set_password,
        [who, password],
        [*state, *trail, password],
        api_name="set_password",
        **named,
        **plain,
    )
    switch.click(do_switch, who, state + trail, api_name="switch_person", **named, **plain)
    older.click(more, shown, trail, api_visibility="undocumented", **plain)


def _people_table(context: Context, request: gr.Request, people: list[Person]) -> dict[str, Any]:
    headers = [context.t(request, f"people.{key}") for key in ("name", "role", "state", "since")]
    rows = [
        [
            person.name,
            context.t(request, f"role.{person.role}"),
            context.t(request, "people.active" if person.active else "people.inactive"),
            moment(person.created_at),
        ]
        for person in people
    ]
    return table(headers, rows)


def _switch(context: Context, request: gr.Request, person: Person | None) -> Any:
    key = "people.activate" if person and not person.active else "people.deactivate"
    return gr.update(value=context.t(request, key), interactive=person is not None)


def _events(context: Context, request: gr.Request, found: list[Event]) -> list[Any]:
    headers = [
        context.t(request, f"people.{key}") for key in ("when", "who", "what", "subject", "details")
    ]
    rows = [
        [
            moment(event.at),
            event.who,
            _action(context, request, event),
            _subject(context, request, event),
            _details(event),
        ]
        for event in found
    ]
    return [
        gr.update(value=table(headers, rows)),
        gr.update(visible=len(found) > 0 and len(found) % EVENTS_AT_ONCE == 0),
        [event.id for event in found],
    ]


def _action(context: Context, request: gr.Request, event: Event) -> str:
    key = f"people.event.{event.action}"
    words = context.t(request, key)
    return event.action.replace("_", " ") if words == key else words


def _subject(context: Context, request: gr.Request, event: Event) -> str:
    kind, _, rest = event.subject.partition(" ")
    key = f"people.subject.{kind}"
    words = context.t(request, key)
    subject = event.subject if words == key else f"{words} {rest}"
    return f"{subject} · {event.project}" if event.project and kind != "project" else subject


def _details(event: Event) -> str:
    """Say what else was noted, short enough for a cell."""
    parts = (f"{key}: {value}" for key, value in event.detail.items() if value not in (None, "", 0))
    text = ", ".join(parts)
    return text if len(text) <= 120 else text[:119] + "…"
