"""Whose account a provider's sign-in opens."""

from dataclasses import dataclass

from sqlalchemy import select

from app.auth.embedded import outgoing, users
from app.auth.embedded.errors import IdentityError, signup_disabled, user_banned
from app.auth.embedded.identity import Work
from app.auth.embedded.models import User, UserIdentity
from app.auth.embedded.outgoing import Outgoing
from app.auth.embedded.providers import Profile
from app.auth.embedded.settings import Provider


@dataclass(frozen=True)
class Unconfirmed:
    """A new account whose address the provider does not vouch for: a mail asks."""

    mail: Outgoing


def provider_name(provider: Provider) -> str:
    return f"sso:{provider.name}" if provider.domains else provider.name


async def sign_in(work: Work, provider: Provider, profile: Profile) -> User | Unconfirmed:
    if provider.domains and not (profile.email_verified and provider.serves(profile.email)):
        raise IdentityError(422, "provider_email_needs_verification", "This address may not sign in here")
    user = await _of_identity(work, provider, profile) or await _of_address(work, provider, profile)
    user = user or await _new(work, provider, profile)
    if users.is_banned(user, work.now):
        raise user_banned(403)
    if user.email_confirmed_at is None:
        return Unconfirmed(await outgoing.write(work, user, "signup", work.settings.site_url, keeps_password=True))
    return user


async def _of_identity(work: Work, provider: Provider, profile: Profile) -> User | None:
    known = (UserIdentity.provider == provider_name(provider), UserIdentity.provider_id == profile.subject)
    identity = await work.db.scalar(select(UserIdentity).where(*known))
    user = await users.by_id(work.db, identity.user_id) if identity else None
    if user is None or identity is None:
        return None
    identity.identity_data, identity.email = profile.data, profile.email
    identity.last_sign_in_at = identity.updated_at = work.now
    user.user_metadata = users.merged(user.user_metadata, profile.data)
    if profile.email_verified and profile.email == user.email:
        users.confirm(work, user)
    return user


async def _of_address(work: Work, provider: Provider, profile: Profile) -> User | None:
    """The account with the address that the provider vouches for; never across single sign-on."""
    user = await users.by_email(work.db, profile.email) if profile.email and not provider.domains else None
    if user is None:
        return None
    if not profile.email_verified:
        raise needs_verification(provider, f"Verify the email with {provider.name} in order to sign in")
    if user.email_confirmed_at is None:
        await _take_over(work, user)
    users.add_identity(work, user, provider_name(provider), profile.subject, profile.data)
    users.list_providers(user)
    user.user_metadata = users.merged(user.user_metadata, profile.data)
    users.confirm(work, user)
    work.record("identity_linked", user, provider=provider.name)
    return user


async def _take_over(work: Work, user: User) -> None:
    """Nobody has shown yet that the address is theirs: what they left behind goes."""
    user.password_hash, user.user_metadata, user.identities = None, {}, []
    await users.drop_tokens(work.db, user)
    await work.db.flush()


async def _new(work: Work, provider: Provider, profile: Profile) -> User:
    if not work.settings.signup_enabled:
        raise signup_disabled()
    if not profile.email:
        raise needs_verification(provider, f"Error getting user email from {provider.name}")
    user = users.create_bare(work, profile.email, profile.data, is_sso=bool(provider.domains))
    users.add_identity(work, user, provider_name(provider), profile.subject, profile.data)
    users.list_providers(user)
    if profile.email_verified:
        users.confirm(work, user)
    await work.db.flush()
    work.record("signed_up", user, provider=provider.name)
    return user


def needs_verification(provider: Provider, what_to_do: str) -> IdentityError:
    sentence = f"Unverified email with {provider.name}. {what_to_do}"
    return IdentityError(422, "provider_email_needs_verification", sentence)
