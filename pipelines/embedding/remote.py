"""Embedding on any server that speaks OpenAI's embeddings API, through LlamaIndex's client for such servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pipelines.embedding.adapted import WINDOW, AdaptedEmbedding
from pipelines.embedding.base import Vectors
from pipelines.errors import IndexUnavailable
from pipelines.types import Vector

BATCH = 32
SECONDS = 30.0
RETRIES = 1


class RemoteEmbedding(AdaptedEmbedding):
    """A model behind a server; every way in which the server fails is IndexUnavailable, after one more try."""

    def __init__(
        self, *, model: str, base_url: str, api_key: str | None = None, window: int = WINDOW, timeout: float = SECONDS
    ) -> None:
        from llama_index.embeddings.openai_like import OpenAILikeEmbedding

        server = OpenAILikeEmbedding(
            model_name=model,
            api_base=base_url,
            api_key=api_key or "none",
            embed_batch_size=BATCH,
            max_retries=RETRIES,
            timeout=timeout,
        )
        super().__init__(server, window=window)

    @property
    def fingerprint(self) -> str:
        return f"openai-like/{self.model_name}"

    def embed_query(self, text: str) -> Vector:
        with _failures_told():
            return super().embed_query(text or " ")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        with _failures_told():
            return super().embed_passages([text or " " for text in texts])  # OpenAI's own server refuses empty texts


@contextmanager
def _failures_told() -> Iterator[None]:
    import openai

    try:
        yield
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise IndexUnavailable("The embedding server refuses the API key.") from error
    except openai.APIConnectionError as error:
        raise IndexUnavailable("The embedding server cannot be reached.") from error
    except openai.APIStatusError as error:
        raise IndexUnavailable(f"The embedding server answers with status {error.status_code}.") from error
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise IndexUnavailable("The embedding server's answer holds no embeddings.") from error
