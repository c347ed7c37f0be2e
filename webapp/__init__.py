"""The browser side: Gradio pages, the slot editor, sign-in."""
