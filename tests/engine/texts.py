"""Read the engine's notation back: deals and whole games from text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from games.engine.actions import NEXT_DEAL, Action, action_text, parse_action
from games.engine.cards import card_text, cards_in, parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.game import Game, Packs
from games.engine.notation import HEADER, GameRecord, cards_text
from games.engine.rules import RuleSet, rules_from_data
from games.engine.seats import compass


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
