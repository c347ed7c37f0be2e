"""The plots of the Agreement page."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from webapp.plot_style import ACCENT, SCALE, figure


def comma_rates(
    people: Sequence[str],
    rates: Sequence[float],
    limits: Sequence[tuple[float | None, float | None]],
    notes: Sequence[str],
    axis: str,
) -> go.Figure:
    """Show how many commas each person sets, with intervals.

    Parameters
    ----------
    people : sequence of str
        Names.
    rates : sequence of float
        Commas in a hundred slots.
    limits : sequence of (float or None, float or None)
        Their 95 % intervals.
    notes : sequence of str
        What else is said of each person when it is pointed at.
    axis : str
        The name of the axis.
    """
    up = [
        0.0 if high is None else high - rate for rate, (_, high) in zip(rates, limits, strict=True)
    ]
    down = [
        0.0 if low is None else rate - low for rate, (low, _) in zip(rates, limits, strict=True)
    ]
    drawn = figure(height=90 + 34 * max(2, len(people)))
    drawn.add_trace(
        go.Scatter(
            x=list(rates),
            y=[short(name) for name in people],
            mode="markers",
            marker={"size": 11, "color": ACCENT},
            error_x={
                "type": "data",
                "array": up,
                "arrayminus": down,
                "color": ACCENT,
                "thickness": 1.6,
                "width": 5,
            },
            customdata=[
                [note, *("–" if limit is None else f"{limit:.1f}" for limit in pair)]
                for note, pair in zip(notes, limits, strict=True)
            ],
            hovertemplate="%{y}: %{x:.1f} (%{customdata[1]}–%{customdata[2]})"
            "<br>%{customdata[0]}<extra></extra>",
        )
    )
    drawn.update_xaxes(title=axis, rangemode="tozero")
    drawn.update_yaxes(type="category", autorange="reversed")
    return drawn


def kappa_matrix(
    people: Sequence[str],
    kappas: Sequence[Sequence[float | None]],
    slots: Mapping[tuple[int, int], int],
    n_name: str,
) -> go.Figure:
    """Show Cohen's kappa of every two people as a heat map, with the slots behind it.

    Parameters
    ----------
    people : sequence of str
        Names.
    kappas : sequence of sequence of float or None
        Symmetric; None where there is none.
    slots : mapping of (int, int) to int
        Slots that two people have in common.
    n_name : str
        What the number of slots is called.
    """
    size = len(people)
    text: list[list[Any]] = [
        [
            "" if kappas[i][j] is None else f"{kappas[i][j]:.2f}<br>n={slots.get((i, j), 0)}"
            for j in range(size)
        ]
        for i in range(size)
    ]
    drawn = figure(height=max(260, 120 + 56 * size))
    drawn.add_trace(
        go.Heatmap(
            z=[[None if k is None else k for k in row] for row in kappas],
            x=[short(name) for name in people],
            y=[short(name) for name in people],
            text=text,
            texttemplate="%{text}",
            zmin=0,
            zmax=1,
            colorscale=SCALE,
            xgap=2,
            ygap=2,
            showscale=False,
            customdata=[[slots.get((i, j), 0) for j in range(size)] for i in range(size)],
            hovertemplate="%{y} – %{x}: %{z:.3f}<br>" + n_name + ": %{customdata}<extra></extra>",
            hoverongaps=False,
        )
    )
    drawn.update_xaxes(
        type="category", side="bottom", showgrid=False, tickangle=0 if size < 5 else 30
    )
    drawn.update_yaxes(type="category", autorange="reversed", showgrid=False)
    return drawn


def short(name: str, length: int = 16) -> str:
    """Cut a long name, so that the plot keeps its room."""
    return name if len(name) <= length else name[: length - 1] + "…"
