"""What anybody may know about the server."""

from starlette.responses import JSONResponse, Response

from app.auth.embedded.endpoints.context import Context
from app.auth.embedded.oauth import KNOWN

JWKS_SECONDS = 600


async def health(context: Context) -> Response:
    return JSONResponse({"name": "kb-identity", "version": "", "description": "User registration and login"})


async def settings(context: Context) -> Response:
    chosen = context.identity.settings
    enabled = {p.name for p in chosen.providers}
    external = {name: name in enabled for name in sorted({*KNOWN, *enabled})}
    return JSONResponse(
        {
            "external": {**external, "anonymous_users": False, "email": True, "phone": False},
            "disable_signup": not chosen.signup_enabled,
            "mailer_autoconfirm": False,
            "phone_autoconfirm": False,
            "sms_provider": "",
            "saml_enabled": bool(chosen.single_sign_on),
            "passkeys_enabled": False,
            "saml_private_key_next_configured": True,
        }
    )


async def jwks(context: Context) -> Response:
    await context.identity.keys.load()
    headers = {"cache-control": f"public, max-age={JWKS_SECONDS}"}
    return JSONResponse({"keys": context.identity.keys.public()}, headers=headers)
