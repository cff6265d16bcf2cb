"""How the pipeline is tuned, in one TOML file: what an evaluation measured is what the service then runs."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipelines.answerability import load_classifier
from pipelines.calibration import Calibration, CalibrationError, calibration_for, read_calibration
from pipelines.embedding import Embedding, resolve_embedding
from pipelines.errors import KnowledgeBaseError
from pipelines.fusion import ConvexCombination, Fusion, ReciprocalRankFusion
from pipelines.llm import resolve_llm
from pipelines.store.folder import make_private
from pipelines.text.sizes import TARGET_TOKENS, PassageSize

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

Address = Annotated[str, Field(pattern=r"^https?://[^/]")]
Given = Mapping[str, Mapping[str, str]]
"""What the environment says of a table's server: `base_url`, `model`, `api_key`."""


class ConfigurationError(KnowledgeBaseError, ValueError):
    """The file is no configuration; the message names what is wrong."""


class Table(BaseModel):
    """What is not set is as in the library."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Passages(Table):
    target_tokens: int = Field(default=TARGET_TOKENS, gt=0)
    overlap: int = Field(default=0, ge=0)


class FusionSettings(Table):
    kind: Literal["convex", "rrf"] = "convex"
    lexical_weight: float = Field(default=0.5, ge=0, le=1)
    k: int = Field(default=60, gt=0)

    @model_validator(mode="after")
    def _ranks_have_k(self) -> Self:
        if self.kind == "convex" and "k" in self.model_fields_set:
            raise ValueError("k is for kind rrf")
        return self


class Server(Table):
    """Keys are named by their variable, never held."""

    base_url: Address | None = None
    model: str | None = Field(default=None, min_length=1)
    api_key_env: str | None = Field(default=None, min_length=1)


class NamedModel(Server):
    @model_validator(mode="after")
    def _has_a_model(self) -> Self:
        if self.base_url and not self.model:
            raise ValueError("base_url is there, so model is needed")
        return self


class LanguageModel(NamedModel):
    context_window: int | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _has_a_server(self) -> Self:
        if self.model and not self.base_url:
            raise ValueError("model is there, so base_url is needed")
        return self


class RerankingModel(Server):
    """Without a server, `model` is the folder of a cross-encoder."""

    timeout: float | None = Field(default=None, gt=0)
    """Seconds that a question waits for it at most."""


class Answers(Table):
    threshold: float | None = Field(default=None, ge=0, le=1)
    """The probability of being answerable below which nothing is found."""
    max_citations: int | None = Field(default=None, ge=1, le=20)
    """Where a question does not say it."""
    read_closely: bool = True
    """Whether a classifier reads, in doubt, if there is an answer."""


class CalibrationFile(Table):
    file: str = Field(min_length=1)
    """Made by `python -m eval calibrate` and `calibrate-answers`; from the configuration's folder."""


class Configuration(Table):
    """Tables of settings. A new one is a field here, and what it comes to in `options`."""

    passages: Passages | None = None
    fusion: FusionSettings | None = None
    embedding: NamedModel | None = None
    llm: LanguageModel | None = None
    reranker: RerankingModel | None = None
    answers: Answers | None = None
    calibration: CalibrationFile | None = None

    @classmethod
    def of(cls, tables: Mapping[str, object]) -> Self:
        """Raises ConfigurationError."""
        try:
            return cls.model_validate(tables)
        except ValidationError as error:
            raise ConfigurationError("; ".join(_sentence(one) for one in error.errors())) from None

    def changed(self, **tables: Mapping[str, object]) -> Self:
        """With these tables in place of its own. Raises ConfigurationError."""
        return self.of({**self.tables(), **tables})

    def tables(self) -> dict[str, dict[str, Any]]:
        """What is set."""
        return self.model_dump(exclude_unset=True, exclude_none=True)

    def described(self) -> dict[str, Any]:
        """For a report: a calibration by its digest and a model's folder by its name, as their place says nothing."""
        tables = self.tables()
        if self.calibration:
            content = Path(self.calibration.file).read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            tables["calibration"] = {"sha256": digest, "generated": _knows_generated(content)}
        if (model := tables.get("embedding", {}).get("model")) and (folder := Path(model).expanduser()).is_dir():
            tables["embedding"]["model"] = folder.resolve().name
        return tables

    def indexed_as(self) -> str:
        """Tells apart what is indexed differently; empty for the library's own way."""
        dumped = self.model_dump(include={"passages", "embedding"}, exclude_defaults=True)
        tables = {name: table for name, table in dumped.items() if table}
        return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:8] if tables else ""

    def options(self, folder: Path, environment: Given | None = None) -> dict[str, Any]:
        """Arguments of `KnowledgeBase.open`; `folder` keeps the built-in model. `environment` beats the file.

        Raises ConfigurationError, ModelNotUsable, RerankerNotUsable.
        """
        given = environment or {}
        make_private(folder)
        model = resolve_embedding(data_folder=folder, **_server("embedding", self.embedding, given))
        options: dict[str, Any] = {"embedding": model}
        if self.passages:
            options["splitter"] = PassageSize(**self.passages.model_dump())
        if self.fusion:
            options["fusion"] = _fusion(self.fusion)
        if llm := resolve_llm(**_server("llm", self.llm, given)):
            options["llm"] = llm
        if rerankers := _rerankers(_server("reranker", self.reranker, given)):
            options["postprocessors"] = rerankers
        if calibration := self._calibration(model):
            options["calibration"] = calibration
        is_read = (calibration or calibration_for(model.model_name)).answerable_closely is not None
        if is_read and (self.answers is None or self.answers.read_closely):
            options["classifier"] = load_classifier(folder)
        if self.answers and self.answers.max_citations:
            options["max_citations"] = self.answers.max_citations
        return options

    def _calibration(self, model: Embedding) -> Calibration | None:
        """None for the library's own."""
        threshold = self.answers.threshold if self.answers else None
        if self.calibration is None and threshold is None:
            return None
        try:
            own = read_calibration(Path(self.calibration.file), model.model_name) if self.calibration else None
        except CalibrationError as error:
            raise ConfigurationError(f"[calibration] {error}") from None
        found = own or calibration_for(model.model_name)
        return found if threshold is None else replace(found, threshold=threshold)

    def save(self, path: Path | str) -> None:
        """As the file it can be loaded from; what is not set is left out."""
        path = Path(path)
        tables = self.tables()
        if self.calibration:
            tables["calibration"] = {"file": Path(os.path.relpath(self.calibration.file, path.parent)).as_posix()}
        path.write_text("\n".join(_as_toml(name, table) for name, table in tables.items()), encoding="utf-8")


def load_configuration(path: Path | str | None) -> Configuration:
    """Without a path one that changes nothing. Raises ConfigurationError."""
    if path is None:
        return Configuration()
    path = Path(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = (error.strerror or error) if isinstance(error, OSError) else error
        raise ConfigurationError(f"{path}: {reason}") from None
    try:
        return _rooted(Configuration.of(tables), path.parent)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _rooted(configuration: Configuration, folder: Path) -> Configuration:
    """With its calibration's file wherever we are; raises ConfigurationError where there is none."""
    if configuration.calibration is None:
        return configuration
    file = (folder / configuration.calibration.file).absolute()
    if not file.is_file():
        raise ConfigurationError(f"[calibration] there is no file {file}")
    return configuration.changed(calibration={"file": str(file)})


def _sentence(error: Any) -> str:
    """A line for the person who wrote the file, from pydantic's report."""
    table, key = (*error["loc"], "")[:2]
    fields = Configuration.model_fields
    if not key and error["type"] != "value_error":
        known = ", ".join(fields)
        return f"there is no table [{table}]; known are {known}" if table not in fields else f"{table} is not a table"
    if error["type"] == "extra_forbidden":
        return f"[{table}] has no {key}; known are {', '.join(_keys(table))}"
    message = error["msg"].removeprefix("Value error, ")
    return f"[{table}] {key}: {message}" if key else f"[{table}] {message}"


def _keys(table: str) -> list[str]:
    [model] = [one for one in get_args(Configuration.model_fields[table].annotation) if one is not type(None)]
    return list(model.model_fields)


def _knows_generated(calibrations: bytes) -> bool:
    """Whether a language model's answers are calibrated in it; what is no calibration is refused where it is read."""
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        return any("generated" in one for one in json.loads(calibrations)["calibrations"].values())
    return False


def _fusion(table: FusionSettings) -> Fusion:
    if table.kind == "rrf":
        return ReciprocalRankFusion(k=table.k, lexical_weight=table.lexical_weight)
    return ConvexCombination(lexical_weight=table.lexical_weight)


def _rerankers(settings: Mapping[str, Any]) -> list[BaseNodePostprocessor]:
    if settings.keys().isdisjoint({"base_url", "model"}):
        return []
    from pipelines.reranking import resolve_reranker  # LlamaIndex's imports: most of two seconds

    reranker = resolve_reranker(**settings)
    return [reranker] if reranker else []


def _server(name: str, table: Server | None, environment: Given) -> dict[str, Any]:
    """What is `given` of a server beats the table; another server gets neither the table's model nor its key."""
    given = environment.get(name, {})
    settings = table.model_dump(exclude_none=True, exclude_unset=True) if table else {}
    if "base_url" in given:
        settings = {key: value for key, value in settings.items() if key not in Server.model_fields}
    variable = settings.pop("api_key_env", None)
    settings |= given
    if variable and "api_key" not in given:
        if not os.environ.get(variable):
            raise ConfigurationError(f"[{name}] api_key_env: the environment has no {variable}")
        settings["api_key"] = os.environ[variable]
    return settings


def _as_toml(name: str, table: Mapping[str, Any]) -> str:
    return "".join([f"[{name}]\n", *(f"{key} = {_value(value)}\n" for key, value in table.items())])


def _value(value: str | float) -> str:
    """Strings, numbers: TOML's strings are JSON's, but for one sign."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
