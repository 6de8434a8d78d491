"""Random evenings at a table: games, and all that may happen beside the cards."""

from collections.abc import Iterator
from random import Random

from games.engine.rules import RuleSet
from games.picture.scene import (
    EMPTY,
    GUEST,
    HOUSE,
    Clock,
    Consent,
    ProposalEntry,
    Scene,
    SeatRequest,
    SeatView,
    View,
    Viewer,
)
from tests.games.picture.scenes import NAMES, moments, scene

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
