"""The program of docs/examples plays a whole game on a served site, as it stands there."""

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.api.table_view import table_view
from games.engine.deal import Deal
from games.engine.observation import ASKING, DEFENDING, GIVING, SECOND_ROUND, SWAPPING
from tests.chance import random_action, random_club_rules, random_deal
from tests.games.picture.test_leak import seen_by
from tests.games.picture.test_leak import table as live_of
from tests.served import HOST, ROOT, Server
from tests.volume import volume

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


def test_example_program_chooses_something_legal_by_rules_of_clubs() -> None:
    spec = importlib.util.spec_from_file_location("player", PLAYER)
    assert spec is not None
    assert spec.loader is not None
    player: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(player)
    asked = set()
    for number in range(volume(60, 60, 2000)):
        chance = Random(f"example {number}")
        rules = replace(random_club_rules(chance), cut=False)
        deal = random_deal(rules, chance)
        start = Deal.from_pack(rules, deal.dealer, deal.pack)
        while deal.result is None:
            view = table_view(seen_by(live_of(start, [*deal.actions]), deal.turn)).model_dump()
            assert player.choose(view) in view["legal"]
            asked.add(deal.phase)
            deal.push(random_action(deal, chance))
    assert asked >= {SWAPPING, ASKING, GIVING, DEFENDING, SECOND_ROUND}


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
