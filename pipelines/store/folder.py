"""The folder of everything embedded: databases, indexes, models, mails."""

from __future__ import annotations

from pathlib import Path


def make_private(folder: Path) -> None:
    """For its owner alone, since people's texts are in it; one that is there keeps its mode."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
