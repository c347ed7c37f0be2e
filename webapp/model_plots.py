"""The plots of the Models page."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from labeling.rounds import RoundInfo
from webapp.plot_style import ACCENT, GREY, SECOND, figure


def losses(progress: Mapping[str, Any], loss: str, step: str) -> go.Figure | None:
    """Show the training loss so far; None where there is none yet.

    Parameters
    ----------
    progress : mapping
        Of a job; ``losses`` holds [step, loss] pairs.
    loss, step : str
        The names of the axes.
    """
    points = progress.get("losses") or []
    if len(points) < 2:
        return None
    drawn = figure(height=190)
    drawn.add_trace(
        go.Scatter(
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            mode="lines",
            line={"color": ACCENT, "width": 2},
            hovertemplate="%{x}: %{y:.3f}<extra></extra>",
        )
    )
    drawn.update_xaxes(title=step, range=[0, max(progress.get("total") or 0, points[-1][0])])
    drawn.update_yaxes(title=loss, rangemode="tozero")
    return drawn


def history(rounds: Sequence[RoundInfo], before: str, after: str, name: str) -> go.Figure:
    """Show micro F1 on the frozen test by round, with intervals.

    Parameters
    ----------
    rounds : sequence of RoundInfo
        Those that are done, in any order.
    before, after : str
        What the model that served and the new one are called.
    name : str
        What a round is called.
    """
    drawn = figure(height=260)
    in_order = sorted(rounds, key=lambda one: one.number)
    for side, title, color, shift in ((0, before, GREY, -0.06), (1, after, ACCENT, 0.06)):
        measured = [one.after if side else one.before for one in in_order]
        xs, ys, up, down = [], [], [], []
        for one, metrics in zip(in_order, measured, strict=True):
            f1 = (metrics.get("micro") or {}).get("f1")
            if f1 is None:
                continue
            low, high = metrics.get("micro_interval") or (f1, f1)
            xs.append(one.number + shift)
            ys.append(100 * f1)
            up.append(100 * (high - f1))
            down.append(100 * (f1 - low))
        drawn.add_trace(
            go.Scatter(
                x=xs,
                y=ys,
                name=title,
                mode="lines+markers" if side else "markers",
                marker={"size": 9, "color": color},
                line={"color": color, "width": 2},
                error_y={"type": "data", "array": up, "arrayminus": down, "color": color},
                hovertemplate=f"{title}: %{{y:.1f}} %<extra></extra>",
            )
        )
    numbers = [one.number for one in in_order]
    drawn.update_layout(showlegend=True)
    drawn.update_xaxes(
        title=name,
        tickvals=numbers,
        range=[min(numbers) - 0.5, max(numbers) + 0.5],
        showgrid=False,
    )
    drawn.update_yaxes(title="F1, %")
    return drawn


def threshold(
    thresholds: Sequence[float],
    precision: Sequence[float | None],
    recall: Sequence[float | None],
    at: float,
    names: tuple[str, str, str],
) -> go.Figure:
    """Show what moving one mark's threshold does.

    Parameters
    ----------
    thresholds, precision, recall
        As in `model.calibration.ThresholdCurve`.
    at : float
        Where the slider stands.
    names : (str, str, str)
        Of precision, recall and the axis.
    """
    drawn = figure(height=260)
    for values, title, color in ((precision, names[0], ACCENT), (recall, names[1], SECOND)):
        drawn.add_trace(
            go.Scatter(
                x=[100 * value for value in thresholds],
                y=[None if value is None else 100 * value for value in values],
                name=title,
                mode="lines",
                line={"color": color, "width": 2},
                hovertemplate=f"{title}: %{{y:.1f}} %<extra></extra>",
            )
        )
    drawn.add_vline(x=100 * at, line={"color": GREY, "dash": "dot"})
    drawn.update_layout(showlegend=True, hovermode="x unified")
    drawn.update_xaxes(title=names[2])
    drawn.update_yaxes(title="%", range=[0, 102])
    return drawn
