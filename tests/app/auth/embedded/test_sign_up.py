"""Sign-up: who may, what is answered, and whose password counts."""

import asyncio
import uuid

import pytest

from .house import OTHER_PASSWORD, PASSWORD, Builder, House, good, new_address, refused


async def test_asks_for_a_confirmation(house: House) -> None:
    """A sign-up answers the unconfirmed person and sends a link of type `signup`."""
    address = new_address()
    user = await house.sign_up(address, organization_name="Acme")
    assert user["email"] == address
    assert "email_confirmed_at" not in user
    assert user["identities"][0]["identity_data"]["email_verified"] is False
    assert user["user_metadata"]["organization_name"] == "Acme"
    assert house.mailbox.link_type(address) == "signup"


async def test_ids_are_random(house: House) -> None:
    """A person's id is a UUID of version 4."""
    assert uuid.UUID((await house.sign_up())["id"]).version == 4


async def test_no_login_before_confirmation(house: House) -> None:
    """Only the right password learns that the address is not confirmed yet."""
    address = new_address()
    await house.sign_up(address)
    assert refused(await house.log_in(address)) == (400, "email_not_confirmed")
    assert refused(await house.log_in(address, "wrong one")) == (400, "invalid_credentials")


async def test_confirmed_by_the_link(house: House) -> None:
    """The link's token gives a session and confirms the address."""
    session = await house.member()
    assert session["user"]["email_confirmed_at"]
    assert session["user"]["user_metadata"]["email_verified"] is True
    assert good(await house.user(session))["id"] == session["user"]["id"]


async def test_taken_address_gets_a_phantom(house: House) -> None:
    """Signing up a confirmed address again answers a person who does not exist, and sends nothing."""
    address = new_address()
    session = await house.member(address)
    mails = len(house.mailbox.mails)
    phantom = await house.sign_up(address, OTHER_PASSWORD)
    assert (phantom["identities"], phantom["role"]) == ([], "")
    assert phantom["id"] != session["user"]["id"]
    assert uuid.UUID(phantom["id"]).version == 4
    assert len(house.mailbox.mails) == mails
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (400, "invalid_credentials")


async def test_planted_password_dies_with_its_link(house: House) -> None:
    """Whoever signed up first has no say: the confirmed link's password counts, the earlier link is dead."""
    address = new_address()
    planted = await house.sign_up(address, "planted by somebody")
    first = house.mailbox.token(address)
    own = await house.sign_up(address, PASSWORD, organization_name="Mine")
    assert own["id"] != planted["id"]
    assert refused(await house.verify("signup", first)) == (403, "otp_expired")
    session = good(await house.verify("signup", house.mailbox.token(address)))
    assert session["user"]["user_metadata"]["organization_name"] == "Mine"
    assert refused(await house.log_in(address, "planted by somebody")) == (400, "invalid_credentials")
    good(await house.log_in(address, PASSWORD))


async def test_resent_link_is_still_the_sign_ups(house: House) -> None:
    """The link sent again puts the same sign-up's password in force."""
    address = new_address()
    await house.sign_up(address)
    good(await house.post("/resend", {"type": "signup", "email": address}))
    good(await house.verify("signup", house.mailbox.token(address)))
    good(await house.log_in(address))


@pytest.mark.parametrize(("path", "link_type"), [("/otp", "signup"), ("/recover", "recovery"), ("/invite", "invite")])
async def test_other_links_void_a_pending_password(house: House, path: str, link_type: str) -> None:
    """An address confirmed by a magic link, a recovery or an invitation keeps nothing of a pending sign-up."""
    address = new_address()
    await house.sign_up(address, "planted by somebody", organization_name="Theirs")
    good(await house.post(path, {"email": address}, bearer=house.service))
    session = good(await house.verify(link_type, house.mailbox.token(address)))
    assert "organization_name" not in session["user"]["user_metadata"]
    assert refused(await house.log_in(address, "planted by somebody")) == (400, "invalid_credentials")


async def test_resending_does_not_revive_a_voided_password(house: House) -> None:
    """After a magic link was asked for, a resent confirmation is no longer the sign-up's own."""
    address = new_address()
    await house.sign_up(address, "planted by somebody")
    good(await house.post("/otp", {"email": address}))
    good(await house.post("/resend", {"type": "signup", "email": address}))
    good(await house.verify("signup", house.mailbox.token(address)))
    assert refused(await house.log_in(address, "planted by somebody")) == (400, "invalid_credentials")


async def test_addresses_fold_case(house: House) -> None:
    """One address in two spellings is one account."""
    address = new_address()
    await house.member(address.upper().replace("EXAMPLE.COM", "Example.com").lower())
    good(await house.log_in(address.upper()))
    assert (await house.sign_up(address.upper()))["identities"] == []


BAD = [
    ({"password": PASSWORD}, 422, "anonymous_provider_disabled"),
    ({"email": "a@example.com"}, 400, "validation_failed"),
    ({"email": "a@example.com", "password": "short"}, 422, "weak_password"),
    ({"email": "a@example.com", "password": "x" * 73}, 400, "validation_failed"),
    ({"email": "a@example.com", "password": "ü" * 37}, 400, "validation_failed"),
    ({"email": "nobody", "password": PASSWORD}, 400, "validation_failed"),
    ({"email": " a@example.com", "password": PASSWORD}, 400, "validation_failed"),
    ({"email": "а@exämple.com", "password": PASSWORD}, 400, "validation_failed"),
    ({"email": "a\0b@example.com", "password": PASSWORD}, 400, "validation_failed"),
    ({"email": "a" * 250 + "@example.com", "password": PASSWORD}, 400, "validation_failed"),
    ({"email": 5, "password": PASSWORD}, 400, "bad_json"),
    ({"email": "a@example.com", "password": PASSWORD, "data": "text"}, 400, "bad_json"),
    ({"phone": "12345678", "password": PASSWORD}, 400, "phone_provider_disabled"),
    ({"email": "a@example.com", "password": PASSWORD, "code_challenge": "x"}, 400, "validation_failed"),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD)
async def test_refuses_bad_input(house: House, body: dict[str, object], status: int, code: str) -> None:
    """Bad input is refused with its code, and leaves neither a person nor a mail."""
    assert refused(await house.post("/signup", body)) == (status, code)
    assert good(await house.admin("GET", "/admin/users"))["users"] == []
    assert house.mailbox.mails == []


async def test_weak_password_says_why(house: House) -> None:
    """A weak password's refusal carries its reasons, which the client insists on."""
    answer = await house.post("/signup", {"email": "a@example.com", "password": "short"})
    assert answer.json()["weak_password"] == {"reasons": ["length"]}


async def test_seventy_two_bytes_are_enough(house: House) -> None:
    """A password of exactly 72 bytes is taken and works."""
    address = new_address()
    await house.member(address, "ü" * 36)
    good(await house.log_in(address, "ü" * 36))


async def test_one_mail_a_minute(build: Builder) -> None:
    """Within the interval no second mail goes out; after it, one does."""
    house, address = await build(mail_interval=60), new_address()
    await house.sign_up(address)
    for _ in range(2):
        body = {"email": address, "password": PASSWORD}
        assert refused(await house.post("/signup", body)) == (429, "over_email_send_rate_limit")
    house.clock.advance(61)
    good(await house.post("/resend", {"type": "signup", "email": address}))
    assert len(house.mailbox.mails) == 2


async def test_closed_sign_up(build: Builder) -> None:
    """Closed, neither a sign-up nor a magic link makes an account; an invitation still does."""
    house = await build(signup_enabled=False)
    body = {"email": new_address(), "password": PASSWORD}
    assert refused(await house.post("/signup", body)) == (422, "signup_disabled")
    assert refused(await house.post("/otp", {"email": new_address()})) == (422, "signup_disabled")
    good(await house.post("/invite", {"email": new_address()}, bearer=house.service))


async def test_mail_server_down_leaves_nobody(house: House) -> None:
    """A sign-up whose mail cannot be sent fails whole, and the address can sign up again."""
    address = new_address()
    house.mailbox.down = True
    body = {"email": address, "password": PASSWORD}
    assert refused(await house.post("/signup", body)) == (500, "unexpected_failure")
    assert good(await house.admin("GET", "/admin/users"))["users"] == []
    house.mailbox.down = False
    await house.member(address)


async def test_mail_server_down_leaves_the_earlier_link(house: House) -> None:
    """A link that was sent goes on working when a newer one could not be."""
    address = new_address()
    await house.sign_up(address)
    house.mailbox.down = True
    assert refused(await house.post("/resend", {"type": "signup", "email": address})) == (500, "unexpected_failure")
    good(await house.verify("signup", house.mailbox.token(address)))


async def test_banned_address_cannot_start_over(house: House) -> None:
    """A ban of somebody unconfirmed is not shaken off by signing up again."""
    address = new_address()
    user = await house.sign_up(address)
    good(await house.admin("PUT", f"/admin/users/{user['id']}", {"ban_duration": "24h"}))
    assert (await house.sign_up(address))["identities"] == []
    assert refused(await house.verify("signup", house.mailbox.token(address))) == (403, "user_banned")


async def test_parallel_sign_ups_make_one_account(house: House) -> None:
    """Ten sign-ups of one address at once leave one person."""
    address = new_address()
    body = {"email": address, "password": PASSWORD}
    await asyncio.gather(*(house.post("/signup", body) for _ in range(10)))
    assert len(good(await house.admin("GET", "/admin/users"))["users"]) == 1


async def test_metadata_gives_no_rights(house: House) -> None:
    """What a sign-up says about role and verification stays a label."""
    address = new_address()
    await house.sign_up(address, role="service_role", email_verified=True, app_metadata={"role": "admin"})
    session = good(await house.verify("signup", house.mailbox.token(address)))
    assert session["user"]["role"] == "authenticated"
    assert session["user"]["app_metadata"] == {"provider": "email", "providers": ["email"]}
