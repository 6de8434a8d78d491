"""Dependencies are pinned with hashes, and every licence is known."""

import re
import subprocess
import sys

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import dependencies
from tests.served import ROOT

FILES = {"requirements.txt": (), "requirements-dev.txt": ("dev",)}
#: Needed by other machines than those of the tests: constraints.txt leaves them out.
ELSEWHERE = {"async-timeout", "colorama"}


def pinned(file: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return the line and the hashes of each package in a requirements file."""
    text = (ROOT / file).read_text().replace("\\\n", " ")
    found: dict[str, tuple[Requirement, list[str]]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            said, *hashes = re.split(r"\s+--hash=sha256:", line)
            requirement = Requirement(said)
            found[canonicalize_name(requirement.name)] = (requirement, hashes)
    return found


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().split()
    return {
        canonicalize_name(name): version for name, version in (one.split("==") for one in lines)
    }


@pytest.mark.parametrize("file", FILES)
class TestPins:
    def test_every_package_is_pinned_with_hashes(self, file: str) -> None:
        for name, (requirement, hashes) in pinned(file).items():
            assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), name
            assert hashes, name
            assert all(re.fullmatch("[0-9a-f]{64}", one) for one in hashes), name

    def test_pins_match_the_constraints(self, file: str) -> None:
        known = constraints()
        for name, (requirement, _hashes) in pinned(file).items():
            if name not in ELSEWHERE:
                assert str(requirement.specifier) == f"=={known[name]}", name

    def test_pins_satisfy_the_projects_dependencies(self, file: str) -> None:
        there = pinned(file)
        for asked in dependencies.asked_for(*FILES[file]):
            requirement, _hashes = there[canonicalize_name(asked.name)]
            assert asked.specifier.contains(str(requirement.specifier)[2:]), asked

    def test_pins_are_complete_and_minimal(self, file: str) -> None:
        assert pinned(file).keys() - ELSEWHERE == dependencies.needed(*FILES[file]).keys()

    def test_pins_name_no_index(self, file: str) -> None:
        text = (ROOT / file).read_text()
        assert "://" not in text
        assert "index-url" not in text
        assert "find-links" not in text


def test_constraints_are_minimal() -> None:
    assert constraints().keys() == pinned("requirements-dev.txt").keys() - ELSEWHERE


def test_runtime_dependencies_exclude_test_tools() -> None:
    assert not {"pytest", "mypy", "ruff", "playwright"} & pinned("requirements.txt").keys()


def test_the_licence_page_matches_the_installed_packages() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.dependencies"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (ROOT / "docs/dependencies.md").read_text().endswith(f"\n\n{done.stdout}")


def test_every_licence_is_known() -> None:
    assert "not named" not in dependencies.table()
