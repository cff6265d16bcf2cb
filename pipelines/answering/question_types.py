"""What kind of words a question expects in its answer: times for "when", numbers for "how many" …"""

from __future__ import annotations

import re
from dataclasses import dataclass

MONTHS = (
    r"jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|februari|février|march|märz|mars|apr(?:il)?|abril|avril|may|mai|mayo|june?|juni|juin"
    r"|july?|juli|juillet|aug(?:ust)?|agosto|août|sept?(?:ember)?|septiembre|oct(?:ober)?|oktober|octubre|nov(?:ember)?"
    r"|noviembre|dec(?:ember)?|dezember|diciembre|décembre|enero|febrero|marzo|junio|julio"
)
DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
)
SPANS = (
    r"(?:second|minute|hour|day|week|month|quarter|year|centur(?:y|ie)|decade)s?|(?:sekunde|minute|stunde|woche|tag|monat|jahr)(?:e?n?)"
    r"|(?:seconde|heure|jour|semaine|mois|an|année|segundo|minuto|hora|día|mes|año)(?:e?s)?"
)
TIME = re.compile(
    rf"\b(?:1\d|20)\d\d\b|\d{{4}}-\d\d|\b\d{{1,2}}:\d\d|\b\d{{1,2}}\s?(?:am|pm|uhr|h)\b|\b(?:{MONTHS}|{DAYS}|{SPANS})\b"
    r"|\b(?:today|tomorrow|yesterday|noon|midnight|heute|morgen|aujourd'hui|hoy|mañana)\b"
    r"|[年月日号週周時时]|يوم|شهر|سنة|ساعة|أسبوع",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|billions?"
    r"|half|twice|once|first|second|third|ein(?:e[nrms]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn"
    r"|deux|trois|quatre|cinq|huit|neuf|dix|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b|[一二三四五六七八九十百千万]",
    re.IGNORECASE,
)
NAME = re.compile(
    r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Þ][\w'’-]+|^\w[\w .'-]{0,30}:\s|[\u3040-\u30ff\u4e00-\u9fff\u0600-\u06ff]"
)
PLACE = re.compile(
    r"\b(?:in|at|on|near|from|to|of|under|inside|outside|across|bei|im|nach|auf|à|au|dans|en|sur)\s+(?:the\s+|der\s+|la\s+|el\s+)?[A-ZÀ-Þ]"
    r"|\b(?:located|situated|north|south|east|west|city|country|region|street|room|floor|building|page|tab|menu|folder|settings)\b"
    r"|https?://|[在于区市省国県にで]|في",
)
VERDICT = re.compile(
    r"\b(?:yes|no|not|cannot|never|sure|of course|definitely|absolutely|must|may|allowed|only|always)\b|n['’]t\b"
    r"|\b(?:ja|nein|nicht|kein\w*|dürfen|darf|muss|müssen|oui|non|pas|jamais|peut|doit|sí|nunca|puede|debe)\b"
    r"|[不没可是否必须]|できません|できます|ません|نعم|لا|يجب|يمكن",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionType:
    """`asked` finds the type in a question, `answered` finds what it expects in a sentence."""

    name: str
    asked: re.Pattern[str]
    answered: re.Pattern[str]


def _asked(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


TYPES = (
    QuestionType(
        "time",
        _asked(
            r"\b(?:when|what (?:year|date|day|time|month|century|decade)|which (?:year|day|month|date)"
            r"|how (?:long|often)|deadline"
            r"|wann|wie (?:lange|oft)|bis wann|quand|combien de temps|cuándo|cuánto tiempo)\b"
            r"|什么时候|何时|几点|哪一?[年天月]|多久|いつ|何[時年月日]|どのくらい|متى|كم من الوقت"
        ),
        TIME,
    ),
    QuestionType(
        "number",
        _asked(
            r"\b(?:how (?:many|much|far|old|large|big|tall|high|fast|deep|heavy)"
            r"|what (?:percentage|percent|number|size|amount)"
            r"|what (?:is the (?:limit|maximum|minimum|number|population|cost|price|rate))"
            r"|wie ?viele?|wie (?:hoch|groß|teuer|weit|alt)|combien|quel (?:nombre|montant|pourcentage)|cuánt[oa]s?)\b"
            r"|多少|几[个天人次]|いくつ|いくら|何[人個回件]|كم"
        ),
        NUMBER,
    ),
    QuestionType(
        "name",
        _asked(
            r"\b(?:who|whom|whose|(?:which|what) (?:person|team|group|company|organization)"
            r"|wer|wen|wem|wessen|welches (?:team|unternehmen)|qui|quién(?:es)?)\b|谁|哪位|誰|どなた|من الذي|^\s*من "
        ),
        NAME,
    ),
    QuestionType(
        "place",
        _asked(
            r"\b(?:where|(?:which|what) (?:city|country|place|region|state|location|area|continent|river)"
            r"|wo|wohin|woher|où|dónde)\b"
            r"|哪里|哪儿|在哪|どこ|أين"
        ),
        PLACE,
    ),
    QuestionType(
        "verdict",
        _asked(
            r"^\s*(?:is|are|was|were|do|does|did|can|could|should|may|must|has|have|had|will|would"
            r"|ist|sind|kann|können|darf|dürfen|muss|müssen|hat|haben|gibt|est-ce|peut-on|puedo|puede|se puede)\b"
            r"|吗[？?]?\s*$|是否|ますか|ですか|^\s*هل "
        ),
        VERDICT,
    ),
)


def question_type(question: str) -> QuestionType | None:
    """The first type that fits, if any; of English, German, French, Spanish, Chinese, Japanese and Arabic questions."""
    return next((kind for kind in TYPES if kind.asked.search(question)), None)
