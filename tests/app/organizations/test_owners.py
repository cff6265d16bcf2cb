"""The rule that an owner is always left, whatever is tried and however old the caller's idea of their own role is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine

from app.errors import ServiceError
from app.members import repository, service
from app.models import metadata
from app.organizations import repository as organizations
from app.organizations.service import new_organization
from app.principal import Person, Principal
from app.roles import ROLES

NOW = datetime.now(UTC)
PEOPLE = [UUID(int=number) for number in range(1, 5)]

acts = st.lists(
    st.tuples(
        st.sampled_from(PEOPLE),
        st.sampled_from(ROLES),  # what the caller believes to be
        st.sampled_from(PEOPLE),
        st.sampled_from([*ROLES, None]),  # None removes
    ),
    max_size=25,
)


@given(st.lists(st.sampled_from(ROLES), min_size=4, max_size=4).filter(lambda roles: "owner" in roles), acts)
def test_an_owner_is_always_left(roles: list[str], tried: list[tuple[UUID, str, UUID, str | None]]) -> None:
    """After any acts of anybody there is an owner; only owners made or unmade one; only members acted."""
    with connected() as connection:
        organization_id = populated(connection, roles)
        for actor, believed, whom, role in tried:
            before = roles_of(connection, organization_id)
            with contextlib.suppress(ServiceError):
                act(connection, caller(organization_id, actor, believed), whom, role)
            after = roles_of(connection, organization_id)
            assert "owner" in after.values()
            assert after == before or actor in before
            owners = {one for one, role in before.items() if role == "owner"}
            assert {one for one, role in after.items() if role == "owner"} == owners or before[actor] == "owner"
            assert after == before or before[actor] != "member" or before.keys() - after.keys() == {actor}


def act(connection: Connection, caller: Principal, whom: UUID, role: str | None) -> None:
    if role is None:
        service.remove(connection, caller, whom)
    else:
        service.change_role(connection, caller, whom, role)


@contextlib.contextmanager
def connected() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def populated(connection: Connection, roles: list[str]) -> UUID:
    organization = new_organization("Acme")
    organizations.add(connection, organization)
    for user_id, role in zip(PEOPLE, roles, strict=True):
        repository.add_user(connection, user_id, f"{user_id.int}@example.com", NOW)
        repository.add_member(connection, organization.id, user_id, role, NOW)
    return organization.id


def roles_of(connection: Connection, organization_id: UUID) -> dict[UUID, str]:
    return {one.user_id: one.role for one in repository.of_organization(connection, organization_id)}


def caller(organization_id: UUID, user_id: UUID, role: str) -> Principal:
    person = Person(user_id, user_id, "", NOW, NOW + timedelta(hours=1), None, "")
    return Principal(organization_id, role, "access_token", person)
