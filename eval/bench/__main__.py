"""All benchmarks, or those named: `python -m eval.bench [NAME…]`. Exit code 1 where a promise is broken."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eval.bench import access, embedder, enumeration, growth, load, overhead
from eval.report import Check, all_passed, checks_table, write_json
from pipelines.embedding import resolve_embedding

Benchmarks = Mapping[str, Callable[[], list[Check]]]


def benchmarks(reference_python: str) -> Benchmarks:
    return {
        "embedder": lambda: embedder_checks(reference_python),
        "overhead": lambda: overhead.main([]),
        "load": lambda: load.main([]),
        "growth": lambda: growth.main([]),
        "access": lambda: access.main([]),
        "enumeration": lambda: enumeration.main([]),
    }


def embedder_checks(reference_python: str) -> list[Check]:
    options = argparse.Namespace(reference_python=reference_python, passages=48, rounds=8)
    with tempfile.TemporaryDirectory(prefix="embedder-") as folder:
        return as_checks(embedder.measure(resolve_embedding(data_folder=Path(folder)), options))


def as_checks(measured: Mapping[str, Any]) -> list[Check]:
    """Where there is no reference, only our own speed, without a verdict."""
    speed, cosine = measured["passages_per_second"], measured.get("cosine")
    checks = [Check(name="passages/s", value=speed["ours"])]
    if cosine:
        checks += [
            Check(name="passages/s / sentence-transformers'", value=speed["ratio"], at_least=1.8),
            Check(name="mean cosine to sentence-transformers", value=cosine["mean"], at_least=0.997),
        ]
    return checks


def run(chosen: Benchmarks) -> list[Check]:
    checks: list[Check] = []
    for name, benchmark in chosen.items():
        print(f"{name} …", file=sys.stderr)
        checks += [replace(check, name=f"{name}: {check.name}") for check in benchmark()]
    return checks


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(benchmarks("")))
    parser.add_argument("--reference-python", default=sys.executable, help="an interpreter with sentence-transformers")
    parser.add_argument("--json", type=Path, help="write the rows there too")
    options = parser.parse_args(arguments)
    known = benchmarks(options.reference_python)
    if unknown := set(options.names) - known.keys():
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    checks = run({name: known[name] for name in options.names or known})
    print(checks_table(checks))
    if options.json:
        write_json(options.json, checks)
    return int(not all_passed(checks))


if __name__ == "__main__":
    sys.exit(main())
