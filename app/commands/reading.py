"""Documents from files: Markdown, text, HTML and PDF of a folder, or the lines of a BEIR-like `corpus.jsonl`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.commands.refusals import Refusal
from pipelines.types import NewDocument

LONGEST_TITLE = 500
HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be taken in, and why."""

    name: str
    reason: str


class Unreadable(Exception):
    """Its message says why a file has no document."""


@dataclass(frozen=True, slots=True)
class Text:
    title: str | None
    content: str


Read = Iterator[NewDocument | Failure]


@dataclass(frozen=True, slots=True)
class Batch:
    """How many there will be, and they, read one by one; files of other kinds are left out, counted by suffix."""

    total: int
    documents: Read
    left_out: Mapping[str, int] = field(default_factory=dict)


def read(path: Path, source: str | None) -> Batch:
    """Raises Refusal for a path that holds nothing to read."""
    if not path.exists():
        raise Refusal(f"There is no file or folder {path}.")
    corpus = path / "corpus.jsonl" if path.is_dir() else path
    if corpus.is_file() and corpus.suffix == ".jsonl":
        return Batch(_lines(corpus), _read_corpus(corpus, source))
    folder = path if path.is_dir() else path.parent
    there = sorted(_files(path)) if path.is_dir() else [path]
    files = [file for file in there if file.suffix.lower() in READERS]
    if not files:
        raise Refusal(f"{path} holds none of the kinds that can be read: {', '.join(READERS)}, .jsonl.")
    left_out = Counter(file.suffix.lower() for file in there if file.suffix.lower() not in READERS)
    return Batch(len(files), (_read_file(file, folder, source or _source_of(folder)) for file in files), left_out)


def _files(folder: Path) -> Iterator[Path]:
    """Hidden files and folders are left out."""
    for path in folder.rglob("*"):
        if path.is_file() and not any(part[0] == "." for part in path.relative_to(folder).parts):
            yield path


def _source_of(folder: Path) -> str:
    """A folder's name as a source may be called."""
    return re.sub(r"[^A-Za-z0-9._:-]+", "-", folder.resolve().name).strip("-")[:100] or "files"


# --- corpus.jsonl


def _lines(path: Path) -> int:
    with path.open("rb") as lines:
        return sum(1 for line in lines if line.strip())


def _read_corpus(path: Path, source: str | None) -> Read:
    default = _source_of(path.resolve().parent)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _read_line(line, f"{path.name}:{number}", source, default)


def _read_line(line: bytes, place: str, source: str | None, default: str) -> NewDocument | Failure:
    try:
        row = json.loads(line)
    except ValueError:
        return Failure(place, "the line is not JSON")
    if not isinstance(row, dict) or not row.get("_id"):
        return Failure(place, "the line is not an object with an _id")
    metadata = row.get("metadata") or {}
    if not isinstance(metadata, dict):
        return Failure(str(row["_id"]), "its metadata is not an object")
    return _from_row(row, dict(metadata), source, default)


def _from_row(row: Mapping[str, Any], metadata: dict[str, Any], source: str | None, default: str) -> NewDocument:
    own, url = metadata.pop("source", None), metadata.pop("url", None)
    content = str(row.get("text") or "")
    return NewDocument(
        source=source or str(own or default),
        external_id=str(row["_id"]),
        title=str(row.get("title") or "").strip() or opening(content) or str(row["_id"]),
        content=content,
        url=str(url) if url else None,
        metadata=metadata,
    )


# --- files


def _read_file(path: Path, folder: Path, source: str) -> NewDocument | Failure:
    name = path.relative_to(folder).as_posix()
    try:
        text = READERS[path.suffix.lower()](path)
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (Unreadable, OSError) as error:
        return Failure(name, getattr(error, "strerror", None) or str(error))
    return NewDocument(
        source=source,
        external_id=name,
        title=(text.title or "").strip()[:LONGEST_TITLE] or path.stem,
        content=text.content,
        metadata={"updated_at": changed.strftime("%Y-%m-%dT%H:%M:%SZ")},
    )


def _read_markdown(path: Path) -> Text:
    content = _decoded(path)
    heading = HEADING.search(content)
    return Text(heading.group(1) if heading else None, content)


def _read_plain(path: Path) -> Text:
    return Text(None, _decoded(path))


def _read_html(path: Path) -> Text:
    """The page's main text as Markdown, without navigation and the like."""
    import trafilatura

    html = _decoded(path)
    if not re.search("<html|<!doctype", html, re.IGNORECASE):
        html = f"<html>{html}</html>"  # of a mere fragment trafilatura makes nothing
    main = trafilatura.extract(html, output_format="markdown", include_tables=True, include_comments=False)
    about = trafilatura.extract_metadata(html)
    return Text(about.title if about else None, main or trafilatura.html2txt(html) or "")


def _read_pdf(path: Path) -> Text:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(path)
        content = "\n\n".join(page.extract_text() for page in reader.pages)
        title = reader.metadata.title if reader.metadata else None
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise Unreadable(f"the PDF cannot be read: {error}") from error
    if not content.strip():
        raise Unreadable("the PDF has no text; a scan has to go through text recognition first")
    return Text(title, content.replace("\0", ""))


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _guessed(data)


def _guessed(data: bytes) -> str:
    """Texts from before UTF-8."""
    import charset_normalizer

    best = charset_normalizer.from_bytes(data).best()
    if best is None:
        raise Unreadable("it is not text in any encoding that could be recognised")
    return str(best)


def opening(content: str) -> str:
    """A text's first words, for want of a title or a question."""
    line = next((line.strip("# ") for line in content.splitlines() if line.strip("# ")), "")
    return line if len(line) <= 80 else line[:80].rpartition(" ")[0] or line[:80]


READERS: dict[str, Callable[[Path], Text]] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_plain,
    ".html": _read_html,
    ".htm": _read_html,
    ".pdf": _read_pdf,
}
