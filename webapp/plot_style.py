"""One look for all plots; text and grid lines take the page's colours by `static/pages.css`."""

from typing import Final

import plotly.graph_objects as go

ACCENT: Final = "#34747f"
SECOND: Final = "#c07a2c"
GREY: Final = "#8d8c86"
# From pale to deep within a range on which both dark and light text can be read.
SCALE: Final = [[0.0, "rgba(52,116,127,0.06)"], [1.0, "rgba(52,116,127,0.62)"]]


def figure(height: int) -> go.Figure:
    """Return an empty figure on no ground of its own.

    Parameters
    ----------
    height : int
        In pixels; the width is the page's.
    """
    drawn = go.Figure()
    drawn.update_layout(
        height=height,
        autosize=True,
        margin={"l": 28, "r": 12, "t": 12, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 13},
        showlegend=False,
        hoverlabel={"bgcolor": "#282927"},
        legend={"orientation": "h", "y": 1.12, "x": 0},
        dragmode=False,
    )
    drawn.update_xaxes(
        automargin=True,
        title_font={"size": 13},
        gridcolor="rgba(128,128,128,0.25)",
        zeroline=False,
        fixedrange=True,
    )
    drawn.update_yaxes(
        automargin=True,
        title_font={"size": 13},
        gridcolor="rgba(128,128,128,0.25)",
        zeroline=False,
        fixedrange=True,
    )
    return drawn
