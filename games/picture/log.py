"""The table's log: one line per event, and the sentence that is announced after each.

It is the same for everybody; the discarded card is among the dealer's own values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from games.engine.actions import BEST, DECLINE, DEFEND, FOLD, MAKE, ORDER, PASS, SWAP, Action
from games.engine.cards import (
    CARD_TEXTS,
    SORT_KEYS,
    SUIT_NAMES,
    TRUMP_NAMES,
    cards_in,
    is_joker,
)
from games.engine.observation import (
    ASKING,
    CUTTING,
    DEFENDING,
    DISCARDING,
    DONE,
    FOLDING,
    GIVING,
    NAMING,
    PLAYING,
    SWAPPING,
    Observation,
)
from games.engine.rules import NEVER
from games.engine.scoring import FOLDED, DealRecord
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

#: An answer to a question that only some rules ask: the phase, the seat, what it answers.
Answer: TypeAlias = tuple[str, int, Action]

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
            words += [[phrases.TRUMP_LETTERS[suit], f" {TRUMP_NAMES[suit]}"], ""]
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
            folded = record.result.outcome == FOLDED
            yield line("Folded" if folded else "Everybody passed: thrown in")
            continue
        ended = phrases.outcome(record)
        if record.defender >= 0:
            ended += f", {cast[record.defender].short} defended alone"
        yield line(
            f"{{name}} made it {{suit}}, alone: {ended}" if record.alone
            else f"{{name}} made it {{suit}}: {ended}",
            cast[record.maker],
            suit=record.trump,
        )  # fmt: skip
        side, stands = record.result.side, phrases.score_in_words(cast, record.score)
        won = f"{phrases.together(cast, side)} +{record.result.points}"
        if not record.result.points:
            won = "No points"
        yield line("{name}", f"{won}, now {stands}", kind=WON, side=side)


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
        yield from result_lines(seen, cast)
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
    answers = list(answered(seen))
    yield from _answer_lines(seen, cast, (SWAPPING, FOLDING), answers)
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
    yield from _lone_lines(seen, cast, answers)


def _lone_lines(seen: Observation, cast: Cast, answers: list[Answer]) -> Iterator[LogLine]:
    """Yield what a lone call leads to before the opening lead."""
    yield from _answer_lines(seen, cast, (ASKING, GIVING), answers)
    if seen.phase in (DISCARDING, ASKING, GIVING):
        return
    for seat in seen.sitting_out[:1]:
        yield line("{name} sits out", cast[seat])
    yield from _answer_lines(seen, cast, (DEFENDING,), answers)
    for seat in seen.sitting_out[1:]:
        yield line("{name} sits out", cast[seat])


def answered(seen: Observation) -> Iterator[Answer]:
    """Yield the answers to the questions that only some rules ask.

    An answer that declines does not say what was asked; the rules' order of the questions does.
    """
    rules, everybody = seen.rules, seen.rules.players
    asked = [SWAPPING] * (everybody * rules.farmers_hand)
    asked += [FOLDING] * (everybody * (rules.fold != NEVER)) + [ASKING] * rules.partners_best
    for seat, action in seen.answers:
        if action.kind == BEST:
            yield GIVING, seat, action
            continue
        yield asked.pop(0) if asked else DEFENDING, seat, action
        if action.kind == SWAP:
            asked = [phase for phase in asked if phase != SWAPPING]


def _answer_lines(
    seen: Observation, cast: Cast, phases: tuple[str, ...], answers: list[Answer]
) -> Iterator[LogLine]:
    for phase, seat, action in answers:
        if phase not in phases or (action.kind == DECLINE and phase in (SWAPPING, FOLDING)):
            continue
        made = line(phrases.ANSWERS[phase, action.kind].present, cast[seat])
        if action.kind == FOLD:
            made = {"words": [*made["words"], *cards_in_words(folded_cards(seen))]}
        yield made


def cards_in_words(cards: Iterable[int], between: str = " ") -> list[Any]:
    """Return cards as words of a line, each after what stands between them."""
    return [word for card in cards for word in (between, [CARD_TEXTS[card]])]


def folded_cards(seen: Observation) -> list[int]:
    return sorted(cards_in(seen.folded), key=SORT_KEYS[seen.trump].__getitem__)


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


def result_lines(seen: Observation, cast: Cast) -> Iterator[LogLine]:
    words, result = result_text(seen, cast), seen.result
    if result is None or not result.points:
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
    if seen.answers and (answer := _answer_news(seen, cast)):
        return answer
    if seen.calls and seen.phase not in (CUTTING, NAMING):
        return _call_news(seen, cast)
    return _deal_news(seen, cast)


def _answer_news(seen: Observation, cast: Cast) -> str:
    """Return the news of the last answer to a question, or nothing if more has happened since."""
    *_, (phase, seat, action) = answered(seen)
    early = phase in (SWAPPING, FOLDING)
    if early and (seen.calls or seen.phase == PLAYING):
        return ""
    said = f"{phrases.ANSWERS[phase, action.kind].present.format(name=cast[seat].short)}."
    if seen.phase == DISCARDING:  # the joker makes the dealer the maker
        return f"{said} {_deal_news(seen, cast)}"
    out = seen.sitting_out[1:] if action.kind == DEFEND else ()
    if phase in (ASKING, GIVING) and seen.phase != GIVING:
        out = seen.sitting_out
    return said + _sits_out(out, cast)


def _trick_news(seen: Observation) -> Play:
    trick = seen.tricks[-1]
    seat, card = trick.plays[-1]
    return [seat, CARD_TEXTS[card], trick.winner]


def result_text(seen: Observation, cast: Cast, sides: phrases.Sides | None = None) -> str:
    """Return the result of a deal that is over; `sides`: as a player calls them."""
    if seen.result is None:
        return ""
    maker = cast[seen.maker] if seen.maker >= 0 else None
    alone_by = "" if seen.defender < 0 else cast[seen.defender].short
    if sides is not None and seen.seat is not None and seen.defender == seen.seat:
        alone_by = "you"
    sides = sides or phrases.sides_of(cast, seen.maker)
    return phrases.deal_result(sides, maker, seen.trump, seen.result, alone_by)


def _end_news(seen: Observation, cast: Cast) -> str:
    last = ""
    if seen.tricks:
        last = Reader(wording.names(cast, seen.trump)).news(_trick_news(seen)) + " "
    result = result_text(seen, cast)
    if seen.folded:
        cards = ", ".join(phrases.plain_name(card) for card in folded_cards(seen))
        return f"{cast[seen.answers[-1][0]].short} folds: {cards}."
    if seen.standing.over:
        return f"{last}{result}. {phrases.game_result(phrases.sides_of(cast), seen.standing)}."
    if seen.result is None or seen.result.side < 0:
        return f"{last}{result}."
    return f"{last}{result}. Now {phrases.score_in_words(cast, seen.standing.score)}."


def _call_news(seen: Observation, cast: Cast) -> str:
    last = len(seen.calls) - 1
    seat, action = seen.calls[last]
    out = seen.sitting_out if seen.phase in (DEFENDING, PLAYING) else ()
    if action.kind == ORDER and has_discarded(seen):
        return f"{cast[seen.dealer].short} discards.{_sits_out(out, cast)}"
    call = call_at(seen, last)
    if action.kind == PASS:
        return f"{call.present.format(name=cast[seat].short)}."
    suit = TRUMP_NAMES[seen.trump]
    words = call.present.format(name=cast[seat].short, suit=suit)
    trump = "" if "{suit}" in call.present else f" {suit.capitalize()} are trump."
    return f"{words}.{trump}{_sits_out(out, cast)}"


def _sits_out(seats: tuple[int, ...], cast: Cast) -> str:
    return "".join([f" {cast[seat].short} sits out." for seat in seats])


def _deal_news(seen: Observation, cast: Cast) -> str:
    dealer = cast[seen.dealer].short
    deals = f"Hand {seen.standing.deal_number}. {dealer} deals."
    if seen.phase == CUTTING:
        return deals
    up = f"{phrases.plain_name(seen.turn_up)} is turned up."
    if is_joker(seen.turn_up) and seen.turned_suit >= 0:
        up += f" {dealer} names {SUIT_NAMES[seen.turned_suit]}."
    return up if seen.phase in (DISCARDING, PLAYING) else f"{deals} {up}"
