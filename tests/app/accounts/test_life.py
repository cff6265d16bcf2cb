"""The life of an account."""

from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, SITE, House, good, new_address, refused
from tests.app.accounts.journey import query_of


async def test_sign_up_verify_log_in(house: House) -> None:
    """Signing up makes a user; the link of the mail makes an organization, of which they are the owner."""
    address = new_address()
    signed_up = good(await house.sign_up(address, name="Lake watchers"), 201)
    assert set(signed_up) == {"success", "user", "message"}
    assert signed_up["success"] is True
    assert set(signed_up["user"]) == {"id", "email"}
    assert signed_up["user"]["email"] == address
    assert refused(await house.log_in(address)) == (403, "EMAIL_NOT_VERIFIED")
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (401, "INVALID_CREDENTIALS")

    verified = await house.follow(address)
    assert verified.headers["cache-control"] == "no-store"
    assert set(good(verified)) == {"access_token", "refresh_token", "expires_in", "token_type", "user"}
    assert good(verified)["user"]["id"] == signed_up["user"]["id"]

    logged_in = good(await house.log_in(address))
    assert (logged_in["token_type"], logged_in["expires_in"]) == ("bearer", 3600)
    assert logged_in["user"] == good(verified)["user"]
    assert set(logged_in["user"]) == {"id", "email", "organization_id"}
    me = good(await house.me(logged_in["access_token"]))
    assert me == {
        "user": signed_up["user"],
        "organization": {"id": logged_in["user"]["organization_id"], "name": "Lake watchers"},
        "role": "owner",
        "credential": "access_token",
    }


async def test_refresh(house: House) -> None:
    """A refresh token gives a new access token and a new refresh token, and nothing else."""
    session = await house.person()
    refreshed = await house.refresh(session["refresh_token"])
    assert set(good(refreshed)) == {"access_token", "refresh_token", "expires_in", "token_type"}
    assert refreshed.headers["cache-control"] == "no-store"
    assert good(refreshed)["refresh_token"] != session["refresh_token"]
    assert (await house.me(good(refreshed)["access_token"])).status_code == 200
    assert (await house.me(session["access_token"])).status_code == 200


async def test_magic_link(house: House) -> None:
    """A magic link logs in, once."""
    address = new_address()
    await house.person(address)
    answer = good(await house.post("/magic-link", {"email": address.upper()}))
    assert set(answer) == {"success", "message"}
    assert answer["success"] is True
    assert house.mailbox.token(address)["type"] == "magiclink"
    arrived = good(await house.follow(address))
    assert arrived["user"]["email"] == address
    assert refused(await house.follow(address)) == (400, "LINK_EXPIRED")


async def test_a_forgotten_password(house: House) -> None:
    """The link of a reset logs in; the new password that is then set ends the other sessions and the old password."""
    address = new_address()
    before = await house.person(address)
    good(await house.post("/password/reset", {"email": address}))
    session = good(await house.follow(address))
    assert (
        await house.post("/password/update", {"password": OTHER_PASSWORD}, session["access_token"])
    ).status_code == 204
    assert refused(await house.log_in(address, PASSWORD)) == (401, "INVALID_CREDENTIALS")
    good(await house.log_in(address, OTHER_PASSWORD))
    assert refused(await house.me(before["access_token"])) == (401, "UNAUTHORIZED")
    assert refused(await house.refresh(before["refresh_token"])) == (401, "INVALID_REFRESH_TOKEN")
    good(await house.me(session["access_token"]))
    good(await house.refresh(session["refresh_token"]))


async def test_resending(house: House) -> None:
    """The mail of a sign-up can be asked for again, and then the first link is dead."""
    address = new_address()
    await house.sign_up(address)
    good(await house.post("/resend-verification", {"email": address}))
    assert len(house.mailbox.texts(address)) == 2
    assert refused(await house.follow(address, 0)) == (400, "LINK_EXPIRED")
    good(await house.follow(address))
    good(await house.log_in(address))


async def test_under_a_path(build: Build) -> None:
    """The service may be reached under a path of another site: mails lead there, and everything works."""
    async with build(public_url=f"{SITE}/some/path/") as house:
        address = new_address()
        good(await house.sign_up(address), 201)
        link = house.mailbox.link(address)
        assert link.startswith(f"{SITE}/some/path/auth/confirm?")
        session = good(await house.post("/verify", query_of(link)))
        good(await house.me(session["access_token"]))
        assert (await house.post("/logout", token=session["access_token"])).status_code == 204
        assert (await house.get("/readyz")).status_code == 200
