"""The embedded identity server as an ASGI application, to be mounted at /auth/v1."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.auth.embedded.endpoints import accounts, admin, metadata, oauth, tokens, users
from app.auth.embedded.endpoints.context import Endpoint, as_route
from app.auth.embedded.identity import Identity
from app.auth.embedded.limiter import Limiter, Unlimited
from app.auth.embedded.oauth import OAuth

ENDPOINTS: tuple[tuple[str, str, Endpoint], ...] = (
    ("GET", "/health", metadata.health),
    ("GET", "/settings", metadata.settings),
    ("GET", "/.well-known/jwks.json", metadata.jwks),
    ("POST", "/signup", accounts.sign_up),
    ("POST", "/otp", accounts.magic_link),
    ("POST", "/magiclink", accounts.magic_link),
    ("POST", "/recover", accounts.recover),
    ("POST", "/resend", accounts.resend),
    ("POST", "/invite", accounts.invite),
    ("POST", "/token", tokens.token),
    ("POST", "/verify", tokens.verify),
    ("GET", "/verify", tokens.verify_in_browser),
    ("POST", "/logout", users.log_out),
    ("GET", "/reauthenticate", users.reauthenticate),
    ("GET", "/authorize", oauth.authorize),
    ("GET", "/callback", oauth.callback),
    ("POST", "/sso", oauth.single_sign_on),
    ("POST", "/admin/users", admin.create_user),
    ("GET", "/admin/users", admin.list_users),
    ("GET", "/admin/users/{user_id}", admin.read_user),
    ("PUT", "/admin/users/{user_id}", admin.update_user),
    ("DELETE", "/admin/users/{user_id}", admin.delete_user),
    ("POST", "/admin/generate_link", admin.generate_link),
)
CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": "apikey, authorization, content-type, x-client-info, x-supabase-api-version",
    "access-control-expose-headers": "x-total-count, link, x-supabase-api-version",
    "access-control-max-age": "600",
}


def create_identity_app(identity: Identity, *, limiter: Limiter | None = None) -> ASGIApp:
    """The server over `identity`; `limiter` counts what comes from outside the process."""
    routes = [Route(path, as_route(endpoint), methods=[method]) for method, path, endpoint in ENDPOINTS]
    every = ["GET", "PUT", "POST", "DELETE", "PATCH"]
    app = Starlette(routes=[*routes, Route("/user", as_route(users.user), methods=every)])
    app.add_exception_handler(HTTPException, _plain)
    app.state.identity, app.state.oauth, app.state.limiter = identity, OAuth(identity), limiter or Unlimited()
    return CrossOrigin(app)


async def _plain(request: Request, fault: Exception) -> Response:
    if isinstance(fault, HTTPException) and fault.status_code == 405:
        allow = (fault.headers or {}).get("Allow", "").split(", ")
        return Response(status_code=405, headers={"allow": ", ".join(sorted({*allow} - {"HEAD"}))})
    return PlainTextResponse("404 page not found\n", 404)


class CrossOrigin:
    """Pages of any origin may call, for no cookie counts here: a token has to be shown."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", []))
        if scope["type"] != "http" or b"origin" not in headers:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=CORS)(scope, receive, send)
        else:
            await self._app(scope, receive, _with_cors(send))


def _with_cors(send: Send) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in CORS.items()]

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return wrapped
