"""Settings, from the environment and from `.env` in the working directory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def _database(url: str) -> str:
    if not re.match(r"(sqlite|postgres|postgresql)(\+\w+)?://", url):
        raise ValueError("is to begin with sqlite:// or postgresql://")
    return url


def _web(url: str) -> str:
    if not re.match(r"https?://[^/]", url):
        raise ValueError("is to begin with http:// or https://")
    return url


DatabaseUrl = Annotated[str, AfterValidator(_database)]
WebUrl = Annotated[str, AfterValidator(_web)]


class Settings(BaseSettings):
    """Each is `KB_` and its name in capitals; without any, everything is embedded in the data folder."""

    model_config = SettingsConfigDict(
        env_prefix="KB_", env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    data_dir: Path = Path("./data")
    database_url: DatabaseUrl | None = None
    chroma_url: WebUrl | None = None
    redis_url: str | None = None
    llm_base_url: WebUrl | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    embedding_base_url: WebUrl | None = None
    embedding_model: str | None = None
    embedding_api_key: SecretStr | None = None
    public_url: WebUrl = "http://localhost:8000"
    index_wait: float = Field(default=30.0, ge=0)
    limits: Literal["on", "off"] = "on"
    trusted_proxies: str = ""
    demo_data: Path | None = None

    @model_validator(mode="after")
    def _servers_have_models(self) -> Self:
        for server, model in (("LLM", self.llm_model), ("EMBEDDING", self.embedding_model)):
            if getattr(self, f"{server.lower()}_base_url") and not model:
                raise ValueError(f"KB_{server}_BASE_URL is set, so KB_{server}_MODEL is needed")
        return self
