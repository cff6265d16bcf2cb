"""Which language a text is in: by script, and where several languages share one by py3langid."""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Any

SAMPLE = 2_000
"""Characters that are looked at."""
ENOUGH = 20
"""Letters below which a Latin text is too short to tell."""
MARGIN = 5.0
"""Difference in log probability from which one language is told from another."""

LANGUAGES: dict[str, tuple[str, ...]] = {
    "Latin": (
        "en",
        "af",
        "ca",
        "cs",
        "cy",
        "da",
        "de",
        "es",
        "et",
        "eu",
        "fi",
        "fr",
        "ga",
        "gl",
        "hr",
        "hu",
        "id",
        "is",
        "it",
        "lt",
        "lv",
        "ms",
        "nl",
        "no",
        "pl",
        "pt",
        "ro",
        "sk",
        "sl",
        "sq",
        "sv",
        "sw",
        "tr",
        "vi",
    ),
    "Greek": ("el",),
    "Cyrillic": ("ru", "uk", "bg", "sr", "mk", "be", "kk"),
    "Armenian": ("hy",),
    "Hebrew": ("he",),
    "Arabic": ("ar", "fa", "ur"),
    "Devanagari": ("hi", "mr", "ne"),
    "Bengali": ("bn",),
    "Gurmukhi": ("pa",),
    "Gujarati": ("gu",),
    "Tamil": ("ta",),
    "Telugu": ("te",),
    "Kannada": ("kn",),
    "Malayalam": ("ml",),
    "Sinhala": ("si",),
    "Thai": ("th",),
    "Lao": ("lo",),
    "Burmese": ("my",),
    "Georgian": ("ka",),
    "Ethiopic": ("am",),
    "Khmer": ("km",),
    "Kana": ("ja",),
    "Han": ("zh",),
    "Hangul": ("ko",),
}
"""By script, likeliest first."""

STARTS = (
    (0x000, "Latin"), (0x370, "Greek"), (0x400, "Cyrillic"), (0x530, "Armenian"), (0x590, "Hebrew"), (0x600, "Arabic"),
    (0x700, ""), (0x750, "Arabic"), (0x780, ""), (0x8A0, "Arabic"), (0x900, "Devanagari"), (0x980, "Bengali"),
    (0xA00, "Gurmukhi"), (0xA80, "Gujarati"), (0xB00, ""), (0xB80, "Tamil"), (0xC00, "Telugu"), (0xC80, "Kannada"),
    (0xD00, "Malayalam"), (0xD80, "Sinhala"), (0xE00, "Thai"), (0xE80, "Lao"), (0xF00, ""), (0x1000, "Burmese"),
    (0x10A0, "Georgian"), (0x1100, "Hangul"), (0x1200, "Ethiopic"), (0x13A0, ""), (0x1780, "Khmer"), (0x1800, ""),
    (0x1E00, "Latin"), (0x1F00, "Greek"), (0x2000, ""), (0x3040, "Kana"), (0x3100, ""), (0x3130, "Hangul"),
    (0x3190, ""), (0x31F0, "Kana"), (0x3200, ""), (0x3400, "Han"), (0x4DC0, ""), (0x4E00, "Han"), (0xA000, ""),
    (0xAC00, "Hangul"), (0xD7B0, ""), (0xF900, "Han"), (0xFB00, "Latin"), (0xFB13, ""), (0xFB1D, "Hebrew"),
    (0xFB50, "Arabic"), (0xFE00, ""), (0xFE70, "Arabic"), (0xFF00, "Latin"), (0xFF66, "Kana"), (0xFFA0, "Hangul"),
    (0xFFE0, ""), (0x20000, "Han"), (0x32000, ""),
)  # fmt: skip
"""First code points of runs of one script; "" is any other."""
CODE_POINTS = [start for start, _ in STARTS]
NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff\uff00-\uff5f]")


def script_of(character: str) -> str:
    """The script's name, as in `LANGUAGES`, or "" where it is none of those."""
    return STARTS[bisect_right(CODE_POINTS, ord(character)) - 1][1]


def detect_language(text: str) -> str:
    """ISO 639-1 code; English where a Latin text is too short or too unlike any language to tell."""
    sample = text[:SAMPLE]
    languages = LANGUAGES[_main_script(sample)]
    if len(languages) == 1 or _has_few_letters(sample):
        return languages[0]
    likely = likely_languages(sample, languages)
    return likely[0] if len(likely) == 1 else languages[0]


def is_too_short(text: str) -> bool:
    """Whether a Latin text has too few letters to tell its language."""
    sample = text[:SAMPLE]
    return _main_script(sample) == "Latin" and _has_few_letters(sample)


def _has_few_letters(sample: str) -> bool:
    return sum(map(str.isalpha, sample)) < ENOUGH


def likely_languages(text: str, languages: Collection[str]) -> list[str]:
    """Those of the languages that the text may be in, likeliest first; what py3langid does not know is left out."""
    ranked = _identifier(frozenset(languages)).rank(text)
    return [language for language, score in ranked if score > ranked[0][1] - MARGIN]


def _main_script(sample: str) -> str:
    """A script that has a fifth of the letters is the main one: a text in it may well quote Latin names and code."""
    if sample.isascii():
        return "Latin"
    counts = Counter(map(script_of, NOT_LATIN.findall(sample)))
    del counts[""]
    if counts["Kana"] * 10 > counts["Han"]:
        counts["Kana"] += counts["Han"]
    script, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
    return script if count * 5 > sum(map(str.isalpha, sample)) else "Latin"


@lru_cache(maxsize=64)
def _identifier(languages: frozenset[str]) -> Any:
    identifier = copy.copy(_full_identifier())
    identifier.set_languages(languages & set(identifier.labels))
    return identifier


@lru_cache(maxsize=1)
def _full_identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # a tenth of a second and 10 MB, for the first text

    return LanguageIdentifier.from_model_file(MODEL_FILE)
