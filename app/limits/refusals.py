"""What is said to who has asked too much."""

from __future__ import annotations

from app.errors import ServiceError


class TooManyRequests(ServiceError):
    """Of an organization, a client address or an e-mail address."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            429,
            "RATE_LIMITED",
            f"Too many requests: come back in {_seconds(retry_after)}.",
            headers={"Retry-After": str(retry_after)},
            retry_after=retry_after,
        )
        self.retry_after = retry_after


class QuestionRefused(ServiceError):
    """Only the query endpoints name it differently."""

    def __init__(self, code: str, message: str, retry_after: int) -> None:
        super().__init__(
            429,
            code,
            message,
            headers={"Retry-After": str(retry_after)},
            error="Rate Limit Exceeded",
            retry_after=retry_after,
        )


class TooManyQuestions(QuestionRefused):
    def __init__(self, limit: int, retry_after: int) -> None:
        message = f"The plan allows {limit} questions a minute: come back in {_seconds(retry_after)}."
        super().__init__("RATE_LIMITED", message, retry_after)


class QuotaExceeded(QuestionRefused):
    def __init__(self, limit: int | None, retry_after: int) -> None:
        message = f"The {limit} questions of the plan are used up until the next month begins (UTC)."
        super().__init__("QUOTA_EXCEEDED", message, retry_after)


def _seconds(number: int) -> str:
    return f"{number} second{'s' if number != 1 else ''}"
