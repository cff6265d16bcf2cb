"""The mails that were kept instead of sent, for whoever develops on this machine."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

NEWEST = 50
LINK = re.compile(r"https?://[^\s<>\"]+")


@dataclass(frozen=True, slots=True)
class KeptMail:
    to: str
    subject: str
    date: str
    text: str


def newest(folder: Path) -> Sequence[KeptMail]:
    """Files are named by the time of their mail."""
    return [_read(path) for path in sorted(folder.glob("*.eml"), reverse=True)[:NEWEST]]


def as_html(mails: Iterable[KeptMail]) -> str:
    shown = "\n".join(_article(mail) for mail in mails)
    return f"<h1>Outbox</h1>\n<p>Mails are kept here because no mail server is set.</p>\n{shown or '<p>None yet.</p>'}"


def _read(path: Path) -> KeptMail:
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    body = mail.get_body(("plain",))
    return KeptMail(str(mail["To"]), str(mail["Subject"]), str(mail["Date"]), str(body.get_content()) if body else "")


def _article(mail: KeptMail) -> str:
    head = f"<h2>{escape(mail.subject)}</h2>\n<p>To {escape(mail.to)}, {escape(mail.date)}</p>"
    return f"<article>\n{head}\n<pre>{_with_links(mail.text)}</pre>\n</article>"


def _with_links(text: str) -> str:
    """Escaped, and its addresses can be followed."""
    pieces, end = [], 0
    for found in LINK.finditer(text):
        link = escape(found.group(0))
        pieces += [escape(text[end : found.start()]), f'<a href="{link}">{link}</a>']
        end = found.end()
    return "".join([*pieces, escape(text[end:])])
