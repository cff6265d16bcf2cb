"""The plans as README tells them."""

from __future__ import annotations

import re
from pathlib import Path

from app.plans import PLANS

README = Path(__file__).parents[2] / "README.md"


def test_readme_has_the_numbers_of_the_plans() -> None:
    """Each plan is a row, in the order of the code, and there is no other."""
    told = README.read_text(encoding="utf-8").partition("## Plans and limits")[2].partition("\n## ")[0]
    rows = [
        (
            plan.name,
            f"{plan.requests.per_minute:,} ({plan.requests.burst:,})",
            f"{plan.queries_per_minute:,}",
            "unlimited" if plan.queries_per_month is None else f"{plan.queries_per_month:,}",
        )
        for plan in PLANS.values()
    ]
    assert re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$", told, re.MULTILINE) == rows
