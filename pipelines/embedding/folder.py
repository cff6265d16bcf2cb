"""Models as sentence-transformers publishes them, with an ONNX graph: in a local folder or on the Hugging Face hub."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pipelines.embedding.base import ModelNotUsable
from pipelines.embedding.onnx_model import POOLINGS, OnnxEmbedding, OnnxFiles

GRAPHS = ("onnx/model.onnx", "model.onnx")
PUBLISHED = [f"{graph}{suffix}" for graph in GRAPHS for suffix in ("", "_data", ".data")] + [
    "tokenizer.json",
    "tokenizer_config.json",
    "modules.json",
    "config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "*/config.json",
]
SUPPORTED_MODULES = {"Transformer", "Pooling", "Normalize"}
DEFAULT_WINDOW = 512

Json = dict[str, Any]


def open_hub(model: str, data_folder: Path) -> OnnxEmbedding:
    """The model of this id on the hub, downloaded into `<data folder>/models/hub` unless it is there."""
    import httpx
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(model, cache_dir=data_folder / "models" / "hub", allow_patterns=PUBLISHED)
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise ModelNotUsable(
            f"The embedding model {model} is neither built in nor a folder, and it cannot be downloaded from the hub."
        ) from error
    return open_folder(Path(folder), model)


def open_folder(folder: Path, name: str | None = None) -> OnnxEmbedding:
    """The model in the folder; raises ModelNotUsable with what is missing or not supported."""
    name = name or folder.resolve().name
    graph = next((folder / graph for graph in GRAPHS if (folder / graph).is_file()), None)
    if graph is None:
        raise ModelNotUsable(
            f"The embedding model's folder {folder.absolute()} has no {' or '.join(GRAPHS)}; README.md says how to"
            " export one."
        )
    use: Json = {"pooling": pooling(folder), "max_tokens": max_tokens(folder), **prompts(folder)}
    tokenizer = _required(folder, "tokenizer.json")
    parts = [*sorted(graph.parent.glob(f"{graph.name}*")), tokenizer]
    return OnnxEmbedding(
        OnnxFiles(name=name, graph=graph, tokenizer=tokenizer, fingerprint=_fingerprint(name, parts, use), **use)
    )


def pooling(folder: Path) -> str:
    """How token vectors become one: the folder's one pooling mode, which must be a supported one."""
    modules = {str(module["type"]).rpartition(".")[2]: module for module in _read(_required(folder, "modules.json"))}
    if unsupported := set(modules) - SUPPORTED_MODULES:
        raise ModelNotUsable(f"The embedding model has modules that are not supported: {', '.join(unsupported)}.")
    if "Pooling" not in modules:
        raise ModelNotUsable("The embedding model's modules.json names no pooling.")
    modes = _pooling_modes(_read(_required(folder, f"{modules['Pooling']['path']}/config.json")))
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise ModelNotUsable(f"The embedding model's pooling is not supported: {' and '.join(modes) or 'none'}.")
    return modes[0]


def _pooling_modes(config: Json) -> list[str]:
    """The newer `pooling_mode`, a name or several, or the older flags `pooling_mode_<name>[_token[s]]`."""
    if "pooling_mode" in config:
        modes = config["pooling_mode"]
        return [modes] if isinstance(modes, str) else list(modes)
    flags = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    return [flag.removeprefix("pooling_mode_").removesuffix("s").removesuffix("_token") for flag in flags]


def max_tokens(folder: Path) -> int:
    """Tokens the model reads: sentence-transformers' own setting, else the smaller of tokenizer's and graph's."""
    own = _read(folder / "sentence_bert_config.json").get("max_seq_length")
    tokenizer = _read(folder / "tokenizer_config.json").get("model_max_length")
    positions = _read(folder / "config.json").get("max_position_embeddings")
    return int(own or min(filter(None, (tokenizer, positions)), default=DEFAULT_WINDOW))


def prompts(folder: Path) -> dict[str, str]:
    """What is put before a question and before a passage."""
    config = _read(folder / "config_sentence_transformers.json")
    named = config.get("prompts") or {}
    default = named.get(config.get("default_prompt_name"), "")
    passage = named.get("document", named.get("passage", default))
    return {"query_prompt": named.get("query", default), "passage_prompt": passage}


def _required(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise ModelNotUsable(f"The embedding model's folder {folder.absolute()} has no {name}.")
    return folder / name


def _read(path: Path) -> Any:
    """The JSON of the file, an empty object if there is no file."""
    try:
        return json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise ModelNotUsable(f"The embedding model's {path.name} is not JSON.") from error


def _fingerprint(name: str, parts: list[Path], use: Json) -> str:
    digest = hashlib.sha256(json.dumps(use, sort_keys=True).encode())
    for part in parts:
        with part.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"{name}/{digest.hexdigest()[:8]}"
