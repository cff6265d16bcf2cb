"""Search tokens, what BM25 compares: words by script, then by language stems, stop words, names whole and in parts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from pipelines.text.languages import LANGUAGES, detect_language, likely_languages
from pipelines.text.stemming import language_of_latin_words, stem
from pipelines.text.stopwords import STOP_WORDS

__all__ = ["detect_language", "index_tokens", "query_tokens"]

UNSPACED = (
    "\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1780-\u17d3\u3005\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana, Han: no spaces between words; Hangul: words with their particles."""
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04"
    "\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf"
)
"""Vowel signs and accents that are no letters to the `re` module, but parts of words."""
LETTER = rf"(?:[^\W_{UNSPACED}]|[{MARKS}])"
SIGNS = r"(?:['._@&+-]|(?<=\d)[,:/](?=\d))"
WORD = re.compile(rf"[{UNSPACED}]+|{LETTER}+(?:{SIGNS}{LETTER}+)*[+#]{{0,2}}")
"""A run of a script without spaces; or letters and digits with single signs among them, a name, number or address."""
ASCII_WORD = re.compile(rf"[A-Za-z0-9]+(?:{SIGNS}[A-Za-z0-9]+)*[+#]{{0,2}}")
"""The same in a text of ASCII, found in a third of the time."""
UNSPACED_RUN = re.compile(f"[{UNSPACED}]")
PART = re.compile(rf"{LETTER}+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
LONGEST = 64
"""A longer word (a hash, a blob) is cut: nobody asks for the rest of it."""
CAPACITY = 200_000

CONTRACTIONS = frozenset({"s", "t", "d", "m", "re", "ve", "ll"})
LONGEST_ELISION = 2
"""Letters of l', d', qu': what follows is the word."""

IGNORED = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]")
"""Soft hyphens, joiners and direction marks; Arabic short vowels and lengthening."""
ARABIC_FORMS = str.maketrans("أإآٱیک٠١٢٣٤٥٦٧٨٩", "ااااي\u0643" + "0123456789")


def index_tokens(text: str, language: str) -> list[str]:
    """Tokens of a text in its language, in order, without white space in them."""
    return list(chain.from_iterable(map(_lexicon(language_of_latin_words(language)).__getitem__, _words(text))))


def query_tokens(text: str, languages: Collection[str]) -> list[str]:
    """Distinct tokens, in order, of a question to an index that holds documents of these languages.

    A word has its form in the language that the question is in; in several where it may be in any of them. Stop words
    are dropped unless there is nothing else.
    """
    words = _words(text)
    spoken = _spoken(text, languages)
    tokens = _distinct([_lexicon(language) for language in spoken], words)
    return tokens or _distinct([_lexicon(language, with_stop_words=True) for language in spoken], words)


def _distinct(lexicons: Sequence[Lexicon], words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(token for word in words for lexicon in lexicons for token in lexicon[word]))


def _spoken(text: str, languages: Collection[str]) -> list[str]:
    latin = {language_of_latin_words(language) for language in languages}
    if len(latin) > 1:
        return likely_languages(text, latin)
    return list(latin) or [language_of_latin_words(detect_language(text))]


def _words(text: str) -> list[str]:
    if " " in text and text.isupper():
        text = text.lower()  # shouted: here capitals tell no names
    return ASCII_WORD.findall(text) if text.isascii() else WORD.findall(_plain(text))


def _plain(text: str) -> str:
    """One way of writing for what is the same word."""
    composed = unicodedata.normalize("NFKC", text).replace("’", "'")
    return IGNORED.sub("", composed).translate(ARABIC_FORMS)


class Lexicon(dict[str, tuple[str, ...]]):
    """The tokens of each word that was met, in one language."""

    def __init__(self, language: str, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._language = language
        self._stop_words = stop_words

    def __missing__(self, word: str) -> tuple[str, ...]:
        if UNSPACED_RUN.match(word):
            return tuple(map("".join, pairwise(word))) or (word,)
        if len(self) >= CAPACITY:
            self.clear()
        tokens = self[word] = tuple(self._tokens(word[:LONGEST]))
        return tokens

    def _tokens(self, word: str) -> list[str]:
        word = _without_apostrophes(word)
        folded = word.casefold()
        is_acronym = word.isupper() and len(word) > 1
        if folded in self._stop_words and not is_acronym:
            return []
        if THOUSANDS.fullmatch(word):
            return [re.sub(r"\D", "", word)]
        tokens = [stem(_joined(folded), self._language), *self._parts(word)]
        return [token for token in dict.fromkeys(tokens) if token]

    def _parts(self, word: str) -> list[str]:
        """Of a compound: `KB-1234` is found by `1234`, `splitText` by `text`; single letters are no help."""
        parts = [part.casefold() for whole in PART.findall(word) for part in HUMP.split(whole)]
        if len(parts) == 1:
            return []
        telling = [part for part in parts if (len(part) > 1 or part.isdigit()) and part not in self._stop_words]
        return [stem(part, self._language) for part in telling]


@lru_cache(maxsize=64)
def _lexicon(language: str, *, with_stop_words: bool = False) -> Lexicon:
    return Lexicon(language, frozenset() if with_stop_words else _stop_words(language))


def _stop_words(language: str) -> frozenset[str]:
    """The language's own, and those of languages in other letters: they cannot be mistaken."""
    lists = [words for code, words in STOP_WORDS.items() if code == language or code not in LANGUAGES["Latin"]]
    return frozenset(_plain(word).replace("'", "") for words in lists for word in words)


def _without_apostrophes(word: str) -> str:
    """`company's` becomes `company`, `don't` `don`, `l'eau` `eau`; `aujourd'hui` stays one word."""
    first, *rest = word.split("'")
    if rest and rest[-1].casefold() in CONTRACTIONS:
        return "".join([first, *rest[:-1]])
    return "".join(rest) if rest and len(first) <= LONGEST_ELISION else first + "".join(rest)


def _joined(word: str) -> str:
    """`e-mail` is `email`, `u.s` is `us`; a version or an address keeps its signs."""
    return word.replace("." if INITIALS.fullmatch(word) else "-", "")
