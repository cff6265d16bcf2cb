"""What the service key may do, and nobody else."""

import asyncio
import dataclasses
import uuid

import bcrypt
import pytest

from app.auth.embedded import Event, admin, users

from .house import OTHER_PASSWORD, PASSWORD, SITE, Builder, House, Json, good, new_address, refused

ADMIN_ROUTES = [
    ("POST", "/invite"),
    ("POST", "/admin/users"),
    ("GET", "/admin/users"),
    ("GET", f"/admin/users/{uuid.UUID(int=4)}"),
    ("PUT", f"/admin/users/{uuid.UUID(int=4)}"),
    ("DELETE", f"/admin/users/{uuid.UUID(int=4)}"),
    ("POST", "/admin/generate_link"),
]


@pytest.mark.parametrize(("method", "path"), ADMIN_ROUTES)
async def test_only_for_the_service_key(house: House, method: str, path: str) -> None:
    """Admin routes refuse no bearer, the anon key and a person's token."""
    session = await house.member()
    assert refused(await house.call(method, path, {})) == (401, "no_authorization")
    assert refused(await house.call(method, path, {}, bearer=house.anon)) == (403, "not_admin")
    assert refused(await house.call(method, path, {}, bearer=session["access_token"])) == (403, "not_admin")


async def test_create_read_update_delete(house: House) -> None:
    """A person is made confirmed, read, changed and deleted by id."""
    address = new_address()
    body = {"email": address, "password": PASSWORD, "email_confirm": True, "app_metadata": {"plan": "pro"}}
    user = good(await house.admin("POST", "/admin/users", body))
    good(await house.log_in(address))
    path = f"/admin/users/{user['id']}"
    change = {"app_metadata": {"plan": None, "org": "x"}, "user_metadata": {"b": 2}}
    changed = good(await house.admin("PUT", path, change))
    assert changed["app_metadata"] == {"provider": "email", "providers": ["email"], "org": "x"}
    assert changed["user_metadata"] == {"email_verified": True, "b": 2}
    assert good(await house.admin("GET", path)) == changed
    assert good(await house.admin("DELETE", path)) == {}
    assert refused(await house.admin("GET", path)) == (404, "user_not_found")


async def test_who_listens_to_a_deletion_may_lock_the_person(build: Builder) -> None:
    """No transaction of the server's is open while the listener hears of it, whose database may be the same."""
    house, heard = await build(), list[str]()
    user = good(await house.admin("POST", "/admin/users", {"email": new_address()}))

    async def locks(event: Event) -> None:
        async with asyncio.timeout(5), house.identity.database.transaction() as db:
            await users.by_id(db, uuid.UUID(user["id"]), lock=True)
        heard.append(event.name)

    await admin.delete(dataclasses.replace(house.identity, listener=locks), user["id"], soft=False)
    assert heard == ["deleting", "deleted"]


async def test_password_by_admin_ends_all_sessions(house: House) -> None:
    """A password set by an administrator ends every session of the person."""
    session = await house.member()
    good(await house.admin("PUT", f"/admin/users/{session['user']['id']}", {"password": OTHER_PASSWORD}))
    assert refused(await house.user(session)) == (403, "session_not_found")
    good(await house.log_in(session["user"]["email"], OTHER_PASSWORD))


async def test_wanted_id(house: House) -> None:
    """A person can be made under a given id, as when accounts move house."""
    wanted = str(uuid.uuid4())
    user = good(await house.admin("POST", "/admin/users", {"email": new_address(), "id": wanted}))
    assert user["id"] == wanted


BCRYPT = "$2b$04$eXJ2Zy5vZXhhbXBsZS5jbOmVdaHxBp6d8LKJW2qz9xHdGwhv7JZ2u"
ARGON = "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$pjFnBfhnpLqFUfXs1uF5h8VJ2hMJBcTqy0Xr7oEEgxU"
BAD = [
    ({}, 400, "validation_failed"),
    ({"email": "nobody"}, 400, "validation_failed"),
    ({"email": "a@example.com", "id": "nonsense"}, 400, "validation_failed"),
    ({"email": "a@example.com", "id": str(uuid.UUID(int=0))}, 400, "validation_failed"),
    ({"email": "a@example.com", "ban_duration": "nonsense"}, 400, "validation_failed"),
    ({"email": "a@example.com", "password": "x" * 73}, 400, "validation_failed"),
    ({"email": "a@example.com", "password_hash": "plain"}, 400, "validation_failed"),
    ({"email": "a@example.com", "password_hash": ARGON.replace("65536", "9999999")}, 400, "validation_failed"),
    ({"email": "a@example.com", "password_hash": ARGON, "password": PASSWORD}, 400, "validation_failed"),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD)
async def test_bad_people(house: House, body: Json, status: int, code: str) -> None:
    """Bad input makes nobody; a hash that would be costly to check is bad input."""
    assert refused(await house.admin("POST", "/admin/users", body)) == (status, code)
    assert good(await house.admin("GET", "/admin/users"))["users"] == []


@pytest.mark.parametrize("password_hash", [ARGON, BCRYPT])
async def test_hashes_brought_along(house: House, password_hash: str) -> None:
    """Hashes of argon2 and bcrypt are taken as they are."""
    body = {"email": new_address(), "password_hash": password_hash, "email_confirm": True}
    good(await house.admin("POST", "/admin/users", body))
    assert refused(await house.log_in(body["email"], "not it")) == (400, "invalid_credentials")


async def test_bcrypt_becomes_argon2(house: House) -> None:
    """At the first login a bcrypt hash gives way to one of argon2, and the password goes on working."""
    body = {"email": new_address(), "email_confirm": True}
    body["password_hash"] = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    good(await house.admin("POST", "/admin/users", body))
    good(await house.log_in(body["email"]))
    async with house.identity.reading() as work:
        user = await users.by_email(work.db, body["email"], lock=False)
    assert user is not None
    assert str(user.password_hash).startswith("$argon2id$")
    good(await house.log_in(body["email"]))


async def test_taken_address(house: House) -> None:
    """An address cannot be given twice, neither at the making nor later."""
    taken = new_address()
    await house.sign_up(taken)
    other = good(await house.admin("POST", "/admin/users", {"email": new_address()}))
    assert refused(await house.admin("POST", "/admin/users", {"email": taken})) == (422, "email_exists")
    change = await house.admin("PUT", f"/admin/users/{other['id']}", {"email": taken})
    assert refused(change) == (422, "email_exists")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_unknown_people(house: House, method: str) -> None:
    """An unknown id and one that is no UUID are not found."""
    body = None if method == "GET" else {}
    assert refused(await house.admin(method, f"/admin/users/{uuid.uuid4()}", body)) == (404, "user_not_found")
    assert refused(await house.admin(method, "/admin/users/nonsense", body)) == (404, "validation_failed")


async def test_pages(house: House) -> None:
    """The list comes in pages, newest first, with count and links; a page that cannot be is refused."""
    ids = []
    for _ in range(3):
        ids.append((await house.sign_up())["id"])
        house.clock.advance(1)
    page = await house.admin("GET", "/admin/users?page=1&per_page=2")
    assert [user["id"] for user in page.json()["users"]] == [ids[2], ids[1]]
    assert page.headers["x-total-count"] == "3"
    assert 'page=2&per_page=2>; rel="next"' in page.headers["link"]
    assert good(await house.admin("GET", "/admin/users?page=9&per_page=2"))["users"] == []
    for bad in ("page=0", "per_page=0", "page=x", "per_page=100000"):
        assert refused(await house.admin("GET", f"/admin/users?{bad}")) == (400, "validation_failed")


async def test_soft_delete(house: House) -> None:
    """A soft delete keeps the id and nothing that tells who it was; the address is free again."""
    session = await house.member()
    user = session["user"]
    good(await house.admin("DELETE", f"/admin/users/{user['id']}", {"should_soft_delete": True}))
    left = good(await house.admin("GET", f"/admin/users/{user['id']}"))
    assert left["deleted_at"]
    assert user["email"] not in str(left)
    assert refused(await house.user(session)) == (403, "session_not_found")
    assert refused(await house.log_in(user["email"])) == (400, "invalid_credentials")
    await house.member(user["email"])


LINKS = [("signup", "signup"), ("invite", "invite"), ("magiclink", "signup")]


@pytest.mark.parametrize(("wanted", "given"), LINKS)
async def test_link_for_a_newcomer(house: House, wanted: str, given: str) -> None:
    """A generated link makes the person, sends no mail, and opens a session."""
    body = {"type": wanted, "email": new_address(), "password": PASSWORD, "redirect_to": f"{SITE}/welcome"}
    link = good(await house.admin("POST", "/admin/generate_link", body))
    assert (link["verification_type"], link["redirect_to"]) == (given, f"{SITE}/welcome")
    assert link["hashed_token"] in link["action_link"]
    assert house.mailbox.mails == []
    good(await house.verify(given, link["hashed_token"]))


@pytest.mark.parametrize("wanted", ["magiclink", "recovery"])
async def test_link_for_a_member(house: House, wanted: str) -> None:
    """A magic or recovery link for somebody known works by link and by code, once in all."""
    session = await house.member()
    body = {"type": wanted, "email": session["user"]["email"]}
    link = good(await house.admin("POST", "/admin/generate_link", body))
    code = {"type": "email", "email": body["email"], "token": link["email_otp"]}
    good(await house.post("/verify", code))
    assert refused(await house.verify(wanted, link["hashed_token"])) == (403, "otp_expired")


async def test_links_that_cannot_be(house: House) -> None:
    """Links for nobody, of no kind, or for the wrong state are refused with their code."""
    known = (await house.member())["user"]["email"]
    cases: list[tuple[Json, int, str]] = [
        ({}, 400, "validation_failed"),
        ({"type": "nonsense", "email": known}, 400, "validation_failed"),
        ({"type": "recovery", "email": new_address()}, 404, "user_not_found"),
        ({"type": "signup", "email": known, "password": PASSWORD}, 422, "email_exists"),
        ({"type": "signup", "email": new_address()}, 400, "validation_failed"),
        ({"type": "invite", "email": known}, 422, "email_exists"),
    ]
    for body, status, code in cases:
        assert refused(await house.admin("POST", "/admin/generate_link", body)) == (status, code)


async def test_invitation(house: House) -> None:
    """An invitation's link makes a session; its person then sets a password. A newer one replaces it."""
    address = new_address()
    for _ in range(2):
        invited = good(await house.admin("POST", "/invite", {"email": address, "data": {"team": "x"}}))
    assert invited["invited_at"]
    assert house.mailbox.link_type(address) == "invite"
    session = good(await house.verify("invite", house.mailbox.token(address)))
    assert session["user"]["user_metadata"] == {"team": "x", "email_verified": True}
    good(await house.call("PUT", "/user", {"password": PASSWORD}, bearer=session["access_token"]))
    good(await house.log_in(address))
    assert refused(await house.admin("POST", "/invite", {"email": address})) == (422, "email_exists")
