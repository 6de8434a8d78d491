"""Deals and whole games as text that people can read and that reads back the same.

A deal is its start and what was done in it; a game adds the rule set and the first dealer:

    bower game 1
    rules {"key": "classic-24", …}
    first dealer West
    deal TD 9S QS …
      North pass, East order, West discard 9S
      North play AS, East play 9S, South play KS, West play TS
    next

Lines that start with ``#`` are comments, and empty lines mean nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from games.engine.actions import NEXT, NEXT_DEAL, PLAY, Action, action_text, parse_action
from games.engine.cards import card_text, cards_in, parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.game import Game
from games.engine.rules import RuleSet, rules_from_data, rules_to_data
from games.engine.seats import compass

HEADER: Final = "bower game 1"


def cards_text(cards: Sequence[int]) -> str:
    """Cards in their order, one space between them."""
    return " ".join(card_text(card) for card in cards)


def parse_cards(text: str) -> tuple[int, ...]:
    """Reads what ``cards_text`` writes.

    Raises:
        MalformedError: one of the words is not a card.
    """
    return tuple(parse_card(word) for word in text.split())


def parse_seat(rules: RuleSet, text: str) -> int:
    """Reads North, East, South or West (North or South for two players).

    Raises:
        MalformedError: there is no such seat.
    """
    for seat in range(rules.players):
        if compass(rules.players, seat) == text:
            return seat
    seats = ", ".join(compass(rules.players, seat) for seat in range(rules.players))
    raise MalformedError(f"{text[:20]!r} is not a seat: one of {seats}.")


# One deal ---------------------------------------------------------------------------------


def deal_text(deal: Deal) -> str:
    """A deal with everything pushed on it, in one line.

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
    """Reads what ``deal_text`` writes, checking every action.

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
    """Reads ``TC North 9C … East …``: the hands by seat and the turn-up."""
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


class GameRecord(NamedTuple):
    """A game as data: all that is needed to play it again.

    Attributes:
        rules: the rule set.
        first_dealer: the seat that dealt first.
        packs: the pack of each deal dealt, top first and before the cut.
        actions: everything done, in order.
    """

    rules: RuleSet
    first_dealer: int
    packs: tuple[tuple[int, ...], ...]
    actions: tuple[Action, ...]

    def replay(self) -> Game:
        """The game these data give, every action checked.

        Raises:
            IllegalActionError: an action that could not have been played.
            MalformedError: a pack is wrong or missing.
        """
        return Game.replay(self.rules, self.first_dealer, self.pack_of, self.actions)

    def pack_of(self, deal: int) -> tuple[int, ...]:
        """The pack of a deal, numbered from 0.

        Raises:
            MalformedError: it is missing.
        """
        if deal >= len(self.packs):
            raise MalformedError(f"The pack of deal {deal + 1} is missing.")
        return self.packs[deal]


def game_text(record: GameRecord) -> str:
    """A game as text; see the head of this module."""
    lines = [
        HEADER,
        f"rules {json.dumps(rules_to_data(record.rules), ensure_ascii=False)}",
        f"first dealer {compass(record.rules.players, record.first_dealer)}",
        *_deal_lines(record),
    ]
    return "\n".join(lines) + "\n"


def _deal_lines(record: GameRecord) -> Iterator[str]:
    """A line for every pack, and one for every phase and every trick of its deal."""
    game = Game(record.rules, record.first_dealer, record.pack_of)
    yield f"deal {cards_text(record.packs[0])}"
    line: list[str] = []
    for action in record.actions:
        if action.kind == NEXT:
            yield from ("next", f"deal {cards_text(record.packs[game.standing.deal_number])}")
            game.push(action)
            continue
        deal = game.deal
        line.append(f"{compass(record.rules.players, deal.turn)} {action_text(action)}")
        before = (deal.phase, len(deal.tricks))
        game.push(action)
        if before != (deal.phase, len(deal.tricks)) and (action.kind != PLAY or not deal.plays):
            yield "  " + ", ".join(line)
            line = []
    if line:
        yield "  " + ", ".join(line)


def parse_game(text: str) -> GameRecord:
    """Reads what ``game_text`` writes and checks it by playing it; comments are dropped.

    Raises:
        MalformedError: a line is not what it should be.
        IllegalActionError: an action that could not have been played.
        OutOfTurnError: an action by a seat whose turn it was not.
        RuleSetError: the rule set makes no sense.
        All but the last name the line.
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
    """The rule set and the first dealer, from the first three lines."""
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
    """Plays what the lines after the head say, and gives it as actions."""
    game = record.replay()
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
    """One ``Seat action``, or ``next`` by nobody in particular."""
    if words == action_text(NEXT_DEAL):
        game.push(NEXT_DEAL)
        return NEXT_DEAL
    seat, _, action_words = words.partition(" ")
    action = parse_action(action_words)
    game.push(action, parse_seat(game.rules, seat))
    return action


@contextmanager
def _naming_line(number: int) -> Iterator[None]:
    """Puts the number of the line before what is wrong with it."""
    try:
        yield
    except (MalformedError, IllegalActionError, OutOfTurnError) as why:
        raise type(why)(f"Line {number}: {why}") from None
