"""A language model as judge, behind an OpenAI-compatible server: calls are bounded, counted, and kept on disk."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

TRIES = 3
PATIENCE = 8
"""Calls in a row that fail before the server is given up: a stalling one would hold a run for hours."""
PAUSE = 0.5
"""Seconds before the second try; twice as many before the third."""


class JudgeFailed(RuntimeError):
    """There is no judgement; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """`timeout` is for a whole call, in seconds: a server that dribbles does not hold a run."""

    base_url: str
    model: str
    cache: Path
    api_key: str | None = field(default=None, repr=False)
    most_calls: int = 2000
    at_once: int = 4
    timeout: float = 60.0

    def public(self) -> dict[str, Any]:
        """What belongs into a report."""
        return {"base_url": self.base_url, "model": self.model, "most_calls": self.most_calls}


class OutOfCalls(JudgeFailed):
    """What was allowed is used up: no fault of the server."""


class Judge:
    """What was asked before is answered from disk. Use it as a context manager."""

    def __init__(self, settings: JudgeSettings, *, pause: float = PAUSE) -> None:
        self._settings = settings
        self._pause = pause
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        self._client = httpx.AsyncClient(base_url=settings.base_url.rstrip("/"), headers=headers, timeout=None)  # noqa: S113 - bounded as a whole
        self._room = asyncio.Semaphore(settings.at_once)
        self._failures = 0
        self.calls = 0

    async def __aenter__(self) -> Judge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def complete(self, prompt: str, *, temperature: float = 0.0, sample: int = 0) -> str:
        """`sample` tells several answers to one prompt apart. Raises JudgeFailed."""
        path = self._path(prompt, temperature, sample)
        async with self._room:
            if (kept := _read(path)) is not None:
                return kept
            text = await self._counted(prompt, temperature)
        _write(path, text)
        return text

    def _path(self, prompt: str, temperature: float, sample: int) -> Path:
        named = [self._settings.base_url, self._settings.model, prompt, temperature, sample]
        key = hashlib.sha256(json.dumps(named).encode()).hexdigest()
        return self._settings.cache / key[:2] / f"{key}.json"

    async def _counted(self, prompt: str, temperature: float) -> str:
        if self._failures >= PATIENCE:
            raise JudgeFailed(f"the judge was given up after {PATIENCE} failures in a row")
        try:
            text = await self._asked(prompt, temperature)
        except JudgeFailed as failure:
            self._failures += not isinstance(failure, OutOfCalls)
            raise
        self._failures = 0
        return text

    async def _asked(self, prompt: str, temperature: float) -> str:
        """What may pass, as an overloaded server, is tried again; a call that took too long is not."""
        for at in range(TRIES):
            if self.calls >= self._settings.most_calls:
                raise OutOfCalls(f"all {self._settings.most_calls} calls of the judge are used up")
            self.calls += 1
            try:
                async with asyncio.timeout(self._settings.timeout):
                    response = await self._client.post("/chat/completions", json=self._body(prompt, temperature))
            except TimeoutError:
                raise JudgeFailed(f"the judge did not answer within {self._settings.timeout:g} s") from None
            except httpx.HTTPError as error:
                failure = f"{type(error).__name__}: {error}"
            else:
                if not (response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error):
                    return _text(response)
                failure = f"{response.status_code} {response.text[:200]}"
            await asyncio.sleep(self._pause * 2**at)
        raise JudgeFailed(f"the judge failed {TRIES} times: {failure}")

    def _body(self, prompt: str, temperature: float) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt}]
        return {"model": self._settings.model, "messages": messages, "temperature": temperature}


def _text(response: httpx.Response) -> str:
    if response.is_error:
        raise JudgeFailed(f"the judge refused: {response.status_code} {response.text[:200]}")
    try:
        content = response.json()["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise JudgeFailed(f"the judge's response is no completion: {response.text[:200]}") from None
    if not isinstance(content, str) or not content.strip():
        raise JudgeFailed("the judge said nothing")
    return content


def _read(path: Path) -> str | None:
    """None where nothing is kept, or what is kept was cut off."""
    try:
        text = json.loads(path.read_text(encoding="utf-8"))["text"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None


def _write(path: Path, text: str) -> None:
    """Another run in the same folder sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps({"text": text}, ensure_ascii=False), encoding="utf-8")
    partial.replace(path)
