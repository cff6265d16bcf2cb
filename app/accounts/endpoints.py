"""/api/auth."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app import schemas
from app.accounts import examples, mails, service
from app.accounts.dependencies import AtDesk, Services, Somebody, admit_login, admit_mail
from app.accounts.schemas import (
    AddressOnly,
    ChangePassword,
    LogIn,
    Refresh,
    SignUp,
    Verify,
    weak_or_invalid,
)
from app.accounts.service import Scope
from app.auth.credentials import Individual, authenticate_person
from app.auth.routes import OPEN
from app.bodies import body, json_media_type
from app.limits.dependencies import ADDRESS_LIMITED
from app.openapi import EVERYWHERE, answers, refusals, request_body
from app.organizations import repository as organizations
from app.principal import Person
from app.responses import json_response
from app.state import Knowledge

router = APIRouter(prefix="/api/auth", tags=["Accounts"], responses=EVERYWHERE)
POSTED = [Depends(json_media_type), OPEN, ADDRESS_LIMITED]
PERSONAL = [Depends(authenticate_person), ADDRESS_LIMITED]
NOT_KEPT = {"Cache-Control": "no-store"}

SIGNED_UP = "Follow the link in the mail that we have sent you; then log in."
JOINED = "Your account is ready: log in."
MAIL_SENT = "If there is something to send to this address, a mail is on its way."
CLOSED = refusals({403: "Signing up is closed, or the invitation is for another address."})


@router.post(
    "/signup",
    dependencies=POSTED,
    status_code=201,
    openapi_extra=request_body(SignUp),
    responses={**answers(201, "The same for every address.", examples.SIGNED_UP, schemas.SignedUp), **CLOSED},
)
async def sign_up(
    request: Request, desk: AtDesk, given: Annotated[SignUp, Depends(body(SignUp, weak_or_invalid))]
) -> Response:
    """Sign up: a user and, once the address is verified, an organization; or a member, by an invitation."""
    await admit_mail(request, given.email)
    if given.invitation_token is not None:
        user_id = await service.sign_up_invited(desk, given.email, given.password, given.invitation_token)
        return _signed_up(user_id, given.email, JOINED)
    user_id = await service.sign_up(desk, given.email, given.password, given.organization_name or "")
    return _signed_up(user_id, given.email, SIGNED_UP)


@router.post(
    "/login",
    dependencies=POSTED,
    openapi_extra=request_body(LogIn),
    responses=answers(200, "A token set.", examples.ARRIVED, schemas.TokenSet),
)
async def log_in(request: Request, desk: AtDesk, given: Annotated[LogIn, Depends(body(LogIn))]) -> Response:
    """Log in with a password."""
    await admit_login(request, given.email)
    return token_response((await service.log_in(desk, given.email, given.password)).as_json())


@router.post(
    "/magic-link",
    dependencies=POSTED,
    openapi_extra=request_body(AddressOnly),
    responses=answers(200, "The same for every address.", examples.MAIL_SENT, schemas.Sent),
)
async def magic_link(
    request: Request, desk: AtDesk, given: Annotated[AddressOnly, Depends(body(AddressOnly))]
) -> Response:
    """Ask for a link that logs in, by mail; it is good for an hour and for once."""
    await admit_mail(request, given.email)
    await mails.magic_link(desk, given.email)
    return _mail_sent()


@router.post(
    "/refresh",
    dependencies=POSTED,
    openapi_extra=request_body(Refresh),
    responses=answers(200, "Two new tokens.", examples.TOKENS, schemas.Tokens),
)
async def refresh(desk: AtDesk, given: Annotated[Refresh, Depends(body(Refresh))]) -> Response:
    """Get a new access token, and a new refresh token."""
    return token_response((await service.refresh(desk, given.refresh_token)).as_json())


@router.post(
    "/verify",
    dependencies=POSTED,
    openapi_extra=request_body(Verify),
    responses=answers(200, "A token set.", examples.ARRIVED, schemas.TokenSet),
)
async def verify(desk: AtDesk, given: Annotated[Verify, Depends(body(Verify))]) -> Response:
    """Follow the link of a mail, which is used up then."""
    return token_response((await service.verify(desk, given.token_hash, given.type)).as_json())


@router.post(
    "/resend-verification",
    dependencies=POSTED,
    openapi_extra=request_body(AddressOnly),
    responses=answers(200, "The same for every address.", examples.MAIL_SENT, schemas.Sent),
)
async def resend_verification(
    request: Request, desk: AtDesk, given: Annotated[AddressOnly, Depends(body(AddressOnly))]
) -> Response:
    """Ask for the mail of a sign-up again."""
    await admit_mail(request, given.email)
    await mails.resend_verification(desk, given.email)
    return _mail_sent()


@router.post(
    "/password/reset",
    dependencies=POSTED,
    openapi_extra=request_body(AddressOnly),
    responses=answers(200, "The same for every address.", examples.MAIL_SENT, schemas.Sent),
)
async def reset_password(
    request: Request, desk: AtDesk, given: Annotated[AddressOnly, Depends(body(AddressOnly))]
) -> Response:
    """Ask for a link to choose a new password, by mail."""
    await admit_mail(request, given.email)
    await mails.reset_password(desk, given.email)
    return _mail_sent()


@router.post(
    "/password/update",
    dependencies=[Depends(json_media_type), *PERSONAL],
    status_code=204,
    openapi_extra=request_body(ChangePassword),
    responses={204: {"description": "Changed; the person's other sessions have ended."}},
)
async def change_password(
    person: Individual,
    desk: AtDesk,
    given: Annotated[ChangePassword, Depends(body(ChangePassword, weak_or_invalid))],
) -> Response:
    """Choose a new password."""
    await service.change_password(desk, person, given.password)
    return Response(status_code=204)


@router.post(
    "/logout", dependencies=PERSONAL, status_code=204, responses={204: {"description": "The session has ended."}}
)
async def log_out(person: Individual, desk: AtDesk, scope: Annotated[Scope, Query()] = "local") -> Response:
    """Log out: this session, the person's others, or all of them."""
    await service.log_out(desk, person, scope)
    return Response(status_code=204)


@router.get(
    "/providers",
    dependencies=[OPEN, ADDRESS_LIMITED],
    responses=answers(200, "Those that are switched on.", examples.PROVIDERS, schemas.Providers),
)
async def providers(services: Services) -> Response:
    """List the providers that one can sign in with."""
    offer = await services.desk.offers.now()
    return json_response({"providers": [provider.as_json() for provider in offer.providers]})


@router.get("/me", responses=answers(200, "Who asks, and as what.", examples.ME, schemas.Me))
async def me(caller: Somebody, knowledge: Knowledge) -> Response:
    """Tell who the credentials are, and in which organization."""
    if isinstance(caller, Person):
        return json_response({"user": _user(caller), "organization": None, "role": None, "credential": "access_token"})
    found = await knowledge.database.read(organizations.get, caller.organization_id)
    return json_response(
        {
            "user": _user(caller.person) if caller.person else None,
            "organization": {"id": caller.organization_id, "name": found.name if found else None},
            "role": caller.role,
            "credential": caller.credential,
        }
    )


def token_response(tokens: dict[str, Any]) -> Response:
    return json_response(tokens, headers=NOT_KEPT)


def _user(person: Person) -> dict[str, Any]:
    return {"id": person.user_id, "email": person.email}


def _signed_up(user_id: UUID, email: str, message: str) -> Response:
    user = {"id": user_id, "email": email}
    return json_response({"success": True, "user": user, "message": message}, 201)


def _mail_sent() -> Response:
    return json_response({"success": True, "message": MAIL_SENT})
