"""Refusals: a status, a stable code and a sentence, as clients of Supabase Auth know them."""

from typing import Any


class IdentityError(Exception):
    """`keep` lets stand what the refused request has written, e.g. the end of a stolen session."""

    def __init__(self, status: int, code: str, message: str, *, keep: bool = False, **extra: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.keep, self.extra = status, code, message, keep, extra


def invalid(message: str) -> IdentityError:
    return IdentityError(400, "validation_failed", message)


def bad_json(reason: str) -> IdentityError:
    return IdentityError(400, "bad_json", f"Could not parse request body as JSON: {reason}")


def bad_jwt(reason: str) -> IdentityError:
    return IdentityError(403, "bad_jwt", f"invalid JWT: {reason}")


def no_authorization() -> IdentityError:
    return IdentityError(401, "no_authorization", "This endpoint requires a valid Bearer token")


def invalid_credentials() -> IdentityError:
    return IdentityError(400, "invalid_credentials", "Invalid login credentials")


def email_exists() -> IdentityError:
    return IdentityError(422, "email_exists", "A user with this email address has already been registered")


def user_not_found() -> IdentityError:
    return IdentityError(404, "user_not_found", "User not found")


def session_not_found() -> IdentityError:
    return IdentityError(403, "session_not_found", "Session from session_id claim in JWT does not exist")


def refresh_token_not_found() -> IdentityError:
    return IdentityError(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")


def user_banned(status: int) -> IdentityError:
    return IdentityError(status, "user_banned", "User is banned")


def link_expired() -> IdentityError:
    return IdentityError(403, "otp_expired", "Email link is invalid or has expired")


def code_expired(*, keep: bool = False) -> IdentityError:
    return IdentityError(403, "otp_expired", "Token has expired or is invalid", keep=keep)


def signup_disabled() -> IdentityError:
    return IdentityError(422, "signup_disabled", "Signups not allowed for this instance")


def not_admin() -> IdentityError:
    return IdentityError(403, "not_admin", "User not allowed")


def unexpected(message: str) -> IdentityError:
    return IdentityError(500, "unexpected_failure", message)


def weak_password(minimum: int) -> IdentityError:
    sentence = f"Password should be at least {minimum} characters."
    return IdentityError(422, "weak_password", sentence, weak_password={"reasons": ["length"]})


def same_password() -> IdentityError:
    return IdentityError(422, "same_password", "New password should be different from the old password.")


def too_many_mails(seconds: int) -> IdentityError:
    sentence = f"For security purposes, you can only request this after {seconds} seconds."
    return IdentityError(429, "over_email_send_rate_limit", sentence, retry_after=seconds)


def too_many_requests(seconds: int) -> IdentityError:
    return IdentityError(429, "over_request_rate_limit", "Request rate limit reached", retry_after=seconds)
