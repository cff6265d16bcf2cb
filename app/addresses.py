"""E-mail addresses as bodies bring them: what a mail can be sent to, in small letters."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
ADDRESS = re.compile(rf"(?!.*=\?)[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{LABEL}(?:\.{LABEL})*")
"""The addresses that the identity server takes: `=?` begins an encoded word (RFC 2047), which may be another one."""
LONGEST = 255


def normalized(email: str) -> str:
    """Raises ValueError, with a sentence, for what is no address."""
    email = email.strip()
    if len(email) > LONGEST or not ADDRESS.fullmatch(email):
        raise ValueError("must be an e-mail address")
    return email.lower()


Email = Annotated[str, AfterValidator(normalized), Field(json_schema_extra={"format": "email"})]
