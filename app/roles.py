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
    EDIT_OWNERS = "grant or take the owner role or remove an owner"
    LEAVE = "leave the organization"


EVERYBODY: Final = frozenset(ROLES)
MANAGERS: Final[frozenset[str]] = frozenset({"owner", "admin"})
OWNERS: Final[frozenset[str]] = frozenset({"owner"})
PERMITTED: Final[Mapping[Operation, frozenset[str]]] = {
    Operation.ASK: EVERYBODY,
    Operation.READ_DOCUMENTS: EVERYBODY,
    Operation.EDIT_DOCUMENTS: MANAGERS,
    Operation.READ_ORGANIZATION: EVERYBODY,
    Operation.READ_MEMBERS: EVERYBODY,
    Operation.EDIT_MEMBERS: MANAGERS,
    Operation.EDIT_SETTINGS: MANAGERS,
    Operation.MANAGE_KEYS: MANAGERS,
    Operation.EDIT_OWNERS: OWNERS,
    Operation.LEAVE: EVERYBODY,
}
"""Beyond it: an API key does not leave, and the last owner neither leaves nor is removed or demoted."""
