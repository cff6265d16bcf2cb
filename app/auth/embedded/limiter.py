"""The seam for limits by address and e-mail; the house decides the numbers."""

from typing import Literal, Protocol

Kind = Literal["mail", "login", "request"]


class Limiter(Protocol):
    """Admit a request, or say after how many seconds it may come again."""

    async def admit(self, kind: Kind, address: str | None, email: str | None) -> float | None: ...


class Unlimited:
    """For calls inside the process, which the house has counted already."""

    async def admit(self, kind: Kind, address: str | None, email: str | None) -> float | None:
        return None
