"""Management commands in processes forked from one that has imported the libraries already.

To import them takes longer than what most commands then do. The settings, and whatever reads them,
are imported by each process for itself.
"""

import os
import runpy
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from typing import Final

from tests.served import ROOT

#: What is imported before the settings are; without any of them tests only take longer.
LIBRARIES: Final = (
    "celery.schedules", "channels.layers", "confusable_homoglyphs.confusables",
    "cryptography.fernet", "django.core.management", "django.db.migrations.executor",
    "django.forms", "django.template.loader", "email.message", "httpx", "jinja2", "kombu",
    "openskill", "prometheus_client", "psycopg_pool", "pydantic", "pywebpush", "redis.asyncio",
    "requests", "rich.console", "rustworkx", "structlog.dev", "xlsxwriter", "yaml",
)  # fmt: skip

_processes = get_context("forkserver")
_processes.set_forkserver_preload([*LIBRARIES, __name__])


def run(
    arguments: Sequence[str], variables: Mapping[str, str], seconds: float
) -> CompletedProcess[str]:
    """Run `manage.py` with these variables and no others.

    Raises TimeoutExpired after so many seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder, name) for name in ("stdout", "stderr")]
        process = _processes.Process(target=_command, args=(arguments, dict(variables), said))
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutExpired([*arguments], seconds, *(path.read_bytes() for path in said))
        return CompletedProcess(
            [*arguments], process.exitcode, *(path.read_text() for path in said)
        )


def _command(arguments: Sequence[str], variables: dict[str, str], said: Sequence[Path]) -> None:
    for number, path in enumerate(said, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(ROOT)
    sys.argv[:] = ["manage.py", *arguments]
    runpy.run_path(str(ROOT / "manage.py"), run_name="__main__")
