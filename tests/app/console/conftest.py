"""Houses, as the account tests have them."""

from tests.app.accounts.conftest import build, embedded, openid, provider

__all__ = ["build", "embedded", "openid", "provider"]
