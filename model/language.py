"""Telling Chinese, Dutch and English apart, text by text.

The model itself needs no language. It decides whether numbers that stand before any
other unit take full-width marks, and which group a text is counted in.
"""

from typing import Final, Literal

import regex

from model.units import is_han, unit_texts

Language = Literal["zh", "nl", "en"]
LANGUAGES: Final[tuple[Language, ...]] = ("zh", "nl", "en")

# Frequent words that the other of the two languages does not have.
_DUTCH_TEXT: Final = """
    de het een en van ik je jij ze zij hij wij wel niet dat dit deze die er maar om ook als dan nog
    naar uit met voor bij onder tot op aan te zijn ben bent waren heb hebt heeft hebben hadden word
    wordt worden werd kan kun kunt kunnen kon zal zullen zou zouden moet moeten moest mag mogen wil
    wilt willen wilde ga gaat gaan ging doe doet doen deed kom komt komen kwam zeg zegt zei weet
    weten wist mij mijn jou jouw haar hun ons onze u uw geen iets niets alles iemand niemand wie
    wat waar wanneer waarom hoe welke hier daar toen nu dus omdat ja nee goed heel erg veel meer
    meest eigenlijk gewoon eens toch al alleen altijd nooit mevrouw meneer vandaag gisteren morgen
    jaar dag uur keer mensen 't 'n 's zo'n
"""
_ENGLISH_TEXT: Final = """
    the a and to that this these those it its i you he she they them my your his our their are were
    be being am have has having do does did done not no yes but or if then because when where why
    how what which who whom there here now with for from by at on into about after before between
    through would could should will can may might must shall don't didn't doesn't isn't aren't
    wasn't can't won't i'm i've i'll you're it's that's there's we're they're get got go going went
    come came say said know think thought see saw need just like well very really much more most
    also only always never good people time year day today tomorrow yesterday thing things
    something nothing everything someone hello please thank thanks okay
"""
_DUTCH: Final = frozenset(_DUTCH_TEXT.split())
_ENGLISH: Final = frozenset(_ENGLISH_TEXT.split())
_DUTCH_LOOK: Final = regex.compile(r"ij|aa|uu|sch|oe|eu|ui|ieuw|(?:ig|lijk|heid|tje|tjes)\b")
_ENGLISH_LOOK: Final = regex.compile(r"th|wh|sh|ough|ea|ck\b|(?:ing|tion|ly|ed|y)\b")


def detect_language(text: str) -> Language:
    """Say whether a text is Chinese, Dutch or English.

    Parameters
    ----------
    text : str
        Any Unicode text, with or without marks.

    Returns
    -------
    str
        ``zh`` where more than three in ten units are Han characters; else ``nl`` or ``en``
        by frequent words, and where there are none, by spelling. A text without letters
        is ``en``.
    """
    units = unit_texts(text)
    han = sum(map(is_han, units))
    if han > 0.3 * len(units):
        return "zh"
    words = [unit.lower().replace("’", "'") for unit in units if not is_han(unit)]
    dutch = sum(word in _DUTCH for word in words)
    english = sum(word in _ENGLISH for word in words)
    if dutch == english:
        joined = " ".join(words)
        dutch = len(_DUTCH_LOOK.findall(joined))
        english = len(_ENGLISH_LOOK.findall(joined))
    return "nl" if dutch > english else "en"
