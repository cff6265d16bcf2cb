"""What an invitation's mail says."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from app.auth.embedded.mail import Mail

PAGE = "/auth/invitation"
NOT_YOU = "If you do not know what this is about, you can ignore this mail."


def letter(public_url: str, to: str, organization: str, role: str, token: str, days: int) -> Mail:
    link = f"{public_url.rstrip('/')}{PAGE}?{urlencode({'token': token})}"
    name = " ".join("".join(sign if sign.isprintable() else " " for sign in organization).split())
    sentence = f"You are invited to join {name} as {_article(role)}."
    valid = f"The invitation is good for {days} days and only for {to}."
    html = (
        f"<p>{escape(sentence)}</p>"
        f'<p><a href="{escape(link)}">Accept the invitation</a></p>'
        f"<p>{escape(valid)}</p><p>{escape(NOT_YOU)}</p>"
    )
    text = f"{sentence}\n\nFollow this link to accept:\n\n{link}\n\n{valid}\n\n{NOT_YOU}\n"
    return Mail(to, f"Invitation to {name}", text, html)


def _article(role: str) -> str:
    return f"{'an' if role[0] in 'ao' else 'a'} {role}"
