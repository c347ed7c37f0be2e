"""The agreement page."""

import gradio as gr

from webapp.context import Context
from webapp.i18n import label


def build(context: Context) -> None:
    """Lay the page out."""
    gr.Markdown(label("page.agreement"))
