"""Which language model is meant by the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

NO_KEY = "none"
"""The client insists on a key; servers of one's own mostly want none."""


def resolve_llm(
    *,
    base_url: str | None = None,
    model: str | None = None,
    api_key: str | None = None,
    context_window: int = 4096,
    max_tokens: int = 512,
    timeout: float = 120.0,
) -> LLM | None:
    """An OpenAI-compatible server's model as a LlamaIndex LLM; None without a `base_url`: answers are then extractive.

    `timeout` in seconds bounds a single read. Retries are left to whoever asks: before the first token they are safe.
    """
    if not base_url:
        return None
    from llama_index.llms.openai_like import OpenAILike

    return OpenAILike(
        model=model or "default",
        api_base=base_url,
        api_key=api_key or NO_KEY,
        context_window=context_window,
        max_tokens=max_tokens,
        temperature=0.0,
        is_chat_model=True,
        is_function_calling_model=False,
        max_retries=0,
        timeout=timeout,
    )
