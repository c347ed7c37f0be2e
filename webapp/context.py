"""What a page needs to know about who asks: the actor, the project, the language."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import fastapi
import gradio as gr
from gradio.context import Context as GradioContext

from db.engine import Database, Unstorable
from db.settings import Settings
from labeling.accounts import actor_of_token
from labeling.errors import BadInput, NotAllowed, NotFound, Refused
from labeling.permissions import Actor
from labeling.projects import list_projects
from webapp.i18n import choose_language, translate

SIGN_IN_COOKIE: Final = "interpunct_sign_in"
PROJECT_COOKIE: Final = "interpunct_project"
LANGUAGE_COOKIE: Final = "interpunct_language"

AnyRequest = gr.Request | fastapi.Request


@dataclass(frozen=True)
class Context:
    """What page modules get: the database, the settings, and how to read a request.

    Attributes
    ----------
    database : Database
        What use cases take first.
    settings : Settings
        As `db.settings` read them.
    """

    database: Database
    settings: Settings

    def actor(self, request: AnyRequest) -> Actor:
        """Return who asks; looked up anew each time, so that a sign-out counts at once.

        Raises
        ------
        NotAllowed
            Nobody is signed in with this request.
        """
        if isinstance(request, fastapi.Request) and hasattr(request.state, "actor"):
            return request.state.actor  # the gate has just looked
        token = _raw(request).cookies.get(SIGN_IN_COOKIE)
        actor = actor_of_token(self.database, token) if token else None
        if actor is None:
            raise NotAllowed("not_signed_in", "Please sign in first.")
        return actor

    def projects(self, request: AnyRequest) -> list[Any]:
        """Return the projects that this person may work in."""
        return list(list_projects(self.database, self.actor(request)))

    def project(self, request: AnyRequest) -> Any:
        """Return the chosen project: ``?project=ID`` first, then the cookie, then the first one.

        Raises
        ------
        NotFound
            There is no project yet.
        """
        return self.choose_project(request, self.projects(request))

    def choose_project(self, request: AnyRequest, projects: list[Any]) -> Any:
        """Return which of these projects this request is about (see `project`)."""
        if not projects:
            raise NotFound("no_project", "There is no project yet.")
        raw = _raw(request)
        by_id = {str(project.id): project for project in projects}
        for wanted in (raw.query_params.get("project"), raw.cookies.get(PROJECT_COOKIE)):
            if wanted in by_id:
                return by_id[wanted]
        return projects[0]

    def language(self, request: AnyRequest) -> str:
        """Return this person's language: ``en``, ``nl`` or ``zh``."""
        raw = _raw(request)
        return choose_language(raw.cookies.get(LANGUAGE_COOKIE), raw.headers.get("accept-language"))

    def t(self, request: AnyRequest, key: str, **params: Any) -> str:
        """Return a string in this person's language (for text that handlers make).

        Labels that are known when a page is built take `webapp.i18n.label` instead.
        """
        return translate(self.language(request), key, **params)

    def say(self, request: AnyRequest, error: Refused) -> str:
        """Return an error in this person's language."""
        return error_text(self.language(request), error)


def error_text(language: str, error: Refused) -> str:
    """Return what a refusal says in a language; in English where it has no translation."""
    key = f"error.{error.code}"
    text = translate(language, key, **error.params)
    return str(error) if text == key else text


def unstorable(error: Unstorable) -> BadInput:
    """Return the refusal of a value that the database cannot hold."""
    return BadInput("unstorable", str(error))


def on_load(handler: Callable, inputs: Any, outputs: Any, **options: Any) -> None:
    """Call a handler when the page that is being laid out is opened."""
    page = GradioContext.root_block
    if page is None:
        raise RuntimeError("on_load is called inside a page's build().")
    page.load(handler, inputs, outputs, **options)


def show_errors(handler: Callable) -> Callable:
    """Show a `Refused` that a Gradio handler raises as a message in the person's language.

    The handler takes ``context`` first and a ``request: gr.Request`` somewhere, as
    ``functools.partial(handler, context)`` or a nested function would. What was on the
    page stays: the error reaches Gradio as one that changes no output.
    """
    signature = inspect.signature(handler)

    @functools.wraps(handler)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return handler(*args, **kwargs)
        except (Refused, Unstorable) as raised:
            error = raised if isinstance(raised, Refused) else unstorable(raised)
            bound = signature.bind(*args, **kwargs).arguments
            language = next(
                (_language_of(v) for v in bound.values() if isinstance(v, gr.Request)), "en"
            )
            raise gr.Error(
                error_text(language, error),
                title=translate(language, "shell.refused"),
                duration=8,
                print_exception=False,
            ) from raised

    return wrapper


def _language_of(request: AnyRequest) -> str:
    raw = _raw(request)
    return choose_language(raw.cookies.get(LANGUAGE_COOKIE), raw.headers.get("accept-language"))


def _raw(request: AnyRequest) -> Any:
    """Return the request itself: Gradio's wrapper hands cookies over as an object."""
    inner = getattr(request, "request", None) if isinstance(request, gr.Request) else None
    return inner if inner is not None else request
