"""Reads golden transcripts: what a game shows, and its score sheet in words."""

from __future__ import annotations

from collections.abc import Iterator

from games.engine.actions import MAKE, ORDER, PASS, PLAY, Action
from games.engine.cards import JOKER, SUIT_MASK, SUIT_NAMES, cards_in, left_bower, next_suit
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.notation import GameRecord
from games.engine.observation import FIRST_ROUND, Standing
from games.engine.rules import HAND, RuleSet
from games.engine.scoring import EUCHRE, LONE_MARCH, MARCH, SKUNK, THROWN_IN, DealRecord
from games.engine.seats import compass
from games.engine.tricks import suit_led

ALONE_BY = (
    "alone by the dealer",
    "alone by eldest hand",
    "alone by the dealer's partner",
    "alone by the opening leader's partner",
)

#: What the golden transcripts must show between them.
WANTED = frozenset(
    {
        *ALONE_BY,
        "a dealer who sits out does not discard",
        "dealer stuck",
        "euchre",
        "game tied",
        "game won at the target",
        "game won beyond the target",
        "joker led",
        "joker turned up and accepted",
        "joker turned up and the dealer must make it",
        "joker turned up and turned down",
        "laid down",
        "left bower followed",
        "left bower led",
        "left bower not following its printed suit",
        "lone march",
        "march",
        "skunk",
        "thrown in",
        "thrown in and dealt again by the same dealer",
        "turn-up discarded",
    }
)


def situations(record: GameRecord) -> set[str]:
    """Everything worth showing that happens in a game, found by playing it again."""
    found: set[str] = set()
    game = Game(record.rules, record.first_dealer, record.pack_of)
    for action in record.actions:
        deal = game.deal
        if game.between_deals:
            game.push(action)
            if deal.dealer == game.deal.dealer:
                found.add("thrown in and dealt again by the same dealer")
            continue
        found.update(_bidding(deal, action), _playing(deal, action))
        game.push(action)
        found.update(_ending(deal))
    found.update(_end_of_game(record.rules, game.standing))
    return found


def _bidding(deal: Deal, action: Action) -> Iterator[str]:
    """What an action says before it is pushed on its deal."""
    joker_up = deal.turn_up == JOKER
    if action.alone:
        yield ALONE_BY[(deal.turn - deal.dealer) % 4]
        if action.kind == ORDER and deal.turn == (deal.dealer + 2) % 4:
            yield "a dealer who sits out does not discard"
    if action.kind == ORDER and joker_up:
        yield "joker turned up and accepted"
    if action.kind == PASS and joker_up and deal.turn == deal.dealer and deal.phase == FIRST_ROUND:
        yield "joker turned up and turned down"
    if action.kind == MAKE and deal.turn == deal.dealer and deal.rules.stick_the_dealer:
        yield "dealer stuck"


def _playing(deal: Deal, action: Action) -> Iterator[str]:
    """What a card played says before it is pushed on its deal."""
    if action.kind != PLAY:
        return
    left, led = left_bower(deal.trump), suit_led(deal.trump, deal.plays)
    hand, trumps = deal.hands[deal.turn], SUIT_MASK[deal.trump][deal.trump]
    next_cards = SUIT_MASK[deal.trump][next_suit(deal.trump)]
    if not deal.plays and action.value == left:
        yield "left bower led"
    if not deal.plays and action.value == JOKER:
        yield "joker led"
    if led == deal.trump and action.value == left and hand & ~trumps:
        yield "left bower followed"
    holds_left_alone = left in cards_in(hand) and not hand & next_cards
    if led == next_suit(deal.trump) and holds_left_alone and action.value != left:
        yield "left bower not following its printed suit"


def _ending(deal: Deal) -> Iterator[str]:
    """What the end of a deal says."""
    if deal.result is None:
        return
    if deal.result.outcome in (EUCHRE, LONE_MARCH, MARCH, SKUNK, THROWN_IN):
        yield deal.result.outcome
    if deal.result.outcome != THROWN_IN and sum(deal.result.tricks) < HAND:
        yield "laid down"
    if deal.discarded == deal.turn_up:
        yield "turn-up discarded"
    if deal.turn_up == JOKER and not deal.calls:
        yield "joker turned up and the dealer must make it"


def _end_of_game(rules: RuleSet, standing: Standing) -> Iterator[str]:
    if standing.over and standing.winner < 0:
        yield "game tied"
    if standing.over and rules.target is not None:
        beyond = max(standing.score) > rules.target
        yield "game won beyond the target" if beyond else "game won at the target"


def side_name(rules: RuleSet, side: int) -> str:
    """``North and South``, or the one player of a side of two."""
    if rules.players == 2:
        return compass(2, side)
    return f"{compass(4, side)} and {compass(4, side + 2)}"


def deal_line(rules: RuleSet, line: DealRecord) -> str:
    """A line of the score sheet: ``deal 3: North makes hearts, euchre, East and West +2, 4-3``."""
    north, east = line.score
    if line.maker < 0:
        return f"deal {line.number}: thrown in, {north}-{east}"
    maker = compass(rules.players, line.maker) + (" alone" if line.alone else "")
    side = side_name(rules, line.result.side)
    return (
        f"deal {line.number}: {maker} makes {SUIT_NAMES[line.trump]}, {line.result.outcome}, "
        f"{side} +{line.result.points}, {north}-{east}"
    )


def end_line(rules: RuleSet, standing: Standing) -> str:
    """How a game ended: ``end: North and South win 5-3``."""
    north, east = standing.score
    if standing.winner < 0:
        return f"end: tied {north}-{east}"
    verb = "wins" if rules.players == 2 else "win"
    score = f"{north}-{east}" if standing.winner == 0 else f"{east}-{north}"
    return f"end: {side_name(rules, standing.winner)} {verb} {score}"
