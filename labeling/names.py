"""Names of people and projects: one line of text, the same however it was typed."""

import unicodedata
from typing import Final

import regex

# Line breaks and other controls would break every list that shows the name; half a
# surrogate pair is no character.
_NOT_IN_NAMES: Final = regex.compile(r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]")


def clean_name(name: str) -> str:
    """Return a name as it is kept and looked for: composed, without spaces around it."""
    return unicodedata.normalize("NFC", name).strip()


def is_name(name: str, longest: int) -> bool:
    """Whether a cleaned name may be given to somebody or something."""
    return 0 < len(name) <= longest and not _NOT_IN_NAMES.search(name)
