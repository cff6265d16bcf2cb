"""Search tokens, what BM25 compares: words by script, then by language stems, stop words, names whole and in parts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import chain, pairwise

from pipelines.text.languages import DEFAULT, LANGUAGES, detect_language, likely_languages, script_of
from pipelines.text.stemming import stem
from pipelines.text.stopwords import STOP_WORDS

__all__ = ["detect_language", "index_tokens", "query_tokens"]

UNSPACED = (
    "\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1780-\u17d3\u3005\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana, Han: no spaces between words; Hangul: words with their particles."""
MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0981-\u0983\u09bc-\u09d7\u0a01-\u0dff"
"""Vowel signs and accents that are no letters to the `re` module, but parts of words."""
LETTER = rf"(?:[^\W_{UNSPACED}]|[{MARKS}])"
WORD = re.compile(rf"[{UNSPACED}]+|{LETTER}+(?:(?:['’._@&+-]|(?<=\d)[,:/](?=\d)){LETTER}+)*[+#]{{0,2}}")
"""A run of a script without spaces; or letters and digits with single signs among them, a name, number or address."""
PART = re.compile(rf"{LETTER}+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
CONTRACTED = frozenset({"s", "t", "d", "m", "re", "ve", "ll"})
ELIDED = 3
"""Letters of l', qu', dell' at most; what follows is the word."""

IGNORED = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]")
"""Soft hyphens, joiners and direction marks; Arabic short vowels and lengthening."""
ARABIC_FORMS = str.maketrans("أإآٱىیکة", "ااااييكه")
LONGEST = 64
"""A longer word (a hash, a blob) is cut: nobody asks for the rest of it."""
CAPACITY = 200_000


def index_tokens(text: str, language: str) -> list[str]:
    """Tokens of a text in its language, in order, without white space in them."""
    return list(chain.from_iterable(map(_lexicon(language).__getitem__, _words(text))))


def query_tokens(text: str, languages: Collection[str]) -> list[str]:
    """Distinct tokens, in order, of a question to an index that holds documents of these languages.

    A word has its forms in the languages that the question may be in, of those; one as a rule. Stop words are dropped
    unless there is nothing else.
    """
    words = _words(text)
    spoken = _spoken(text, languages)
    ...


def _words(text: str) -> list[str]:
    if text.isascii():
        return WORD.findall(text)
    plain = unicodedata.normalize("NFKC", text)
    return WORD.findall(IGNORED.sub("", plain).translate(ARABIC_FORMS))
