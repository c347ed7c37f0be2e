"""The web application: FastAPI with the sign-in and the JSON routes, and Gradio's pages."""

import os
from typing import Any, Final, cast

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # read when Gradio is imported
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import gradio as gr
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles

from db.engine import Database, Unstorable
from db.settings import Settings
from labeling.errors import Refused
from webapp import api, password, sign_in
from webapp.body_limit import BodyLimit
from webapp.context import Context, unstorable
from webapp.gate import Gate
from webapp.html import STATIC, STATIC_PATH
from webapp.i18n import BROWSER_TAGS, strings
from webapp.pages import PAGES
from webapp.serving import UPLOADS_KEPT
from webapp.suggesting import Suggester
from webapp.theme import make_theme

_HOUR: Final = 60 * 60
_LARGEST_UPLOAD: Final = "200mb"  # a file is read whole; 50,000 utterances take some 10 MB


def create_app(database: Database, settings: Settings) -> FastAPI:
    """Make the web application.

    Parameters
    ----------
    database : Database
        Migrated to its newest form.
    settings : Settings
        As `db.settings` read them.

    Returns
    -------
    FastAPI
        For uvicorn to serve. It asks no other host for anything.
    """
    context = Context(database, settings)
    app = FastAPI(
        title="Interpunct", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.include_router(sign_in.routes(context))
    app.include_router(password.routes(context))
    suggester = Suggester(database)
    app.include_router(api.annotating(context, suggester))
    app.include_router(api.reviewing(context))
    app.add_exception_handler(
        Refused, lambda request, error: api.refusal(context, request, cast(Refused, error))
    )
    app.add_exception_handler(
        Unstorable,
        lambda request, error: api.refusal(context, request, unstorable(cast(Unstorable, error))),
    )
    app.add_exception_handler(
        RequestValidationError,
        lambda request, error: api.misfit(context, request, cast(RequestValidationError, error)),
    )
    for name, folder in STATIC.items():
        app.mount(f"{STATIC_PATH}/{name}", KeptFiles(directory=folder), name=name)

    @app.get("/health")
    def health() -> dict[str, bool]:
        return {"ok": True}

    app.add_middleware(BodyLimit)  # behind the gate: strangers bring nothing but the sign-in
    app.add_middleware(Gate, context=context)
    return gr.mount_gradio_app(
        app,
        make_pages(context),
        path="/",
        auth_dependency=_name,
        theme=make_theme(),
        i18n=gr.I18n(**{tag: strings(language) for language, tag in BROWSER_TAGS.items()}),
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        # What a `Refused` says is shown all the same; what an error of the program says can hold
        # rows of the database, and stands in the log.
        show_error=False,
        max_file_size=_LARGEST_UPLOAD,
    )


class KeptFiles(StaticFiles):
    """Static files that browsers keep for good: their path changes when they do."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file, with word that it may be kept."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def make_pages(context: Context) -> gr.Blocks:
    """Lay all pages out, each by its module."""
    first, *others = PAGES
    with gr.Blocks(
        title="Interpunct", analytics_enabled=False, delete_cache=(_HOUR, UPLOADS_KEPT)
    ) as demo:
        gr.Navbar(visible=False)
        first.build(context)
    for page in others:
        with demo.route(page.path.capitalize(), f"/{page.path}"):
            gr.Navbar(visible=False)
            page.build(context)
    return demo


def _name(request: Request) -> str | None:
    """Tell Gradio who asks, as the gate found."""
    actor = getattr(request.state, "actor", None)
    return actor.name if actor else None
