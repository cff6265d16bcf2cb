"""The identity server on a port of its own: `python -m app.auth.embedded --port 9998 --database sqlite+aiosqlite:///identity.db`."""

import argparse
import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from app.auth.embedded import (
    Identity,
    IdentitySettings,
    Mailer,
    OutboxMailer,
    Provider,
    SmtpMailer,
    create_identity_app,
    migrate,
    open_engine,
)

PREFIX = "/auth/v1"


def main() -> None:
    asyncio.run(_run(_arguments()))


async def _run(args: argparse.Namespace) -> None:
    identity = Identity.over(open_engine(args.database), _settings(args), _mailer(args))
    await migrate(identity.database)
    await identity.keys.load()
    if args.rotate_keys:
        await identity.keys.rotate()
    for name, role in (("anon", "anon"), ("service", "service_role")):
        print(name, identity.keys.api_key(role), flush=True)  # noqa: T201 - what the command is for
    if not args.keys_only:
        await _serve(args, identity)
    await identity.database.engine.dispose()


async def _serve(args: argparse.Namespace, identity: Identity) -> None:
    served = create_identity_app(identity)
    paths = {PREFIX, urlsplit(identity.settings.url).path.rstrip("/")}  # whether or not a proxy strips what is before
    app = Starlette(routes=[Mount(path, served) for path in sorted(paths)])
    await uvicorn.Server(uvicorn.Config(app, args.host, args.port, log_level="warning")).serve()


def _settings(args: argparse.Namespace) -> IdentitySettings:
    url = args.url or f"http://{args.host}:{args.port}{PREFIX}"
    return IdentitySettings(
        url=url,
        site_url=args.site,
        redirect_allow_list=tuple(args.allow),
        reuse_interval=args.reuse_interval,
        mail_interval=args.mail_interval,
        signup_enabled=not args.sign_up_closed,
        response_floor=args.floor,
        providers=tuple(_provider(text) for text in args.provider),
        single_sign_on=tuple(_provider(text) for text in args.sso),
        confirm_url=args.confirm_url,
    )


def _provider(text: str) -> Provider:
    """`name,issuer,client_id,client_secret[,domain…]`"""
    name, issuer, client_id, client_secret, *domains = text.split(",")
    return Provider(name, issuer, client_id, client_secret, domains=frozenset(d.lower() for d in domains))


def _mailer(args: argparse.Namespace) -> Mailer:
    if args.smtp_port:
        return SmtpMailer(args.smtp_host, args.smtp_port, args.sender, start_tls=False)
    return OutboxMailer(Path(args.outbox), args.sender)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m app.auth.embedded", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9998)
    parser.add_argument("--url", help="the public address, /auth/v1 included")
    parser.add_argument("--site", default="http://127.0.0.1:8000", help="where browsers return to")
    parser.add_argument("--allow", action="append", default=[], help="a redirect pattern; may be repeated")
    parser.add_argument("--database", default="sqlite+aiosqlite:///identity.db")
    parser.add_argument("--smtp-host", default="127.0.0.1")
    parser.add_argument("--smtp-port", type=int, help="without it mails are kept in --outbox")
    parser.add_argument("--outbox", default="outbox")
    parser.add_argument("--sender", default="no-reply@localhost")
    parser.add_argument("--confirm-url", help="the page that mails lead to, instead of this server's /verify")
    parser.add_argument("--provider", action="append", default=[], help="name,issuer,client_id,client_secret")
    parser.add_argument("--sso", action="append", default=[], help="name,issuer,client_id,client_secret,domain…")
    parser.add_argument("--sign-up-closed", action="store_true")
    parser.add_argument("--reuse-interval", type=float, default=_number("KB_IDENTITY_REUSE_INTERVAL", 10.0))
    parser.add_argument("--mail-interval", type=float, default=_number("KB_IDENTITY_MAIL_INTERVAL", 60.0))
    parser.add_argument("--floor", type=float, default=0.5, help="seconds that login and mail requests take at least")
    parser.add_argument("--rotate-keys", action="store_true")
    parser.add_argument("--keys-only", action="store_true", help="print the anon and service keys and end")
    return parser.parse_args()


def _number(name: str, default: float) -> float:
    return float(os.environ.get(name, default))


if __name__ == "__main__":
    main()
