"""What Bower needs to run, by the metadata of the packages that are installed.

``python -m tests.dependencies`` prints the table of docs/dependencies.md.
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.served import ROOT

#: What classifiers and files call a licence, and its short name (SPDX).
SHORT: Final = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}


def asked_for(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for; extras: sets of it that are asked for too, such as ``dev``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return [Requirement(line) for line in lines]


def needed(*extras: str) -> dict[str, str]:
    """The packages that are needed here for what is asked for, with the releases installed."""
    found: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = list(here(asked_for(*extras), {""}))
    while waiting:
        one = waiting.pop()
        name, wanted = canonicalize_name(one.name), frozenset(one.extras)
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        package = metadata.distribution(name)
        found[name] = package.version
        inner = [Requirement(line) for line in package.requires or []]
        waiting += here(inner, wanted | {""})
    return found


def here(requirements: list[Requirement], extras: Iterable[str]) -> Iterator[Requirement]:
    """Those of some requirements that count on this machine, with any of these extras."""
    for one in requirements:
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
            yield one


def licence(name: str) -> str:
    """The licence that a package's metadata names, short; "not named" if it names none."""
    about = metadata.metadata(name)
    if "License-Expression" in about:
        return about["License-Expression"]
    kinds = [line.split(" :: ") for line in about.get_all("Classifier") or []]
    named = [kind[-1] for kind in kinds if kind[0] == "License" and kind[-1] != "OSI Approved"]
    if named:
        return " or ".join(SHORT.get(one, one) for one in named)
    if "License" in about:
        return about["License"].splitlines()[0]
    titles = [
        (file.read_text().splitlines() or [""])[0]
        for file in metadata.files(name) or []
        if file.name in (about.get_all("License-File") or [])
    ]
    return SHORT.get(titles[0], titles[0]) if titles else "not named"


def table() -> str:
    """The table of docs/dependencies.md."""
    direct = {canonicalize_name(one.name) for one in asked_for()}
    lines = ["| Package | Licence | Asked for by |", "|---|---|---|"]
    lines += (
        f"| {name} | {licence(name)} | {'Bower' if name in direct else 'others'} |"
        for name in sorted(needed())
    )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
