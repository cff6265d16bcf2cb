"""Settings, from the environment and from `.env` in the working directory."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Each is `KB_` and its name in capitals; without any, everything is embedded in the data folder."""

    model_config = SettingsConfigDict(
        env_prefix="KB_", env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    data_dir: Path = Path("./data")
    database_url: str | None = None
    chroma_url: str | None = None
    redis_url: str | None = None
    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    embedding_base_url: str | None = None
    embedding_model: str | None = None
    embedding_api_key: SecretStr | None = None
    public_url: str = "http://localhost:8000"
    index_wait: float = Field(default=30.0, ge=0)
    limits: Literal["on", "off"] = "on"
    demo_data: Path | None = None
