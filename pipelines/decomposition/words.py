"""The words by which English, German, French and Spanish questions ask, join and refer."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Patterns of one language, to be matched without case but for `pronoun`."""

    language: str
    joins: str
    asks: str
    """What a question begins with that does not want yes or no."""
    verb_first: str
    """What a question begins with that wants yes or no."""
    further: str
    """What a further question looks like, from its first word: it has a verb of its own."""
    copula: str
    """Begins a question about one thing, which follows it."""
    pronoun: re.Pattern[str]
    prepositions: str


AUXILIARY = "do|does|did|can|could|may|must|should|will|would|has|have|had|is|are|was|were"
PERSON = "i|you|we|they|it|he|she|there|people|employees"
ENGLISH = Words(
    language="en",
    joins="and(?: also)?",
    asks=(
        r"(?:(?:at|on|in|for|by|to|from|with|under|until|since|of) )?"
        rf"(?:(?:who(?:m|se)?|what|which|why|how)\b|(?:when|where)\b(?=['’]s| (?:{AUXILIARY})\b))(?:['’]s)?"
    ),
    verb_first=rf"(?:{AUXILIARY})(?:n['’]t)? (?:{PERSON}|my|our|the|an?|this|these|any)\b",
    further=(
        r"(?:(?:(?:at|on|in|for|by|to|from|with|under|until|since|of) )?"
        r"(?:(?:who(?:m|se)?|what|which|how)(?: [\w'’-]+){0,6}?|when|where|why)"
        rf"(?:['’]s| (?:{AUXILIARY}))(?:n['’]t)? [\w'’-]+"
        r"|(?:who|what|which [\w'’-]+) (?!about|else|each)[\w'’-]{3,} [\w'’-]+"
        r"|how to [\w'’-]+ [\w'’-]+"
        r"|(?:do|does|did|can|could|may|must|should|will|would|has|have)"
        rf" (?:{PERSON}|my|our|the|an?|this|these|any) [\w'’-]+"
        rf"|(?:is|are|was|were) (?:{PERSON}) [\w'’-]+)"
    ),
    copula=r"(?:what|who|which)(?:['’]s| is| are| was| were) ",
    pronoun=re.compile(
        r"\b(?:its?|they|them|their|he|him|his|she|her"
        r"|(?:this|that|these|those|ones?)(?=\W*$)|th(?:is|ese)(?= (?:is|are)\b))\b"
    ),
    prepositions="in|for|of|at|on|with|under|by|to|from",
)
GERMAN = Words(
    language="de",
    joins="und(?: auch)?",
    asks=(
        r"(?:(?:ab|bis|seit|bei|in|an|auf|mit|für|von|zu|unter|nach|um|aus) )?"
        r"w(?:er|en|em|as|ann|o|ohin|oher|ie|ieso|arum|essen|ieviele?|elche[mnrs]?|omit|ofür|oran|orin|ovon|odurch)\b"
    ),
    verb_first=(
        r"(?:ist|sind|kann|können|darf|dürfen|muss|müssen|soll|sollen|hat|haben|gibt|wird|werden|gilt|gelten)"
        r" (?:ich|man|wir|sie|es|er|die|der|das|den|ein\w*|mein\w*|unser\w*)\b"
    ),
    further=r"(?:\w{2,5} )?w(?:er|en|em|as|ann|o|ie|arum|elche)\w*(?: [\w'’-]+){2,}",
    copula=r"(?:was|wer|wie \w+|welche[rs]?) (?:ist|sind|war|waren) ",
    pronoun=re.compile(
        r"\b(?:er|sie|ihn|ihm|ihnen|ihre?[nmrs]?|(?<!gibt )es|seine?[nmrs]?|da(?:für|von|rüber|zu|mit)|dort)\b"
    ),
    prepositions="in|im|für|von|bei|beim|mit|am|an|auf|aus|zu|zum|zur|nach",
)
FRENCH = Words(
    language="fr",
    joins="et(?: aussi)?",
    asks=(
        r"(?:(?:à|de|dans|sur|pour|avec|en|depuis|jusqu['’]à|par|sous) )?"
        r"(?:qui|quand|où|comment|combien|pourquoi|quel(?:le)?s?|quoi|que|qu['’]est-ce|est-ce)\b"
    ),
    verb_first=r"(?:y a-t-il|puis-je|dois-je|\w+-t-(?:il|elle|on)|\w+-(?:ils?|elles?|vous|on))\b",
    further=r"(?:\w{1,6} )?(?:qui|quand|où|comment|combien|pourquoi|quel\w*|que|qu['’]est-ce|est-ce)(?:[ -]\S+){2,}",
    copula=r"(?:quel(?:le)?s? (?:est|sont|était)|qu['’]est-ce que|qui est) ",
    pronoun=re.compile(
        r"(?<!-t-)(?<!-)\b(?:ils?|elles?|lui|leurs?|ça|cela|celui-ci|celle-ci)\b"
        r"|\bqui l['’]|\bqui (?:la|les?) (?=\w+e\b)"
    ),
    prepositions="en|dans|à|au|aux|pour|de|du|des|sur|avec|chez",
)
SPANISH = Words(
    language="es",
    joins="y(?: también)?",
    asks=(
        r"(?:(?:a|de|en|con|para|por|desde|hasta|bajo) )?"
        r"(?:quién(?:es)?|qué|cuándo|dónde|cómo|cuánt[oa]s?|cuál(?:es)?|por qué)\b"
    ),
    verb_first=r"(?:puedo|puede|pueden|debo|debe|hay|tengo|tiene|es|son|está|están|se puede|se debe)\b",
    further=r"(?:\w{1,6} )?(?:quién\w*|qué|cuándo|dónde|cómo|cuánt\w+|cuál\w*|por qué)(?: \S+){2,}",
    copula=r"(?:cuál(?:es)?|qué|quién(?:es)?) (?:es|son|era|eran) ",
    pronoun=re.compile(r"\b(?:él|ellas?|ellos|sus?|(?:quién|cómo|cuándo|dónde) (?:se )?l[oa]s?)\b"),
    prepositions="en|para|de|del|a|al|con|por|sobre",
)
ALL = (ENGLISH, GERMAN, FRENCH, SPANISH)
