"""What was dealt in a finished game, and what became of each deal, for comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple
from uuid import UUID

from games.engine import solver
from games.engine.cards import SUIT_NAMES, TRUMP_NAMES, UNNAMED, cards_in, sort_key
from games.engine.deal import Deal
from games.engine.observation import PLAYING
from games.engine.scoring import DealResult
from games.engine.seats import compass
from games.engine.solver import Position
from games.files.played import fresh_copy
from games.models import Game
from games.picture.phrases import SUIT_LETTERS, index, suit_letter
from games.records.finished import OUTCOMES
from games.records.game_files import played_of


class CardGroup(NamedTuple):
    """Cards of one suit; `letter` is that of the suit for style sheets, "o" for the joker."""

    letter: str
    suit: str
    cards: str

    @property
    def sign(self) -> str:
        """Return the sign of the suit, in the text form; empty for the joker."""
        return _SIGNS.get(self.letter, "")


class DealtHand(NamedTuple):
    """A hand as it was dealt."""

    seat: str
    groups: tuple[CardGroup, ...]


class Dealt(NamedTuple):
    """A deal before the bidding."""

    number: int
    dealer: str
    turn_up: CardGroup
    hands: tuple[DealtHand, ...]


class Made(NamedTuple):
    """What became of a deal, in words; maker and suit are empty if it was not played."""

    maker: str
    letter: str
    suit: str
    alone: bool
    outcome: str


@lru_cache(maxsize=2048)
def deal_results(game_id: UUID, version: int) -> tuple[dict[str, Any], ...]:
    """Return what became of the deals that a game which ended with this version finished, as data.

    `net`: points of north and south less those of east and west. `maker`, `trump`: -1 if the hand
    was thrown in or folded. `tricks`: the makers'. `best`: the tricks they would have taken if
    everybody had seen all cards and played their best, after the same bidding, discard and passed
    cards; None if thrown in or folded.
    A game is read once for each version, since the end of a closed table may be rolled back and the
    game go on. The first call replays the game: make it outside of a transaction that others wait
    for.
    """
    played = played_of(Game.objects.select_related("table__shared_deals").get(pk=game_id))
    return tuple(
        _result(one.deal, one.deal.result) for one in played.deals if one.deal.result is not None
    )


def nets_of(game: Game) -> list[int]:
    """Return the `net` of each deal that an ended game has finished."""
    game = Game.objects.select_related("table__shared_deals").get(pk=game.pk)
    return [_net(one.deal.result) for one in played_of(game).deals if one.deal.result is not None]


def _net(result: DealResult) -> int:
    return {0: 1, 1: -1}.get(result.side, 0) * result.points


def _result(deal: Deal, result: DealResult) -> dict[str, Any]:
    made = result.makers >= 0
    return {
        "net": _net(result),
        "maker": deal.maker if made else -1,
        "trump": deal.trump if made else -1,
        "alone": made and deal.alone,
        "tricks": result.tricks[result.makers] if made else 0,
        "outcome": result.outcome,
        "best": best_tricks(deal),
    }


def best_tricks(played: Deal) -> int | None:
    """Return the makers' tricks with open hands and best play by all; None without a maker."""
    deal = fresh_copy(played)
    for action in played.actions:
        if deal.phase == PLAYING:
            break
        deal.push(action)
    if deal.phase != PLAYING:
        return None
    return solver.best_tricks(Position.of(deal.observe(), deal.hands))


def made_of(result: dict[str, Any]) -> Made:
    """Return one of `deal_results` in words."""
    if result["maker"] < 0:
        return Made("", "", "", alone=False, outcome=OUTCOMES[result["outcome"]])
    trump = result["trump"]
    return Made(
        compass(4, result["maker"]),
        SUIT_LETTERS[trump] if trump < UNNAMED else "",
        TRUMP_NAMES[trump],
        result["alone"],
        OUTCOMES[result["outcome"]],
    )


def dealt_in(game_id: UUID) -> tuple[Dealt, ...]:
    """Return the deals of an ended game; the caller must be allowed to see its record."""
    played = played_of(Game.objects.select_related("table__shared_deals").get(pk=game_id))
    return tuple(_dealt(number, one.deal) for number, one in enumerate(played.deals, start=1))


def _dealt(number: int, deal: Deal) -> Dealt:
    hands, turn_up = deal.start
    return Dealt(
        number,
        compass(len(hands), deal.dealer),
        _groups([turn_up])[0],
        tuple(
            DealtHand(compass(len(hands), seat), _groups(cards_in(hand)))
            for seat, hand in enumerate(hands)
        ),
    )


def _groups(cards: Iterable[int]) -> tuple[CardGroup, ...]:
    by_suit: dict[str, list[str]] = {}
    for card in sorted(cards, key=partial(sort_key, UNNAMED)):
        by_suit.setdefault(suit_letter(card), []).append(index(card))
    return tuple(
        CardGroup(letter, _NAMES.get(letter, "joker"), " ".join(names))
        for letter, names in by_suit.items()
    )


_SIGNS: Final = {letter: f"{sign}\ufe0e" for letter, sign in zip(SUIT_LETTERS, "♣♦♥♠", strict=True)}
_NAMES: Final = dict(zip(SUIT_LETTERS, SUIT_NAMES, strict=True))
