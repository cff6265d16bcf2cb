"""Whether a request comes from this machine itself, and by no detour."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

DETOURS = ("forwarded", "via", "x-real-ip")


def is_near(request: Request) -> bool:
    """A loopback peer that asks for a loopback host; what a proxy has passed on is never near.

    The host matters because a foreign page can have its own name lead here.
    """
    detour = any(name in DETOURS or name.startswith("x-forwarded") for name in request.headers)
    peer = request.client.host if request.client else ""
    return not detour and _is_loopback(peer) and _is_loopback(_host(request))


def _host(request: Request) -> str:
    hosts = request.headers.getlist("host")
    try:
        return (urlsplit(f"//{hosts[0]}").hostname or "") if len(hosts) == 1 else ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
