"""Models that think aloud before they answer."""

from __future__ import annotations

OPENING, CLOSING = "<think>", "</think>"


class ThinkingFilter:
    """Lets through what a model says; what it thinks first, between `<think>` and `</think>`, is dropped."""

    def __init__(self) -> None:
        self._held: str | None = ""

    def feed(self, text: str) -> str:
        """What of the text so far held back and of this piece may be shown."""
        if self._held is None:
            return text
        self._held += text
        beginning = self._held.lstrip()
        if beginning.startswith(OPENING):
            return self._release(beginning.split(CLOSING, 1)[1]) if CLOSING in beginning else ""
        return "" if OPENING.startswith(beginning) else self._release(self._held)

    def _release(self, text: str) -> str:
        self._held = None
        return text
