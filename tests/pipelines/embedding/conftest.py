"""The built-in model, converted once for all tests of this folder."""

from pathlib import Path

import pytest

from pipelines.embedding import Embedding, resolve_embedding


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def minilm(data_folder: Path) -> Embedding:
    return resolve_embedding(data_folder=data_folder)
