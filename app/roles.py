"""Who may do what: one table, from which the routes are guarded, described and tested."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, get_args

RoleName = Literal["owner", "admin", "member"]
ROLES: Final[tuple[RoleName, ...]] = get_args(RoleName)


class Operation(StrEnum):
    """What a caller can want of an organization, as a person would say it."""

    ASK = "ask questions"
    READ_DOCUMENTS = "read documents"
    EDIT_DOCUMENTS = "create, update and delete documents"
    READ_ORGANIZATION = "read the organization, its settings and its usage"
    READ_MEMBERS = "read the members"
    EDIT_MEMBERS = "invite and remove members and change roles"
    EDIT_SETTINGS = "change the settings"
    MANAGE_KEYS = "list, create and delete API keys"


EVERYBODY: Final = frozenset(ROLES)
MANAGERS: Final[frozenset[str]] = frozenset({"owner", "admin"})
PERMITTED: Final[Mapping[Operation, frozenset[str]]] = {
    Operation.ASK: EVERYBODY,
    Operation.READ_DOCUMENTS: EVERYBODY,
    Operation.EDIT_DOCUMENTS: MANAGERS,
    Operation.READ_ORGANIZATION: EVERYBODY,
    Operation.READ_MEMBERS: EVERYBODY,
    Operation.EDIT_MEMBERS: MANAGERS,
    Operation.EDIT_SETTINGS: MANAGERS,
    Operation.MANAGE_KEYS: MANAGERS,
}
"""Beyond it, only an owner grants or takes the owner role or removes an owner; the last owner cannot leave."""
