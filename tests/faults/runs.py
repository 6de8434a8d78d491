"""Runs programs in processes of their own and keeps what they print."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.served import ROOT


def run_module(module: str, *arguments: str) -> tuple[int, str, float]:
    """Run a module, print what it prints, and return its status, what that was, and the seconds."""
    begun = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        said = ""
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            said += line
    return process.returncode, said, time.monotonic() - begun
