"""Questions that compare: the same question of each of the things that are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipelines.decomposition.words import Words
from pipelines.text.tokens import index_tokens

LONGEST = 9
"""Words of one of the things that are compared."""
SIGHT = (
    r"(?:,? (?:in terms of|regarding|concerning|with regard to|when it comes to"
    r"|hinsichtlich|bezüglich|concernant|en cuanto a) .+)?"
)
NAMED = r"(?=(?-i:[A-Z0-9])|(?:the|an?|our|my|your) )"
DETERMINED = r"(?=(?:der|die|das|dem|den|eine?[mnrs]?|unser\w*) )"
"""Behind a comma, things that are named; others are a list."""
TWO, MANY = "(?P<a>.+?) {} (?P<b>.+?)", "(?P<all>.+?)"
PATTERNS: Mapping[str, Sequence[str]] = {
    "en": (
        r"(?:(?:what(?:['’]s| is| are)|explain|describe|tell me) )?(?:the )?(?:\w+ )?"
        rf"differences? between {MANY}{SIGHT}",
        rf"what (?:has |have |is )?(?:changed|different|new) (?:between|from) {TWO.format('(?:and|to)')}",
        rf"what(?: is|['’]s) new in {TWO.format('compared (?:to|with)')}",
        rf"(?:how|in what ways?|where) (?:do|does|did|is|are) {MANY} (?:differ|different|compare)(?: from each other)?"
        r"(?:(?: with regard to| when it comes to| regarding| in| on| by| for) .+)?",
        rf"how (?:do|does|did|is|are) {TWO.format('(?:differ|different|compare)(?: from| to| with| than)')}{SIGHT}",
        rf"compare {TWO.format('(?:with|to|against|versus|vs[.]?)')}{SIGHT}",
        rf"compare {MANY}{SIGHT}",
        r"(?!wh|how )(?P<a>(?:[^\s?:,]+ ){1,5})(?:vs[.]?|versus) (?P<b>[^?:,]+)(?:[:,] .+)?",
        r"(?:which|what|who)(?: (?:is|are|was|were|has|have))? [^,:]+: (?P<a>[^,]+?) or (?P<b>[^,]+)",
        r"(?:which|what|who)(?: (?:is|are|was|were|has|have))? [^,:]*(?-i:\b[a-z-]+),"
        rf" (?P<a>{NAMED}[^,]+?) or (?P<b>{NAMED}[^,]+)",
        r"(?:is|are|does|do|was|were) .+? (?:more|less|fewer|better|worse|\w+er)(?: \w+){0,2}"
        r" (?P<a>(?P<same>in|at|for|on|under|with) .+) than (?P<b>(?P=same) .+)",
    ),
    "de": (
        r"(?:was|wo|worin) (?:ist|sind|liegt|liegen|besteht|bestehen) (?:der|die) (?:\w+ )?"
        rf"unterschiede? zwischen {MANY}{SIGHT}",
        rf"(?:wie|worin|wodurch|inwiefern|in was) unterscheide[tn] sich {TWO.format('(?:und|von)')}"
        r"(?: (?:bei|beim|hinsichtlich|bezüglich) .+)?",
        rf"vergleich(?:e|en sie)?(?: bitte)? {TWO.format('mit')}{SIGHT}",
        rf"vergleich(?:e|en sie)?(?: bitte)? {MANY}{SIGHT}",
        r"(?:was|wer|welche[rsmn]?)(?: (?:ist|sind|hat|haben))? [^,:]+: (?P<a>[^,]+?) oder (?P<b>[^,]+)",
        r"(?:was|wer|welche[rsmn]?)(?: (?:ist|sind|hat|haben))? [^,:]+,"
        rf" (?P<a>{DETERMINED}[^,]+?) oder (?P<b>{DETERMINED}[^,]+)",
    ),
    "fr": (
        rf"quelles?(?: est| sont) (?:la|les) (?:\w+ )?différences? entre {MANY}{SIGHT}",
        rf"en quoi {MANY} (?:diffèrent|se distinguent)(?:-ils|-elles)?(?: (?:pour|concernant) .+)?",
        rf"en quoi (?:diffèrent|se distinguent) {MANY}",
        rf"en quoi {TWO.format('(?:diffère|se distingue)(?:-t-il|-t-elle)? (?:de|du)')}",
        rf"compare[rz]? {TWO.format('(?:avec|à|au)')}{SIGHT}",
        rf"compare[rz]? {MANY}{SIGHT}",
    ),
    "es": (
        rf"(?:cuál es|cuáles son) (?:la|las) (?:\w+ )?diferencias? entre {MANY}{SIGHT}",
        rf"qué diferencias? hay entre {MANY}{SIGHT}",
        rf"(?:en qué|cómo) se (?:diferencian?|distinguen?) {TWO.format('(?:y|de|del)')}{SIGHT}",
        rf"compar(?:a|e|ar) {TWO.format('con')}{SIGHT}",
        rf"compar(?:a|e|ar) {MANY}{SIGHT}",
    ),
}
"""Where two things `a` and `b` stand, or `all` of a row."""
COMPILED = {
    language: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for language, patterns in PATTERNS.items()
}
DETERMINER = re.compile(
    r"(?:the|an?|der|die|das|dem|den|des|eine[mnrs]?|le|la|les|une?|el|los|las|una) |l['’]", re.IGNORECASE
)


def compared(question: str, words: Words) -> list[str]:
    """The question with one of the things in place of all; nothing where none are compared or it is not clear which."""
    text = question.strip(" ?？¿!.\n\t")
    for pattern in COMPILED[words.language]:
        if (found := pattern.fullmatch(text)) and (things := _things(found.groupdict(), words)):
            begin, end = found.span("all") if "all" in found.groupdict() else (found.start("a"), found.end("b"))
            return [f"{text[:begin]}{thing}{text[end:]}" for thing in things]
    return []


def _things(groups: Mapping[str, str | None], words: Words) -> list[str]:
    things = [(groups["a"] or "").strip(), groups["b"] or ""] if "a" in groups else _list(groups["all"] or "", words)
    if len(things) > 1 and "same" not in groups:
        things = list(_completed(things, words))
    meanings = {tuple(index_tokens(thing, words.language)) for thing in things}
    is_clear = len(meanings) == len(things) > 1 and () not in meanings
    return things if is_clear and max(len(thing.split()) for thing in things) <= LONGEST else []


def _list(text: str, words: Words) -> list[str]:
    """`A and B`, `A, B and C`; more than one "and" leaves open what belongs together."""
    halves = re.split(rf",? {words.joins} ", text, flags=re.IGNORECASE)
    return [*halves[0].split(", "), halves[1]] if len(halves) == 2 else []


def _completed(things: Sequence[str], words: Words) -> Iterator[str]:
    """What is said once for all: `leave in France and Canada`, `Basic and Pro plan`, `version 3 and 4 of a manual`."""
    inside = re.compile(rf"(?P<head>.+?) (?P<place>{words.prepositions}) (?P<own>.+)", re.IGNORECASE)
    first, last = inside.fullmatch(things[0]), inside.fullmatch(things[-1])
    for at, thing in enumerate(things):
        if at and first:
            yield _behind(first, thing, words)
        elif not first and last and at < len(things) - 1:
            yield f"{_shared(thing, last['head'])} {last['place']} {last['own']}"
        else:
            yield _shared(thing, things[-1])


def _behind(first: re.Match[str], thing: str, words: Words) -> str:
    """`leave in France`, then `Canada` or `in Canada`: the leave is both's."""
    if re.match(rf"(?:{words.prepositions}) ", thing, re.IGNORECASE):
        return f"{first['head']} {thing}"
    bare = DETERMINER.sub("", thing, count=1)
    is_place = bare[:1].isupper() or bare[:1].isdigit()
    has_own = re.search(rf" (?:{words.prepositions}) ", thing, re.IGNORECASE)
    return f"{first['head']} {first['place']} {thing}" if is_place and not has_own else thing


def _shared(thing: str, last: str) -> str:
    """`the Basic` before `Pro plan`: a plan, too."""
    bare, other = DETERMINER.sub("", thing, count=1).split(), last.split()
    is_tail = other[0][:1].isupper() or len(other) == 2
    shares = not DETERMINER.match(last) and 0 < len(bare) < len(other) and is_tail
    return f"{thing} {' '.join(other[len(bare) :])}" if shares else thing
