"""The plans and their numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """A token bucket's numbers: how fast it fills, and how much it holds."""

    per_minute: int
    burst: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organization may do in a minute and in a month."""

    name: str
    requests: Rate
    queries_per_minute: int
    queries_per_month: int | None
    """None: as many as they like."""


PLANS = {
    plan.name: plan
    for plan in (
        Plan("free", Rate(per_minute=10, burst=20), queries_per_minute=5, queries_per_month=100),
        Plan("pro", Rate(per_minute=100, burst=200), queries_per_minute=20, queries_per_month=1_000),
        Plan("enterprise", Rate(per_minute=1_000, burst=2_000), queries_per_minute=100, queries_per_month=None),
    )
}

SMALLEST = "free"
"""What a new organization has."""

PER_ADDRESS = Rate(per_minute=20, burst=40)
"""For the account endpoints, by client address."""

PER_EMAIL = Rate(per_minute=5, burst=5)
"""For the account endpoints, by e-mail address; mails and logins are counted apart."""
