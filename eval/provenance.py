"""Where a run comes from: what has to be the same for it to come out the same."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

PACKAGES = (
    "kb-query-service",
    "chromadb",
    "ir-measures",
    "llama-index-core",
    "numpy",
    "onnxruntime",
    "ragas",
    "rouge-score",
    "tantivy",
    "tokenizers",
)


def versions() -> dict[str, str]:
    """Of Python and what is installed of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@cache
def sources(package: str) -> str:
    """SHA-256 of a package's sources: tells changed trees apart without a commit, too."""
    digest, root = hashlib.sha256(), Path(str(files(package)))
    for path in sorted(
        one for one in root.rglob("*") if one.suffix in {".py", ".json", ".safetensors"} and "data" not in one.parts
    ):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def commit() -> dict[str, Any] | None:
    """The commit of the sources, and whether they differ from it; None where git does not say."""
    folder = Path(__file__).parent
    head = _git(folder, "rev-parse", "HEAD")
    if not head:
        return None
    return {"commit": head, "changed": bool(_git(folder.parent, "status", "--porcelain", "--untracked-files=no"))}


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            ["git", *arguments],  # noqa: S607 - whichever git is there
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
