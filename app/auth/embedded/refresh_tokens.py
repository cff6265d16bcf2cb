"""Refresh tokens, version 2: session, counter, MAC and checksum; nothing to store per token."""

import base64
import binascii
import hashlib
import hmac
import re
import uuid
from dataclasses import dataclass

from app.auth.embedded.errors import IdentityError, invalid, refresh_token_not_found

MAC, CHECKSUM, HEAD = 16, 4, 17
VERSION_1 = re.compile(r"^[a-z0-9]{12}$")


@dataclass(frozen=True)
class RefreshToken:
    session_id: uuid.UUID
    counter: int
    signed: bytes
    mac: bytes

    def is_of(self, key: bytes) -> bool:
        return hmac.compare_digest(self.mac, _mac(key, self.signed))


def encode(key: bytes, session_id: uuid.UUID, counter: int) -> str:
    signed = b"\0" + session_id.bytes + _uvarint(counter)
    whole = signed + _mac(key, signed)
    return base64.urlsafe_b64encode(whole + _checksum(whole)).rstrip(b"=").decode()


def decode(token: str) -> RefreshToken:
    if VERSION_1.match(token):
        raise refresh_token_not_found()
    raw = _raw(token)
    whole, checksum = raw[:-CHECKSUM], raw[-CHECKSUM:]
    signed, mac = whole[:-MAC], whole[-MAC:]
    if len(signed) <= HEAD or signed[0] != 0 or checksum != _checksum(whole):
        raise not_valid()
    return RefreshToken(uuid.UUID(bytes=signed[1:HEAD]), _number(signed[HEAD:]), signed, mac)


def not_valid() -> IdentityError:
    return invalid("Refresh token is not valid")


def _raw(token: str) -> bytes:
    if len(token) > 128:
        raise not_valid()
    try:
        return base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as fault:
        raise not_valid() from fault


def _uvarint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append((number & 0x7F) | 0x80)
        number >>= 7
    return bytes([*out, number])


def _number(data: bytes) -> int:
    if len(data) > 9 or data[-1] & 0x80 or any(not byte & 0x80 for byte in data[:-1]):
        raise not_valid()
    return sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(data))


def _mac(key: bytes, signed: bytes) -> bytes:
    return hmac.new(key, signed, "sha256").digest()[:MAC]


def _checksum(whole: bytes) -> bytes:
    return hashlib.sha256(whole).digest()[:CHECKSUM]
