"""Search tokens: what BM25 compares. By script first, then by language: stems, stop words, bigrams where no spaces are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import Stemmer

from pipelines.text.stopwords import STOP_WORDS

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
LATIN = ["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr"]

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: scripts without spaces between words."""
RUN = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])\w)+(?:['’._+#/@:-](?:(?![{UNSPACED}])\w)+)*[+#]*")
PART = re.compile(r"\w+")
SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
SAMPLE = 2_000
ENOUGH = 25
"""Letters below which a Latin text is taken for English: too little to tell."""
MOST_LETTERS = 64
"""A longer word (a hash, a base64 blob) is cut: nobody asks for more of it."""

ARABIC_MARKS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670]")
ARABIC_FORMS = str.maketrans("أإآٱىة", "اااايه")


def detect_language(text: str) -> str:
    """ISO 639-1 code: by script where one script tells, by py3langid among Latin ones; short texts are English."""
    sample = text[:SAMPLE]
    letters = sum(map(str.isalpha, sample))
    for language, script in SCRIPTS:
        if len(script.findall(sample)) * 5 > letters > 0:
            return language
    return "en" if letters < ENOUGH else str(_identifier().classify(sample)[0])


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # a tenth of a second, for the first long text

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(LATIN)
    return identifier


def index_tokens(text: str, language: str) -> list[str]:
    """Tokens of a text in its language, in order, without white space in them."""
    return [token for word in _words(text) for token in _forms(word, language)]


def query_tokens(text: str, languages: Collection[str]) -> list[str]:
    """Distinct tokens of a question to an index that holds these languages: each word's form in each of them.

    A word that is a stop word in the question's own language is dropped; a question of nothing else keeps all its words.
    """
    own = detect_language(text)
    spoken = sorted(set(languages) & STEMMERS.keys() | ({own} if own in languages else set())) or [own]
    words = list(_words(text))
    stop = STOP_WORDS.get(own, STOP_WORDS["en"])
    content = [word for word in words if word not in stop] or words
    return list(dict.fromkeys(token for word in content for language in spoken for token in _forms(word, language, ())))


def _words(text: str) -> Iterator[str]:
    """Runs of one kind of script, folded; an inner `-`, `.`, `@` … holds a name, version or address together."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return (match.group()[:MOST_LETTERS] for match in RUN.finditer(folded))


def _forms(word: str, language: str, stop: Collection[str] | None = None) -> tuple[str, ...]:
    stop = STOP_WORDS.get(language, ()) if stop is None else stop
    return () if word in stop else _tokens_of(word, language)


@lru_cache(maxsize=200_000)
def _tokens_of(word: str, language: str) -> tuple[str, ...]:
    """`inc-2041` is searched whole and in parts, `company's` as `company`, 知识库 as 知识 and 识库."""
    if "\u0e00" <= word[0] and re.match(f"[{UNSPACED}]", word):
        return tuple(first + second for first, second in pairwise(word)) or (word,)
    parts = PART.findall(re.sub(r"['’]s?$|['’]s\b", "", word))
    if len(parts) == 1 and parts[0] == word:
        return (_stem(word, language),)
    stems = tuple(_stem(part, language) for part in parts if len(part) > 1)
    return stems if "'" in word or "’" in word else (word, *stems)


def _stem(word: str, language: str) -> str:
    if word.isnumeric():
        return word
    if "\u0600" <= word[0] <= "\u06ff":
        word, language = ARABIC_MARKS.sub("", word).translate(ARABIC_FORMS), "ar"
    elif "\u0400" <= word[0] <= "\u04ff":
        language = "ru"
    elif language in {"ar", "ru", "el"} or language not in STEMMERS:
        language = "en"  # a Latin word in a text of another script
    stem = _stemmer(STEMMERS[language]).stemWord(word)
    return _without_accents(stem) if language in {"fr", "es", "pt", "it"} else stem or word


@lru_cache
def _stemmer(name: str) -> Any:
    return Stemmer.Stemmer(name, 0)  # without its own cache, which is not safe between threads


def _without_accents(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
