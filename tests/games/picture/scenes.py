"""Views of a table, made without a database: a deal with known cards, or a moment of a game."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from games.engine.actions import parse_action
from games.engine.cards import parse_card
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.rules import CLASSIC_24, RULE_SETS, RuleSet
from games.engine.shuffle import shuffled
from games.picture.scene import EMPTY, HOUSE, PERSON, Scene, SeatView, View, Viewer
from tests.volume import volume

#: Seats North, East, South, West; in heads-up North and South.
NAMES = {4: ("Ben", "Jonah", "Maeve", "Iris"), 2: ("Ben", "Maeve")}
NORTH, EAST, SOUTH, WEST = range(4)

#: Hands by seat; with hearts trump South holds both bowers.
HANDS = ("9H TH 9C TC QS", "AH 9S TS JS AD", "JH JD AS KS 9D", "QH AC KC QC TD")
TURN_UP = "KH"
#: To two points, to five or to their own end: a hand or two of each, some hands, whole games.
every_rule_set = pytest.mark.parametrize(
    "rules",
    [
        volume(replace(rules, target=2), replace(rules, target=5), rules)
        for rules in RULE_SETS.values()
    ],
    ids=RULE_SETS,
)
PEOPLE = tuple(SeatView(name, PERSON) for name in NAMES[4])


def deal(
    *actions: str,
    dealer: int = WEST,
    rules: RuleSet = CLASSIC_24,
    hands: tuple[str, ...] = HANDS,
    turn_up: str = TURN_UP,
) -> Deal:
    """A deal after some actions, such as "pass", "order" and "play AS"."""
    cards = [[parse_card(text) for text in hand.split()] for hand in hands]
    made = Deal.from_cards(rules, dealer, cards, parse_card(turn_up))
    for action in actions:
        made.push(parse_action(action))
    return made


def scene(rules: RuleSet = CLASSIC_24, **fields: Any) -> Scene:
    """A table in play, with the cast in its seats."""
    seats = tuple(SeatView(name, PERSON) for name in NAMES[rules.players])
    usual = Scene(4, rules, "playing", True, seats, "game", 1, 7)
    return usual._replace(**fields)


def view(made: Deal | Game, seat: int | None, **fields: Any) -> View:
    """What a seat, or a spectator (None), is shown; fields are those of the scene."""
    viewer = Viewer(seat, invite_token="word" if seat is not None else "")
    return View(scene(made.rules, **fields), viewer, made.observe(seat))


def gathering(seat: int | None, *, open: bool = True) -> View:  # noqa: A002
    """A table that waits: Ben and Maeve are there, a house player sits West, East is free."""
    seats = (PEOPLE[0], SeatView("", EMPTY), PEOPLE[2], SeatView("Rowan", HOUSE))
    token = "word" if seat is not None else ""
    waiting = scene(state="gathering", seats=seats, open=open, game_id="", game_number=0, version=0)
    return View(waiting, Viewer(seat, invite_token=token), None)


def moments(rules: RuleSet, seed: int) -> Iterator[Game]:
    """Every moment of a random game; the game is the same object each time."""
    chance = Random(seed)
    mixed = seed.to_bytes(32, "big")
    game = Game(rules, 0, lambda number: shuffled(rules, bytes(32), mixed, number)[0])
    yield game
    while not game.standing.over:
        game.push(chance.choice(game.legal_actions()))
        yield game


def views(game: Game) -> list[View]:
    """What every seat and a spectator are shown of a moment."""
    state = "finished" if game.standing.over else "playing"
    fields = {"state": state, "records": game.records, "version": game.version}
    return [view(game, seat, **fields) for seat in (*range(game.rules.players), None)]
