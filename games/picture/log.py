"""The log of a table in words: one line per event, and the one sentence read out after each.

What everybody may read; which card was discarded, the dealer alone is told (``own_values``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from games.engine.actions import MAKE, ORDER, PASS, Action
from games.engine.cards import JOKER, SUIT_NAMES, card_text
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    Observation,
)
from games.engine.rules import RuleSet
from games.engine.scoring import DealRecord, DealResult
from games.engine.tricks import Trick
from games.models import Proposal
from games.picture import phrases
from games.picture.cast import Cast, Person
from games.picture.phrases import CallWords
from games.picture.scene import Scene, Told

#: What a line is besides a plain one: the head of a part, a card played, or points won.
PART: Final = "part"
PLAY: Final = "play"
WON: Final = "won"


#: A line of the log: what it is (``is``), which side it is good news for (``side``), and its words:
#: texts, a person as ``[seat, name]``, a card as ``[code]`` and a suit as ``[letter, name]``.
LogLine: TypeAlias = dict[str, Any]

_PLACES: Final = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=16384)
def line(
    phrase: str,
    name: Person | str = "",
    *,
    card: int = -1,
    suit: int = -1,
    kind: str = "",
    side: int = -1,
) -> LogLine:
    """Return a line of the log; it is shared, so leave it as it is.

    Args:
        phrase: the whole line, with ``{name}``, ``{card}`` and ``{suit}`` in their places.
        name: the person in it, or other words.
        card: the card in it.
        suit: the suit in it.
        kind: ``PART``, ``PLAY``, ``WON`` or nothing.
        side: which side it is good news for, or -1.
    """
    words: list[Any] = [""]
    for at, part in enumerate(_PLACES.split(phrase)):
        if at % 2 == 0:
            words[-1] += part
        elif part == "name" and isinstance(name, Person):
            words += [[name.seat, name.short], ""]
        elif part == "name":
            words[-1] += name
        elif part == "card":
            words += [[card_text(card)], ""]
        else:
            words += [[phrases.SUIT_LETTERS[suit], f" {SUIT_NAMES[suit]}"], ""]
    made: LogLine = {"words": [word for word in words if word]}
    if kind:
        made["is"] = kind
    if side >= 0:
        made["side"] = side
    return made


# Parts of the log -------------------------------------------------------------------------


def past_lines(
    records: tuple[DealRecord, ...], cast: Cast, told: Sequence[Told] = ()
) -> Iterator[LogLine]:
    """Up to three lines for every finished deal, the latest last, and what was proposed in it."""
    for record in records:
        yield line(f"Hand {record.number}", kind=PART)
        for one in told:
            if one.deal_number == record.number:
                yield from _told_lines(one, cast)
        if record.maker < 0:
            yield line("Everybody passed: thrown in")
            continue
        ended = phrases.outcome(record)
        yield line(
            f"{{name}} made it {{suit}}, alone: {ended}" if record.alone
            else f"{{name}} made it {{suit}}: {ended}",
            cast[record.maker],
            suit=record.trump,
        )  # fmt: skip
        side, stands = record.result.side, phrases.score_stands(cast, record.score)
        yield line(
            "{name}",
            f"{phrases.together(cast, side)} +{record.result.points}, now {stands}",
            kind=WON,
            side=side,
        )


def deal_lines(seen: Observation, cast: Cast, told: Sequence[Told] = ()) -> Iterator[LogLine]:
    """The present deal, from its first event to its last; while it is played lines are only added.

    told: what was proposed in the game; what belongs to this deal stands where it was said, or
    before its first trick.
    """
    yield from bidding_lines(seen, cast)
    yield from play_lines(seen, cast, told)


def play_lines(seen: Observation, cast: Cast, told: Sequence[Told] = ()) -> Iterator[LogLine]:
    """The tricks of the present deal and its result; see ``deal_lines``."""
    said = [one for one in told if one.deal_number == seen.standing.deal_number]
    tricks = (*seen.tricks, Trick(seen.plays)) if seen.plays else seen.tricks
    played = 0
    for number, trick in enumerate(tricks):
        lines = _trick_lines(number, trick, seen.trump, cast)
        if not said:
            yield from lines
            continue
        for one in lines:
            while said and said[0].cards <= played and one.get("is") != WON:
                yield from _told_lines(said.pop(0), cast)
            played += one.get("is") == PLAY
            yield one
    yield from result_lines(seen, cast)
    for left in said:
        yield from _told_lines(left, cast)


_ANSWERED: Final = {
    Proposal.State.DECLINED: "{name} plays on",
    Proposal.State.WITHDRAWN: "{name} takes it back",
    Proposal.State.LAPSED: "It was not agreed to",
}
#: How something stays done that somebody wanted to undo.
_STANDS: Final = (Proposal.State.DECLINED, Proposal.State.WITHDRAWN)
_AGREED: Final = {
    Proposal.Kind.RESIGN: "Agreed: the game is given up",
    Proposal.Kind.CLAIM: "Agreed: the rest is played out",
    Proposal.Kind.UNDO: "Agreed: it is taken back",
}


def _told_lines(told: Told, cast: Cast) -> Iterator[LogLine]:
    """What was proposed, and what came of it."""
    yield line(phrases.proposed(told.kind), told.name)
    if told.kind == Proposal.Kind.UNDO and told.state in _STANDS:
        yield line("{name} lets it stand", told.answered_by or told.name)
    elif told.state == Proposal.State.DECLINED:
        yield line(_ANSWERED[Proposal.State.DECLINED], told.answered_by)
    elif told.state == Proposal.State.AGREED and told.card >= 0:
        yield line("Agreed: {card} is taken back", card=told.card)
    elif told.state == Proposal.State.AGREED and told.kind in _AGREED:
        yield line(_AGREED[Proposal.Kind(told.kind)])
    elif told.state in _ANSWERED:
        yield line(_ANSWERED[Proposal.State(told.state)], told.name)
    if told.replies:
        yield line("House players take back what they played since: now a practice game")


def bidding_lines(seen: Observation, cast: Cast) -> Iterator[LogLine]:
    """From the deal to the opening lead; nobody is told which card was discarded."""
    dealer, number = cast[seen.dealer], seen.standing.deal_number
    yield line(f"Hand {number}", kind=PART)
    if seen.phase == CUTTING:
        return
    if seen.rules.cut:
        yield line("{name} cuts the pack", cast[seen.dealer - 1])
    packets = seen.rules.packets_of(seen.dealer)
    yield line(f"{{name}} deals, {phrases.dealt_in(packets)}", dealer)
    yield line("{card} is turned up", card=seen.turn_up)
    if seen.turn_up == JOKER and seen.turned_suit >= 0:
        yield line("{name} names {suit}", dealer, suit=seen.turned_suit)
    for at, (seat, action) in enumerate(seen.calls):
        if at == len(cast):
            yield line("Second round", kind=PART)
        told = call_at(seen, at).told
        if action.kind == PASS:
            yield line(told, cast[seat])
        else:
            suit = action.value if action.kind == MAKE else seen.turned_suit
            yield line(f"{told}: {{suit}}", cast[seat], suit=suit)
    if has_discarded(seen):
        yield line("{name} discards", dealer)
    if seen.sitting_out >= 0 and seen.phase != DISCARDING:
        yield line("{name} sits out", cast[seen.sitting_out])


def has_discarded(seen: Observation) -> bool:
    """Whether the dealer has taken the turn-up and discarded."""
    taken = not seen.calls or seen.calls[-1][1].kind == ORDER
    sat_out = seen.dealer == seen.sitting_out
    return seen.maker >= 0 and taken and not sat_out and seen.phase != DISCARDING


@lru_cache(maxsize=4096)
def _trick_lines(number: int, trick: Trick, trump: int, cast: Cast) -> tuple[LogLine, ...]:
    """One trick: who played what, and who won it."""
    lines = [line(phrases.trick_name(number), kind=PART)]
    for seat, card in trick.plays:
        lines.append(line("{name} {card}", cast[seat], card=card, kind=PLAY))
    if trick.winner >= 0:
        winner = cast[trick.winner]
        lines.append(line("{name} wins it", winner, kind=WON, side=trick.winner % 2))
    return tuple(lines)


def result_lines(seen: Observation, cast: Cast) -> Iterator[LogLine]:
    """How the deal ended, and the score after it; nothing before that."""
    result = seen.result
    if result is None:
        return
    told = result_told(result, seen.maker, cast)
    if result.side < 0:
        yield line("{name}", told)
        return
    yield line("{name}", told, kind=WON, side=result.side)
    yield line("Now {name}", phrases.score_stands(cast, seen.standing.score))


def call_at(seen: Observation, number: int) -> CallWords:
    """One of the calls of a deal, in the words of the caller's position."""
    return call_words(
        seen.calls, number, rules=seen.rules, dealer=seen.dealer, turned=seen.turned_suit
    )


def call_words(
    calls: tuple[tuple[int, Action], ...],
    number: int,
    *,
    rules: RuleSet,
    dealer: int,
    turned: int,
) -> CallWords:
    """One of some calls, in the words of the caller's position."""
    seat, action = calls[number]
    return phrases.call_of(
        action,
        rules=rules,
        seat=seat,
        dealer=dealer,
        first_round=number < rules.players,
        turned=turned,
    )


# The sentence that is read out ------------------------------------------------------------


def latest(scene: Scene, seen: Observation, cast: Cast) -> str:
    """What has happened last, a game given up and an action undone among it, in one sentence."""
    if scene.resigned >= 0:
        return f"{phrases.resigned(cast, scene.resigned)}."
    for one in scene.told:
        agreed = (one.kind, one.state) == (Proposal.Kind.UNDO, Proposal.State.AGREED)
        if agreed and one.version == scene.undone_at == scene.version - 1:
            return f"{phrases.undone(one.name)}."
    return news(seen, cast)


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
    return f"{cast[play[0]].short} plays {phrases.card_name(play[1], trump)}."


def _trick_news(seen: Observation, cast: Cast) -> str:
    trick = seen.tricks[-1]
    last = _play_news(trick.plays[-1], seen.trump, cast)
    return f"{last} {cast[trick.winner].short} wins the trick."


def result_told(result: DealResult, maker: int, cast: Cast) -> str:
    """How a deal ended, as everybody is told."""
    person = cast[maker] if maker >= 0 else None
    return phrases.deal_result(phrases.sides_of(cast, maker), person, result)


def _end_news(seen: Observation, cast: Cast) -> str:
    last = _trick_news(seen, cast) + " " if seen.tricks else ""
    result = result_told(seen.result, seen.maker, cast) if seen.result else ""
    if seen.standing.over:
        return f"{last}{result}. {phrases.game_result(phrases.sides_of(cast), seen.standing)}."
    if seen.result is None or seen.result.side < 0:
        return f"{last}{result}."
    return f"{last}{result}. Now {phrases.score_stands(cast, seen.standing.score)}."


def _call_news(seen: Observation, cast: Cast) -> str:
    last = len(seen.calls) - 1
    seat, action = seen.calls[last]
    if seen.phase == PLAYING and action.kind == ORDER and seen.sitting_out != seen.dealer:
        return f"{cast[seen.dealer].short} discards.{_sits_out(seen, cast)}"
    told = call_at(seen, last).told.format(name=cast[seat].short)
    if action.kind == PASS:
        return f"{told}."
    trump = f"{SUIT_NAMES[seen.trump].capitalize()} are trump."
    return f"{told}. {trump}{_sits_out(seen, cast) if seen.phase == PLAYING else ''}"


def _sits_out(seen: Observation, cast: Cast) -> str:
    return f" {cast[seen.sitting_out].short} sits out." if seen.sitting_out >= 0 else ""


def _deal_news(seen: Observation, cast: Cast) -> str:
    dealer = cast[seen.dealer].short
    deals = f"Hand {seen.standing.deal_number}. {dealer} deals."
    if seen.phase == CUTTING:
        return deals
    up = f"{phrases.plain_name(seen.turn_up)} is turned up."
    if seen.turn_up == JOKER and seen.turned_suit >= 0:
        up += f" {dealer} names {SUIT_NAMES[seen.turned_suit]}."
    return f"{deals} {up}" if seen.phase in (FIRST_ROUND, NAMING) else up
