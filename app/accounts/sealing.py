"""Token sets between the provider's return and their owner's fetching them: encrypted with what only they have."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import orjson
from cryptography.fernet import Fernet, InvalidToken

from app.responses import encode

PURPOSE = b"token set: "
"""Makes the key another hash of the code than the one that is stored."""


def seal(content: Any, code: str) -> str:
    return _cipher(code).encrypt(encode(content)).decode()


def unseal(sealed: str, code: str) -> Any:
    """None for what was sealed with another code."""
    try:
        return orjson.loads(_cipher(code).decrypt(sealed.encode()))
    except InvalidToken:
        return None


def _cipher(code: str) -> Fernet:
    """The code has 256 bits: a hash is all the derivation that it needs."""
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(PURPOSE + code.encode()).digest()))
