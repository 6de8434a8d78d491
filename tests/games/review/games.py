"""Played games to review, without a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from games.bots import house
from games.engine.actions import NEXT_DEAL, Action
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.files.played import PlayedDeal, PlayedGame, standings

Chooser = Callable[[Observation, Random], Action]
NAMES = ("Maeve", "Ben", "Iris", "Jonah")


def of_deals(rules: RuleSet, deals: Sequence[Deal]) -> PlayedGame:
    around = standings(rules, deals)
    played = [PlayedDeal(deal, *both) for deal, both in zip(deals, around, strict=True)]
    return PlayedGame(rules, NAMES[: rules.players], tuple(played), game_id="a game")


def play(rules: RuleSet, rng: Random, hands: int, choose: Chooser = house.choose) -> PlayedGame:
    """Play a game of at most so many hands."""
    packs: dict[int, list[int]] = {}

    def pack(number: int) -> list[int]:
        if number not in packs:
            packs[number] = rng.sample(rules.pack_in_order(), rules.pack)
        return packs[number]

    game = Game(rules, rng.randrange(rules.players), pack)
    while not game.standing.over and len(game.records) < hands:
        game.push(NEXT_DEAL if game.between_deals else choose(game.observe(game.turn), rng))
    return of_deals(rules, game.deals)
