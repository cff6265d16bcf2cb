"""Stems by Snowball: the language decides among languages in Latin letters, the script everywhere else."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

import Stemmer

from pipelines.text.languages import LANGUAGES, script_of

LATIN = {
    "ca": "catalan", "da": "danish", "de": "german", "en": "english", "es": "spanish", "eu": "basque", "fi": "finnish",
    "fr": "french", "ga": "irish", "hu": "hungarian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
OTHER_SCRIPTS = {
    "Arabic": "arabic", "Armenian": "armenian", "Cyrillic": "russian", "Devanagari": "hindi", "Greek": "greek",
    "Tamil": "tamil",
}  # fmt: skip
ARABIC_ENDINGS = str.maketrans("ىة", "يه")


def language_of_latin_words(language: str) -> str:
    """Latin words in a text in another script are taken for English."""
    return language if language in LANGUAGES["Latin"] else LANGUAGES["Latin"][0]


def stem(word: str, language: str) -> str:
    """The stem of a casefolded word, without accents; `language` counts for Latin letters."""
    if not word.isascii() and (script := script_of(word[0])) != "Latin":
        return _stem(word, OTHER_SCRIPTS.get(script)).translate(ARABIC_ENDINGS)
    if not word.isalpha():
        return word
    return _without_accents(_stem(word, LATIN.get(language)))


def _stem(word: str, algorithm: str | None) -> str:
    return (_stemmer(algorithm).stemWord(word) or word) if algorithm else word


@lru_cache
def _stemmer(algorithm: str) -> Any:
    return Stemmer.Stemmer(algorithm, 0)  # its own cache is not safe between threads


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
