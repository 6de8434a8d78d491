"""Positions of hands in play and of sealed deals are refused, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from random import Random

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.analysis.completing import PositionError, complete
from games.analysis.likeness import AskedHand, HeldHand, is_like_any, is_near, likeness
from games.analysis.positions import BoardPosition
from games.analysis.refusing import REFUSED, asked_hands, hands_held, refusal
from games.engine.actions import (
    BEST,
    CUT,
    DECLINE,
    DECLINED,
    DISCARD,
    GIVE,
    MAKE,
    NINES_AND_TENS,
    ORDERS,
    PASSED,
    SWAP,
    WITH_A_CARD,
    Action,
)
from games.engine.cards import BENNY, BIT, JOKER, cards_in, mask_of, parse_card
from games.engine.deal import Deal
from games.engine.game import Game as Play
from games.engine.observation import GIVING, PLAYING, TAKEN, TURNED_DOWN
from games.engine.rules import CLASSIC_24, JOKER_33, NO_TRUMP_GAME, STICK_THE_DEALER, RuleSet
from games.models import Game, GameEvent, Player, SharedDeals
from games.people import traces
from games.people.house_players import house_players
from games.people.traces import Origin
from games.review.decisions import decisions
from games.seats import reserved, seating
from games.seats.reserved import ReservedTable
from games.shuffle import shared
from games.shuffle.dealing import packs_of
from tests.chance import random_played, shuffled_pack
from tests.factories import logged_in, member, people, push, table
from tests.games.shuffle import test_shared as sharing

COLOURS = [new for new in permutations(range(4)) if new[0] + new[3] == 3]


def renamed(card: int, new: Sequence[int]) -> int:
    return card if card >= JOKER or card < 0 else new[card >> 3] * 8 + card % 8


def turned(position: BoardPosition, new: Sequence[int], by: int) -> BoardPosition:
    """The same position with other suits, every player so many seats on."""

    def named(action: Action) -> Action:
        if action.kind in WITH_A_CARD:
            return action._replace(value=renamed(action.value, new))
        if action.kind == MAKE and action.value < 4:
            return action._replace(value=new[action.value])
        return action

    players = position.rules.players
    hands = [0] * players
    for seat, cards in enumerate(position.hands):
        hands[(seat + by) % players] = mask_of(renamed(card, new) for card in cards_in(cards))
    return position._replace(
        dealer=(position.dealer + by) % players,
        turn_up=renamed(position.turn_up, new),
        hands=tuple(hands),
        actions=tuple(map(named, position.actions)),
    )


def at_the_start(position: BoardPosition, dealer: int) -> BoardPosition:
    """The five cards of the side to move and the turn-up, before anything was said."""
    whole = complete(position).deal
    first, turn = (dealer + 1) % 4, whole.turn
    hands = [0] * 4
    hands[first] = whole.start[0][turn]
    return BoardPosition(position.rules, dealer, position.turn_up, tuple(hands))


def guessed(position: BoardPosition, chance: Random) -> BoardPosition:
    """The same with cards that the side to move cannot know."""
    whole = complete(position).deal
    seat = chance.choice([seat for seat in range(4) if seat != whole.turn])
    hands = list(position.hands)
    hands[seat] |= whole.start[0][seat]
    return position._replace(hands=tuple(hands), score=(3, 2))


def is_refused(position: BoardPosition, rules: RuleSet, pack: Sequence[int]) -> bool:
    deals = likeness(rules, pack)
    return any(is_like_any(hand, deals) for hand in asked_hands(position))


def test_a_hand_in_play_is_refused_a_thousand_times_of_a_thousand() -> None:
    tries = 0
    for number in range(1000):
        chance = Random(number)
        game = random_played(replace(CLASSIC_24, target=None, deals=1), f"in play {number}")
        decision = chance.choice(list(decisions(game)))
        pack = game.deals[decision.hand - 1].deal.pack
        found = BoardPosition.of_decision(game, decision.hand, decision.step)
        any_suits = chance.choice(list(permutations(range(4))))
        bowers_kept, dealer = chance.choice(COLOURS), chance.randrange(4)
        no_jacks_said = turned(at_the_start(found, dealer), bowers_kept, chance.randrange(4))
        asked = [
            turned(found, bowers_kept, chance.randrange(4)),
            no_jacks_said,
            guessed(turned(found, bowers_kept, 1), chance),
            no_jacks_said._replace(rules=STICK_THE_DEALER, score=(4, 3)),
            at_the_start(found, (decision.seat - 1) % 4),
        ]
        if not any(action.kind == "play" for action in found.actions):
            asked.append(turned(found, any_suits, chance.randrange(4)))  # nobody followed suit yet
        for one in asked:
            assert is_refused(one, CLASSIC_24, pack), (number, one.text)
        tries += 1
    assert tries == 1000


def test_a_card_that_no_longer_matters_makes_no_other_hand() -> None:
    rules = CLASSIC_24
    pack = shuffled_pack(rules, Random(4))
    dealt = [mask_of(pack[a] for a in (seat * 3, seat * 3 + 1, seat * 3 + 2)) for seat in range(4)]
    dealt = [
        cards | mask_of(pack[12 + seat * 2 : 14 + seat * 2]) for seat, cards in enumerate(dealt)
    ]
    up = pack[20]
    same_suit = [card for card in pack[21:] if card >> 3 == up >> 3]
    other = next(iter(same_suit), None)
    first_passes = (PASSED,) * 4
    hands = (dealt[0], 0, 0, 0)  # dealer's left; the dealer sits in seat 3
    if other is not None:
        down = BoardPosition(rules, 3, other, hands, actions=first_passes)
        assert is_refused(down, rules, pack)
    # The dealer's six cards, with another of them turned up.
    for card in cards_in(dealt[3]):
        six = dealt[3] & ~BIT[card] | BIT[up]
        swapped = BoardPosition(rules, 2, card, (0, 0, 0, six), actions=())
        assert is_refused(swapped, rules, pack)


def exchanged_for(own: int, up: int, dealer: int) -> Iterator[BoardPosition]:
    """Yield positions in which seat 0 is dealt something else and gets these cards by an exchange.

    If it deals, it picks the turn-up up.
    """
    farmers, first = replace(CLASSIC_24, farmers_hand=True), [*cards_in(own)]
    low = mask_of([*cards_in(NINES_AND_TENS & ~own & ~BIT[up])][:3])
    others, then = ((DECLINED,) * 3, ORDERS[:1]) if dealer == 0 else ((), ())
    swap = (*others, Action(SWAP, low), *then)
    dealt = mask_of(first[:2]) | low
    yield BoardPosition(farmers, dealer, up, (dealt, 0, 0, 0), (0, 0), mask_of(first[2:]), swap)
    if dealer == 3:
        given = next(cards_in(CLASSIC_24.pack_mask & ~own & ~BIT[up]))
        dealt = own & ~BIT[first[4]] | BIT[given]
        asks = (ORDERS[1], Action(DISCARD, -1), Action(GIVE, given), Action(BEST, first[4]))
        yield BoardPosition(NO_TRUMP_GAME, 3, up, (dealt, 0, 0, 0), actions=asks)


@pytest.mark.parametrize("dealer", [3, 0])
def test_a_hand_that_an_exchange_leads_to_is_refused(dealer: int) -> None:
    tries = 0
    for number in range(20):
        pack = shuffled_pack(CLASSIC_24, Random(number))
        hands, up = Play(CLASSIC_24, 3, [pack].__getitem__).deal.start
        for asked in exchanged_for(hands[dealer], up, dealer):
            with suppress(PositionError):
                assert asked.seen().hand & hands[dealer] == hands[dealer]
                assert is_refused(asked, CLASSIC_24, pack), asked.text
                tries += 1
    assert tries > 10


def test_one_card_differs_beside_a_benny_too() -> None:
    own, near, far = (mask_of([BENNY, *map(parse_card, text.split())]) for text in (
        "JC AC KH QH", "JC AC KH 9S", "JC AC 9S TS"))  # fmt: skip
    held, up = HeldHand((own, own), parse_card("9D")), parse_card("AD")
    asked = [
        AskedHand(cards, up, moves=True, deals=1, is_turned_down=False) for cards in (near, far)
    ]
    assert [is_near(one, held) for one in asked] == [True, False]


def with_other(position: BoardPosition, one: int, other: int) -> BoardPosition:
    """The same with another card in a hand or turned up."""
    both = BIT[one] | BIT[other]
    hands = [cards ^ both if cards & BIT[one] else cards for cards in position.hands]
    up = other if position.turn_up == one else position.turn_up
    return position._replace(hands=tuple(hands), turn_up=up)


def other_cards(position: BoardPosition, one: int) -> list[int]:
    known = position.hands[first_to_speak(position)] | BIT[position.turn_up]
    cards = {one + 1, one - 1} if one % 8 in (2, 3) else set()
    return [card for card in cards if card % 8 in (2, 3) and not known >> card & 1]


def first_to_speak(position: BoardPosition) -> int:
    return (position.dealer + 1) % 4


def test_a_nine_for_a_ten_makes_no_other_hand() -> None:
    exchanged = 0
    for number in range(150):
        game = random_played(replace(CLASSIC_24, target=None, deals=1), f"nines {number}")
        decision = next(iter(decisions(game)))
        asked = BoardPosition.of_decision(game, decision.hand, decision.step)
        asked = at_the_start(asked, asked.dealer)
        for one in cards_in(asked.hands[first_to_speak(asked)] | BIT[asked.turn_up]):
            for other in other_cards(asked, one):
                found = turned(with_other(asked, one, other), COLOURS[number % 8], number % 4)
                assert is_refused(found, CLASSIC_24, game.deals[0].deal.pack), found.text
                exchanged += 1
    assert exchanged > 100


def plays_of(deal: Deal) -> list[tuple[int, int]]:
    return [*(play for trick in deal.tricks for play in trick.plays), *deal.plays]


def could_be(position: BoardPosition, turn: int) -> bool:
    try:
        position.seen()
    except PositionError:
        return False
    return complete(position).deal.turn == turn


def late_in_play(name: str) -> Iterator[tuple[BoardPosition, Deal, list[int], int]]:
    """Yield positions after three plays of others, with the deal, these plays, unseen cards."""
    for number in range(12):
        game = random_played(replace(CLASSIC_24, target=None, deals=1), f"{name} {number}")
        for decision in decisions(game):
            found = BoardPosition.of_decision(game, decision.hand, decision.step)
            deal = game.deals[decision.hand - 1].at(decision.step)
            others = [card for seat, card in plays_of(deal) if seat != deal.turn]
            known = found.hands[deal.turn] | mask_of(others) | BIT[found.turn_up]
            if deal.phase == PLAYING and len(others) >= 3:
                yield found, deal, others, CLASSIC_24.pack_mask & ~known


def exchanged(position: BoardPosition, one: int, other: int) -> BoardPosition:
    """Two cards in each other's place in the hands and in what was done."""
    places = {one: other, other: one}

    def with_other(action: Action) -> Action:
        if action.kind in WITH_A_CARD:
            return action._replace(value=places.get(action.value, action.value))
        return action

    return position._replace(
        hands=tuple(
            [mask_of(places.get(card, card) for card in cards_in(hand)) for hand in position.hands]
        ),
        actions=tuple(map(with_other, position.actions)),
    )


def test_another_discard_or_turn_up_makes_no_other_hand() -> None:
    discards = turn_ups = 0
    for found, deal, _, unseen in late_in_play("gone"):
        own = deal.turn == deal.dealer and deal.turn_up_at == TAKEN
        gone = next((one.value for one in found.actions if one.kind == DISCARD), -1)
        for card in cards_in(unseen):
            other = exchanged(found, gone, card) if own else found._replace(turn_up=card)
            past = deal.turn_up_at == TURNED_DOWN and card >> 3 == found.turn_up >> 3
            if not (own or past) or not could_be(other, deal.turn):
                continue
            assert is_refused(other, CLASSIC_24, deal.pack), other.text
            discards, turn_ups = discards + own, turn_ups + (not own)
    assert min(discards, turn_ups) > 10


def test_the_answer_says_nothing_of_what_others_hold_or_played() -> None:
    """Else their cards could be tried one by one, beside one's own hand and another turn-up."""
    answers = {True: 0, False: 0}
    for found, deal, (one, other, *_), unseen in late_in_play("others"):
        if deal.turn_up_at == TAKEN:
            continue
        for card in cards_in(unseen):
            right = found._replace(turn_up=card)
            wrong = exchanged(right, one, other)
            if could_be(right, deal.turn) and could_be(wrong, deal.turn):
                refused = is_refused(right, CLASSIC_24, deal.pack)
                assert is_refused(wrong, CLASSIC_24, deal.pack) == refused, wrong.text
                answers[refused] += 1
    assert min(answers.values()) > 5


def test_few_positions_are_refused_by_chance() -> None:
    chance, refused, asked = Random(1), 0, 0
    deals = [
        one for _ in range(20) for one in likeness(CLASSIC_24, shuffled_pack(CLASSIC_24, chance))
    ]
    for number in range(60):
        game = random_played(CLASSIC_24, f"elsewhere {number}")
        for decision in decisions(game):
            if chance.random() < 0.2:
                found = BoardPosition.of_decision(game, decision.hand, decision.step)
                asked += 1
                refused += any(is_like_any(hand, deals) for hand in asked_hands(found))
    assert asked > 500
    assert refused <= asked * 0.01


# The tables of the site -----------------------------------------------------------------------


def _running(rules: RuleSet = CLASSIC_24) -> Game:
    host, *others = people(rules.players)
    at = table(host, *others, rules=rules)
    seating.start(at, host)
    return at.games.get(state=Game.State.PLAYING)


def _of_first_seat(game: Game, deal: int = 0, cut: int = 0) -> BoardPosition:
    """What dealer's left of a running game knows when the hand begins."""
    rules = game.rules
    pack = packs_of(game)(deal)
    engine = Play(rules, 3, lambda _: (*pack[cut:], *pack[:cut]))
    if rules.cut:
        engine = Play(replace(rules, cut=False), 3, lambda _: (*pack[cut:], *pack[:cut]))
    hands, turn_up = engine.deal.start
    return BoardPosition(CLASSIC_24 if rules.pack == 24 else rules, 3, turn_up, (hands[0], 0, 0, 0))


@pytest.mark.django_db
def test_a_running_hand_is_refused_until_it_is_over() -> None:
    game = _running()
    asked = _of_first_seat(game)
    assert refusal(asked) == REFUSED
    assert refusal(turned(asked, COLOURS[3], 2)) == REFUSED
    # The next hand is dealt: this one is over, that one is not.
    Game.objects.filter(pk=game.pk).update(deal_number=2)
    assert not refusal(asked)
    assert refusal(_of_first_seat(game, deal=1)) == REFUSED
    Game.objects.filter(pk=game.pk).update(state=Game.State.OVER, ended=timezone.now())
    assert not refusal(_of_first_seat(game, deal=1))


@pytest.mark.django_db
def test_a_pack_that_is_cut_is_refused_as_it_was_cut() -> None:
    game = _running(JOKER_33)
    assert not refusal(_of_first_seat(game))
    engine = Play(game.rules, game.first_dealer, packs_of(game))
    push(game, engine, Action(CUT, 16)).save()
    assert refusal(_of_first_seat(game, cut=16)) == REFUSED


@pytest.mark.django_db
def test_a_sealed_deal_is_refused_in_the_same_words() -> None:
    tables = sharing.started(2)
    game = Game.objects.filter(table__in=tables).first()
    assert game is not None
    for deal in range(2):  # also one that no table has reached
        assert refusal(_of_first_seat(game, deal)) == REFUSED
    # One table has finished: its deals are sealed still.
    Game.objects.filter(table__in=tables).update(state=Game.State.OVER, ended=timezone.now())
    assert refusal(_of_first_seat(game)) == REFUSED
    SharedDeals.objects.update(opened=timezone.now())
    assert not refusal(_of_first_seat(game))


@pytest.mark.django_db
def test_deals_that_everybody_plays_alone_are_worked_out_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    closes = timezone.now() + timedelta(hours=3)
    deals = shared.make_for_solo_tables(closes)
    rules = replace(CLASSIC_24, target=None, deals=4, thrown_in_counts=True)
    for person in people(3):
        players = [*house_players(3), person]
        (at,) = reserved.open_tables(
            [ReservedTable(players, "", "/")], rules, person, solo_deals=deals
        )
        reserved.begin(at.pk, 1, rules)
    game = Game.objects.filter(table__shared_deals=deals).first()
    assert game is not None
    for deal in range(4):
        assert refusal(_of_first_seat(game, deal)) == REFUSED
    with django_assert_num_queries(3):
        assert refusal(_of_first_seat(game, 3))


@pytest.mark.django_db
def test_players_pay_nothing_and_an_asker_little(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    games = [_running() for _ in range(3)]
    asked = _of_first_seat(games[0])
    assert refusal(asked)
    with django_assert_num_queries(3):  # however many tables there are: nothing is read again
        assert refusal(asked)


# The hand that one holds oneself -----------------------------------------------------------------


def _answers(asked: BoardPosition, *who: Player | None) -> list[bool]:
    return [refusal(asked, held=hands_held(one)) == REFUSED for one in who]


def _shared_computer(who: Player, game: Game, holder: Player) -> Client:
    """A browser that is logged in as somebody, in which the holder of a hand was before."""
    traces.record(game.table, holder, Origin("shared", "127.0.0.1"))
    browser = logged_in(who)
    session = browser.session
    session[traces.BROWSER] = "shared"
    session.save()
    return browser


@pytest.mark.django_db
def test_a_hand_near_ones_own_is_refused_to_its_holder_alone() -> None:
    game = _running()
    seats = {seat.position: seat.player for seat in game.table.seats.select_related("player")}
    first = (game.first_dealer + 1) % 4
    holder, partner = seats[first], seats[(first + 2) % 4]
    assert holder is not None
    assert partner is not None
    stranger = member()
    own = _of_first_seat(game)
    hand = own.hands[0]
    unseen = [*cards_in(CLASSIC_24.pack_mask & ~hand & ~BIT[own.turn_up])]
    new = [card for card in unseen if card % 8 not in (2, 3)]
    old = [card for card in cards_in(hand) if card % 8 not in (2, 3)]
    one = turned(with_other(own, old[0], new[0]), COLOURS[5], 1)
    two = with_other(one, next(cards_in(one.hands[1])), next(cards_in(CLASSIC_24.pack_mask & ~one.hands[1] & ~BIT[one.turn_up])))  # fmt: skip  # noqa: E501
    for asked in (one, two, own._replace(turn_up=new[0])):
        assert _answers(asked, holder, partner, stranger, None) == [True, False, False, False]
    # Whoever shares the browser or the address could ask for the hand, card by card.
    others = _shared_computer(stranger, game, holder), Client()
    opened = [who.get("/analysis/board/", {"p": one.text}) for who in (logged_in(holder), *others)]
    assert [answer.status_code for answer in opened] == [409, 200, 200]
    # At practice with the house only the hand itself is refused.
    for seat, house in zip(game.table.seats.exclude(player=holder), house_players(3), strict=True):
        game.table.seats.filter(pk=seat.pk).update(player=house)
    assert [*_answers(one, holder), *_answers(own, holder)] == [False, True]
    Game.objects.update(state=Game.State.OVER, ended=timezone.now())
    assert _answers(own, holder) == [False]


@pytest.mark.django_db
def test_what_a_lone_maker_got_from_the_partner_is_refused_as_if_dealt(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    game = _running(replace(CLASSIC_24, partners_best=True))
    engine = Play(game.rules, game.first_dealer, packs_of(game))
    events = [push(game, engine, PASSED), push(game, engine, ORDERS[1])]
    while engine.deal.phase != PLAYING:
        kinds = [one for one in engine.legal_actions() if one.kind != DECLINE]
        if engine.deal.phase == GIVING:
            GameEvent.objects.bulk_create(events)
            events = []
            deal = engine.deal
            asked = _held_as_dealt(deal, deal.hands[deal.maker] | BIT[kinds[0].value])
            assert not refusal(asked)  # nobody holds it yet
        events.append(push(game, engine, kinds[0]))
    GameEvent.objects.bulk_create(events)
    assert refusal(asked) == REFUSED
    with django_assert_num_queries(3):  # the game is not replayed again
        assert refusal(asked) == REFUSED
    assert refusal(turned(asked, COLOURS[3], 2)) == REFUSED


def _held_as_dealt(deal: Deal, cards: int) -> BoardPosition:
    return BoardPosition(CLASSIC_24, 3, deal.start[1], (cards, 0, 0, 0))
