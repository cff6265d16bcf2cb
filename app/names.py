"""Names that people give to things."""

from __future__ import annotations


def printable(name: str, whose: str, longest: int) -> str:
    """Without blanks around it. Raises ValueError, with a sentence."""
    name = name.strip()
    if not 1 <= len(name) <= longest or not name.isprintable():
        raise ValueError(f"{whose} name has 1 to {longest} characters, all of them printable.")
    return name
