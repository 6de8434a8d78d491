"""The program of docs/examples plays a whole game on a served site, as it stands there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served import HOST, ROOT, Server

PLAYER = ROOT / "docs/examples/player.py"
MAKE_PROGRAM = """
from django.utils import timezone
from games.models import Player, User
from games.programs import programs
user = User.objects.create_user("maeve@example.com")
maeve = Player.objects.create(name="Maeve", user=user)
print(programs.make(maeve, "Robo", timezone.now())[1])
"""
PATIENCE = 300  # seconds before a game that does not end fails the test


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A site whose house players take no time to think."""
    data: Path = tmp_path_factory.mktemp("example")
    return Server(data, HOUSE_PAUSE="0,0", TRICK_REST="0", API_RATE_TOKEN="100000")


@pytest.mark.servers
@pytest.mark.slow
def test_example_program_plays_each_kind_of_game_to_the_end(server: Server) -> None:
    server.start()
    try:
        token = run(server, sys.executable, "manage.py", "shell", "-v", "0", "-c", MAKE_PROGRAM)
        for rules in ("heads-up", "joker-33"):
            told = run(
                server, sys.executable, str(PLAYER), f"http://{HOST}:{server.port}",
                "--rules", rules, BOWER_TOKEN=token.strip(),
            )  # fmt: skip
            assert told.startswith("Table ")
            north, east = map(int, told.split(": ")[1].split("-"))
            assert max(north, east) >= 7
    finally:
        server.stop()


def run(server: Server, *command: str, **settings: str) -> str:
    """What a command prints that is run beside a server, on its data."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=server.env | {"BOWER_DATA": str(server.data), **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_example_program_needs_only_the_standard_library() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PLAYER), "--help"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "--invitation" in done.stdout
