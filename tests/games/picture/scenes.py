"""Views of a table made without a database: known deals, moments of a game, random evenings."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from games.engine.actions import parse_action
from games.engine.cards import parse_card
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.rules import (
    CLASSIC_24,
    EIGHT_HANDS,
    HEADS_UP,
    JOKER_33,
    MAKER,
    NO_FACE,
    NO_FACE_OR_SUIT,
    NO_TRUMP_HIGH_OR_LOW,
    RuleSet,
)
from games.engine.shuffle import shuffled
from games.picture.scene import (
    EMPTY,
    GUEST,
    HOUSE,
    PERSON,
    Clock,
    Consent,
    ProposalEntry,
    Scene,
    SeatRequest,
    SeatView,
    View,
    Viewer,
)
from tests.chance import PLAIN, random_club_rules
from tests.volume import volume

#: Seats North, East, South, West; in heads-up North and South.
NAMES = {4: ("Ben", "Jonah", "Maeve", "Iris"), 2: ("Ben", "Maeve")}
NORTH, EAST, SOUTH, WEST = range(4)

#: Hands by seat; with hearts trump South holds both bowers.
HANDS = ("9H TH 9C TC QS", "AH 9S TS JS AD", "JH JD AS KS 9D", "QH AC KC QC TD")
TURN_UP = "KH"
#: A club that plays by every rule there is, one that plays with the Benny, and another each time.
CLUB = RuleSet(
    key="club", name="Club", no_trump=NO_TRUMP_HIGH_OR_LOW, defend_alone=True, alone_euchre=3,
    partners_best=True, alone_made=0, lone_lead=MAKER, farmers_hand=True, fold=NO_FACE_OR_SUIT,
)  # fmt: skip
BENNY_CLUB = RuleSet(key="benny-club", name="Benny club", pack=25, benny=True, fold=NO_FACE)
_BY_CHANCE = (random_club_rules(Random(3 + seed)) for seed in range(volume(0, 1, 200)))
CLUBS = {
    "club": CLUB,
    "benny-club": BENNY_CLUB,
    **{rules.key: rules for rules in _BY_CHANCE if rules.players == 4 and (rules.target or 0) > 5},
}


def shortened(rules: RuleSet) -> RuleSet:
    """Play to two points or two hands, plainly one, or thoroughly to their own end."""
    if rules.target is None:
        return replace(rules, deals=volume(1, 2, rules.deals))
    if rules.no_lone_near_end:
        return rules
    return replace(rules, target=volume(2, 2, rules.target))


#: All of them thoroughly; otherwise those in which a page has parts that it has by no other.
SHOWN = volume(
    (JOKER_33, HEADS_UP, EIGHT_HANDS, CLUB),
    (JOKER_33, HEADS_UP, EIGHT_HANDS, CLUB),
    (*PLAIN.values(), EIGHT_HANDS, *CLUBS.values()),
)
every_rule_set = pytest.mark.parametrize(
    "rules", [shortened(rules) for rules in SHOWN], ids=[rules.key for rules in SHOWN]
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


NASTY = '<b>x" data-card="KH\' onload=alert(1)\\u2028'


def evening(rules: RuleSet, seed: int, games: int = 2) -> Iterator[list[View]]:
    """A table that waits and then plays random games, while all sorts of things happen."""
    rng = Random(seed)
    table = scene(rules, clock=Clock(30, None) if seed % 2 else None)
    waiting = table._replace(state="gathering", game_id="", game_number=0, version=0)
    for _ in range(3):
        waiting = happened(waiting, rng)
        yield [View(waiting, Viewer(seat), None) for seat in (*range(rules.players), None)]
    for number in range(1, games + 1):
        for game in moments(rules, seed + number):
            table = happened(table, rng)._replace(
                state="finished" if game.standing.over else "playing",
                records=game.records,
                version=game.version,
                game_number=number,
            )
            yield [
                View(table, Viewer(seat, invite_token="word"), game.observe(seat))
                for seat in (*range(rules.players), None)
            ]


def happened(table: Scene, rng: Random) -> Scene:
    """A table's scene after something has happened besides the cards, or nothing."""
    at = rng.randrange(table.rules.players)
    seat = table.seats[at]
    others = [
        seat._replace(away=not seat.away),
        seat._replace(stand_in=not seat.stand_in),
        SeatView(NASTY, GUEST),
        SeatView("Rowan", HOUSE),
        SeatView(NAMES[table.rules.players][at], "person"),
        SeatView("", EMPTY),
    ]
    seats = [*table.seats]
    seats[at] = rng.choice(others) if rng.random() < 0.2 else seat
    asks = SeatRequest(4, NASTY, True, at)
    others_than = tuple(other for other in range(table.rules.players) if other != at)
    consent = Consent(7, rng.choice(["resign", "claim", "undo"]), at, others_than[:1])
    told = ProposalEntry(
        rng.randrange(1, 3), rng.randrange(20), table.version - rng.randrange(2),
        rng.choice(["leave", "resign", "claim", "undo"]),
        rng.choice(["open", "agreed", "declined", "withdrawn", "lapsed"]), NASTY, NASTY,
    )  # fmt: skip
    return table._replace(
        seats=tuple(seats),
        wait=rng.choice([None, None, None, 0, 42]),
        clock=table.clock and Clock(30, rng.choice([None, 1.8e9 + rng.randrange(300) / 10])),
        requests=rng.choice([(), (), (), (asks,)]),
        arrival=rng.choice(["", "", "", f"{NASTY} has left: North."]),
        consent=rng.choice([None, None, None, consent]),
        proposals=(*table.proposals, told)[-3:] if rng.random() < 0.1 else table.proposals,
        claimed=rng.choice([-1, -1, -1, at]),
        resigned=rng.choice([-1] * 9 + [at % 2]),
        undo=rng.choice([(), (at,)]),
        spent=rng.choice([(), (at,)]),
    )
