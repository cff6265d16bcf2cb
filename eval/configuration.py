"""What of the library is set differently, from a TOML file: `--config`."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.embedding import Embedding, resolve_embedding
from pipelines.fusion import ConvexCombination, Fusion, ReciprocalRankFusion
from pipelines.llm import resolve_llm

KNOWN: dict[str, dict[str, type]] = {
    "passages": {"target_tokens": int, "overlap": int},
    "fusion": {"kind": str, "lexical_weight": float, "k": int},
    "embedding": {"model": str, "base_url": str, "api_key_env": str},
    "llm": {"model": str, "base_url": str, "api_key_env": str, "context_window": int, "max_tokens": int},
}
FUSIONS: dict[str, Any] = {"convex": ConvexCombination, "rrf": ReciprocalRankFusion}


class ConfigurationError(ValueError):
    """The file is no configuration; the message names what is wrong."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Tables of settings; what is not set is as in the library. Keys of servers are named, never held."""

    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def options(self, folder: Path) -> dict[str, Any]:
        """Arguments of `KnowledgeBase.open`; `folder` keeps the built-in model."""
        model = _embedding(self.tables.get("embedding", {}), folder)
        options: dict[str, Any] = {"embedding": model}
        if passages := self.tables.get("passages"):
            from pipelines.text.splitter import PassageSplitter

            options["splitter"] = PassageSplitter.for_model(model, **passages)
        if fusion := self.tables.get("fusion"):
            options["fusion"] = _fusion(fusion)
        if llm := self.tables.get("llm"):
            options["llm"] = resolve_llm(**_with_key(llm))
        return options

    def indexed_as(self) -> str:
        """Tells apart what is indexed differently; empty for the library's own way."""
        tables = {name: dict(self.tables[name]) for name in ("passages", "embedding") if name in self.tables}
        return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:8] if tables else ""


def load_configuration(path: Path | None) -> Configuration:
    """Raises ConfigurationError."""
    if path is None:
        return Configuration()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from None
    for name, table in tables.items():
        _check(path, name, table)
    return Configuration(tables)


def _check(path: Path, name: str, table: object) -> None:
    if name not in KNOWN or not isinstance(table, dict):
        raise ConfigurationError(f"{path}: there is no table [{name}]; known are {', '.join(KNOWN)}")
    for key, value in table.items():
        if key not in KNOWN[name]:
            raise ConfigurationError(f"{path}: [{name}] has no {key}; known are {', '.join(KNOWN[name])}")
        wanted = KNOWN[name][key]
        if isinstance(value, bool) or not isinstance(value, (int, float) if wanted is float else wanted):
            raise ConfigurationError(f"{path}: [{name}] {key} is not of type {wanted.__name__}")
    if name == "fusion" and table.get("kind", "convex") not in FUSIONS:
        raise ConfigurationError(f"{path}: [fusion] kind is none of {', '.join(FUSIONS)}")


def _fusion(table: Mapping[str, Any]) -> Fusion:
    settings = dict(table)
    kind = settings.pop("kind", "convex")
    try:
        made: Fusion = FUSIONS[kind](**settings)
    except TypeError as error:
        raise ConfigurationError(f"[fusion] of kind {kind}: {error}") from None
    return made


def _embedding(table: Mapping[str, Any], folder: Path) -> Embedding:
    folder.mkdir(parents=True, exist_ok=True)
    return resolve_embedding(data_folder=folder, **_with_key(table))


def _with_key(table: Mapping[str, Any]) -> dict[str, Any]:
    settings = dict(table)
    variable = settings.pop("api_key_env", None)
    return settings | ({"api_key": os.environ.get(variable)} if variable else {})
