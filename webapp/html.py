"""The HTML that is not Gradio's: the header, the sign-in page, refusals, and the page frame."""

import hashlib
import re
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader

from labeling.permissions import Actor
from webapp.context import AnyRequest, Context
from webapp.i18n import BROWSER_TAGS, LANGUAGES, translate
from webapp.pages import pages_of

_HERE: Final = Path(__file__).parent
STATIC: Final = {"static": _HERE / "static", "editor": _HERE / "editor"}
_TEMPLATES: Final = Environment(loader=FileSystemLoader(_HERE / "templates"), autoescape=True)


def stamp() -> str:
    """Return what changes whenever a static file does, so that browsers may keep them."""
    digest = hashlib.sha256()
    for folder in STATIC.values():
        for file in sorted(folder.rglob("*.*")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:10]


STAMP: Final = stamp()


def fill(template: str, language: str, **values: Any) -> str:
    """Fill one of our templates in, in a language."""

    def t(key: str, **params: Any) -> str:
        return translate(language, key, **params)

    return _TEMPLATES.get_template(template).render(
        t=t,
        language=language,
        tag=BROWSER_TAGS[language],
        languages=LANGUAGES,
        stamp=STAMP,
        **values,
    )


def header(context: Context, request: AnyRequest, actor: Actor, here: str) -> str:
    """Return the header for one person: only the pages that their role may open."""
    projects = context.projects(request)
    project = context.choose_project(request, projects) if projects else None
    return fill(
        "header.html",
        context.language(request),
        actor=actor,
        pages=pages_of(actor),
        here=here,
        projects=projects,
        project=project,
    )


def frame(page: str, header_html: str, language: str, title: str) -> str:
    """Put our header, language and styles into a page that Gradio made.

    Parameters
    ----------
    page : str
        Gradio's HTML.
    header_html, language, title : str
        The header, the language (``en``, ``nl``, ``zh``) and the page's title.

    Returns
    -------
    str
        The page. Nothing in it names an outside host any more.
    """
    head = (
        f'<script src="/interpunct/static/boot.js?{STAMP}"></script>'
        f'<link rel="stylesheet" href="/interpunct/static/shell.css?{STAMP}">'
        f'<link rel="icon" href="/interpunct/static/icon.svg" type="image/svg+xml">'
        f"<title>{title} · Interpunct</title>"
    )
    page = _OUTSIDE_META.sub("", page)
    page = page.replace('<link rel="manifest" href="/manifest.json" />', "")
    page = page.replace('lang="en"', f'lang="{BROWSER_TAGS[language]}"', 1)
    page = page.replace("<head>", f"<head>{head}", 1)
    script = f'<script src="/interpunct/static/shell.js?{STAMP}"></script>'
    return page.replace("<gradio-app", f"{header_html}{script}<gradio-app", 1)


_OUTSIDE_META: Final = re.compile(r'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>')
