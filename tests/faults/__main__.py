"""Breaks a site in every way that is known here, and prints a table of how each went.

``python -m tests.faults`` takes hours: `--small` tries each way for a moment.
"""

from __future__ import annotations

import argparse
import os
import sys

from tests.faults.servers import run_module

#: What is run: its module, its arguments in full and small.
RUNS: dict[str, tuple[str, str, str]] = {
    "kills": ("tests.faults.kills", "", "--each 1 --tables 4 --events 1"),
    "crash": ("tests.faults.crash", "--kills 50", "--kills 5"),
    "outage": ("tests.faults.outage", "", ""),
    "away": ("tests.faults.away", "--tables 50", "--tables 4 --seconds 5"),
    "disk": ("tests.faults.disk", "--tables 20", "--tables 4 --seconds 3"),
    "news": ("tests.faults.news", "", "--tables 4 --seconds 10"),
    "racers": ("tests.faults.racers", "", "--racers 100 --races 3"),
    "taint": ("tests.faults.taint", "", "--deals 8"),
    "long": ("tests.faults.long", "", "--minutes 0.5 --tables 5 --idle 5"),
    "readers": (
        "tests.load.rush",
        "--pool 4 --visitors 60 --shared 4",
        "--pool 4 --visitors 12 --shared 4",
    ),
}


def main() -> None:
    """Run what was asked for; ends with an error if one of them did."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("names", nargs="*", help=f"of {', '.join(RUNS)}; all if none is named")
    known.add_argument("--small", action="store_true", help="a moment of each")
    asked = known.parse_args()
    if unknown := set(asked.names) - RUNS.keys():
        known.error(f"there is no {', '.join(sorted(unknown))}")
    rows = []
    for name in asked.names or RUNS:
        module, full, small = RUNS[name]
        arguments = (small if asked.small else full).split()
        if name == "readers":
            url = os.environ.get("TEST_POSTGRES_URL")
            if not url:
                rows.append((name, "left out: TEST_POSTGRES_URL names no server", 0.0))
                continue
            arguments += ["--database", url]
        print(f"\n== {name}: python -m {module} {' '.join(arguments)}", flush=True)
        status, said, lasted = run_module(module, *arguments)
        lines = said.strip().splitlines() or ["it said nothing"]
        rows.append((name, "well" if status == 0 else f"WRONG: {lines[-1]}", lasted))
    print()
    for name, how, lasted in rows:
        print(f"{name:10} {lasted:7.0f} s  {how}")
    if any(how.startswith("WRONG") for _, how, _ in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
