"""Questions made wrong: another number, another name, the opposite of a word."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

NUMBER = re.compile(r"\b\d[\d,]*\b")
NAME = re.compile(r"(?<=[a-z,'’] )[A-Z][\w'’-]+(?: (?:of |the |de )?[A-Z][\w'’-]+)*")
AWAY = (-13, -7, -3, -1, 1, 2, 4, 10, 20)
PAIRS = (
    "first last;before after;increase decrease;increased decreased;most least;highest lowest;higher lower;"
    "north south;northern southern;east west;eastern western;largest smallest;larger smaller;more fewer;"
    "oldest youngest;older younger;early late;earlier later;earliest latest;best worst;win lose;won lost;"
    "buy sell;bought sold;start end;started ended;begin end;began ended;begins ends;father mother;son daughter;"
    "brother sister;husband wife;king queen;male female;men women;man woman;boys girls;minimum maximum;"
    "allowed forbidden;permitted prohibited;include exclude;includes excludes;included excluded;above below;"
    "inside outside;left right;public private;import export;imports exports;imported exported;birth death;"
    "born buried;founded dissolved;opened closed;built demolished;accepted rejected;supported opposed;"
    "gained lost;rise fall;rose fell;married divorced;summer winter;spring autumn;day night;morning evening;"
    "rich poor;strong weak;hot cold;positive negative;internal external;modern ancient;new old;long short;"
    "longest shortest;top bottom;major minor;direct indirect;formal informal;domestic foreign;upper lower;"
    "with without"
)
OPPOSITE = {one: other for pair in reversed(PAIRS.split(";")) for one, other in (pair.split(), reversed(pair.split()))}


def perturb(question: str, text: str, names: Sequence[str], draw: random.Random) -> str | None:
    """The question with something that the text says turned into what it does not say; None where nothing can be."""
    changed = [*_numbers(question, text, draw), *_names(question, text, names, draw), *_opposites(question, text)]
    return draw.choice(changed) if changed else None


def _replaced(question: str, found: re.Match[str], by: str) -> str:
    return question[: found.start()] + by + question[found.end() :]


def _numbers(question: str, text: str, draw: random.Random) -> Iterator[str]:
    for found in NUMBER.finditer(question):
        if found.group() in text:
            yield _replaced(question, found, str(abs(int(found.group().replace(",", "")) + draw.choice(AWAY))))


def _names(question: str, text: str, names: Sequence[str], draw: random.Random) -> Iterator[str]:
    said = text.lower()
    for found in NAME.finditer(question):
        length = len(found.group().split())
        like = [name for name in names if len(name.split()) == length and name.lower() not in said]
        if like and found.group().split()[-1].lower() in said:
            yield _replaced(question, found, draw.choice(like))


def _opposites(question: str, text: str) -> Iterator[str]:
    said = text.lower().split()
    for found in re.finditer(r"(?<= )\w+", question):
        opposite = OPPOSITE.get(found.group().lower())
        if opposite and opposite not in said:
            yield _replaced(question, found, opposite)
