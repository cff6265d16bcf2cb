"""Secrets that are shown once and kept as their hash."""

from __future__ import annotations

import hashlib
import secrets


def new_secret() -> str:
    """256 bits, fit for an address."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """SHA-256: what has 256 bits needs no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
