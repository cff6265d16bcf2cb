"""The knowledge base that the settings describe."""

from __future__ import annotations

import asyncio

from pydantic import SecretStr

from app.config import Settings
from app.migrations import migrate
from pipelines.configuration import load_configuration
from pipelines.knowledge import KnowledgeBase

SERVERS = ("embedding", "llm", "reranker")


async def open_knowledge(settings: Settings, *, worker: bool = True) -> KnowledgeBase:
    """With the library's tables and the service's up to date, tuned by the configuration file that is named.

    Raises InUse as KnowledgeBase.open does, ConfigurationError.
    """
    configuration = load_configuration(settings.config)
    environment = {name: _server(settings, name) for name in SERVERS}
    knowledge = await KnowledgeBase.open(
        settings.data_dir,
        database_url=settings.database_url,
        chroma_url=settings.chroma_url,
        worker=worker,
        index_wait=settings.index_wait,
        **await asyncio.to_thread(configuration.options, settings.data_dir, environment),
    )
    await migrate(knowledge.database)
    return knowledge


def _server(settings: Settings, name: str) -> dict[str, str]:
    """What the environment says of a model's server."""
    values = {key: getattr(settings, f"{name}_{key}") for key in ("base_url", "model", "api_key")}
    return {key: _plain(value) for key, value in values.items() if value}


def _plain(value: SecretStr | str) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else value
