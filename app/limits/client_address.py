"""Who calls, when proxies stand between."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from slowapi.util import get_remote_address
from starlette.requests import Request

Address = IPv4Address | IPv6Address
IPV6_PREFIX = 64
"""Bits of an IPv6 address that tell one client from another: the rest is the client's own choice."""


class TrustedProxies:
    """Addresses and networks whose X-Forwarded-For is believed. Raises ValueError for one that is none."""

    def __init__(self, networks: str = "") -> None:
        self._networks = [ip_network(network.strip()) for network in networks.split(",") if network.strip()]

    def client_address(self, request: Request) -> str:
        """The last address on the way here that is no trusted proxy's."""
        nearest: str = get_remote_address(request)
        for hop in reversed(_forwarded(request)):
            if not self._trusts(nearest) or _parse(hop) is None:
                break
            nearest = hop
        return str(_parse(nearest) or nearest)

    def _trusts(self, hop: str) -> bool:
        address = _parse(hop)
        return address is not None and any(address in network for network in self._networks)


def bucket_of(address: str) -> str:
    """What shares a bucket: an IPv4 address, or the network of an IPv6 address."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_PREFIX), strict=False))
    return address


def _forwarded(request: Request) -> list[str]:
    return list(_hops(request.headers.getlist("x-forwarded-for")))


def _hops(values: Iterable[str]) -> Iterable[str]:
    return (hop.strip() for hop in ",".join(values).split(",") if hop.strip())


def _parse(hop: str) -> Address | None:
    """None for what is no address; a port is passed over."""
    try:
        address = ip_address(_without_port(hop))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
