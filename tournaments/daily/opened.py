"""The deals of a closed day, opened: what somebody and the house made of the same cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from django.urls import reverse
from markupsafe import Markup

from games.engine.cards import TRUMP_NAMES, UNNAMED, cards_in, sort_key
from games.engine.deal import Deal
from games.engine.observation import PLAYING
from games.engine.scoring import DealResult
from games.engine.tricks import Trick
from games.files.played import fresh_copy
from games.models import Game
from games.picture import page, phrases
from games.records.finished import OUTCOMES
from games.records.game_files import played_of
from games.review import wording
from tournaments.daily import worths
from tournaments.models import DailyDeal, DailyTry
from tournaments.models.daily import DEALS, SEAT

YOU = "You"
HOUSE = "The house"


class PlayedCard(NamedTuple):
    """A card of a trick; `mine`: from the person's seat."""

    card: int
    won: bool
    mine: bool


class TrickLine(NamedTuple):
    """A trick, its cards in the order played; `words`: who led and who won."""

    cards: tuple[PlayedCard, ...]
    words: str


class DealPlay(NamedTuple):
    """One play of a deal. `called` and `made`: who made trump, and what became of it, in words."""

    called: str
    made: str
    dealt: str
    trump: int
    tricks: tuple[TrickLine, ...]


class Parting(NamedTuple):
    """Where somebody and the house first did something else, in words.

    `worth`: what both choices were worth; empty until that is known.
    """

    step: int
    where: str
    did: Markup
    worth: str


class OpenedDeal(NamedTuple):
    """A deal of a closed day.

    `mine`, `points`, `percent`: None for those who have not played it. `parted`: None where both
    did the same. `analysis`: the path that opens the board where they parted.
    """

    number: int
    hands: tuple[tuple[str, tuple[int, ...]], ...]
    turn_up: int
    mine: DealPlay | None
    house: DealPlay | None
    points: int | None
    house_points: int | None
    mean: float
    percent: float | None
    parted: Parting | None
    analysis: str
    my_replay: str
    house_replay: str

    @property
    def shown(self) -> DealPlay | None:
        return self.mine or self.house

    @property
    def tricks(self) -> list[tuple[int, TrickLine | None, TrickLine | None]]:
        """Return both plays trick by trick."""
        both = [play.tricks if play else () for play in (self.mine, self.house)]
        pairs = enumerate(zip_longest(*both), start=1)
        return [(number, own, house) for number, (own, house) in pairs]


class _Plays(NamedTuple):
    """The deals of one game with the names at its seats."""

    game: Game
    names: tuple[str, ...]
    deals: tuple[Deal, ...]
    replay: bool


def opened(daily: DailyDeal, mine: DailyTry | None) -> list[OpenedDeal]:
    """Return the deals of a closed day, with somebody's own play if they have one."""
    house = _plays(daily.house_table_id, HOUSE)
    own = _plays(mine.table_id if mine else None, YOU)
    return list(_opened(daily, mine, own, house))


def _opened(
    daily: DailyDeal, mine: DailyTry | None, own: _Plays | None, house: _Plays | None
) -> Iterator[OpenedDeal]:
    points = (mine.points if mine else None) or []
    for at in range(DEALS):
        my_deal, house_deal = _deal(own, at), _deal(house, at)
        dealt = my_deal or house_deal
        if dealt is None:
            continue
        names = (own if my_deal else house or own).names  # type: ignore[union-attr]
        hands, turn_up = dealt.start
        parted = _parted(daily, at, my_deal, house_deal) if my_deal and house_deal else None
        yield OpenedDeal(
            number=at + 1,
            hands=tuple(
                (names[seat], tuple(sorted(cards_in(hand), key=partial(sort_key, UNNAMED))))
                for seat, hand in enumerate(hands)
            ),
            turn_up=turn_up,
            mine=_play(my_deal, own) if my_deal and own else None,
            house=_play(house_deal, house) if house_deal and house else None,
            points=points[at] if at < len(points) else None,
            house_points=(daily.house or [])[at] if at < len(daily.house or []) else None,
            mean=daily.means[at] if at < len(daily.means) else 0.0,
            percent=mine.percents[at] if mine and at < len(mine.percents) else None,
            parted=parted,
            analysis=_path("analyse_game", own, at, parted.step) if parted else "",
            my_replay=_path("replay", own, at) if my_deal else "",
            house_replay=_path("replay", house, at) if house_deal else "",
        )


def _plays(table_id: int | None, south: str) -> _Plays | None:
    """Return the finished deals at a table, whose deals must have been opened."""
    games = Game.objects.select_related("table__shared_deals").filter(ended__isnull=False)
    game = games.filter(table=table_id).first()
    if game is None or game.table.sealed:
        return None
    seats = game.seats.select_related("player").order_by("position")
    names = [seat.player.name for seat in seats]
    names[SEAT] = south
    deals = tuple(one.deal for one in played_of(game).deals if one.deal.result is not None)
    return _Plays(game, tuple(names), deals, game.table.open)


def _deal(plays: _Plays | None, at: int) -> Deal | None:
    return plays.deals[at] if plays is not None and at < len(plays.deals) else None


def _path(page: str, plays: _Plays | None, at: int, step: int = 0) -> str:
    """Return the path of a page at a step of a deal, or an empty text if it is not open."""
    if plays is None or not (plays.replay or plays.names[SEAT] == YOU):
        return ""
    return f"{reverse(page, args=[plays.game.pk])}?at={at + 1}.{step}"


def _play(deal: Deal, plays: _Plays) -> DealPlay:
    result = deal.result
    assert result is not None  # noqa: S101 - only finished deals are shown
    names = plays.names
    return DealPlay(
        called=_called(deal, result, names),
        made=_made(deal, result),
        dealt=_does(names[deal.dealer], "dealt"),
        trump=deal.trump,
        tricks=tuple(_trick(one, names) for one in deal.tricks if one.winner >= 0),
    )


def _trick(trick: Trick, names: Sequence[str]) -> TrickLine:
    cards = (PlayedCard(card, seat == trick.winner, seat == SEAT) for seat, card in trick.plays)
    led, won = names[trick.leader], names[trick.winner]
    return TrickLine(tuple(cards), f"{_does(led, 'led')} · {_does(won, 'won', lower=True)}")


def _does(name: str, verb: str, *, lower: bool = False) -> str:
    shown = name.lower() if lower and name in (YOU, HOUSE) else name
    return f"{shown} {verb}"


def _called(deal: Deal, result: DealResult, names: Sequence[str]) -> str:
    if result.makers < 0:
        return "Everybody passed"
    alone = ", alone" if deal.alone else ""
    return f"{_does(names[deal.maker], 'called')} {TRUMP_NAMES[deal.trump]}{alone}"


def _made(deal: Deal, result: DealResult) -> str:
    words = OUTCOMES[result.outcome]
    if result.makers < 0:
        return words
    tricks = phrases.counted(result.tricks[SEAT % 2], "trick", "tricks")
    return f"{words} · {tricks} for your side"


def _parted(daily: DailyDeal, number: int, mine: Deal, house: Deal) -> Parting | None:
    """Return where two plays of a deal first differ: always at the person's seat."""
    pairs = enumerate(zip(mine.actions, house.actions, strict=False))
    parting = next(((at, *both) for at, both in pairs if both[0] != both[1]), None)
    if parting is None:
        return None
    step, own, other = parting
    before = fresh_copy(mine)
    for action in mine.actions[:step]:
        before.push(action)
    seen = before.observe(SEAT)
    in_play = seen.phase == PLAYING
    where = f"at trick {len(seen.tricks) + 1}" if in_play else "before the first trick"
    did = [*wording.did(seen, own, "You"), "; ", *wording.did(seen, other, "the house"), "."]
    return Parting(
        step,
        f"You parted from the house {where}.",
        page.words(wording.joined(did)),
        worths.compared(daily, number, step, own, other),
    )
