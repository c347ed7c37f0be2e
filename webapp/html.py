"""The HTML that is not Gradio's: the header, the sign-in page, refusals, and the page frame."""

import hashlib
import re
from pathlib import Path
from typing import Any, Final

import orjson
from jinja2 import Environment, FileSystemLoader

from labeling.permissions import Actor
from model.marks import MARKS
from webapp.context import AnyRequest, Context
from webapp.i18n import BROWSER_TAGS, LANGUAGES, strings, translate
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


# In the path of every file, so that modules that import each other by relative paths follow it.
STATIC_PATH: Final = f"/interpunct/{stamp()}"


def fill(template: str, language: str, **values: Any) -> str:
    """Fill one of our templates in, in a language."""

    def t(key: str, **params: Any) -> str:
        return translate(language, key, **params)

    return _TEMPLATES.get_template(template).render(
        t=t,
        language=language,
        tag=BROWSER_TAGS[language],
        languages=LANGUAGES,
        static=STATIC_PATH,
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


def frame(page: str, header_html: str, data: dict[str, Any], title: str) -> str:
    """Put our header, language and styles into a page that Gradio made.

    Parameters
    ----------
    page : str
        Gradio's HTML.
    header_html, title : str
        The header, and the page's title.
    data : dict
        What our scripts need to know (see `page_data`).

    Returns
    -------
    str
        The page. Nothing in it names an outside host any more.
    """
    # "<" would let a name close the script element.
    json = orjson.dumps(data).decode().replace("<", "\\u003c")
    head = (
        f'<script src="{STATIC_PATH}/static/boot.js"></script>'
        f'<link rel="stylesheet" href="{STATIC_PATH}/static/shell.css">'
        f'<link rel="stylesheet" href="{STATIC_PATH}/editor/editor.css">'
        f'<link rel="icon" href="{STATIC_PATH}/static/icon.svg" type="image/svg+xml">'
        f"<title>{title} · Interpunct</title>"
        f'<script type="application/json" id="ip-data">{json}</script>'
    )
    page = _OUTSIDE_META.sub("", page)
    page = page.replace('<link rel="manifest" href="/manifest.json" />', "")
    page = page.replace('lang="en"', f'lang="{BROWSER_TAGS[data["language"]]}"', 1)
    page = page.replace("<head>", f"<head>{head}", 1)
    script = f'<script src="{STATIC_PATH}/static/shell.js"></script>'
    return page.replace("<gradio-app", f"{header_html}{script}<gradio-app", 1)


def page_data(context: Context, request: AnyRequest, actor: Actor, title: str) -> dict[str, Any]:
    """Return what our scripts on a page need to know: strings, marks, person and project."""
    language = context.language(request)
    projects = context.projects(request)
    project = context.choose_project(request, projects) if projects else None
    return {
        "language": language,
        "title": f"{title} · Interpunct",
        "static": STATIC_PATH,
        "user": {"id": actor.id, "name": actor.name, "role": actor.role},
        "project": None
        if project is None
        else {
            "id": project.id,
            "doubt_threshold": project.settings.doubt_threshold,
            "guideline": project.settings.guideline,
        },
        "table": [{"name": m.name, "full": m.full, "ascii": m.ascii} for m in MARKS],
        "strings": {
            key: text for key, text in strings(language).items() if key.startswith(_FOR_SCRIPTS)
        },
    }


_FOR_SCRIPTS: Final = ("editor.", "compare.", "mark.", "language.")
_OUTSIDE_META: Final = re.compile(r'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>')
