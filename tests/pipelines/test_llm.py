"""Which language model the settings mean."""

from pipelines.llm import resolve_llm


def test_without_an_address_there_is_no_model() -> None:
    """Answers are then extractive."""
    assert resolve_llm(model="some-model", api_key="secret") is None


def test_a_server_is_asked_as_a_chat_model_and_never_retried_by_the_client() -> None:
    """Retries are safe only before the first token, which the client does not know."""
    llm = resolve_llm(base_url="http://127.0.0.1:9/v1", model="some-model", context_window=2048, max_tokens=99)
    assert llm is not None
    metadata = llm.metadata
    assert (metadata.model_name, metadata.context_window, metadata.num_output) == ("some-model", 2048, 99)
    assert metadata.is_chat_model
    assert llm.max_retries == 0  # type: ignore[attr-defined]
