"""What a command says: results on stdout, everything else on stderr, so that results can be piped."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress


def say(text: str = "", *, end: str = "\n") -> None:
    """A result."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def tell(text: str) -> None:
    """A note beside the results."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def say_json(value: Any) -> None:
    """A result for programs: one line."""
    say(json.dumps(value, ensure_ascii=False, default=str))


def say_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A result for people."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    wide = None if sys.stdout.isatty() else 200
    Console(file=sys.stdout, width=wide).print(table, markup=False)


def say_fields(fields: Mapping[str, Any]) -> None:
    """One thing with its fields, a line each."""
    width = max(map(len, fields))
    for name, value in fields.items():
        say(f"{name:<{width}}  {value}")


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar on stderr where that is a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
    with shown:
        yield shown
