"""The official client cannot tell this server from the real one."""

from collections.abc import AsyncIterator

import httpx
import pytest
from supabase import AsyncClient, AsyncClientOptions
from supabase_auth import AsyncMemoryStorage
from supabase_auth.errors import AuthApiError, AuthWeakPasswordError

from .house import OTHER_PASSWORD, PASSWORD, SITE, URL, House, new_address, query


@pytest.fixture
async def transport(house: House) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(house.app)) as client:
        yield client


class Client:
    """One fresh client an operation over one shared transport."""

    def __init__(self, house: House, transport: httpx.AsyncClient) -> None:
        self._house, self._transport = house, transport

    def __call__(self, *, admin: bool = False, pkce: AsyncMemoryStorage | None = None) -> AsyncClient:
        options = AsyncClientOptions(
            persist_session=False,
            auto_refresh_token=False,
            flow_type="pkce" if pkce else "implicit",
            storage=pkce or AsyncMemoryStorage(),
            httpx_client=self._transport,
        )
        key = self._house.service if admin else self._house.anon
        return AsyncClient(URL.removesuffix("/auth/v1"), key, options)


@pytest.fixture
def client(house: House, transport: httpx.AsyncClient) -> Client:
    return Client(house, transport)


async def confirmed(house: House, client: Client) -> str:
    address = new_address()
    await client().auth.sign_up({"email": address, "password": PASSWORD})
    await client().auth.verify_otp({"token_hash": house.mailbox.token(address), "type": "signup"})
    return address


async def test_sign_up_and_verify(house: House, client: Client) -> None:
    """Sign-up answers a person without a session; verify gives the session."""
    address = new_address()
    answer = await client().auth.sign_up({"email": address, "password": PASSWORD, "options": {"data": {"a": 1}}})
    assert answer.session is None
    assert answer.user is not None
    verified = await client().auth.verify_otp({"token_hash": house.mailbox.token(address), "type": "email"})
    assert verified.session is not None
    assert verified.session.user.id == answer.user.id


async def test_taken_address_has_no_identities(house: House, client: Client) -> None:
    """A taken address is told by the phantom's empty list of identities."""
    address = await confirmed(house, client)
    answer = await client().auth.sign_up({"email": address, "password": OTHER_PASSWORD})
    assert answer.user is not None
    assert answer.user.identities == []


async def test_login_refresh_logout(house: House, client: Client) -> None:
    """Login, user, refresh and logout work through fresh clients."""
    address = await confirmed(house, client)
    session = (await client().auth.sign_in_with_password({"email": address, "password": PASSWORD})).session
    assert session is not None
    user = await client().auth.get_user(session.access_token)
    assert user is not None
    assert user.user.email == address
    fresh = (await client().auth.refresh_session(session.refresh_token)).session
    assert fresh is not None
    await client(admin=True).auth.admin.sign_out(fresh.access_token, "local")
    with pytest.raises(AuthApiError) as refused:
        await client().auth.refresh_session(fresh.refresh_token)
    assert refused.value.code == "refresh_token_not_found"


async def test_errors_have_their_codes(client: Client) -> None:
    """The client reads codes and reasons from our refusals."""
    with pytest.raises(AuthApiError) as wrong:
        await client().auth.sign_in_with_password({"email": new_address(), "password": "wrong one"})
    assert (wrong.value.code, wrong.value.status) == ("invalid_credentials", 400)
    with pytest.raises(AuthWeakPasswordError) as weak:
        await client().auth.sign_up({"email": new_address(), "password": "short"})
    assert weak.value.reasons == ["length"]
    with pytest.raises(AuthApiError) as unknown:
        await client().auth.sign_in_with_otp({"email": new_address(), "options": {"should_create_user": False}})
    assert unknown.value.code == "otp_disabled"


async def test_magic_link_recovery_and_new_password(house: House, client: Client) -> None:
    """Magic link, recovery and a new password work as the house uses them."""
    address = await confirmed(house, client)
    await client().auth.sign_in_with_otp({"email": address, "options": {"should_create_user": False}})
    link = {"token_hash": house.mailbox.token(address), "type": "magiclink"}
    assert (await client().auth.verify_otp(link)).session is not None  # type: ignore[arg-type]
    await client().auth.reset_password_for_email(address, {"redirect_to": SITE})
    one = client()
    await one.auth.verify_otp({"token_hash": house.mailbox.token(address), "type": "recovery"})
    await one.auth.update_user({"password": OTHER_PASSWORD})
    again = await client().auth.sign_in_with_password({"email": address, "password": OTHER_PASSWORD})
    assert again.session is not None


async def test_resend(house: House, client: Client) -> None:
    """A confirmation is sent again."""
    address = new_address()
    await client().auth.sign_up({"email": address, "password": PASSWORD})
    await client().auth.resend({"type": "signup", "email": address})
    assert len(house.mailbox.mails) == 2


async def test_pkce_magic_link(house: House, client: Client) -> None:
    """A link asked for under PKCE ends in a code that the client exchanges."""
    address, storage = await confirmed(house, client), AsyncMemoryStorage()
    await client(pkce=storage).auth.sign_in_with_otp({"email": address, "options": {"email_redirect_to": SITE}})
    location = (await house.http.get(house.mailbox.link(address))).headers["location"]
    exchanged = await client(pkce=storage).auth.exchange_code_for_session(
        {"auth_code": query(location)["code"], "redirect_to": SITE, "code_verifier": ""}
    )
    assert exchanged.session is not None


async def test_admin(house: House, client: Client) -> None:
    """Making, listing, changing, inviting, linking and deleting people works by the service key."""
    admin = client(admin=True).auth.admin
    address = new_address()
    made = (await admin.create_user({"email": address, "password": PASSWORD, "email_confirm": True})).user
    assert [user.id for user in await admin.list_users()] == [made.id]
    await admin.update_user_by_id(made.id, {"ban_duration": "24h"})
    with pytest.raises(AuthApiError) as banned:
        await client().auth.sign_in_with_password({"email": address, "password": PASSWORD})
    assert banned.value.code == "user_banned"
    invited = (await admin.invite_user_by_email(new_address())).user
    link = await admin.generate_link({"type": "recovery", "email": address})
    assert link.properties.hashed_token
    for user in (made, invited):
        await admin.delete_user(user.id)
    assert await admin.list_users() == []


async def test_claims(house: House, client: Client) -> None:
    """The client verifies our tokens by our published keys."""
    address = await confirmed(house, client)
    one = client()
    session = (await one.auth.sign_in_with_password({"email": address, "password": PASSWORD})).session
    assert session is not None
    claims = await one.auth.get_claims(session.access_token)
    assert claims is not None
    assert claims["claims"]["email"] == address
