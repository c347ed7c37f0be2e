"""Abbreviations whose last dot does not end a sentence.

Only forms that are no common word without their dots stand here, in any of the
languages, so that the list can be used without knowing the language of a text.
"""

from typing import Final

ABBREVIATIONS: Final = frozenset(
    # Dutch
    "a.d a.g.v a.h.w a.u.b b.g.g b.v c.q d.d d.m.v d.w.z d.m e.a e.d e.v i.c i.e i.g.v i.h.a "
    "i.h.b i.m i.o i.o.m i.o.v i.p.v i.s.m i.t.t i.v.m i.z m.a.w m.b.t m.b.v m.i m.i.v m.m.v m.n "
    "m.u.v n.a.v n.m n.o.t n.v.t o.a o.b.v o.g.v o.i.d o.l.v o.m o.v p.m p.p q.q r.k s.v.p t.a.v "
    "t.b.v t.g.v t.h.v t.m t.n.v t.o t.o.v t.w.v t.z.t u.s v.a v.chr v.d v.h z.g z.g.a.n z.i z.o.z "
    "z.s.m bijv bv dhr mevr mw drs ir jl ca nl resp incl excl enz evt ong tel zgn blz nr zn a.s "
    # English
    "a.m e.g a.k.a u.k u.n ph.d m.d b.a m.a d.c mr mrs ms dr prof jr inc ltd corp vs etc approx "
    "dept gov sen rep gen capt sgt st fig a.i".split()
)


def is_abbreviation(unit: str) -> bool:
    """Whether a unit, written without its last dot, is a known abbreviation.

    Parameters
    ----------
    unit : str
        The text of one unit.

    Returns
    -------
    bool
        True for ``d.w.z``, ``Dr`` or ``p.m``, whatever their case, and behind a quote.
    """
    return unit.lower().lstrip("'’") in ABBREVIATIONS
