"""The web application: FastAPI with the sign-in and the JSON routes, and Gradio's pages."""

import os

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # read when Gradio is imported
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import gradio as gr
from fastapi import FastAPI, Request
from fastapi.staticfiles import StaticFiles

from db.engine import Database
from db.settings import Settings
from webapp import api, sign_in
from webapp.context import Context
from webapp.gate import Gate
from webapp.html import STATIC
from webapp.i18n import BROWSER_TAGS, strings
from webapp.pages import PAGES
from webapp.theme import make_theme


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
    app = FastAPI(title="Interpunct", docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(sign_in.routes(context))
    app.include_router(api.routes(context))
    for name, folder in STATIC.items():
        app.mount(f"/interpunct/{name}", StaticFiles(directory=folder), name=name)

    @app.get("/health")
    def health() -> dict[str, bool]:
        return {"ok": True}

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
        show_error=True,
    )


def make_pages(context: Context) -> gr.Blocks:
    """Lay all pages out, each by its module."""
    first, *others = PAGES
    with gr.Blocks(title="Interpunct", analytics_enabled=False) as demo:
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
