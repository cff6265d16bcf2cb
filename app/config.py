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
    """Each is `KB_` and its name in capitals, but Supabase's own; without any, all is embedded in the data folder."""

    model_config = SettingsConfigDict(
        env_prefix="KB_", env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True, populate_by_name=True
    )

    config: Path | None = None
    """How the pipeline is tuned: pipelines/configuration.py."""
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
    reranker_base_url: WebUrl | None = None
    reranker_model: str | None = None
    reranker_api_key: SecretStr | None = None
    public_url: WebUrl = "http://localhost:8000"
    """`kb serve` puts its own host and port into it where it is not set."""
    index_wait: float = Field(default=30.0, ge=0)
    limits: Literal["on", "off"] = "on"
    trusted_proxies: str = ""
    metrics_token: SecretStr | None = None

    supabase_url: WebUrl | None = Field(default=None, validation_alias="SUPABASE_URL")
    supabase_anon_key: SecretStr | None = Field(default=None, validation_alias="SUPABASE_ANON_KEY")
    supabase_service_role_key: SecretStr | None = Field(default=None, validation_alias="SUPABASE_SERVICE_ROLE_KEY")
    supabase_jwt_secret: SecretStr | None = Field(default=None, validation_alias="SUPABASE_JWT_SECRET")
    smtp_url: SecretStr | None = None
    mail_from: str = "no-reply@localhost"
    identity_reuse_interval: float = Field(default=10.0, ge=0)
    identity_mail_interval: float = Field(default=60.0, ge=0)
    identity_signup: Literal["on", "off"] = "on"
    identity_floor: float = Field(default=0.5, ge=0)
    allowed_redirects: str = ""
    oauth_google_client_id: str | None = None
    oauth_google_client_secret: SecretStr | None = None
    oauth_google_issuer: WebUrl = "https://accounts.google.com"
    oauth_azure_client_id: str | None = None
    oauth_azure_client_secret: SecretStr | None = None
    oauth_azure_issuer: WebUrl | None = None
    oauth_sso_client_id: str | None = None
    oauth_sso_client_secret: SecretStr | None = None
    oauth_sso_issuer: WebUrl | None = None
    oauth_sso_domains: str = ""
    demo_data: Path | None = None
    demo: bool = False
    """Set by `kb serve --demo`."""

    @property
    def redirect_allow_list(self) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, self.allowed_redirects.split(","))))

    @model_validator(mode="after")
    def _servers_have_models(self) -> Self:
        for server, model in (("LLM", self.llm_model), ("EMBEDDING", self.embedding_model)):
            if getattr(self, f"{server.lower()}_base_url") and not model:
                raise ValueError(f"KB_{server}_BASE_URL is set, so KB_{server}_MODEL is needed")
        return self

    @model_validator(mode="after")
    def _supabase_has_keys(self) -> Self:
        if self.supabase_url and not (self.supabase_anon_key and self.supabase_service_role_key):
            raise ValueError("SUPABASE_URL is set, so SUPABASE_ANON_KEY and SUPABASE_SERVICE_ROLE_KEY are needed")
        return self


def settings_with(config: Path | None) -> Settings:
    """With the configuration that a command names, else that of the environment."""
    return Settings(config=config) if config else Settings()
