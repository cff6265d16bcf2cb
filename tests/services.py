"""The services that tests need beside the process, by environment variables; in CI a missing one is a failure."""

import os

import pytest


def needed(variable: str) -> str:
    """The address of a service; skips without one, and fails where CI promises it."""
    if value := os.environ.get(variable):
        return value
    if os.environ.get("CI") == "true":
        pytest.fail(f"{variable} is not set, and CI=true: .ci/run starts what tests need")
    pytest.skip(f"{variable} is not set")
