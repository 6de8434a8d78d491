"""The end of a hand, trick by trick, and of a game; empty before either is over.

While the game goes on, only cards that were played are shown: the kitty, the discard and the hand
of a player who sat out stay hidden until the game is over, and so does the luck of the deal, which
depends on them.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from games.engine.cards import CARD_TEXTS
from games.engine.observation import DONE, Observation
from games.engine.rules import HAND
from games.engine.scoring import NEEDED, DealRecord
from games.picture import log, phrases
from games.picture.cast import Cast
from games.picture.scene import Scene

Row: TypeAlias = dict[str, Any]

#: Half the width of the luck bar in its own units, and the tricks per hand that fill it.
BAR_HALF_WIDTH: Final = 100
BAR_FULL_AT: Final = 1.5


def ending_values(scene: Scene, seen: Observation | None, cast: Cast) -> dict[str, Any]:
    over = seen is not None and (seen.standing.over or scene.resigned >= 0)
    ended = seen if seen is not None and seen.phase == DONE and seen.tricks else None
    open_to_all = scene.state != "closed" or scene.reserved is not None
    result = ended.result if ended is not None and not over else None
    hands: dict[str, Any] = {
        "hands": [],
        "hands.tricks": [],
        "hands.title": "Not while a hand is being played",
        "hands.more": "All hands are shown once it is over.",
    }
    if ended is not None:
        hands = _all_hands(ended, cast)
    elif scene.resigned >= 0:
        hands |= {"hands.title": "This hand was not finished", "hands.more": None}
    return {
        "tally": [] if result is None else _tally(result.side, result.points, result.tricks, cast),
        "tally.side": None if result is None else result.side,
        "recap": [] if seen is None or over else _recap(seen, cast),
        **hands,
        "story": _story(scene, cast) if over and open_to_all and not scene.veiled else [],
    }


def _tally(side: int, points: int, tricks: tuple[int, int], cast: Cast) -> list[Row]:
    names = phrases.sides_of(cast).names
    counts = [
        {"as": "b", "text": f"{name} {took}"} for name, took in zip(names, tricks, strict=True)
    ]
    return [
        {
            "as": "token",
            "points": f"+{points}" if points else "0",
            "who": f"for {names[side]}",
        },
        {"as": "tricks_won", "sides": [{"as": "tricks_word"}, *counts]},
    ]


def _recap(seen: Observation, cast: Cast) -> list[Row]:
    rows: list[Row] = []
    if seen.folded:
        seat = seen.answers[-1][0]
        return [
            {
                "card": CARD_TEXTS[card],
                "label": phrases.plain_name(card),
                "text": cast[seat].short,
                "side": seat % 2,
            }
            for card in log.folded_cards(seen)
        ]
    for number, trick in enumerate(seen.tricks if seen.phase == DONE else (), start=1):
        card = dict(trick.plays)[trick.winner]
        rows.append(
            {
                "card": CARD_TEXTS[card],
                "label": phrases.card_name(card, seen.trump),
                **phrases.bower_of(card, seen.trump),
                "text": f"{number} · {cast[trick.winner].short}",
                "side": trick.winner % 2,
            }
        )
    return rows


def _all_hands(seen: Observation, cast: Cast) -> dict[str, Any]:
    rows = []
    for person in cast:
        cells: list[Row] = [
            {"as": "hands_name", "name": person.short, "note": _role_and_tricks(seen, person.seat)}
        ]
        for trick in seen.tricks:
            card = dict(trick.plays).get(person.seat, -1)
            won, led = trick.winner == person.seat, trick.leader == person.seat
            if card < 0:
                cells.append({"as": "hands_none"})
                continue
            name = phrases.card_name(card, seen.trump)
            cells.append(
                {
                    "as": "hands_card",
                    "card": CARD_TEXTS[card],
                    "class": f"card{' led' * led}{' winning' * won}",
                    "label": ", ".join(filter(None, (name, "led" * led, "won the trick" * won))),
                }
            )
        rows.append({"cells": cells})
    numbers = [{"as": "hands_trick", "text": number + 1} for number in range(len(seen.tricks))]
    hidden = len(seen.tricks) < HAND or bool(seen.sitting_out)
    more = " Cards that were not played appear in the replay after the game." if hidden else ""
    return {
        "hands.title": f"Hand {seen.standing.deal_number}, trick by trick",
        "hands.tricks": [{"as": "hands_player"}, *numbers],
        "hands": rows,
        "hands.more": f"Outlined cards won the trick.{more}",
    }


def _role_and_tricks(seen: Observation, seat: int) -> str:
    if seat in seen.sitting_out:
        return "sat out"
    took = sum(trick.winner == seat for trick in seen.tricks)
    tricks = phrases.counted(took, "trick", "tricks")
    if seat == seen.defender:
        return f"defended alone, {tricks}"
    return f"maker, {tricks}" if seat == seen.maker else tricks


# The story of a game ----------------------------------------------------------------------


def _story(scene: Scene, cast: Cast) -> list[Row]:
    records = scene.records
    sides = phrases.sides_of(cast).names
    rows: list[Row] = [{
        "as": "story",
        "first": sides[0],
        "second": sides[1],
        "rows": _counts(records),
    }]  # fmt: skip
    luck, bar = _luck(scene, sides)
    if luck:
        rows.append({
            "as": "luck", "first": sides[0], "second": sides[1], "text": luck,
            "x": BAR_HALF_WIDTH + min(bar, 0), "width": abs(bar),
        })  # fmt: skip
    # The row is a link to the replay.
    told = scene.resigned < 0 and not scene.sealed
    turned = _turning_point(records) if told else None
    if turned is not None:
        won = turned.result
        rows.append({
            "as": "turning",
            "to": f"/games/{scene.game_id}/replay/?at={turned.number}.0",
            "text": f"hand {turned.number}, {sides[won.side]} +{won.points}",
        })  # fmt: skip
    return rows


def _counts(records: tuple[DealRecord, ...]) -> list[Row]:
    made_by = [[one for one in records if one.result.makers == side] for side in (0, 1)]

    def took(one: DealRecord) -> int:
        return one.result.tricks[one.result.makers]

    def made(one: DealRecord) -> bool:
        return took(one) >= NEEDED and one.result.points > 0

    def count(what: str, numbers: list[int]) -> Row:
        return {"what": what, "first": numbers[0], "second": numbers[1]}

    lone = [[took(one) for one in mine if one.alone] for mine in made_by]
    marches = [f"{taken.count(HAND)} of {len(taken)}" for taken in lone]
    return [
        count("Named trump", [len(mine) for mine in made_by]),
        count("Of those, made", [sum(made(one) for one in mine) for mine in made_by]),
        count("Euchred", [sum(took(one) < NEEDED for one in mine) for mine in made_by]),
        count("Marches", [sum(took(one) == HAND for one in mine) for mine in made_by]),
        {
            "what": "Lone hands", "note": "all five tricks",
            "first": marches[0], "second": marches[1],
        },
        count("Tricks", [sum(one.result.tricks[side] for one in records) for side in (0, 1)]),
    ]  # fmt: skip


def _luck(scene: Scene, sides: tuple[str, str]) -> tuple[str, int]:
    """Return a sentence on whose cards were better, and its bar's length, negative for side 0."""
    if scene.hand_values is None or not scene.records:
        return "", 0
    first, second = (worth / len(scene.records) for worth in scene.hand_values)
    more = round(first - second, 2)
    if not more:
        return "Both sides were dealt equally good cards.", 0
    side = int(more < 0)
    better, worse = max(first, second), min(first, second)
    reach = max(1, round(BAR_HALF_WIDTH * min(1.0, abs(more) / BAR_FULL_AT)))
    text = (
        f"The cards of {sides[side]} were worth {abs(more):.2f} tricks a hand more: "
        f"{better:.2f} against {worse:.2f}. The rest was play."
    )
    return text, reach if side else -reach


def _turning_point(records: tuple[DealRecord, ...]) -> DealRecord | None:
    """Return the hand from which the winner stayed ahead, or None after a tie."""
    if not records or records[-1].score[0] == records[-1].score[1]:
        return None
    ahead = int(records[-1].score[1] > records[-1].score[0])
    turned = None
    for record in reversed(records):
        if record.score[ahead] <= record.score[1 - ahead]:
            break
        turned = record if record.result.side == ahead else turned
    return turned
