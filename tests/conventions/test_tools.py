"""The checkers are tests: a finding fails `pytest`, with the checker's own words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
CHECKS = {
    "ruff": ["ruff", "check", "--no-cache", "."],
    "ruff-format": ["ruff", "format", "--no-cache", "--check", "."],
    "mypy": ["mypy"],
    "import-linter": ["lint-imports", "--no-cache"],
    "djlint": ["djlint", "templates", "--lint", "--quiet"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_tool_finds_nothing(name: str) -> None:
    program, *arguments = CHECKS[name]
    done = subprocess.run(
        [BIN / program, *arguments],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_django_finds_nothing() -> None:
    call_command("check", fail_level="WARNING")


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True)
