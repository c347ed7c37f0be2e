"""The Annotate page: the slot editor, and the same steps for programs."""

from pathlib import Path
from typing import Final

import gradio as gr

from webapp.context import Context
from webapp.html import STATIC_PATH

EDITOR: Final = Path(__file__).parent / "editor"


def build(context: Context) -> None:
    """Lay the page out."""
    gr.HTML(
        html_template=(EDITOR / "editor.html").read_text(encoding="utf-8"),
        js_on_load=f"import('{STATIC_PATH}/editor/bench.js')"
        ".then((module) => module.mountBench(element.querySelector('.ip-bench')));",
        apply_default_css=False,
        elem_id="annotate",
    )
