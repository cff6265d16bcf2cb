"""Made-up text whose words are as unevenly spread as real ones: Zipf's law, English function words at its head."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pipelines.types import NewDocument

FUNCTION_WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all her she there would their we him been has when who will no more if out so up said what its "
    "about than into them can only other time new some could these two may first then do any like my now over such "
    "our man me even most made after also did many off before must well back through years where much your way"
)
HEAD = FUNCTION_WORDS.split()
VOCABULARY = 60_000
EXPONENT = 1.05
PASSAGES = 5
"""A document."""
WORDS = 80
"""A passage, and half as many more or less."""
SOURCES = {"rare": 0.01, "some": 0.20, "most": 0.79}
SELECTIONS: dict[str, tuple[str, ...]] = {
    "unfiltered": (),
    "filter 80 %": ("most", "rare"),
    "filter 20 %": ("some",),
    "filter 1 %": ("rare",),
}
"""The sources that a question is asked of."""


class Text:
    """A stream of documents and questions that depends on nothing but its seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._words = vocabulary()
        weights = 1.0 / np.arange(1, VOCABULARY + 1) ** EXPONENT
        self._cumulated = np.cumsum(weights / weights.sum())

    def _draw(self, count: int) -> NDArray[np.intp]:
        return np.minimum(np.searchsorted(self._cumulated, self._random.random(count)), VOCABULARY - 1)

    def passage(self) -> str:
        count = int(self._random.integers(WORDS // 2, 3 * WORDS // 2))
        return " ".join(self._words[self._draw(count)]).capitalize() + "."

    def title(self) -> str:
        return " ".join(self._rare(4)).capitalize()

    def question(self) -> str:
        """Two to six words with a meaning, spread as in the text."""
        return f"What is the {' '.join(self._rare(int(self._random.integers(2, 7))))}?"

    def _rare(self, count: int) -> list[str]:
        drawn = self._draw(40 * count)
        return [str(word) for word in self._words[drawn[drawn >= len(HEAD)][:count]]]

    def documents(self, count: int, prefix: str = "d") -> Iterator[NewDocument]:
        """Passages are separated by blank lines."""
        names = list(SOURCES)
        drawn = self._random.choice(len(names), size=count, p=list(SOURCES.values()))
        for at in range(count):
            yield NewDocument(
                source=names[drawn[at]],
                external_id=f"{prefix}{at}",
                title=self.title(),
                content="\n\n".join(self.passage() for _ in range(PASSAGES)),
            )


@cache
def vocabulary() -> NDArray[np.str_]:
    """Function words, then different made-up words of two to four syllables; always the same ones, commonest first."""
    random = np.random.default_rng(1)
    syllables = np.array([a + b + c for a in "bdfgklmnprstv" for b in "aeiou" for c in ("", "n", "r", "s", "l")])
    drawn = syllables[random.integers(len(syllables), size=(VOCABULARY + VOCABULARY // 4, 4))]
    lengths = random.integers(2, 5, size=len(drawn))
    made_up = ("".join(row[:length]) for row, length in zip(drawn.tolist(), lengths.tolist(), strict=True))
    return np.array(list(dict.fromkeys([*HEAD, *made_up]))[:VOCABULARY])
