"""The texts of the mails, in one place."""

from html import escape
from typing import Literal

from app.auth.embedded.mail import Mail

Kind = Literal["signup", "magiclink", "recovery", "invite", "email_change"]

LETTERS: dict[Kind, tuple[str, str, str]] = {
    "signup": ("Confirm your e-mail address", "Follow this link to confirm your address:", "Confirm my address"),
    "magiclink": ("Your link to log in", "Follow this link to log in:", "Log in"),
    "recovery": ("Reset your password", "Follow this link to choose a new password:", "Choose a new password"),
    "invite": ("You have been invited", "Follow this link to accept the invitation:", "Accept the invitation"),
    "email_change": (
        "Confirm your new e-mail address",
        "Follow this link to confirm the change of your address:",
        "Confirm the change",
    ),
}
NOT_YOU = "If you did not ask for this, you can ignore this mail."


def with_link(kind: Kind, to: str, link: str, code: str) -> Mail:
    subject, sentence, button = LETTERS[kind]
    text = f"{sentence}\n\n{link}\n\nOr enter this code: {code}\n\n{NOT_YOU}\n"
    html = (
        f"<p>{escape(sentence)}</p>"
        f'<p><a href="{escape(link)}">{escape(button)}</a></p>'
        f"<p>Or enter this code: <strong>{code}</strong></p><p>{escape(NOT_YOU)}</p>"
    )
    return Mail(to, subject, text, html)


def with_code(to: str, code: str) -> Mail:
    sentence = "Enter this code to confirm that it is you:"
    html = f"<p>{sentence}</p><p><strong>{code}</strong></p><p>{NOT_YOU}</p>"
    return Mail(to, "Confirm that it is you", f"{sentence} {code}\n\n{NOT_YOU}\n", html)
