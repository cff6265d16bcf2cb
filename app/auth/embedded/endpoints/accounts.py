"""Sign-up and the mails that anybody may ask for."""

from starlette.responses import JSONResponse, Response

from app.auth.embedded import access, links, signup
from app.auth.embedded.endpoints.context import Context, floored
from app.auth.embedded.http import bearer, read, redirect_target
from app.auth.embedded.schemas import Invite, Otp, Recover, Resend, Signup


@floored
async def sign_up(context: Context) -> Response:
    params = await read(context.request, Signup)
    await context.admit("mail", params.email)
    target = redirect_target(context.request, context.identity)
    return JSONResponse(await signup.sign_up(context.identity, params, target))


@floored
async def magic_link(context: Context) -> Response:
    params = await read(context.request, Otp)
    await context.admit("mail", params.email)
    await links.magic_link(context.identity, params, redirect_target(context.request, context.identity))
    return JSONResponse({})


@floored
async def recover(context: Context) -> Response:
    params = await read(context.request, Recover)
    await context.admit("mail", params.email)
    await links.recover(context.identity, params, redirect_target(context.request, context.identity))
    return JSONResponse({})


@floored
async def resend(context: Context) -> Response:
    params = await read(context.request, Resend)
    await context.admit("mail", params.email)
    await links.resend(context.identity, params, redirect_target(context.request, context.identity))
    return JSONResponse({})


async def invite(context: Context) -> Response:
    await access.administrator(context.identity, bearer(context.request))
    params = await read(context.request, Invite)
    target = redirect_target(context.request, context.identity)
    return JSONResponse(await links.invite(context.identity, params, target))
