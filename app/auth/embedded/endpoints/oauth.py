"""The browser's way to a provider and back."""

from starlette.responses import JSONResponse, Response

from app.auth.embedded.endpoints.context import Context
from app.auth.embedded.errors import IdentityError
from app.auth.embedded.flows import checked_challenge
from app.auth.embedded.http import go, read, redirect_target
from app.auth.embedded.oauth import Return, StateRefused
from app.auth.embedded.redirects import with_query
from app.auth.embedded.schemas import SingleSignOn

PASSED_ON = ("prompt", "login_hint")


async def authorize(context: Context) -> Response:
    query = context.request.query_params
    await context.admit("request")
    challenge = checked_challenge(query.get("code_challenge", ""), query.get("code_challenge_method", ""))
    extra = {name: query[name] for name in PASSED_ON if name in query}
    target = redirect_target(context.request, context.identity)
    return go(await context.oauth.authorize(query.get("provider", ""), challenge, target, **extra), 302)


async def callback(context: Context) -> Response:
    names = ("state", "code", "error", "error_description")
    answer = Return(*(context.request.query_params.get(name, "") for name in names))
    await context.admit("request")
    try:
        return go(await context.oauth.come_back(answer), 302)
    except StateRefused as refused:
        return go(with_query(context.identity.settings.site_url, refused.told), 303)


async def single_sign_on(context: Context) -> Response:
    if not context.identity.settings.single_sign_on:
        raise IdentityError(404, "saml_provider_disabled", "Single sign-on is disabled")
    params = await read(context.request, SingleSignOn)
    await context.admit("request")
    target = redirect_target(context.request, context.identity, params.redirect_to)
    url = await context.oauth.single_sign_on(params, target)
    return JSONResponse({"url": url}) if params.skip_http_redirect else go(url, 303)
