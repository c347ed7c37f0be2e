"""Cutting text into units, the things that a punctuation mark can follow.

A unit is one Han character (or kana), or one whole run of other letters and
digits: ``iPhone15``, ``3.5``, ``10:30``, ``zo'n``, ``drie-jarig``,
``jan@zkh.nl``, ``https://x.nl/a?b=1``. Everything between units (spaces, marks,
quotes, emoji) belongs to the gap after the unit before it. Offsets are code
points of the input; no tokenizer's offsets are involved.
"""

from collections.abc import Iterator
from typing import Final

import regex

# U+30FC (long sound), U+3005 (iteration) and U+3007 (ideographic zero) behave as characters.
HAN: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\u3005\u3007"
_BASE: Final = rf"[[\p{{L}}\p{{N}}]--[{HAN}]]"
_REST: Final = rf"[[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d]--[{HAN}]]"
_RUN: Final = rf"{_BASE}{_REST}*"
_AFTER: Final = rf"(?={_BASE})"

# A dot joins single letters (d.w.z), digits (3.5) and the parts of a host or file name, which is
# told by its end; a dot between two ordinary words is a full stop whose space is missing.
SUFFIXES: Final = (
    "com|org|net|info|edu|gov|io|ai|app|dev|nl|be|de|fr|uk|eu|us|cn|tw|hk|jp|"
    "pdf|docx?|xlsx?|csv|txt|jpe?g|png|mp[34]|wav|html?|json|js|py"
)
_WORD: Final = rf"""
    (?:(?<!{_BASE})['’](?=(?:s|t|n|m|k|r|d|ie|em|re|ve|ll)(?!{_REST})))?  # 's, 't, 're
    {_RUN}
    (?:
        (?: ['’\-‐‑_&/@·+]{_AFTER}                          # zo'n  drie-jarig  R&D  km/u  jan@huis
          | (?<=\p{{Nd}})[.,:٫٬](?=\p{{Nd}})                # 3.5  1.000,50  10:30
          | (?<=\p{{Nd}})[–](?=\p{{Nd}})                    # 2000–2012
          | (?<=(?<!{_BASE})\p{{L}})\.(?=\p{{L}}(?!{_REST}))       # d.w.z
          | \.(?=(?i:{SUFFIXES})(?!{_REST}))               # node.js  zkh.nl
        )
        {_RUN}
    )*
"""
_URL_END: Final = r"""[^\s<>"'“”‘’()\[\]{}（）【】《》，。、！？；：,.!?;:…—–]"""
_URL: Final = rf"""
    (?i:https?://|www\.)(?=[^\s\p{{P}}{HAN}])
    (?:[[^\s<>"“”‘’（）【】《》，。、！？；：…—–]--[{HAN}]])*
    (?<={_URL_END})
"""
_LOCAL: Final = rf"[[\p{{L}}\p{{N}}._%+\-]--[{HAN}]]"
_DOMAIN: Final = rf"@(?:{_RUN}(?:-{_RUN})*)(?:\.{_RUN}(?:-{_RUN})*)+"
_MAIL: Final = rf"{_BASE}{_LOCAL}*{_DOMAIN}"
_HAN_CHAR: Final = rf"[{HAN}][\p{{M}}\uFE00-\uFE0F\U000E0100-\U000E01EF]*"

_UNIT: Final = regex.compile(
    rf"(?V1)(?:{_HAN_CHAR})|(?:{_URL})|(?:{_MAIL})|(?:{_WORD})", regex.VERBOSE
)
# The same but for mail addresses, at each unit of which the rest of a text that has no space
# would be looked through for an @. Where there is no address, the two find the same.
_UNIT_BUT_MAIL: Final = regex.compile(
    rf"(?V1)(?:{_HAN_CHAR})|(?:{_URL})|(?:{_WORD})", regex.VERBOSE
)
_MAIL_ALONE: Final = regex.compile(rf"(?V1){_LOCAL}++(?:(?=(?P<domain>{_DOMAIN})))?")
_HAN_UNIT: Final = regex.compile(rf"(?V1)[{HAN}]")
_LETTER: Final = regex.compile(r"\p{L}")

Span = tuple[int, int]


def find_units(text: str) -> list[Span]:
    """Cut a text into units.

    Parameters
    ----------
    text : str
        Any Unicode text.

    Returns
    -------
    list of (int, int)
        Start and end of every unit, in code points, in order, without overlap. Its
        length is the number of slots of the text.
    """
    return [m.span() for m in _matches(text)]


def unit_texts(text: str) -> list[str]:
    """Return the texts of a text's units, in order.

    Parameters
    ----------
    text : str
        Any Unicode text.

    Returns
    -------
    list of str
        One string a unit, as written in the text (nothing is folded or re-cased).
    """
    return [m.group() for m in _matches(text)]


def is_han(unit: str) -> bool:
    """Whether a unit is one Han character or kana.

    Parameters
    ----------
    unit : str
        The text of one unit.

    Returns
    -------
    bool
        True for one Han character or kana, with any marks that combine with it.
    """
    return _HAN_UNIT.match(unit) is not None


def has_letter(unit: str) -> bool:
    """Whether a unit holds a letter, so that its script says which marks suit it.

    Parameters
    ----------
    unit : str
        The text of one unit.

    Returns
    -------
    bool
        False for bare numbers and times such as ``3.5`` or ``10:30``.
    """
    return _LETTER.search(unit) is not None


def _matches(text: str) -> Iterator[regex.Match]:
    return _with_mail(text) if "@" in text else _UNIT_BUT_MAIL.finditer(text)


def _with_mail(text: str) -> Iterator[regex.Match]:
    done = 0
    for mail in _MAIL_ALONE.finditer(text):
        while mail["domain"] and done < mail.end():
            # What is before the address, up to the first unit that begins in it.
            for match in _UNIT_BUT_MAIL.finditer(text, done):
                if match.start() >= mail.start():
                    break
                yield match
                done = match.end()
            else:
                return
            if match.start() >= mail.end():
                break
            unit = _UNIT.match(text, match.start())
            yield unit
            done = unit.end()
    yield from _UNIT_BUT_MAIL.finditer(text, done)
