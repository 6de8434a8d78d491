"""The benchmarks, and what breaks a site on purpose, can be started as README and docs say."""

import os
import subprocess
import sys

import pytest

from tests.served import ROOT

PROGRAMS = sorted(
    f"{folder}.{path.stem}"
    for folder in ("faults", "load")
    for path in (ROOT / "tests" / folder).glob("*.py")
    if "__main__" in path.read_text()
)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_starts_without_outside_settings(name: str) -> None:
    without = {one: os.environ[one] for one in os.environ if one != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-c", f"import tests.{name}"],
        cwd=ROOT, env=without, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
