"""What the person behind a token may do."""

from starlette.responses import JSONResponse, Response

from app.auth.embedded import access, account
from app.auth.embedded.endpoints.context import Context
from app.auth.embedded.http import bearer, read, redirect_target
from app.auth.embedded.schemas import UserUpdate


async def user(context: Context) -> Response:
    """As recorded, a credential is asked for before the method."""
    who = await access.caller(context.identity, bearer(context.request))
    method = METHODS.get(context.request.method)
    if method is None:
        return Response(status_code=405, headers={"allow": ", ".join(METHODS)})
    return await method(context, who)


async def _read(context: Context, who: access.Caller) -> Response:
    return JSONResponse(await account.read(context.identity, who))


async def _update(context: Context, who: access.Caller) -> Response:
    params = await read(context.request, UserUpdate)
    await context.admit("mail" if params.email else "request", params.email or None)
    target = redirect_target(context.request, context.identity)
    return JSONResponse(await account.update(context.identity, who, params, target))


METHODS = {"GET": _read, "PUT": _update}


async def log_out(context: Context) -> Response:
    who = await access.caller(context.identity, bearer(context.request))
    await account.log_out(context.identity, who, context.request.query_params.get("scope") or "global")
    return Response(status_code=204)


async def reauthenticate(context: Context) -> Response:
    who = await access.caller(context.identity, bearer(context.request))
    await account.reauthenticate(context.identity, who)
    return JSONResponse({})
