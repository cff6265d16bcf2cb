"""The folder of everything embedded."""

import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pipelines.configuration import Configuration
from pipelines.knowledge import KnowledgeBase
from pipelines.store.folder import make_private
from tests.pipelines.conftest import WordHashing

Make = Callable[[Path], Awaitable[None]]


async def by_opening(folder: Path) -> None:
    await (await KnowledgeBase.open(folder, embedding=WordHashing(embedded=[]))).close()


async def by_a_configuration(folder: Path) -> None:
    Configuration().options(folder)


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@pytest.mark.parametrize("make", [by_opening, by_a_configuration])
async def test_it_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    """Whoever makes it: the library, or the configuration that is made before it is opened."""
    monkeypatch.setattr("pipelines.configuration.resolve_embedding", lambda **_: WordHashing(embedded=[]))
    await make(tmp_path / "data")
    assert mode(tmp_path / "data") == 0o700


def test_one_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    """Who shares it with others has a reason."""
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert mode(tmp_path) == 0o755
