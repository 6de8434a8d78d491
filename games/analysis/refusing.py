"""Refusing positions of hands that are being played at this site, or still sealed.

It costs the players nothing: the running deals are listed when somebody asks, and each is worked
out from its shuffle once in a process.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q

from games.analysis.completing import complete, plays_of
from games.analysis.likeness import (
    AskedHand,
    DealLikeness,
    HeldHand,
    dealers_place,
    is_like_any,
    is_near,
    likeness,
    of_exchanged,
)
from games.analysis.positions import BoardPosition
from games.engine.actions import BEST, CUT, parse_action
from games.engine.cards import BIT, mask_of
from games.engine.deal import Deal
from games.engine.game import Game as EngineGame
from games.engine.observation import DISCARDING, TAKEN, TURNED_DOWN
from games.engine.rules import HAND
from games.models import Game, GameEvent, Player, Seat, SharedDeals
from games.shuffle.dealing import Packs, packs_of
from games.shuffle.secret_box import unseal

REFUSED: Final = "Not while it is being played"
#: Most deals of a sealed match where its rules do not say how many there are.
_MANY: Final = 30

#: The deals that may not be asked about, by game or match and number; only ever replaced whole.
_known: dict[Hashable, list[DealLikeness]] = {}


def refusal(*positions: BoardPosition, held: Sequence[HeldHand] = ()) -> str:
    """Return why positions are not opened now, or an empty text; raise PositionError.

    The answer does not say whether a hand is being played or its deal is sealed. `held` are the
    hands that the asker holds.
    """
    deals = _forbidden()
    hands = {hand for position in positions for hand in asked_hands(position)}
    found = [is_like_any(hand, deals) or any(is_near(hand, own) for own in held) for hand in hands]
    return REFUSED if any(found) else ""


def hands_held(player: Player | None) -> list[HeldHand]:
    """Return the hands that a player and their programs hold, except at practice tables.

    Neither the browser nor the address counts: who shares one with a player could ask, card by
    card, for that player's hand.
    """
    if player is None:
        return []
    own = Seat.objects.filter(Q(player=player) | Q(player__owner=player))
    others = Seat.objects.filter(table=OuterRef("table")).exclude(player=OuterRef("player"))
    people = Exists(others.exclude(player__kind=Player.Kind.HOUSE))
    shared = Q(table__shared_deals__isnull=False)
    running = own.filter(people | shared, table__games__state=Game.State.PLAYING)
    seats = dict(running.values_list("table", "position"))
    held = []
    for game in Game.objects.filter(state=Game.State.PLAYING, table__in=seats):
        deal, seat = _present_deal(game), seats[game.table_id]
        if deal.start[0]:
            held.append(HeldHand((deal.start[0][seat], _holding(deal, seat)), deal.start[1]))
    return held


def asked_hands(position: BoardPosition) -> Iterator[AskedHand]:
    whole = complete(position)
    deal, players = whole.deal, position.rules.players
    hands, turn_up = deal.start
    discarded = deal.turn_up_at == TAKEN and deal.phase != DISCARDING
    for seat, dealt in enumerate(hands):
        held = _holding(deal, seat)
        # An exchange may lead from any hand to one that is in play.
        for cards in {dealt, held & ~BIT[turn_up] if deal.phase == DISCARDING else held}:
            if cards.bit_count() == HAND and not cards & whole.unknown:
                yield AskedHand(
                    cards,
                    turn_up,
                    seat == deal.turn,
                    dealers_place(players, (deal.dealer - seat) % players),
                    deal.turn_up_at == TURNED_DOWN,
                    held if discarded and seat == deal.dealer else 0,
                )


def _forbidden() -> list[DealLikeness]:
    """Return the present deal of each running game, and all deals of each sealed match.

    A lone maker's hand after the partner's best card counts as a deal of its own.
    """
    global _known  # noqa: PLW0603
    running = Game.objects.filter(state=Game.State.PLAYING, table__shared_deals=None)
    sealed = SharedDeals.objects.filter(opened=None)
    games = dict(running.values_list("pk", "deal_number"))
    matches = list(sealed.values_list("pk", flat=True))
    given = Game.objects.filter(
        state=Game.State.PLAYING,
        rules_data__partners_best=True,
        events__action__startswith=f"{BEST} ",
    ).annotate(Count("events"))
    exchanges = list(given.values_list("pk", "deal_number", "events__count"))
    before = _known
    now = {one: before[one] for one in (*games.items(), *matches, *exchanges) if one in before}
    new = [pk for pk, number in games.items() if (pk, number) not in now]
    for game in running.filter(pk__in=new):
        pack = _pack_dealt(game)
        if pack:
            now[game.pk, game.deal_number] = likeness(game.rules, pack)
    for deals in sealed.filter(pk__in=[match for match in matches if match not in now]):
        table = deals.tables.first()
        if table is not None and deals.mixed:
            packs = Packs(table.rules, unseal(deals.secret), bytes(deals.mixed))
            numbers = range(table.rules.deals or _MANY)
            now[deals.pk] = [
                one for number in numbers for one in likeness(table.rules, packs(number))
            ]
    for one in exchanges:
        if one not in now:
            now[one] = _exchanged(_present_deal(Game.objects.get(pk=one[0])))
    _known = now
    return [deal for deals in now.values() for deal in deals]


def _exchanged(deal: Deal) -> list[DealLikeness]:
    """Return the hand that a lone maker holds, if the partner gave them a card."""
    if all(action.kind != BEST for action in deal.actions):
        return []
    return [of_exchanged(_holding(deal, deal.maker), deal.start[1])]


def _present_deal(game: Game) -> Deal:
    engine = EngineGame(game.rules, game.first_dealer, packs_of(game))
    for (text,) in game.line_of_play("action"):
        engine.push(parse_action(text))
    return engine.deal


def _holding(deal: Deal, seat: int) -> int:
    """Return the cards that a seat holds, and those that it has played."""
    return deal.hands[seat] | mask_of(card for player, card in plays_of(deal) if player == seat)


def _pack_dealt(game: Game) -> Sequence[int]:
    """Return the pack of a running game's present deal after the cut; empty before it."""
    pack = packs_of(game)(game.deal_number - 1)
    if not game.rules.cut:
        return pack
    cuts = GameEvent.objects.filter(game=game, action__startswith=f"{CUT} ").order_by("seq")
    lifted = [parse_action(text).value for text in cuts.values_list("action", flat=True)]
    if len(lifted) < game.deal_number:
        return ()
    return (*pack[lifted[-1] :], *pack[: lifted[-1]])
