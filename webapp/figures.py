"""Numbers, times and links as the pages of leads, engineers and admins write them."""

from datetime import datetime
from html import escape
from typing import Any, Final

MISSING: Final = "–"


def number(count: int) -> str:
    """Write a count, its thousands apart by a thin space, as all three languages read it."""
    return f"{count:,}".replace(",", "\u2009")


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share from 0 to 1 as a percentage, or a dash where there is none."""
    return MISSING if share is None else f"{100 * share:.{digits}f} %"


def points(difference: float | None) -> str:
    """Write a difference of shares in percentage points, with its sign."""
    return MISSING if difference is None else f"{100 * difference:+.1f}".replace("-", "−")


def plain(value: float | None, digits: int = 3) -> str:
    """Write a figure, or a dash where there is none."""
    return MISSING if value is None else f"{value:.{digits}f}".replace("-", "−")


def moment(time: datetime | None) -> str:
    """Write a time by the server's clock, as 2026-05-01 14:30."""
    return MISSING if time is None else f"{time.astimezone():%Y-%m-%d %H:%M}"


def minutes(seconds: float | None) -> str:
    """Write how long something takes, as 0:45, 12:05 or 1:02:03."""
    if seconds is None:
        return MISSING
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    clock = f"{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
    return f"{hours}:{clock}" if hours else clock


def link(address: str, text: str) -> str:
    """Return a link as HTML; both parts are escaped."""
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def table(headers: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    """Return what `gr.Dataframe` takes: an empty table keeps its headers."""
    return {"headers": headers, "data": rows}
