"""What the README tells a new user to type, typed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.running import serving

README = Path(__file__).parents[2] / "README.md"
LIFE = "## People, by curl alone"


def block(title: str) -> str:
    """The first block of commands below a heading."""
    below = README.read_text(encoding="utf-8").partition(title)[2]
    return below.partition("```sh\n")[2].partition("```")[0]


@pytest.mark.skipif(not shutil.which("curl") and os.environ.get("CI") != "true", reason="curl is not installed")
def test_the_life_of_a_user(new_home: Callable[[], Path]) -> None:
    """Signed up, confirmed, with a key, a document, an answer, a colleague who may not write, and logged out."""
    home = new_home()
    with serving(home) as (address, _):
        told = block(LIFE).replace("http://127.0.0.1:8000 DATA=data", f"{address} DATA={home}")
        # Where a command's output is shown, its status is shown, too; where it is taken apart, it is not.
        typed = re.sub(r"^curl -s ", r"curl -s -w '\\n%{http_code}\\n' ", told, flags=re.MULTILINE)
        done = subprocess.run(["bash", "-c", typed], capture_output=True, text=True, timeout=60, check=False)
    codes = [int(line) for line in done.stdout.splitlines() if re.fullmatch(r"\d{3}", line)]
    assert codes == [201, 200, 201, 200, 201, 201, 200, 403, 201, 204, 204, 401], done.stdout + done.stderr
    assert done.stdout.count("Visitors park behind hall 3. [1]") == 2
