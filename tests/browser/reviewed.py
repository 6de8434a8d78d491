"""A game in a server's database with mistakes in it, put there by a process of its own."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from random import Random

from tests.served import ROOT, Server

#: How often an action is replaced by chance.
ASTRAY = 0.4
#: What the packs of the game follow from: the same cards each time, in which Maeve goes astray.
SECRET, MIXED = bytes(32), bytes(31) + b"\1"


@cache
def game_with_mistakes(server: Server) -> str:
    """Return the id of a game that Maeve has played four days ago, once for each server."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.browser.reviewed"],
        cwd=ROOT,
        env={**server.env, "BOWER_DATA": str(server.data)},
        check=True,
        capture_output=True,
        text=True,
    )
    return made.stdout.splitlines()[-1]


def main() -> None:
    """Make the game and print its id."""
    import django

    django.setup()
    from datetime import timedelta

    from django.db import transaction
    from django.utils import timezone

    from games.bots import house
    from games.engine import shuffle
    from games.engine.game import Game as Play
    from games.engine.rules import RuleSet
    from games.models import Game, GameEvent, Player
    from games.seats.forms import HOUSE_RULES
    from games.shuffle.dealing import packs_of
    from games.shuffle.secret_box import seal
    from tests.factories import finish, player, push, table

    # To few points: each hand takes seconds to review.
    rules = RuleSet(key=HOUSE_RULES, name="House rules", stick_the_dealer=True, target=4)
    with transaction.atomic():
        maeve = Player.objects.get(name="Maeve", user__isnull=False)
        at = table(maeve, *(player(name) for name in ("Iris", "Ben", "Jonah")), rules=rules)
        game = at.games.get(state=Game.State.PLAYING)
        game.secret, game.mixed = seal(SECRET), MIXED
        game.first_dealer = shuffle.first_dealer(SECRET, MIXED, game.rules.players)
        game.save(update_fields=["secret", "mixed", "first_dealer"])
        sitting = dict(at.seats.values_list("position", "player"))
        engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), Random(7)
        events = []
        while not engine.standing.over:
            legal = engine.legal_actions()
            action = legal[0]
            if engine.turn >= 0:
                action = house.choose(engine.observe(engine.turn), chance)
                if chance.random() < ASTRAY:
                    action = chance.choice(legal)
            who = sitting.get(engine.turn)
            events.append(push(game, engine, action, GameEvent.By.PERSON, who))
        GameEvent.objects.bulk_create(events)
        finish(at, engine.standing)
        ended = timezone.now() - timedelta(days=4)
        Game.objects.filter(pk=game.pk).update(ended=ended, published=True)
    print(game.pk)


if __name__ == "__main__":
    main()
