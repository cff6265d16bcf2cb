"""Weights from a package, converted once to 8-bit integers in the data folder, without PyTorch."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import logging
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from pipelines.embedding.base import ModelNotUsable
from pipelines.embedding.calibration import TEXTS

logger = logging.getLogger(__name__)

GRAPH, TOKENIZER, CHECKSUMS = "model.onnx", "tokenizer.json", "checksums.json"

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class ConvertedModel:
    """A model by what it is made of; `sources` are SHA-256 by the names of files in `folder` of `package`.

    `recipe` is to be changed with the conversion where that changes what it says; `sources` and `texts`, what it was
    calibrated with, count by themselves. `convert` makes GRAPH and TOKENIZER of the sources in its first folder, in its
    second.
    """

    name: str
    recipe: str
    package: str
    folder: str
    sources: Mapping[str, str]
    convert: Callable[[Path, Path], None]
    install: str
    """How the package is installed where it is missing."""
    texts: tuple[str, ...] = TEXTS

    def fingerprint(self) -> str:
        """Of what is converted and how, not of the result: its last bits may differ between machines."""
        digest = hashlib.sha256("\0".join([self.recipe, *self.sources.values(), *self.texts]).encode())
        return f"{self.name}/int8/{digest.hexdigest()[:8]}"

    def converted(self, models: Path) -> Path:
        """Where the converted model is, or would be."""
        return models / self.fingerprint().replace("/", "-")

    def ensure_converted(self, models: Path, progress: Progress = logger.info) -> Path:
        """The folder of the converted model, made if missing or damaged; several processes may ask at once."""
        folder = self.converted(models)
        if is_sound(folder):
            return folder
        models.mkdir(parents=True, exist_ok=True)
        with FileLock(models / f"{folder.name}.lock"):
            if not is_sound(folder):
                self._replace(folder, progress)
        return folder

    def source_folder(self) -> Path:
        """The folder of the packaged weights; found without importing the package: only its data is wanted."""
        spec = importlib.util.find_spec(self.package)
        if spec is None or spec.origin is None:
            package = self.package.replace("_", "-")
            raise ModelNotUsable(f"The weights of {self.name} are not installed: package {package}. {self.install}")
        folder = Path(spec.origin).parent / self.folder
        for name, digest in self.sources.items():
            if not (folder / name).is_file() or sha256(folder / name) != digest:
                raise ModelNotUsable(f"The {name} of {self.name} is not the published one. {self.install}")
        return folder

    def _replace(self, folder: Path, progress: Progress) -> None:
        started = time.monotonic()
        sources = self.source_folder()
        progress(f"Converting {self.name} once, this takes some seconds")
        partial = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        self.convert(sources, partial)
        return_memory()
        (partial / CHECKSUMS).write_text(json.dumps({name: sha256(partial / name) for name in (GRAPH, TOKENIZER)}))
        shutil.rmtree(folder, ignore_errors=True)
        partial.replace(folder)
        progress(f"Converted {self.name} in {time.monotonic() - started:.1f} s")


def is_sound(folder: Path) -> bool:
    """Whether the folder holds the files it was made with, unchanged."""
    try:
        checksums = json.loads((folder / CHECKSUMS).read_text())
        return all(sha256(folder / name) == checksums[name] for name in (GRAPH, TOKENIZER))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def return_memory() -> None:
    """Gives the system what was freed: glibc keeps some hundred megabytes of a conversion."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def sha256(path: Path) -> str:
    """The file's SHA-256 as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
