"""Tables, migrations and queries. No Paddle, no Gradio, no knowledge of `model/`."""
