"""Does the service tell who has an account? `python -m eval.bench.enumeration`

Sign-up, login, magic link and password reset for addresses that are known and unknown, in turn: times, bodies, headers.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import httpx

from eval.bench.people import PASSWORD, sign_up
from eval.bench.service import running_service
from eval.bench.stand_ins import milliseconds
from eval.metrics import median
from eval.report import Check, all_passed, checks_table

KNOWN = "known@example.com"
NUMBERS = count(1)
PATHS = {
    "sign-up": ("/api/auth/signup", {"password": PASSWORD, "organizationName": "Acme"}),
    "login": ("/api/auth/login", {"password": "wrong horse"}),
    "magic link": ("/api/auth/magic-link", {}),
    "password reset": ("/api/auth/password/reset", {}),
}
DIFFERENCE = 0.10
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
OF_THEIR_OWN = {"x-request-id", "date"}


def seen(response: httpx.Response, email: str) -> tuple[int, str, tuple[tuple[str, str], ...]]:
    """What there is to compare: without ids, moments, and the address itself."""
    headers = tuple((name, value) for name, value in response.headers.items() if name not in OF_THEIR_OWN)
    return response.status_code, ID.sub("<id>", response.text).replace(email, "<address>"), headers


def ask(client: httpx.Client, name: str, email: str) -> tuple[float, tuple[int, str, tuple[tuple[str, str], ...]]]:
    path, body = PATHS[name]
    started = time.perf_counter()
    response = client.post(path, json={"email": email, **body})
    return milliseconds(started), seen(response, email)


def measure(client: httpx.Client, rounds: int) -> list[Check]:
    times: dict[tuple[str, bool], list[float]] = defaultdict(list)
    said: dict[str, set[object]] = defaultdict(set)
    for _ in range(rounds):
        for name in PATHS:
            for known in (True, False):
                # As long as the known one: the answer has it.
                email = KNOWN if known else f"n{next(NUMBERS):04}@example.com"
                took, answer = ask(client, name, email)
                times[name, known].append(took)
                said[name].add(answer)
    return [check for name in PATHS for check in _checks(name, times[name, True], times[name, False], len(said[name]))]


def _checks(name: str, known: Sequence[float], unknown: Sequence[float], answers: int) -> list[Check]:
    difference = abs(median(known) - median(unknown)) / median(unknown)
    return [
        Check(name=f"{name}: known address, median", value=median(known), unit="ms"),
        Check(name=f"{name}: unknown address, median", value=median(unknown), unit="ms"),
        Check(name=f"{name}: difference", value=difference, at_most=DIFFERENCE),
        Check(name=f"{name}: different answers", value=answers, at_most=1),
    ]


def main(arguments: Sequence[str] | None = None) -> list[Check]:
    parser = argparse.ArgumentParser(prog="python -m eval.bench.enumeration", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="enumeration-") as name:
        folder = Path(name)
        with (
            running_service(folder, KB_IDENTITY_MAIL_INTERVAL="0") as service,
            httpx.Client(base_url=service.url, timeout=30) as client,
        ):
            sign_up(client, folder, KNOWN)
            return measure(client, options.rounds)


if __name__ == "__main__":
    result = main()
    print(checks_table(result))
    sys.exit(not all_passed(result))
