"""Sites to be kept: a game of the cast in the middle of a hand, and commands run as they are."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from games.engine.game import Game as Play
from games.models import Game, GameEvent
from games.shuffle.dealing import packs_of
from tests.factories import cast, push, table
from tests.site.running import PATIENCE, ROOT, environment


def begun(steps: int = 12) -> Game:
    """A game of the cast after so many actions by chance, stored as the journal does."""
    game = table(*cast()).games.get()
    engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), random.Random(5)
    events = [push(game, engine, chance.choice(engine.legal_actions())) for _ in range(steps)]
    GameEvent.objects.bulk_create(events)
    game.version, game.turn = engine.version, engine.turn
    game.deal_number = engine.standing.deal_number
    game.score_0, game.score_1 = engine.standing.score
    game.save()
    return game


def write_keys(settings: Any) -> None:
    """Have the keys of the settings in `secrets.env`."""
    (settings.DATA_DIR / "secrets.env").write_text(
        f"SECRET_KEY={settings.SECRET_KEY}\nDEAL_KEY={settings.DEAL_KEY}\n"
    )


def manage(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a management command in a process of its own, as whoever runs the site does."""
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT, env=environment() | variables, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line with which a command has refused."""
    assert done.returncode in {1, 78}, done.stdout
    (line,) = done.stderr.strip().splitlines()
    return line.removeprefix("CommandError: ")


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, but for locks, by their paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("lock", ".lock", "backup.lock")
    }
