"""Words that a full stop belongs to, in small letters, of several languages; written for this project."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CUT_SHORT = _words(
    """al approx bspw bzgl bzw ca cf dr e.g ed eds eg evtl excl fig figs ggf gov hon i.e ie incl inkl max min mme mr mrs
    ms mt p.ej p.ex prof ref refs resp rev sen sr sra srta st str tel u.a univ v.a vgl viz vs z.b z.t"""
)
"""Never the end of a sentence."""

BEFORE_NUMBERS = _words(
    """abb abs anm apr art aug bd ch chap col dec eq eqs etw feb jan jul jun kap kl lt mar n no nos nov nr num núm oct p
    par pág pp s sec sect sep sept sp tab v vol ziff"""
)
"""Not the end where a number follows."""

ORDINAL_OF = (
    "jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez", "jahrh", "quartal", "auflage",
    "stock", "etage", "klasse", "kapitel", "mars", "desember", "december",
)  # fmt: skip
"""Beginnings of what a number with a full stop is the ordinal of, as in German, Danish and Norwegian."""

STARTERS = _words(
    """a after an and as at but by for from he however if in is it its many most no on one our she some that the then
    there these they this to we what when where while who with you your
    das der die ein eine er es ich sie wenn wir
    ce cette elle en il ils la le les nous un une vous el ella ellos esta los se una"""
)
"""Words that begin a sentence rather than go on with a name: after `U.S.`, `p.m.` or `vitamin C.` they tell the end."""
