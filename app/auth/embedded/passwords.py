"""Passwords: argon2id, and bcrypt for hashes brought along."""

import asyncio
import re
from collections.abc import Callable
from typing import TypeVar

import bcrypt
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import Argon2Error, InvalidHashError

from app.auth.embedded.errors import invalid, weak_password

T = TypeVar("T")

MAXIMUM_BYTES = 72
BCRYPT = re.compile(r"^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$")
# What two passes over 128 MiB cost: a login must stay below the response floor.
MAXIMUM_BCRYPT_COST, MAXIMUM_MEMORY, MAXIMUM_WORK = 12, 131072, 262144


def check_length(password: str) -> None:
    if len(password.encode()) > MAXIMUM_BYTES:
        raise invalid("Password cannot be longer than 72 characters")


def check_strength(password: str, minimum: int) -> None:
    check_length(password)
    if len(password) < minimum:
        raise weak_password(minimum)


def check_imported(password_hash: str) -> None:
    """Take only hashes that `Passwords.verify` can check in bounded time and memory."""
    if not (_acceptable_bcrypt(password_hash) or _acceptable_argon2(password_hash)):
        raise invalid("The password hash has an unsupported format or cost")


def _acceptable_bcrypt(password_hash: str) -> bool:
    match = BCRYPT.match(password_hash)
    return match is not None and int(match.group(1)) <= MAXIMUM_BCRYPT_COST


def _acceptable_argon2(password_hash: str) -> bool:
    try:
        cost = extract_parameters(password_hash)
    except InvalidHashError:
        return False
    return cost.memory_cost <= MAXIMUM_MEMORY and cost.memory_cost * cost.time_cost <= MAXIMUM_WORK


class Passwords:
    """Hashes off the event loop, at most `concurrency` at once: each takes tens of megabytes."""

    def __init__(self, hasher: PasswordHasher | None = None, concurrency: int = 4) -> None:
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)
        self._slots = asyncio.Semaphore(concurrency)
        self._nobodys = self._hasher.hash("nobody's password")

    async def hash(self, password: str) -> str:
        return await self._run(lambda: self._hasher.hash(password))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Without a hash, spend the time of one and say no."""
        if len(password.encode()) > MAXIMUM_BYTES:
            password_hash = None
        right = await self._run(lambda: self._matches(password_hash or self._nobodys, password))
        return right and password_hash is not None

    def outdated(self, password_hash: str) -> bool:
        return password_hash.startswith("$2") or self._hasher.check_needs_rehash(password_hash)

    def _matches(self, password_hash: str, password: str) -> bool:
        try:
            if password_hash.startswith("$2"):
                return bcrypt.checkpw(password.encode(), password_hash.encode())
            return self._hasher.verify(password_hash, password)
        except (Argon2Error, InvalidHashError, ValueError):
            return False

    async def _run(self, work: Callable[[], T]) -> T:
        async with self._slots:
            return await asyncio.to_thread(work)
