"""Tables for people (Markdown) and files for programs (JSON)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

Row = Sequence[str | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A measured value and, where one is promised, the bound that it keeps or breaks."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def passed(self) -> bool | None:
        """None where nothing is promised. What could not be measured has not passed."""
        if self.at_most is None and self.at_least is None:
            return None
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    @property
    def bound(self) -> str:
        parts = [("≤", self.at_most), ("≥", self.at_least)]
        return " ".join(f"{sign} {shown(value)}" for sign, value in parts if value is not None)


def shown(value: str | float | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, str | int):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def table(header: Sequence[str], rows: Sequence[Row]) -> str:
    """In Markdown, with the columns aligned; all but the first are numbers, to the right."""
    cells = [list(header), *([shown(value) for value in row] for row in rows)]
    widths = [max(3, *(len(row[at]) for row in cells)) for at in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(row, widths) for row in [cells[0], rule, *cells[1:]])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(row, widths, strict=True)
    padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return "| " + " | ".join(padded) + " |"


def checks_table(checks: Sequence[Check]) -> str:
    verdicts = {None: "", True: "yes", False: "NO"}
    rows = [(check.name, check.value, check.unit, check.bound, verdicts[check.passed]) for check in checks]
    return table(["measure", "value", "unit", "promised", "kept"], rows)


def all_passed(checks: Sequence[Check]) -> bool:
    return all(check.passed is not False for check in checks)


def write_json(path: Path, content: Mapping[str, Any] | Sequence[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(finite(content), indent=1, ensure_ascii=False, default=str, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def finite(value: Any) -> Any:
    """Dataclasses as objects, and what is no number as null, as JSON has no NaN."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite(one) for key, one in value.items()}
    return [finite(one) for one in value] if isinstance(value, list | tuple) else value
