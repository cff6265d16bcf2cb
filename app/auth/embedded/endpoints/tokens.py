"""Tokens for a password, a refresh token, a code, or a link from a mail."""

from starlette.responses import JSONResponse, Response

from app.auth.embedded import login, verification
from app.auth.embedded.endpoints.context import Context, Endpoint, floored
from app.auth.embedded.errors import IdentityError, invalid
from app.auth.embedded.http import go, read, redirect_target
from app.auth.embedded.schemas import IdTokenGrant, PasswordGrant, PkceGrant, RefreshGrant, Verify


async def token(context: Context) -> Response:
    grant = GRANTS.get(context.request.query_params.get("grant_type", ""))
    if grant is None:
        raise IdentityError(400, "invalid_credentials", "unsupported_grant_type")
    answer = await grant(context)
    answer.headers["cache-control"] = "no-store"
    return answer


@floored
async def _password(context: Context) -> Response:
    params = await read(context.request, PasswordGrant)
    await context.admit("login", params.email)
    return JSONResponse(await login.by_password(context.identity, params))


async def _refresh(context: Context) -> Response:
    params = await read(context.request, RefreshGrant)
    await context.admit("request")
    return JSONResponse(await login.by_refresh_token(context.identity, params))


async def _pkce(context: Context) -> Response:
    params = await read(context.request, PkceGrant)
    await context.admit("request")
    return JSONResponse(await login.by_code(context.identity, params))


async def _id_token(context: Context) -> Response:
    params = await read(context.request, IdTokenGrant)
    await context.admit("request")
    return JSONResponse(await context.oauth.by_id_token(params))


GRANTS: dict[str, Endpoint] = {
    "password": _password,
    "refresh_token": _refresh,
    "pkce": _pkce,
    "id_token": _id_token,
}


async def verify(context: Context) -> Response:
    params = await read(context.request, Verify)
    await context.admit("request", params.email or None)
    headers = {"cache-control": "no-store"}
    return JSONResponse(await verification.by_post(context.identity, params), headers=headers)


async def verify_in_browser(context: Context) -> Response:
    query = context.request.query_params
    link_type, token_hash = query.get("type", ""), query.get("token") or query.get("token_hash", "")
    if not link_type:
        raise invalid("Verify requires a verification type")
    if not token_hash:
        raise invalid("Verify requires a token or a token hash")
    await context.admit("request")
    target = redirect_target(context.request, context.identity)
    try:
        return go(await verification.by_browser(context.identity, link_type, token_hash, target), 303)
    except IdentityError as refusal:
        return go(verification.refusal_at(target, refusal, in_query=token_hash.startswith("pkce_")), 303)
