"""What an operator decides about the identity server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Provider:
    """One OpenID Connect provider; `domains` makes it a single sign-on connection for those e-mail domains."""

    name: str
    issuer: str
    client_id: str
    client_secret: str
    scopes: str = "openid email profile"
    domains: frozenset[str] = frozenset()
    trusts_email: bool = False

    def serves(self, address: str) -> bool:
        return not self.domains or address.rpartition("@")[2].lower() in self.domains


@dataclass(frozen=True)
class IdentitySettings:
    """`url` is the public address, its /auth/v1 included: issuer of tokens and stem of links."""

    url: str
    site_url: str
    redirect_allow_list: tuple[str, ...] = ()
    access_token_lifetime: int = 3600
    link_lifetime: int = 3600
    flow_lifetime: int = 300
    reuse_interval: float = 10.0
    mail_interval: float = 60.0
    signup_enabled: bool = True
    password_min_length: int = 6
    response_floor: float = 0.5
    providers: tuple[Provider, ...] = ()
    single_sign_on: tuple[Provider, ...] = ()
    confirm_url: str | None = None

    def provider(self, name: str) -> Provider | None:
        return next((p for p in (*self.providers, *self.single_sign_on) if p.name == name), None)

    def sign_on_for(self, domain: str) -> Provider | None:
        return next((p for p in self.single_sign_on if domain.lower() in p.domains), None)
