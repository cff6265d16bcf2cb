"""What is refused to people who sign up or log in."""

from __future__ import annotations

from collections.abc import Sequence

from app.errors import Forbidden, InvalidRequest, NotFound, ServiceError

SHORTEST_PASSWORD = 6
LONGEST_PASSWORD = 72
"""Bytes, because that is where bcrypt stops reading."""
REASONS = {
    "length": f"At least {SHORTEST_PASSWORD} characters and at most {LONGEST_PASSWORD} bytes.",
    "characters": "It lacks kinds of characters that are required here.",
    "pwned": "It is known from a leak.",
    "same": "It is the present one.",
}


BEARER = {"WWW-Authenticate": "Bearer"}


class InvalidCredentials(ServiceError):
    """The same for an unknown address, a wrong password and somebody who is banned."""

    def __init__(self) -> None:
        super().__init__(401, "INVALID_CREDENTIALS", "The e-mail address or the password is wrong.", headers=BEARER)


class InvalidRefreshToken(ServiceError):
    def __init__(self) -> None:
        message = "The refresh token is invalid, used or expired: log in again."
        super().__init__(401, "INVALID_REFRESH_TOKEN", message, headers=BEARER)


class TokenReused(InvalidRefreshToken):
    """An old one came back, so that one of two holders is a thief: the session has ended."""


class EmailNotVerified(Forbidden):
    def __init__(self) -> None:
        super().__init__("Verify your e-mail address first, by the link in our mail.", "EMAIL_NOT_VERIFIED")


class WeakPassword(InvalidRequest):
    def __init__(self, reasons: Sequence[str] = ("length",)) -> None:
        details = [{"field": "password", "message": REASONS.get(reason, "It is too weak.")} for reason in reasons]
        super().__init__("This password cannot be used.", details, "WEAK_PASSWORD")


class LinkExpired(InvalidRequest):
    def __init__(self, message: str = "This link is unknown, used or expired: ask for a new one.") -> None:
        super().__init__(message, code="LINK_EXPIRED")


class SignupClosed(Forbidden):
    def __init__(self) -> None:
        super().__init__("Signing up is closed: ask for an invitation.", "SIGNUP_CLOSED")


class ProviderNotEnabled(NotFound):
    def __init__(self) -> None:
        super().__init__("This sign-in is not switched on.", "PROVIDER_NOT_ENABLED")


class SignInRefused(InvalidRequest):
    """The provider or the identity server did not let somebody in, or they changed their mind."""

    def __init__(self) -> None:
        super().__init__("The sign-in was cancelled or refused.")
