"""The table's log: one line per event, and the sentence that is announced after each.

It is the same for everybody; the discarded card is among the dealer's own values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from games.engine.actions import MAKE, ORDER, PASS
from games.engine.cards import CARD_TEXTS, SUIT_NAMES, is_joker
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
from games.models import Proposal
from games.picture import phrases, wording
from games.picture.cast import Cast, Person
from games.picture.phrases import CallWords
from games.picture.scene import ProposalEntry, Scene
from games.picture.wording import Play, Reader

#: Kinds of lines: the heading of a part, and points won.
PART: Final = "part"
WON: Final = "won"


#: A line of the log: its kind (``is``), the side that gains (``side``), and its ``words``: texts, a
#: player as ``[seat, name]``, a card as ``[code]`` and a suit as ``[letter, name]``.
LogLine: TypeAlias = dict[str, Any]
#: A line, or the code of one: a card played as its seat and card, a trick taken as its winner.
Line: TypeAlias = LogLine | list[int | str]

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
    """Return a line of the log; it is cached, so do not change it.

    `phrase` has ``{name}``, ``{card}`` and ``{suit}`` as placeholders. `kind` is ``PART``,
    ``WON`` or nothing; `side` is the one that gains, or -1.
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
            words += [[CARD_TEXTS[card]], ""]
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
    records: tuple[DealRecord, ...], cast: Cast, proposals: Sequence[ProposalEntry] = ()
) -> Iterator[LogLine]:
    """Yield up to three lines for every finished deal, oldest first, and its proposals."""
    for record in records:
        yield line(f"Hand {record.number}", kind=PART)
        for one in proposals:
            if one.deal_number == record.number:
                yield from _proposal_lines(one, cast)
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
        side, stands = record.result.side, phrases.score_in_words(cast, record.score)
        yield line(
            "{name}",
            f"{phrases.together(cast, side)} +{record.result.points}, now {stands}",
            kind=WON,
            side=side,
        )


def deal_lines(
    seen: Observation, cast: Cast, proposals: Sequence[ProposalEntry] = ()
) -> Iterator[LogLine]:
    """Yield the lines of the current deal; during play lines are only ever added."""
    reader = Reader(wording.names(cast, seen.trump))
    yield from bidding_lines(seen, cast)
    yield from map(reader.line, play_lines(seen, cast, proposals))


def play_lines(
    seen: Observation, cast: Cast, proposals: Sequence[ProposalEntry] = ()
) -> Iterator[Line]:
    said = [one for one in proposals if one.deal_number == seen.standing.deal_number]
    tricks = (*seen.tricks, Trick(seen.plays)) if seen.plays else seen.tricks
    played = 0
    for number, trick in enumerate(tricks):
        lines = _trick_lines(number, trick)
        if not said:
            yield from lines
            continue
        for one in lines:
            while said and said[0].cards <= played and not _is_won(one):
                yield from _proposal_lines(said.pop(0), cast)
            played += isinstance(one, list) and not _is_won(one)
            yield one
    if seen.result is not None:
        yield from result_lines(seen, seen.result, cast)
    for left in said:
        yield from _proposal_lines(left, cast)


def _is_won(one: Line) -> bool:
    return isinstance(one, list) and len(one) == 1


_ANSWERED: Final = {
    Proposal.State.DECLINED: "{name} plays on",
    Proposal.State.WITHDRAWN: "{name} takes it back",
    Proposal.State.LAPSED: "Not everybody agreed",
}
#: The outcomes of an undo proposal after which the action stands.
_STANDS: Final = (Proposal.State.DECLINED, Proposal.State.WITHDRAWN)
_AGREED: Final = {
    Proposal.Kind.RESIGN: "Agreed: the game is given up",
    Proposal.Kind.CLAIM: "Agreed: the rest is played out",
    Proposal.Kind.UNDO: "Agreed: it is taken back",
}


def _proposal_lines(entry: ProposalEntry, cast: Cast) -> Iterator[LogLine]:
    name, answered_by = _short(entry.name, cast), _short(entry.answered_by, cast)
    yield line(phrases.proposed(entry.kind), name)
    if entry.kind == Proposal.Kind.UNDO and entry.state in _STANDS:
        yield line("{name} lets it stand", answered_by or name)
    elif entry.state == Proposal.State.DECLINED:
        yield line(_ANSWERED[Proposal.State.DECLINED], answered_by)
    elif entry.state == Proposal.State.AGREED and entry.card >= 0:
        yield line("Agreed: {card} is taken back", card=entry.card)
    elif entry.state == Proposal.State.AGREED and entry.kind in _AGREED:
        yield line(_AGREED[Proposal.Kind(entry.kind)])
    elif entry.state in _ANSWERED:
        yield line(_ANSWERED[Proposal.State(entry.state)], name)
    if entry.replies:
        yield line("House players take back what they played since: now a practice game")


def _short(name: str, cast: Cast) -> str:
    """What somebody is called at the table; their whole name if they sit there no longer."""
    return next((person.short for person in cast if person.name == name), name)


def bidding_lines(seen: Observation, cast: Cast) -> Iterator[LogLine]:
    """Yield the lines from the deal to the opening lead, without the discarded card."""
    dealer, number = cast[seen.dealer], seen.standing.deal_number
    yield line(f"Hand {number}", kind=PART)
    if seen.phase == CUTTING:
        return
    if seen.rules.cut:
        yield line("{name} cuts the pack", cast[seen.dealer - 1])
    packets = seen.rules.packets_of(seen.dealer)
    yield line(f"{{name}} deals, {phrases.dealt_in(packets)}", dealer)
    yield line("{card} is turned up", card=seen.turn_up)
    if is_joker(seen.turn_up) and seen.turned_suit >= 0:
        yield line("{name} names {suit}", dealer, suit=seen.turned_suit)
    for at, (seat, action) in enumerate(seen.calls):
        if at == len(cast):
            yield line("Second round", kind=PART)
        words = call_at(seen, at).present
        if action.kind == PASS:
            yield line(words, cast[seat])
        else:
            suit = action.value if action.kind == MAKE else seen.turned_suit
            named = words if "{suit}" in words else f"{words}: {{suit}}"
            yield line(named, cast[seat], suit=suit)
    if has_discarded(seen):
        yield line("{name} discards", dealer)
    for seat in seen.sitting_out if seen.phase != DISCARDING else ():
        yield line("{name} sits out", cast[seat])


def has_discarded(seen: Observation) -> bool:
    taken = not seen.calls or seen.calls[-1][1].kind == ORDER
    sat_out = seen.dealer in seen.sitting_out[:1]
    return seen.maker >= 0 and taken and not sat_out and seen.phase != DISCARDING


@lru_cache(maxsize=4096)
def _trick_lines(number: int, trick: Trick) -> tuple[Line, ...]:
    lines: list[Line] = [line(phrases.trick_name(number), kind=PART)]
    for seat, card in trick.plays:
        lines.append([seat, CARD_TEXTS[card]])
    if trick.winner >= 0:
        lines.append([trick.winner])
    return tuple(lines)


def result_lines(seen: Observation, result: DealResult, cast: Cast) -> Iterator[LogLine]:
    words = result_text(result, seen.maker, seen.trump, cast)
    if result.side < 0:
        yield line("{name}", words)
        return
    yield line("{name}", words, kind=WON, side=result.side)
    yield line("Now {name}", phrases.score_in_words(cast, seen.standing.score))


def call_at(seen: Observation, number: int) -> CallWords:
    seat, action = seen.calls[number]
    return phrases.call_of(
        action,
        rules=seen.rules,
        seat=seat,
        dealer=seen.dealer,
        first_round=number < seen.rules.players,
        turned=seen.turned_suit,
    )


# The sentence that is read out ------------------------------------------------------------


def latest(scene: Scene, seen: Observation, cast: Cast) -> str | Play:
    """Return the news of a table; of a card that was played only its code."""
    if scene.resigned >= 0:
        return f"{phrases.resigned(cast, scene.resigned)}."
    for one in scene.proposals:
        agreed = (one.kind, one.state) == (Proposal.Kind.UNDO, Proposal.State.AGREED)
        if agreed and one.version == scene.undone_at == scene.version - 1:
            return f"{phrases.undone(_short(one.name, cast))}."
    return _news(seen, cast)


def news(seen: Observation, cast: Cast) -> str:
    return Reader(wording.names(cast, seen.trump)).news(_news(seen, cast))


def _news(seen: Observation, cast: Cast) -> str | Play:
    if seen.phase == DONE:
        return _end_news(seen, cast)
    if seen.plays:
        seat, card = seen.plays[-1]
        return [seat, CARD_TEXTS[card]]
    if seen.tricks:
        return _trick_news(seen)
    if seen.calls and seen.phase not in (CUTTING, NAMING):
        return _call_news(seen, cast)
    return _deal_news(seen, cast)


def _trick_news(seen: Observation) -> Play:
    trick = seen.tricks[-1]
    seat, card = trick.plays[-1]
    return [seat, CARD_TEXTS[card], trick.winner]


def result_text(result: DealResult, maker: int, trump: int, cast: Cast) -> str:
    person = cast[maker] if maker >= 0 else None
    return phrases.deal_result(phrases.sides_of(cast, maker), person, trump, result)


def _end_news(seen: Observation, cast: Cast) -> str:
    last = ""
    if seen.tricks:
        last = Reader(wording.names(cast, seen.trump)).news(_trick_news(seen)) + " "
    result = result_text(seen.result, seen.maker, seen.trump, cast) if seen.result else ""
    if seen.standing.over:
        return f"{last}{result}. {phrases.game_result(phrases.sides_of(cast), seen.standing)}."
    if seen.result is None or seen.result.side < 0:
        return f"{last}{result}."
    return f"{last}{result}. Now {phrases.score_in_words(cast, seen.standing.score)}."


def _call_news(seen: Observation, cast: Cast) -> str:
    last = len(seen.calls) - 1
    seat, action = seen.calls[last]
    if seen.phase == PLAYING and action.kind == ORDER and seen.dealer not in seen.sitting_out[:1]:
        return f"{cast[seen.dealer].short} discards.{_sits_out(seen, cast)}"
    call = call_at(seen, last)
    if action.kind == PASS:
        return f"{call.present.format(name=cast[seat].short)}."
    suit = SUIT_NAMES[seen.trump]
    words = call.present.format(name=cast[seat].short, suit=suit)
    trump = "" if "{suit}" in call.present else f" {suit.capitalize()} are trump."
    return f"{words}.{trump}{_sits_out(seen, cast) if seen.phase == PLAYING else ''}"


def _sits_out(seen: Observation, cast: Cast) -> str:
    return "".join([f" {cast[seat].short} sits out." for seat in seen.sitting_out])


def _deal_news(seen: Observation, cast: Cast) -> str:
    dealer = cast[seen.dealer].short
    deals = f"Hand {seen.standing.deal_number}. {dealer} deals."
    if seen.phase == CUTTING:
        return deals
    up = f"{phrases.plain_name(seen.turn_up)} is turned up."
    if is_joker(seen.turn_up) and seen.turned_suit >= 0:
        up += f" {dealer} names {SUIT_NAMES[seen.turned_suit]}."
    return f"{deals} {up}" if seen.phase in (FIRST_ROUND, NAMING) else up
