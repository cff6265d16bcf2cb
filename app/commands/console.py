"""What a command says: results on stdout, everything else on stderr, so that results can be piped."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What commands a terminal or turns the order of text around: people's texts are in what is said."""


def say(text: str = "", *, end: str = "\n") -> None:
    """A result."""
    sys.stdout.write(_harmless(text) + end)
    sys.stdout.flush()


def tell(text: str) -> None:
    """A note beside the results."""
    sys.stderr.write(_harmless(text) + "\n")
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
        table.add_row(*(_harmless(str(cell)).replace("\n", "\\u000a") for cell in row))
    wide = None if sys.stdout.isatty() else 200
    Console(file=sys.stdout, width=wide).print(table, markup=False)


def say_fields(fields: Mapping[str, Any]) -> None:
    """One thing with its fields, a line each."""
    width = max(map(len, fields))
    for name, value in fields.items():
        say(f"{name:<{width}}  {value}")


def _harmless(text: str) -> str:
    """As JSON escapes it, so that JSON stays what it is."""
    return UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


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
