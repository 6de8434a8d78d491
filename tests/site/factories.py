"""Objects for the tests of the site: operators, forms they send, and sites to back up."""

import random
from pathlib import Path
from typing import Any

from django.test import Client
from django.urls import reverse

from games.engine.game import Game as Play
from games.models import Game, GameEvent, Player
from games.shuffle.dealing import packs_of
from tests.factories import cast, logged_in, member, push, table

WHY = "Insults others."


def operator(name: str = "Opal", *, superuser: bool = False) -> Player:
    made = member(name)
    assert made.user
    made.user.is_staff, made.user.is_superuser = True, superuser
    made.user.save()
    return made


def post(who: Player | Client, page: str, /, *args: Any, **fields: str) -> Any:
    """Send a form of the staff pages."""
    browser = logged_in(who) if isinstance(who, Player) else who
    return browser.post(reverse(page, args=args), fields)


def begun(steps: int = 12) -> Game:
    """Return a game after this many random actions, stored as by the journal."""
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
    """Write the keys in the settings to `secrets.env`."""
    (settings.DATA_DIR / "secrets.env").write_text(
        f"SECRET_KEY={settings.SECRET_KEY}\nDEAL_KEY={settings.DEAL_KEY}\n"
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by path, without locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("lock", ".lock", "backup.lock")
    }
