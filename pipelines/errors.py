"""What the library refuses, and why.

KnowledgeBaseError
├── DocumentNotFound
├── DocumentExists          carries the id of the one that is there
├── PreconditionFailed      an `if_match` that names other versions
├── InvalidCursor
├── IndexUnavailable        an index cannot be used now (down, or made with another embedding model)
├── AnswerUnavailable       the language model cannot be used now
└── InUse                   another process indexes in this folder
"""

from __future__ import annotations

from uuid import UUID


class KnowledgeBaseError(Exception):
    """The root of the family; its message is a sentence for a person and names no internals."""


class DocumentNotFound(KnowledgeBaseError):
    def __init__(self) -> None:
        super().__init__("There is no such document.")


class DocumentExists(KnowledgeBaseError):
    def __init__(self, document_id: UUID) -> None:
        super().__init__("A document with this source and external_id exists already.")
        self.document_id = document_id


class PreconditionFailed(KnowledgeBaseError):
    def __init__(self) -> None:
        super().__init__("The document is not at a version named in If-Match.")


class InvalidCursor(KnowledgeBaseError):
    def __init__(self) -> None:
        super().__init__("The cursor is not one that this list gave out.")


class IndexUnavailable(KnowledgeBaseError):
    """The message says what an operator can do; `retry_after` is in seconds."""

    def __init__(self, message: str = "The search index is not available right now.", retry_after: int = 5) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AnswerUnavailable(KnowledgeBaseError):
    def __init__(self, message: str = "The language model is not available right now.", retry_after: int = 5) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class InUse(KnowledgeBaseError):
    def __init__(self) -> None:
        super().__init__(
            "Another process serves this data folder: embedded Chroma has one process. Stop it, or use a Chroma server."
        )


class NotVerbatim(KnowledgeBaseError, ValueError):
    """A splitter gave text that does not stand in the document."""
