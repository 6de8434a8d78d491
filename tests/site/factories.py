"""Objects for the tests of the site: operators, forms they send, and sites to back up."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, reload
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from django.urls import clear_url_caches, reverse

from games.engine.game import Game as Play
from games.models import Game, GameEvent, Player
from games.shuffle.dealing import packs_of
from tests.factories import cast, logged_in, member, push, table

WHY = "Insults others."
ADMIN = "euchre_site.apps.AdminConfig"


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


def decide(who: Player | Client, source: str, evidence: int, /, **fields: str) -> Any:
    """Take a case of moderation and send its form."""
    browser = logged_in(who) if isinstance(who, Player) else who
    post(browser, "case", source, evidence, step="take")
    return post(browser, "case", source, evidence, **fields)


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


@contextmanager
def admin_pages(at: str) -> Iterator[None]:
    """Have Django's admin pages at a path, or nowhere if it is empty."""
    apps = [one for one in settings.INSTALLED_APPS if one != ADMIN]
    urls = import_module("euchre_site.urls")
    try:
        with override_settings(ADMIN_PATH=at, INSTALLED_APPS=[*apps, ADMIN] if at else apps):
            reload(urls)
            clear_url_caches()
            yield
    finally:
        reload(urls)
        clear_url_caches()


@contextmanager
def admin_table() -> Iterator[None]:
    """Make the only table of the admin pages, which the tests' database lacks, and drop it."""
    from django.contrib.admin.models import LogEntry  # there is none before the app is installed

    with connection.schema_editor() as editor:
        editor.create_model(LogEntry)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(LogEntry)


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
