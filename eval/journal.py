"""Rows as they come, in a file beside the report: the same command goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.records import Record, RunFileError, as_line


class Journal:
    """JSON Lines: first what the run is, then its rows. `rows` are those of an earlier, interrupted run."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Raises RunFileError where the file belongs to another run."""
        self._path = path
        self.rows: dict[tuple[str, str], Record] = {}
        if not self._taken_up(identity):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(identity, sort_keys=True) + "\n", encoding="utf-8")

    def _taken_up(self, identity: Mapping[str, Any]) -> bool:
        """What failed is not taken up: it is asked again. A row that was cut off in the middle is left out, too.

        A file without rows is of no run.
        """
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        if len(lines) <= 1:
            return False
        if differs := _differing(_parsed(lines[0]) or {}, json.loads(json.dumps(identity))):
            raise RunFileError(
                f"{self._path} is of another run ({differs} differs): remove it, or choose another --out"
            )
        raws = [raw for raw in map(_parsed, lines[1:]) if raw is not None]
        self.rows = {row.key: row for row in map(Record.from_dict, raws) if not row.error}
        kept = [lines[0], *map(as_line, self.rows.values())]
        self._path.write_text("\n".join(kept) + "\n", encoding="utf-8")
        return True

    def append(self, row: Record) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(as_line(row) + "\n")


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        raw = json.loads(line)
    except json.JSONDecodeError:
        return None
    return raw if isinstance(raw, dict) else None


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    return ", ".join(name for name in sorted({*one, *other}) if one.get(name) != other.get(name))
