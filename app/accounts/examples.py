"""Answers of the account endpoints, as the description shows them."""

from __future__ import annotations

from typing import Any

USER_ID = "8d8ac610-566d-4ef0-9c22-186b2a5ed793"
ORGANIZATION_ID = "01942f6d-5c10-7f9d-a1d4-90b7c2e8f635"
USER = {"id": USER_ID, "email": "ada@example.com"}
SIGNED_UP: dict[str, Any] = {
    "success": True,
    "user": USER,
    "message": "Follow the link in the mail that we have sent you; then log in.",
}
TOKENS: dict[str, Any] = {
    "access_token": "eyJhbGciOiJFUzI1NiIs…",
    "refresh_token": "AAAAAAAAAEAAgAAA…",
    "expires_in": 3600,
    "token_type": "bearer",
}
ARRIVED = {**TOKENS, "user": {**USER, "organization_id": ORGANIZATION_ID}}
MAIL_SENT = {"success": True, "message": "If there is something to send to this address, a mail is on its way."}
PROVIDERS = {"providers": [{"id": "google", "name": "Google", "enterprise": False}]}
ME = {
    "user": USER,
    "organization": {"id": ORGANIZATION_ID, "name": "Analytical Engines"},
    "role": "owner",
    "credential": "access_token",
}
