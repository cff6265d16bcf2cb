"""The secret of an API key: `kb_`, 40 random base62 characters, and 6 that check them."""

from __future__ import annotations

import secrets
import string
import zlib

from app.digests import digest

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
MARK = "kb_"
RANDOM = 40
CHECKSUM = 6
LENGTH = len(MARK) + RANDOM + CHECKSUM
SHOWN = 11
"""Characters of a secret that are kept for display."""


def new_secret() -> str:
    body = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return f"{MARK}{body}{_checksum(body)}"


def is_well_formed(secret: str) -> bool:
    """A mistyped key is told apart without asking the database."""
    if len(secret) != LENGTH or not secret.startswith(MARK) or not secret.isascii():
        return False
    body, checksum = secret[len(MARK) : -CHECKSUM], secret[-CHECKSUM:]
    return _checksum(body) == checksum


fingerprint = digest
"""What is stored in a secret's place."""


def _checksum(body: str) -> str:
    number = zlib.crc32(body.encode())
    digits = ""
    for _ in range(CHECKSUM):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits
