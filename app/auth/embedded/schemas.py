"""Request bodies: unknown members are ignored, null is as if absent, nothing is converted."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

Data = dict[str, Any]


class Params(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, body: Any) -> Any:
        body = {} if body is None else body
        return {k: v for k, v in body.items() if v is not None} if isinstance(body, dict) else body


class Pkce(Params):
    code_challenge: str = ""
    code_challenge_method: str = ""


class Signup(Pkce):
    email: str = ""
    phone: str = ""
    password: str = ""
    data: Data = {}


class Otp(Pkce):
    email: str = ""
    phone: str = ""
    create_user: bool = True
    data: Data = {}


class Recover(Pkce):
    email: str = ""


class Resend(Pkce):
    type: str = ""
    email: str = ""
    phone: str = ""


class Verify(Params):
    type: str = ""
    token: str = ""
    token_hash: str = ""
    email: str = ""
    phone: str = ""


class PasswordGrant(Params):
    email: str = ""
    phone: str = ""
    password: str = ""


class RefreshGrant(Params):
    refresh_token: str = ""


class PkceGrant(Params):
    auth_code: str = ""
    code_verifier: str = ""


class IdTokenGrant(Params):
    provider: str = ""
    id_token: str = ""
    nonce: str = ""


class SingleSignOn(Pkce):
    domain: str = ""
    provider_id: str = ""
    redirect_to: str = ""
    skip_http_redirect: bool = False


class UserUpdate(Pkce):
    email: str = ""
    phone: str = ""
    password: str | None = None
    data: Data | None = None
    app_metadata: Data | None = None


class Invite(Params):
    email: str = ""
    data: Data = {}


class AdminUser(Params):
    id: str | None = None
    email: str = ""
    phone: str = ""
    password: str | None = None
    password_hash: str | None = None
    email_confirm: bool = False
    user_metadata: Data = {}
    app_metadata: Data = {}
    role: str = Field(default="", max_length=64)
    ban_duration: str | None = None


class DeleteUser(Params):
    should_soft_delete: bool = False


class GenerateLink(Params):
    type: str = ""
    email: str = ""
    new_email: str = ""
    password: str = ""
    data: Data = {}
    redirect_to: str = ""
