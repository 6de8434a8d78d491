"""The log of a table in words: one line per event, and the one sentence read out after each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from games.engine.actions import MAKE, ORDER, PASS, Action
from games.engine.cards import JOKER, SUIT_NAMES
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    Observation,
)
from games.engine.scoring import DealRecord, DealResult
from games.engine.tricks import Trick
from games.picture import words
from games.picture.cast import Cast
from games.picture.words import CallWords

#: What a line is besides a plain one: the head of a part, or good news for the viewer's side.
PART: Final = "part"
WON: Final = "won"


class CardWord(NamedTuple):
    """A card inside a line."""

    card: int


class SuitWord(NamedTuple):
    """A suit inside a line."""

    suit: int


class LogLine(NamedTuple):
    """One line of the log.

    Attributes:
        pieces: texts, cards and suits, in their order.
        kind: ``PART``, ``WON`` or nothing.
    """

    pieces: tuple[str | CardWord | SuitWord, ...]
    kind: str = ""


Lines = tuple[LogLine, ...]


# Parts of the log -------------------------------------------------------------------------


def past_lines(records: tuple[DealRecord, ...], cast: Cast) -> Lines:
    """Two lines for every finished deal, the latest last."""
    return tuple(line for record in records for line in _record_lines(record, cast))


def _record_lines(record: DealRecord, cast: Cast) -> Iterator[LogLine]:
    yield LogLine((f"Hand {record.number}",), PART)
    if record.maker < 0:
        yield LogLine(("Everybody passed: thrown in",))
        return
    maker = cast[record.maker]
    alone = ", alone" if record.alone else ""
    made = f"{maker.does('made it', 'made it')} "
    yield LogLine((made, SuitWord(record.trump), f"{alone}: {words.outcome(record)}"))
    yield _score_line(record.result, record.score, cast)


def _score_line(result: DealResult, score: tuple[int, int], cast: Cast) -> LogLine:
    side = words.side_name(cast, result.side)
    ours = result.side == words.near_side(cast)
    text = f"{side} +{result.points}, now {words.points(cast, score)}"
    return LogLine((text,), WON if ours else "")


class Bidding(NamedTuple):
    """What the first part of a deal's log is told from; see ``Observation`` for the fields."""

    number: int
    players: int
    dealer: int
    packets: tuple[int, ...]
    cut: bool
    phase: str
    turn_up: int
    turned_suit: int
    calls: tuple[tuple[int, Action], ...]


def bidding_of(seen: Observation) -> Bidding:
    """The fields the log of the bidding needs."""
    phase = seen.phase if seen.phase != DONE else PLAYING
    return Bidding(
        seen.standing.deal_number,
        seen.rules.players,
        seen.dealer,
        seen.rules.packets,
        seen.rules.cut,
        phase,
        seen.turn_up,
        seen.turned_suit,
        seen.calls,
    )


def bidding_lines(bid: Bidding, cast: Cast) -> Lines:
    """From the deal to the call that made trump; the same for everybody but for "you"."""
    return tuple(_bidding_lines(bid, cast))


class After(NamedTuple):
    """What is told between the call and the opening lead.

    Attributes:
        dealer: who has discarded, or -1 if nobody has.
        card: what he has, as only he knows, or -1.
        sitting_out: the seat that is skipped, or -1.
    """

    dealer: int = -1
    card: int = -1
    sitting_out: int = -1


def after_of(seen: Observation) -> After:
    """What is told after the bidding."""
    if seen.maker < 0:
        return After()
    taken = not seen.calls or seen.calls[-1][1].kind == ORDER
    discarded = taken and seen.dealer != seen.sitting_out and seen.phase != DISCARDING
    return After(seen.dealer if discarded else -1, seen.discard, seen.sitting_out)


def after_lines(after: After, cast: Cast) -> Lines:
    """From the call to the opening lead: the dealer alone is told which card he discarded."""
    return tuple(_after_lines(after, cast))


def _bidding_lines(bid: Bidding, cast: Cast) -> Iterator[LogLine]:
    dealer = cast[bid.dealer]
    yield LogLine((f"Hand {bid.number}",), PART)
    if bid.phase == CUTTING:
        return
    if bid.cut:
        yield LogLine((f"{cast[bid.dealer - 1].does('cut', 'cuts')} the pack",))
    yield LogLine((f"{dealer.does('deal', 'deals')}, {words.dealt_in(bid.packets)}",))
    yield LogLine((CardWord(bid.turn_up), " is turned up"))
    if bid.turn_up == JOKER and bid.turned_suit >= 0:
        yield LogLine((f"{dealer.does('name', 'names')} ", SuitWord(bid.turned_suit)))
    for number, (seat, action) in enumerate(bid.calls):
        if number == len(cast):
            yield LogLine(("Second round",), PART)
        yield _call_line(bid, cast, number, seat, action)


def _call_line(bid: Bidding, cast: Cast, number: int, seat: int, action: Action) -> LogLine:
    call = call_of_bid(bid, number)
    told = f"{cast[seat].does(call.yours, call.theirs)}{call.alone}"
    if action.kind == PASS:
        return LogLine((told,))
    return LogLine(
        (f"{told}: ", SuitWord(action.value if action.kind == MAKE else bid.turned_suit))
    )


def _after_lines(after: After, cast: Cast) -> Iterator[LogLine]:
    if after.dealer >= 0 and after.card >= 0:
        yield LogLine(("You discard ", CardWord(after.card)))
    elif after.dealer >= 0:
        yield LogLine((cast[after.dealer].does("discard", "discards"),))
    if after.sitting_out >= 0:
        yield LogLine((cast[after.sitting_out].does("sit out", "sits out"),))


class TrickStory(NamedTuple):
    """What the log of one trick is told from.

    Attributes:
        number: 0 for the first trick.
        plays: who played, as the subject of a sentence, and which card.
        end: who won it, in words; empty while it is played.
        kind: ``WON`` if the viewer's side did.
    """

    number: int
    plays: tuple[tuple[str, int], ...] = ()
    end: str = ""
    kind: str = ""


def trick_story(number: int, trick: Trick, cast: Cast) -> TrickStory:
    """One trick as its viewer is told of it; the same for all who have no part in it."""
    plays = tuple([(cast[seat].subject, card) for seat, card in trick.plays])
    if trick.winner < 0:
        return TrickStory(number, plays)
    winner = cast[trick.winner]
    return TrickStory(number, plays, winner.does("win it", "wins it"), winner.for_us(WON, ""))


def trick_lines(story: TrickStory) -> Lines:
    """One trick: who played what, and who won it; nothing before it is led to."""
    if not story.plays:
        return ()
    pieces: list[str | CardWord | SuitWord] = []
    for subject, card in story.plays:
        pieces += [f"{' · ' if pieces else ''}{subject} ", CardWord(card)]
    lines = [LogLine((words.trick_name(story.number),), PART), LogLine(tuple(pieces))]
    if story.end:
        lines.append(LogLine((story.end,), story.kind))
    return tuple(lines)


def result_lines(
    result: DealResult | None, maker: int, score: tuple[int, int], cast: Cast
) -> Lines:
    """How the present deal ended, and the score after it; nothing before that."""
    if result is None:
        return ()
    told = words.deal_result(cast, result, maker)
    if result.side < 0:
        return (LogLine((told,)),)
    ours = result.side == words.near_side(cast)
    now = f"Now {words.points(cast, score)}"
    return LogLine((told,), WON if ours else ""), LogLine((now,))


def deal_lines(seen: Observation, cast: Cast) -> Lines:
    """A whole deal, as the page of a finished game shows it."""
    stories = [trick_story(number, trick, cast) for number, trick in enumerate(seen.tricks)]
    tricks = [line for story in stories for line in trick_lines(story)]
    result = result_lines(seen.result, seen.maker, seen.standing.score, cast)
    bidding = bidding_lines(bidding_of(seen), cast)
    return (*bidding, *after_lines(after_of(seen), cast), *tricks, *result)


def call_at(
    calls: tuple[tuple[int, Action], ...], number: int, *, dealer: int, turned: int, players: int
) -> CallWords:
    """One of a deal's calls, in the words of the caller's position."""
    seat, action = calls[number]
    return words.call_of(
        action,
        seat=seat,
        dealer=dealer,
        players=players,
        first_round=number < players,
        turned=turned,
    )


def call_of_bid(bid: Bidding, number: int) -> CallWords:
    """One of the calls of a bidding."""
    return call_at(
        bid.calls, number, dealer=bid.dealer, turned=bid.turned_suit, players=bid.players
    )


# The sentence that is read out ------------------------------------------------------------


def news(seen: Observation, cast: Cast) -> str:
    """The latest event in one sentence, with what it led to."""
    if seen.phase == DONE:
        return _end_news(seen, cast)
    if seen.plays:
        return _play_news(seen.plays[-1], seen.trump, cast)
    if seen.tricks:
        return _trick_news(seen, cast)
    if seen.calls and seen.phase not in (CUTTING, NAMING):
        return _call_news(seen, cast)
    return _deal_news(seen, cast)


def _play_news(play: tuple[int, int], trump: int, cast: Cast) -> str:
    person = cast[play[0]]
    return f"{person.does('play', 'plays')} {words.card_name(play[1], trump)}."


def _trick_news(seen: Observation, cast: Cast) -> str:
    trick = seen.tricks[-1]
    winner = cast[trick.winner].does("win", "wins")
    return f"{_play_news(trick.plays[-1], seen.trump, cast)} {winner} the trick."


def _end_news(seen: Observation, cast: Cast) -> str:
    last = _trick_news(seen, cast) + " " if seen.tricks else ""
    result = words.deal_result(cast, seen.result, seen.maker) if seen.result else ""
    if seen.standing.over:
        return f"{last}{result}. {words.game_result(cast, seen.standing)}."
    return f"{last}{result}."


def _call_news(seen: Observation, cast: Cast) -> str:
    last = len(seen.calls) - 1
    seat, action = seen.calls[last]
    if seen.phase == PLAYING and action.kind == ORDER and seen.sitting_out != seen.dealer:
        return f"{cast[seen.dealer].does('discard', 'discards')}."
    call = call_at(seen.calls, last, dealer=seen.dealer, turned=seen.turned_suit, players=len(cast))
    told = f"{cast[seat].does(call.yours, call.theirs)}{call.alone}"
    if action.kind == PASS:
        return f"{told}."
    return f"{told}. {SUIT_NAMES[seen.trump].capitalize()} are trump."


def _deal_news(seen: Observation, cast: Cast) -> str:
    dealer = cast[seen.dealer]
    if seen.phase == CUTTING:
        return f"Hand {seen.standing.deal_number}. {dealer.does('deal', 'deals')}."
    up = f"{words.plain_name(seen.turn_up)} is turned up."
    if seen.turn_up == JOKER and seen.turned_suit >= 0:
        up += f" {dealer.does('name', 'names')} {SUIT_NAMES[seen.turned_suit]}."
    deals = f"Hand {seen.standing.deal_number}. {dealer.does('deal', 'deals')}."
    return f"{deals} {up}" if seen.phase in (FIRST_ROUND, NAMING) else up
