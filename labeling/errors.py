"""What people are told when something cannot be done. Use cases raise these and no others."""

from typing import Any


class Refused(Exception):
    """Something cannot be done, for a reason that the person can act on.

    Parameters
    ----------
    code : str
        A short name, the key of the translated message.
    message : str
        The same in plain English.
    **params
        What the translated message fills in.
    """

    def __init__(self, code: str, message: str, **params: Any) -> None:
        super().__init__(message)
        self.code = code
        self.params = params


class NotAllowed(Refused):
    """The person may not do this (or has not signed in)."""


class NotFound(Refused):
    """There is no such thing, or not for this person."""


class BadInput(Refused):
    """What was given cannot be used as it is."""


class StaleSave(Refused):
    """Somebody (the same person in another tab) saved since; nothing was overwritten.

    Parameters
    ----------
    theirs : bytes
        The labels that are stored now, canonical ids.
    theirs_number : int
        The number of what is stored: of the draft, or of the version.
    yours : bytes
        The labels that were refused.
    base : bytes or None
        The labels that `yours` started from, where they are known.
    base_number : int
        The number that `yours` named as its base.
    of : str
        What is stored now and was not known: a ``draft``, a ``version`` or a ``decision``.
    """

    def __init__(
        self,
        *,
        theirs: bytes,
        theirs_number: int,
        yours: bytes,
        base: bytes | None,
        base_number: int,
        of: str,
    ) -> None:
        super().__init__(
            "stale_save",
            "This transcript was saved elsewhere since you opened it. "
            "Nothing was overwritten: compare the two and choose.",
            theirs_number=theirs_number,
            base_number=base_number,
        )
        self.theirs = theirs
        self.theirs_number = theirs_number
        self.yours = yours
        self.base = base
        self.base_number = base_number
        self.of = of
