"""PKCE: a challenge kept until the code is exchanged."""

import base64
import hashlib
import hmac
import re
import uuid
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select

from app.auth.embedded.errors import IdentityError, invalid
from app.auth.embedded.identity import Work
from app.auth.embedded.models import FlowState, User

CHALLENGE = re.compile(r"[A-Za-z0-9._~-]+")


@dataclass(frozen=True)
class Challenge:
    value: str
    method: str


def checked_challenge(value: str, method: str) -> Challenge | None:
    if not value and not method:
        return None
    if not value or not method:
        raise invalid("PKCE flow requires code_challenge_method and code_challenge")
    if not 43 <= len(value) <= 128:
        raise invalid("code challenge has to be between 43 and 128 characters")
    if not CHALLENGE.fullmatch(value):
        raise invalid("code challenge can only contain letters, digits and -._~")
    if method.lower() not in ("s256", "plain"):
        raise invalid("Invalid code_challenge_method")
    return Challenge(value, method.lower())


def open_flow(
    work: Work, method: str, redirect_to: str, challenge: Challenge | None, user: User | None = None
) -> FlowState:
    flow = FlowState(
        id=uuid.uuid4(),
        method=method,
        challenge=challenge.value if challenge else None,
        challenge_method=challenge.method if challenge else None,
        user_id=user.id if user else None,
        redirect_to=redirect_to,
        provider_tokens={},
        created_at=work.now,
    )
    work.db.add(flow)
    return flow


def flow_of_link(
    work: Work, method: str, redirect_to: str, challenge: Challenge | None, user: User
) -> uuid.UUID | None:
    return open_flow(work, method, redirect_to, challenge, user).id if challenge else None


def issue_code(work: Work, flow: FlowState, user: User) -> str:
    code = str(uuid.uuid4())
    flow.code_sha256, flow.user_id, flow.issued_at = _sha256(code), user.id, work.now
    return code


async def exchange(work: Work, code: str, verifier: str) -> FlowState:
    """The flow of this code, which is gone thereafter; a wrong verifier does not cost the code."""
    if not code or not verifier:
        raise invalid("invalid request: both auth code and code verifier should be non-empty")
    flow = await work.db.scalar(select(FlowState).where(FlowState.code_sha256 == _sha256(code)).with_for_update())
    if flow is None or flow.user_id is None or flow.issued_at is None:
        raise IdentityError(404, "flow_state_not_found", "invalid flow state, no valid flow state found")
    if work.expired(flow.issued_at, work.settings.flow_lifetime):
        raise IdentityError(422, "flow_state_expired", "invalid flow state, flow state has expired")
    if not _fits(flow, verifier):
        sentence = "code challenge does not match previously saved code verifier"
        raise IdentityError(400, "bad_code_verifier", sentence)
    await work.db.delete(flow)
    return flow


def _fits(flow: FlowState, verifier: str) -> bool:
    if flow.challenge is None:
        return False
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    answer = digest if flow.challenge_method == "s256" else verifier
    return hmac.compare_digest(answer.encode(), flow.challenge.encode())


async def sweep(work: Work) -> None:
    """Forget journeys that nobody can end any more, a link's lifetime included."""
    oldest = work.now - timedelta(seconds=work.settings.link_lifetime + 2 * work.settings.flow_lifetime)
    await work.db.execute(delete(FlowState).where(FlowState.created_at < oldest))


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
