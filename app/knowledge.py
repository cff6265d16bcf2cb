"""The knowledge base that the settings describe."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from app.config import Settings
from app.migrations import migrate
from pipelines.embedding import resolve_embedding
from pipelines.knowledge import KnowledgeBase

if TYPE_CHECKING:
    from pydantic import SecretStr


async def open_knowledge(settings: Settings, *, worker: bool = True) -> KnowledgeBase:
    """With the library's tables and the service's up to date. Raises InUse as KnowledgeBase.open does."""
    embedding = await asyncio.to_thread(
        resolve_embedding,
        data_folder=settings.data_dir,
        model=settings.embedding_model,
        base_url=settings.embedding_base_url,
        api_key=_plain(settings.embedding_api_key),
    )
    knowledge = await KnowledgeBase.open(
        settings.data_dir,
        database_url=settings.database_url,
        chroma_url=settings.chroma_url,
        embedding=embedding,
        llm=_language_model(settings),
        worker=worker,
        index_wait=settings.index_wait,
    )
    await migrate(knowledge.database)
    return knowledge


def _language_model(settings: Settings) -> Any:
    """None without a server for it: answers are then extracted."""
    if not (settings.llm_base_url and settings.llm_model):
        return None
    from pipelines.llm import resolve_llm  # a third of a second that extractive answers do not need

    return resolve_llm(base_url=settings.llm_base_url, model=settings.llm_model, api_key=_plain(settings.llm_api_key))


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
