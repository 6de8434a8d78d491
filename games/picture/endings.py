"""How a hand ended, trick by trick, and how a game did; nothing of either before it is over.

Of a hand only what was played is shown while its game goes on: what was buried, or held by who
sat out, stays hidden until the game's record is open. The luck of the deal, which rests on
hidden cards too, is told once the game is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from games.engine.observation import DONE, Observation
from games.engine.rules import HAND
from games.engine.scoring import NEEDED, DealRecord
from games.picture import phrases
from games.picture.cast import Cast
from games.picture.scene import Scene

#: Half the width of the luck's bar, in its own lengths, and the tricks a hand that fill it.
HALF: Final = 100
FULL: Final = 1.5


class Tally(NamedTuple):
    """What a hand was worth to a side, and the tricks of both; no `side`: nothing is shown."""

    side: int = -1
    points: int = 0
    who: str = ""
    tricks: tuple[tuple[str, int], ...] = ()


class TrickTaken(NamedTuple):
    """The card that took a trick, and who played it."""

    card: int
    label: str
    bower: str
    number: int
    name: str
    side: int


class Recap(NamedTuple):
    """The cards that took the tricks of the hand that is over."""

    taken: tuple[TrickTaken, ...] = ()


class HandCell(NamedTuple):
    """A card in the table of all hands; -1 for one that was not played."""

    card: int
    label: str = ""
    led: bool = False
    won: bool = False


class HandRow(NamedTuple):
    """What one player played in each trick."""

    name: str
    note: str
    cells: tuple[HandCell, ...]


class AllHands(NamedTuple):
    """All hands of the hand that is over, trick by trick."""

    title: str
    numbers: tuple[int, ...] = ()
    rows: tuple[HandRow, ...] = ()
    more: str = ""


class StoryRow(NamedTuple):
    """A line of the story: of both sides the same."""

    what: str
    note: str
    of_sides: tuple[str, str]


class Story(NamedTuple):
    """What happened in a game that is over; no `rows`: nothing is shown.

    `luck` tells it in words, `bar` is how far it reaches from the middle to side 0 (less than 0)
    or to side 1. `turned` is the hand that decided it, or 0, `address` where it is replayed.
    """

    sides: tuple[str, str] = ("", "")
    rows: tuple[StoryRow, ...] = ()
    luck: str = ""
    bar: int = 0
    turned: int = 0
    turned_told: str = ""
    address: str = ""


def ending_parts(
    scene: Scene, seen: Observation | None, cast: Cast
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The parts of the picture that tell how something ended, by id, as plain values.

    Args:
        scene: the table.
        seen: what a spectator may know of the cards; None before the first game.
        cast: everybody at the table.
    """
    over = seen is not None and (seen.standing.over or scene.resigned >= 0)
    ended = seen if seen is not None and seen.phase == DONE and seen.tricks else None
    yield "tally", Tally() if ended is None or over else _tally(ended, cast)
    yield "recap", Recap() if ended is None or over else _recap(ended, cast)
    unseen = _UNSEEN if scene.resigned < 0 else _GIVEN_UP
    yield "all-hands-cards", unseen if ended is None else _all_hands(ended, cast)
    open_to_all = scene.state != "closed" or scene.reserved is not None
    yield "story", _story(scene, cast) if over and open_to_all else Story()


_UNSEEN: Final = AllHands("Not while a hand is played", more="All hands are shown once it is over.")
_GIVEN_UP: Final = AllHands("This hand was not played to its end")


def _tally(seen: Observation, cast: Cast) -> Tally:
    result = seen.result
    if result is None:
        return Tally()
    sides = phrases.sides_of(cast).names
    tricks = tuple(zip(sides, result.tricks, strict=True))
    return Tally(result.side, result.points, sides[result.side], tricks)


def _bower(card: int, trump: int) -> str:
    return phrases.bower(card, trump).removesuffix(" bower")


def _recap(seen: Observation, cast: Cast) -> Recap:
    trump = seen.trump
    return Recap(
        tuple(
            TrickTaken(
                card := dict(trick.plays)[trick.winner],
                phrases.card_name(card, trump),
                _bower(card, trump),
                number,
                cast[trick.winner].short,
                trick.winner % 2,
            )
            for number, trick in enumerate(seen.tricks, start=1)
        )
    )


def _all_hands(seen: Observation, cast: Cast) -> AllHands:
    """What everybody played; the tricks are the columns."""
    rows = []
    for person in cast:
        cells = []
        for trick in seen.tricks:
            card = dict(trick.plays).get(person.seat, -1)
            won, led = trick.winner == person.seat, trick.leader == person.seat
            label = phrases.card_name(card, seen.trump) if card >= 0 else ""
            said = ", ".join(filter(None, (label, "led" * led, "won the trick" * won)))
            cells.append(HandCell(card, said, led, won))
        rows.append(HandRow(person.short, _did(seen, person.seat), tuple(cells)))
    hidden = len(seen.tricks) < HAND or seen.sitting_out >= 0
    more = " What was not played is in the replay once the game is over." if hidden else ""
    return AllHands(
        f"Hand {seen.standing.deal_number}, trick by trick",
        tuple(range(1, len(seen.tricks) + 1)),
        tuple(rows),
        f"Edged: won the trick.{more}",
    )


def _did(seen: Observation, seat: int) -> str:
    if seat == seen.sitting_out:
        return "sat out"
    took = sum(trick.winner == seat for trick in seen.tricks)
    tricks = phrases.counted(took, "trick", "tricks")
    return f"maker, {tricks}" if seat == seen.maker else tricks


# The story of a game ----------------------------------------------------------------------


def _story(scene: Scene, cast: Cast) -> Story:
    """What both sides did, the luck of the deal, and the hand from which the winner led."""
    records = scene.records
    sides = phrases.sides_of(cast).names
    luck, bar = _luck(scene, sides)
    turned = _turned(records) if scene.resigned < 0 else None
    if turned is None:
        return Story(sides, tuple(_rows(records)), luck, bar)
    won = turned.result
    return Story(
        sides, tuple(_rows(records)), luck, bar, turned.number,
        f"hand {turned.number}, {sides[won.side]} +{won.points}",
        f"/games/{scene.game_id}/replay/?at={turned.number}.0",
    )  # fmt: skip


def _rows(records: tuple[DealRecord, ...]) -> Iterator[StoryRow]:
    made_by = [[one for one in records if one.result.makers == side] for side in (0, 1)]

    def took(one: DealRecord) -> int:
        return one.result.tricks[one.result.makers]

    def count(what: str, numbers: list[int]) -> StoryRow:
        first, second = numbers
        return StoryRow(what, "", (str(first), str(second)))

    yield count("Trump named", [len(mine) for mine in made_by])
    yield count("Made, of those", [sum(took(one) >= NEEDED for one in mine) for mine in made_by])
    yield count("Euchred", [sum(took(one) < NEEDED for one in mine) for mine in made_by])
    yield count("Marches", [sum(took(one) == HAND for one in mine) for mine in made_by])
    lone = [[took(one) for one in mine if one.alone] for mine in made_by]
    first, second = (f"{taken.count(HAND)} of {len(taken)}" for taken in lone)
    yield StoryRow("Lone hands", "all five tricks", (first, second))
    yield count("Tricks", [sum(one.result.tricks[side] for one in records) for side in (0, 1)])


def _luck(scene: Scene, sides: tuple[str, str]) -> tuple[str, int]:
    """By how many tricks a hand one side was dealt better cards, as players' records tell it."""
    if scene.worths is None or not scene.records:
        return "", 0
    first, second = (worth / len(scene.records) for worth in scene.worths)
    more = round(first - second, 2)
    if not more:
        return "Both sides were dealt equally good cards.", 0
    side = int(more < 0)
    better, worse = max(first, second), min(first, second)
    reach = max(1, round(HALF * min(1.0, abs(more) / FULL)))
    told = (
        f"The cards of {sides[side]} were worth {abs(more):.2f} tricks a hand more: "
        f"{better:.2f} against {worse:.2f}. The rest was play."
    )
    return told, reach if side else -reach


def _turned(records: tuple[DealRecord, ...]) -> DealRecord | None:
    """The hand from which the winner was ahead to the end."""
    if not records or records[-1].score[0] == records[-1].score[1]:
        return None
    ahead = int(records[-1].score[1] > records[-1].score[0])
    turned = None
    for record in reversed(records):
        if record.score[ahead] <= record.score[1 - ahead]:
            break
        turned = record if record.result.side == ahead else turned
    return turned
