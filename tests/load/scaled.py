"""Several web processes on PostgreSQL and Redis, for the benchmarks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
from cryptography.fernet import Fernet

from tests.served import FLAT_OUT, HOST, ROOT, Server, fill, free_port


def start_scaled(processes: int, database_url: str, redis_url: str, **more: str) -> list[Server]:
    """Start web processes on a database of their own; this process's Django uses it too.

    Args:
        processes: how many.
        database_url: a PostgreSQL server on which a database may be made.
        redis_url: a Redis server.
        more: further environment variables.
    """
    base, _, _ = database_url.rpartition("/")
    name = f"bower_load_{os.getpid()}"
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name}")
        server.execute(f"CREATE DATABASE {name}")
    settings = {
        "BOWER_DATA": tempfile.mkdtemp(prefix="bower-load-"),
        "DATABASE_URL": f"{base}/{name}",
        "REDIS_URL": redis_url,
        "SECRET_KEY": "for-benchmarks-only",
        "DEAL_KEY": Fernet.generate_key().decode(),
        "DJANGO_SETTINGS_MODULE": "euchre_site.settings",
        **FLAT_OUT,
        **more,
    }
    os.environ.update(settings)
    data = Path(settings["BOWER_DATA"])
    fill(data)
    commands = [["migrate", "-v", "0"]]
    if not (data / "static").exists():
        commands.append(["collectstatic", "-v", "0", "--noinput"])
    for command in commands:
        subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, check=True)
    return [web_process(data, settings).start() for _ in range(processes)]


def web_process(log: Path, settings: dict[str, str]) -> Server:
    """A web process, started as the guide says.

    Args:
        log: the folder of its log.
        settings: its environment variables.
    """
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", "euchre_site.asgi:application", "--host", HOST,
        "--port", str(port), "--ws", "euchre_site.run.wire:FramingProtocol",
        "--ws-max-size", "8192", "--ws-per-message-deflate", "false",
        "--ws-ping-interval", "4", "--ws-ping-timeout", "4",
        "--timeout-graceful-shutdown", "2", "--log-level", "warning", "--no-access-log",
    ]  # fmt: skip
    return Server(log, port, command, **settings)
