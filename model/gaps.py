"""What a gap between units holds: marks, ellipses, and signs that are part of a number or a name.

It is told from the gap and the two units beside it alone, so that a slot reads the same
wherever its text is cut. Only the last dot of ``ph.d.`` needs the unit before.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import regex

from model.abbreviations import ABBREVIATIONS, is_abbreviation
from model.marks import BY_NAME, NONE
from model.units import HAN, SUFFIXES, Span, find_units, is_han, unit_texts

# What is written for a mark, in any of its forms. An ellipsis is nobody's mark: it stays as it
# is, and no other mark is put beside it. A hyphen is a dash only where it stands alone.
_FORMS: Final = {
    "COMMA": ",，﹐︐،",
    "PERIOD": ".。．｡﹒︒।۔",
    "QUESTION": "?？؟﹖︖⁇",
    "COLON": ":：﹕︓",
    "ENUMERATION": "、､﹑︑",
    "EXCLAMATION": "!！﹗︕‼",
    "SEMICOLON": ";；﹔︔؛",
    "PARAGRAPH": "\u2029",
}
_MARK_OF: Final = {char: name for name, chars in _FORMS.items() for char in chars} | {
    "⁈": "QUESTION",
    "⁉": "QUESTION",
}
_ELLIPSIS: Final = r"\.{3,}|…+|⋯+|。{3,}|\.\.(?!\.)"
_ALONE: Final = r"(?![\p{M}\u200c\u200d])"
_CHAR: Final = rf"[{regex.escape(''.join(_MARK_OF))}]{_ALONE}"
_DASH: Final = rf"(?:\x20?[—–―─]+|(?<=\s)--?(?=\s)|\x20?--){_ALONE}"

# Signs that are a part of a number, a time, an address or a name, though the units beside them
# are cut there. `_SET` is what a person may have set between such a sign and the next unit.
_SET: Final = rf"(?:{_CHAR}|{_DASH}){{0,4}}+"
_END: Final = rf"(?![[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d]--[{HAN}]])"
_SPACE: Final = r"[^\S\u2029]"
_QUOTE: Final = r"[\"'`\p{Pi}]"
# No ending that is a common word, of which it could be told from a full stop without its space.
_FILES: Final = (
    "md|rst|rs|ts|tsx|jsx|mjs|sh|ps1|cmd|kt|cs|cc|cpp|hpp|rb|php|lua|vue|css|scss|sql|"
    "ya?ml|toml|ini|cfg|conf|env|xml|jsonl|tsv|ipynb|tex|rtf|odt|ods|odp|pptx?|xlsm|epub|srt|vtt|"
    "svg|gif|bmp|tiff?|webp|ico|psd|avi|mkv|webm|flac|ogg|m4a|zip|rar|tar|t?gz|bz2|xz|7z|iso|"
    "exe|dll|dmg|apk|msi|htm|aspx?|jsp|bak|tmp"
)
_CUT: Final = [unit_texts(short) for short in sorted(ABBREVIATIONS) if len(find_units(short)) == 2]
_INNER_DOTS: Final = "|".join(
    rf"(?<=\A['’]?(?i:{first}))\.(?={_SET}(?i:{second}){_END})" for first, second in _CUT
)
_HEX: Final = r"(?:(?=\p{L}{0,3}\d)[\da-fA-F]{1,4}|[\da-fA-F]{2})"
_PART: Final = "|".join(
    (
        # 10：30  3：2  １．５
        rf"(?<=\p{{Nd}})[：﹕︓．﹒](?={_SET}\p{{Nd}})",
        # 1，234，567
        rf"(?<=\A\p{{Nd}}{{1,3}})[，﹐](?={_SET}\p{{Nd}}{{3}}(?!\p{{Nd}}))",
        # –10  10°C–20°C  $5–$10, and 3—5
        rf"\x20?(?<![—–―─])–(?![—–―─])(?={_SET}\p{{Sc}}?[.,]?\p{{Nd}})",
        rf"(?<=\p{{Nd}}[%‰°℃℉]?)[—―─](?![—–―─])(?={_SET}\p{{Sc}}?\p{{Nd}})",
        # .5  r=.45  ".25"
        rf"(?<=\A|{_SPACE}|[\p{{Ps}}\p{{Sm}}\p{{Sc}}/\\*]|(?<!-)-|(?<![—–―─])–"
        rf"|(?:\A|{_SPACE}|[\p{{Ps}}=]){_QUOTE})[.,](?=\p{{Nd}})",
        # .bashrc  .NET  ~/.ssh  *.txt, but one capital is that of a sentence
        rf"(?<=\A|{_SPACE}|[/\\\p{{Ps}}]|(?:\A|{_SPACE}|\p{{Ps}})(?:{_QUOTE}|\*))\."
        rf"(?=[a-z]|[A-Z][A-Z\d]|Net{_END})",
        # README.md  说明.pdf  __init__.py
        rf"(?<=[A-Za-z\d])\.(?={_SET}(?i:{_FILES}){_END})",
        rf"(?<=[_{HAN}]\p{{M}}*)\.(?={_SET}(?i:{_FILES}|{SUFFIXES}){_END})",
        # ftp://x  C:\x
        r"(?<=[A-Za-z\d]):(?=//|\\)",
        # 00:1A:2B  fe80::1; where both sides are digits it is in a unit
        rf"(?<=(?<![\p{{L}}\p{{N}}]){_HEX})::?(?={_SET}{_HEX}{_END})(?<!\d:(?={_SET}\d))",
        # ph.d
        _INNER_DOTS,
    )
)
_GAP_MARK: Final = regex.compile(
    rf"(?V1)(?P<ellipsis>{_ELLIPSIS})|(?P<part>{_PART})|(?P<dash>{_DASH})|(?P<char>{_CHAR})"
)
_CUT_BEFORE: Final = [
    (regex.compile(rf"(?V1)['’]?(?i:{first})\.(?!\.){_SET}"), second) for first, second in _CUT
]

# Gaps without a space in which a mark can stand all the same: quotes and brackets of prose, and
# pictures. Any other sign there joins what is beside it: 3~5, 2×3, 男/女, 约翰·史密斯, f(x).
_PROSE: Final = (
    r"\p{Pi}\p{Pf}„‚¿¡＂＇「」『』《》〈〉【】〔〕〖〗（）［］｛｝｢｣〝〞〟"
    r"\p{Extended_Pictographic}\p{Regional_Indicator}\U0001F3FB-\U0001F3FF\p{M}"
    r"[\p{C}--[\u00ad\u2060-\u2064]]"
)
_BETWEEN_DIGITS: Final = regex.compile(rf"(?V1)[%‰‱]*[{_PROSE}]*")  # 13.70%2016年
_BETWEEN_WORDS: Final = regex.compile(  # not 10°C, 5㎡x
    rf"(?V1)[{_PROSE}\"'[\p{{So}}--[°\u2100-\u214f\u3300-\u33ff]]]*"
)
_BESIDE_HAN: Final = regex.compile(rf"(?V1)[%‰‱]*[{_PROSE}\"'\p{{So}}()\[\]{{}}]*")  # 五%而
_BEFORE_HAN: Final = regex.compile(  # 50%的  25℃的  5€的  C#的
    rf"(?V1)[%‰‱′″+#\p{{Sc}}\p{{So}}]*[{_PROSE}\"'\p{{So}}()\[\]{{}}]*"
)
_FOREIGN_MARK: Final = regex.compile(r"\p{Terminal_Punctuation}")


def slots(text: str, units: Sequence[Span]) -> Iterator[tuple[str, str, str]]:
    """Walk through a text.

    Parameters
    ----------
    text : str
        Any Unicode text.
    units : sequence of (int, int)
        Its units, as `find_units` cuts them.

    Yields
    ------
    unit, gap, following : str
        Each unit with the gap after it, and the unit after that; none after the last.
    """
    for (start, end), (next_start, next_end) in pairwise((*units, (len(text), len(text)))):
        yield text[start:end], text[end:next_start], text[next_start:next_end]


def is_plain(gap: str) -> bool:
    """Whether a gap is nothing but space, so that there is nothing to read."""
    return not gap or (gap.isspace() and "\u2029" not in gap)


def found_in(unit: str, gap: str, following: str, kept: int = 0) -> Iterator[regex.Match]:
    """Find what a gap holds.

    Parameters
    ----------
    unit, gap, following : str
        As from `slots`.
    kept : int
        So many characters of the gap are not looked at.

    Yields
    ------
    regex.Match
        In order, with offsets in ``unit + gap``. Its last group is ``ellipsis``, ``part`` (a sign
        of a number or a name), ``dash`` or ``char`` (a mark).
    """
    for match in _GAP_MARK.finditer(unit + gap + following, len(unit) + kept):
        if match.start() >= len(unit) + len(gap):  # in the next unit
            return
        yield match


def read_gap(unit: str, gap: str, following: str, *, kept: int = 0) -> tuple[str, bool, bool]:
    """Read a gap.

    Parameters
    ----------
    unit, gap, following, kept
        As in `found_in`.

    Returns
    -------
    mark : str
        The strongest mark that it holds, or NONE.
    closed, barred : bool
        As in `model.punctuation.Parsed`.
    """
    if is_plain(gap):
        return NONE, False, False
    strongest, closed, has_part = BY_NAME[NONE], False, False
    others = []
    done = len(unit) + kept
    whole = unit + gap
    for match in found_in(unit, gap, following, kept):
        others.append(whole[done : match.start()])
        done = match.end()
        if match.lastgroup == "ellipsis":
            closed = True
        elif match.lastgroup == "part":
            has_part = True
        elif BY_NAME[name := _name_of(match)].strength > strongest.strength:
            strongest = BY_NAME[name]
    rest = "".join((*others, whole[done:]))
    glued = bool(following) and not any(char.isspace() for char in gap)
    barred = _FOREIGN_MARK.search(rest) is not None or (
        glued and (has_part or not _is_prose(unit, rest, following))
    )
    return strongest.name, closed, barred


def abbreviation_dot(unit: str, gap: str, following: str, before: str) -> str:
    """Return the dot that belongs to an abbreviation rather than to the sentence, or nothing.

    Parameters
    ----------
    unit, gap, following : str
        As from `slots`.
    before : str
        The unit before with its gap, for abbreviations that are cut in two (``ph.d.``).
    """
    if not gap.startswith("."):
        return ""
    match = _GAP_MARK.match(unit + gap + following, len(unit))
    if not match or match.lastgroup != "char":
        return ""
    known = is_abbreviation(unit) or any(
        unit.lower() == second and first.fullmatch(before) for first, second in _CUT_BEFORE
    )
    return "." if known else ""


def _is_prose(unit: str, signs: str, following: str) -> bool:
    """Whether a mark can stand among these signs, which no space parts from either unit."""
    if is_han(following) and not is_han(unit):
        allowed = _BEFORE_HAN
    elif is_han(following) or is_han(unit):
        allowed = _BESIDE_HAN
    elif unit[-1].isdecimal() and following[0].isdecimal():
        allowed = _BETWEEN_DIGITS
    else:
        allowed = _BETWEEN_WORDS
    return allowed.fullmatch(signs) is not None


def _name_of(match: regex.Match) -> str:
    if match.lastgroup == "dash":
        return "DASH"
    return _MARK_OF[match.group()]
