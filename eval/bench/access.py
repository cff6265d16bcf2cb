"""What do accounts and limits cost a question? `python -m eval.bench.access`

The same questions to two services in turn: by an API key with KB_LIMITS=off, by an access token with limits on.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import httpx

from eval.bench.people import sign_up
from eval.bench.service import environment_of, last_line, running_service
from eval.bench.stand_ins import milliseconds
from eval.datasets import HANDBOOK, load
from eval.metrics import median
from eval.report import Check, all_passed, checks_table
from pipelines.types import NewDocument

DEARER = 2.0
PEOPLE, QUESTIONS_EACH, DOCUMENTS = 3, 60, 40
"""A person may ask 100 questions a minute."""


def fill(client: httpx.Client, headers: Mapping[str, str], documents: Sequence[NewDocument]) -> None:
    items = [
        {"source": one.source, "external_id": one.external_id, "title": one.title, "content": one.content}
        for one in documents
    ]
    client.post("/api/documents/batch?upsert=true", json={"documents": items}, headers=dict(headers)).raise_for_status()


def ask(client: httpx.Client, headers: Mapping[str, str], question: str) -> float:
    started = time.perf_counter()
    client.post("/api/ai/query", json={"question": question}, headers=dict(headers)).raise_for_status()
    return milliseconds(started)


def newcomer(client: httpx.Client, folder: Path, number: int) -> dict[str, str]:
    """The header of somebody whose organization is on the largest plan."""
    person = sign_up(client, folder, f"person{number}@example.com")
    last_line(["admin", "set-plan", person.organization_id, "enterprise"], environment_of(folder))
    return {"Authorization": f"Bearer {person.access_token}"}


def measure(folder: Path) -> list[Check]:
    dataset = load(HANDBOOK)
    documents, questions = dataset.documents[:DOCUMENTS], [one.text for one in dataset.questions]
    (folder / "plain").mkdir()
    (folder / "whole").mkdir()
    settings = {"KB_LIMITS": "on", "KB_IDENTITY_FLOOR": "0", "KB_IDENTITY_MAIL_INTERVAL": "0"}
    with ExitStack() as stack:
        plain = stack.enter_context(running_service(folder / "plain"))
        whole = stack.enter_context(running_service(folder / "whole", **settings))
        by_key = stack.enter_context(httpx.Client(base_url=plain.url, timeout=60))
        by_token = stack.enter_context(httpx.Client(base_url=whole.url, timeout=60))
        key, people = {"X-API-Key": plain.api_key}, [newcomer(by_token, folder / "whole", n) for n in range(PEOPLE)]
        time.sleep(6)  # plans are kept for five seconds
        fill(by_key, key, documents)
        for person in people:
            fill(by_token, person, documents)
        bare, full = [], []
        for person, question in zip(cycle(people), questions[: PEOPLE * QUESTIONS_EACH], strict=False):
            bare.append(ask(by_key, key, question))
            full.append(ask(by_token, person, question))
    return [
        Check(name="API key, limits off: p50", value=median(bare), unit="ms"),
        Check(name="access token, limits on: p50", value=median(full), unit="ms"),
        Check(name="difference", value=median(full) - median(bare), unit="ms", at_most=DEARER),
    ]


def main(arguments: Sequence[str] | None = None) -> list[Check]:
    argparse.ArgumentParser(prog="python -m eval.bench.access", description=__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="access-") as folder:
        return measure(Path(folder))


if __name__ == "__main__":
    result = main()
    print(checks_table(result))
    sys.exit(not all_passed(result))
