"""Moving house: what is exported can be created elsewhere."""

from app.auth.embedded.export import export_users

from .house import House, good, new_address


async def test_exported_people_can_move(house: House) -> None:
    """A person created anew from the export has the same id and logs in with the same password."""
    address = new_address()
    session = await house.member(address)
    (exported,) = [person async for person in export_users(house.identity)]
    good(await house.admin("DELETE", f"/admin/users/{session['user']['id']}"))
    moved = good(await house.admin("POST", "/admin/users", exported))
    assert moved["id"] == session["user"]["id"]
    good(await house.log_in(address))
