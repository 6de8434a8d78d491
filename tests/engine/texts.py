"""Read the engine's notation back, and keep and compare golden transcripts of whole games."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from games.engine.actions import (
    BEST,
    DEFEND,
    FOLD,
    MAKE,
    NEXT_DEAL,
    ORDER,
    PASS,
    PLAY,
    SWAP,
    Action,
    action_text,
    parse_action,
)
from games.engine.cards import (
    SUIT_MASK,
    TRUMP_NAMES,
    UNNAMED,
    card_text,
    cards_in,
    is_joker,
    left_bower,
    next_suit,
    parse_card,
)
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.game import Game, Packs
from games.engine.game_notation import HEADER, GameRecord, cards_text
from games.engine.observation import FIRST_ROUND, Standing
from games.engine.rules import HAND, RuleSet, rules_from_data
from games.engine.scoring import EUCHRE, LONE_MARCH, MARCH, SKUNK, THROWN_IN, DealRecord
from games.engine.seats import compass
from games.engine.tricks import suit_led


def parse_cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(word) for word in text.split())


def parse_seat(rules: RuleSet, text: str) -> int:
    """Parse North, East, South or West (North or South for two players)."""
    for seat in range(rules.players):
        if compass(rules.players, seat) == text:
            return seat
    seats = ", ".join(compass(rules.players, seat) for seat in range(rules.players))
    raise MalformedError(f"{text[:20]!r} is not a seat: one of {seats}.")


# One deal ---------------------------------------------------------------------------------


def deal_text(deal: Deal) -> str:
    """Return a deal with all actions pushed on it, in one line.

    From a pack: ``West deals pack TD 9S … : pass, order``. From dealt cards:
    ``West deals up TC North 9C … East … : pass``. The rule set is not part of it.
    """
    dealer = compass(deal.rules.players, deal.dealer)
    if deal.pack:
        start = f"pack {cards_text(deal.pack)}"
    else:
        hands, turn_up = deal.start
        dealt = " ".join(
            f"{compass(deal.rules.players, seat)} {cards_text(tuple(cards_in(hand)))}"
            for seat, hand in enumerate(hands)
        )
        start = f"up {card_text(turn_up)} {dealt}"
    done = ", ".join(action_text(action) for action in deal.actions)
    return f"{dealer} deals {start} : {done}".rstrip()


def parse_deal(rules: RuleSet, text: str) -> Deal:
    """Parse the text of ``deal_text`` and check every action.

    Raises:
        MalformedError: the text is not a deal of this rule set.
        IllegalActionError: an action in it could not have been played.
    """
    head, colon, tail = text.partition(" :")
    dealer_text, deals, start = head.partition(" deals ")
    if not colon or not deals:
        raise MalformedError("A deal reads: West deals pack … : pass, order, …")
    dealer = parse_seat(rules, dealer_text)
    kind, _, rest = start.partition(" ")
    if kind == "pack":
        deal = Deal.from_pack(rules, dealer, parse_cards(rest))
    elif kind == "up":
        deal = Deal.from_cards(rules, dealer, *_parse_dealt(rules, rest.split()))
    else:
        raise MalformedError(f"{kind[:20]!r} does not start a deal: pack or up does.")
    for word in filter(None, (one.strip() for one in tail.split(","))):
        deal.push(parse_action(word))
    return deal


def _parse_dealt(rules: RuleSet, words: list[str]) -> tuple[list[list[int]], int]:
    """Parse ``TC North 9C … East …`` into the hands by seat and the turn-up."""
    seats = {compass(rules.players, seat): seat for seat in range(rules.players)}
    hands: list[list[int]] = [[] for _ in seats]
    seat = -1
    for word in words[1:]:
        if word in seats:
            seat = seats[word]
        elif seat < 0:
            raise MalformedError(f"{word[:20]!r} stands before the first seat.")
        else:
            hands[seat].append(parse_card(word))
    return hands, parse_card(words[0] if words else "")


# A whole game -----------------------------------------------------------------------------


def replay(rules: RuleSet, first_dealer: int, packs: Packs, actions: Iterable[Action]) -> Game:
    game = Game(rules, first_dealer, packs)
    for action in actions:
        game.push(action)
    return game


def replay_record(record: GameRecord) -> Game:
    return replay(record.rules, record.first_dealer, record.pack_of, record.actions)


def parse_game(text: str) -> GameRecord:
    """Parse the text of ``game_text`` and check it by playing it; comments are dropped.

    Raises:
        MalformedError, IllegalActionError, OutOfTurnError: the message names the line.
        RuleSetError: the rule set is invalid.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    rules, first_dealer = _parse_head([line for _, line in lines[:3]])
    record = GameRecord(rules, first_dealer, _parse_packs(lines), ())
    return record._replace(actions=_play_lines(record, lines[3:]))


def _parse_head(lines: list[str]) -> tuple[RuleSet, int]:
    """Parse the rule set and the first dealer from the first three lines."""
    head, rules_line, dealer_line = [*lines, "", "", ""][:3]
    if head != HEADER:
        raise MalformedError(f"A game starts with the line {HEADER!r}.")
    if not rules_line.startswith("rules "):
        raise MalformedError("The second line of a game gives the rules.")
    try:
        data = json.loads(rules_line[6:])
    except (ValueError, RecursionError):
        raise MalformedError("The rules of a game must be in JSON.") from None
    rules = rules_from_data(data)
    if not dealer_line.startswith("first dealer "):
        raise MalformedError("The third line of a game names the first dealer.")
    return rules, parse_seat(rules, dealer_line[13:])


def _parse_packs(lines: list[tuple[int, str]]) -> tuple[tuple[int, ...], ...]:
    packs = []
    for number, line in lines:
        if line.startswith("deal "):
            with _naming_line(number):
                packs.append(parse_cards(line[5:]))
    return tuple(packs)


def _play_lines(record: GameRecord, lines: list[tuple[int, str]]) -> tuple[Action, ...]:
    """Play the lines after the head and return their actions."""
    game = replay_record(record)
    actions: list[Action] = []
    dealt = 0
    for number, line in lines:
        with _naming_line(number):
            is_pack = line.startswith("deal ")
            dealt += is_pack
            if dealt != game.standing.deal_number:
                raise MalformedError("A pack stands once, at the head of its deal.")
            if not is_pack:
                actions += [_play_step(game, words) for words in line.split(", ")]
    return tuple(actions)


def _play_step(game: Game, words: str) -> Action:
    """Play one ``Seat action``, or ``next`` by no seat."""
    if words == action_text(NEXT_DEAL):
        game.push(NEXT_DEAL)
        return NEXT_DEAL
    seat, _, action_words = words.partition(" ")
    action = parse_action(action_words)
    game.push(action, parse_seat(game.rules, seat))
    return action


@contextmanager
def _naming_line(number: int) -> Iterator[None]:
    """Prefix an error's message with the number of the line."""
    try:
        yield
    except (MalformedError, IllegalActionError, OutOfTurnError) as why:
        raise type(why)(f"Line {number}: {why}") from None


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
        "defended alone",
        "euchre",
        "farmer's hand",
        "folded",
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
        "low no trump",
        "march",
        "no trump",
        "partner's best",
        "skunk",
        "thrown in",
        "thrown in and dealt again by the same dealer",
        "turn-up discarded",
    }
)


_ANSWERS = {
    BEST: "partner's best",
    DEFEND: "defended alone",
    FOLD: "folded",
    SWAP: "farmer's hand",
}


def situations(record: GameRecord) -> set[str]:
    """Everything worth showing that happens in a game, found by playing it again."""
    found: set[str] = set()
    game = Game(record.rules, record.first_dealer, record.pack_of)
    for action in record.actions:
        deal = game.deal
        if game.between_deals:
            game.push(action)
            thrown_in = deal.result is not None and deal.result.outcome == THROWN_IN
            if thrown_in and deal.dealer == game.deal.dealer:
                found.add("thrown in and dealt again by the same dealer")
            continue
        found.update(_bidding(deal, action), _playing(deal, action))
        game.push(action)
        found.update(_ending(deal))
    found.update(_end_of_game(record.rules, game.standing))
    return found


def _bidding(deal: Deal, action: Action) -> Iterator[str]:
    """What an action says before it is pushed on its deal."""
    joker_up = is_joker(deal.turn_up)
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
    if action.kind == MAKE and action.value > UNNAMED:
        yield TRUMP_NAMES[action.value]
    if action.kind in _ANSWERS:
        yield _ANSWERS[action.kind]


def _playing(deal: Deal, action: Action) -> Iterator[str]:
    """What a card played says before it is pushed on its deal."""
    if action.kind != PLAY:
        return
    left, led = left_bower(deal.trump), suit_led(deal.trump, deal.plays)
    hand, trumps = deal.hands[deal.turn], SUIT_MASK[deal.trump][deal.trump]
    next_cards = SUIT_MASK[deal.trump][next_suit(deal.trump)]
    if not deal.plays and action.value == left:
        yield "left bower led"
    if not deal.plays and is_joker(action.value):
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
    if deal.result.makers >= 0 and sum(deal.result.tricks) < HAND:
        yield "laid down"
    if deal.discarded == deal.turn_up:
        yield "turn-up discarded"
    if is_joker(deal.turn_up) and not deal.calls:
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
        f"deal {line.number}: {maker} makes {TRUMP_NAMES[line.trump]}, {line.result.outcome}, "
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
