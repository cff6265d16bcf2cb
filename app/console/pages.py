"""Pages and files as they are sent: nothing foreign, nothing inline, nothing kept."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from starlette.responses import Response

from app.errors import NotFound

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self';"
        " frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
}
TYPES = {".js": "text/javascript", ".css": "text/css"}
FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="../static/pages.css">
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def page(html: str) -> Response:
    return Response(html, headers=HEADERS, media_type="text/html")


def stored_page(name: str) -> Response:
    return page(_file(f"{name}.html"))


def framed(title: str, body: str) -> Response:
    """A page made here; whoever makes it has escaped what is not their own."""
    return page(FRAME.format(title=title, body=body))


def stored_file(name: str) -> Response:
    """Raises NotFound for any but scripts and styles."""
    kind = next((media for ending, media in TYPES.items() if name.endswith(ending)), None)
    if kind is None or name not in _names():
        raise NotFound
    return Response(_file(name), headers=HEADERS | {"Cache-Control": "no-cache"}, media_type=kind)


@cache
def _file(name: str) -> str:
    return (files("app.console") / "static" / name).read_text("utf-8")


@cache
def _names() -> frozenset[str]:
    return frozenset(entry.name for entry in (files("app.console") / "static").iterdir())
