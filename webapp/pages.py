"""The pages of the browser tool: where they are, who may open them, what builds them."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from labeling.permissions import Actor, may

if TYPE_CHECKING:
    from webapp.context import Context


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes
    ----------
    path : str
        Where it is, without slashes; "" is the first page.
    module : str
        The module whose ``build(context)`` makes it.
    action : str
        What one must be allowed to do to open it (`labeling.permissions.ALLOWED`). Its
        handlers check again, through the use cases.
    """

    path: str
    module: str
    action: str

    @property
    def key(self) -> str:
        """The i18n key of its name."""
        return f"page.{self.path or 'annotate'}"

    @property
    def build(self) -> "Callable[[Context], None]":
        """The function that lays the page out; called once, inside its route."""
        return import_module(self.module).build


PAGES: Final = (
    Page("", "webapp.annotate", "annotate"),
    Page("history", "webapp.history", "see_own_history"),
    Page("transcripts", "webapp.transcripts_page", "see_transcripts"),
    Page("agreement", "webapp.agreement_page", "see_agreement"),
    Page("models", "webapp.models_page", "see_models"),
    Page("people", "webapp.people_page", "manage_people"),
)
BY_PATH: Final = {page.path: page for page in PAGES}


def pages_of(actor: Actor) -> list[Page]:
    """Return the pages that somebody may open, in the order of the navigation."""
    return [page for page in PAGES if may(actor, page.action)]
