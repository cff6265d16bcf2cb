"""The refresh token's bytes, against values worked out by hand from its definition."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.auth.embedded import refresh_tokens
from app.auth.embedded.errors import IdentityError

KEY, SESSION = bytes(32), uuid.UUID("00000000-0000-4000-8000-000000000001")
VECTORS = [
    (0, "AAAAAAAAAEAAgAAAAAAAAAEA90Fq4CSTWuE1-b_8YNlFW4T4YuA"),
    (300, "AAAAAAAAAEAAgAAAAAAAAAGsAjCVATbzYP3voquh-g7Sr5Jg1LCR"),
]


@pytest.mark.parametrize(("counter", "token"), VECTORS)
def test_vectors(counter: int, token: str) -> None:
    """Known inputs give the known tokens, both ways."""
    assert refresh_tokens.encode(KEY, SESSION, counter) == token
    decoded = refresh_tokens.decode(token)
    assert (decoded.session_id, decoded.counter) == (SESSION, counter)
    assert decoded.is_of(KEY)
    assert not decoded.is_of(b"1" * 32)


@given(st.binary(min_size=32, max_size=32), st.uuids(), st.integers(0, 2**40))
def test_round_trip(key: bytes, session_id: uuid.UUID, counter: int) -> None:
    """What is encoded is decoded."""
    decoded = refresh_tokens.decode(refresh_tokens.encode(key, session_id, counter))
    assert (decoded.session_id, decoded.counter, decoded.is_of(key)) == (session_id, counter, True)


@given(st.text(max_size=80))
def test_anything_else_is_refused(text: str) -> None:
    """No text makes it fail other than by a refusal."""
    with pytest.raises(IdentityError):
        refresh_tokens.decode(text)


def test_changed_bytes_are_refused() -> None:
    """Each changed character is noticed."""
    token = VECTORS[1][1]
    for place in range(len(token) - 1):
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        with pytest.raises(IdentityError):
            refresh_tokens.decode(changed)
