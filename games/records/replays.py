"""A moment of a finished game as values, for one viewer.

One flat dictionary, like a table's (``games/picture/values.py``); its spots stand in
``templates/games/picture/replay.html``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from games.engine.actions import BEST, CUT, GIVE, PLAY, SWAP
from games.engine.cards import CARD_TEXTS, TRUMP_NAMES, UNNAMED, cards_in, mask_of, sort_key
from games.engine.deal import Deal
from games.engine.observation import (
    ASKING,
    DEFENDING,
    DISCARDING,
    DONE,
    FOLDING,
    GIVING,
    ON_PACK,
    PLAYING,
    SWAPPING,
    TAKEN,
    TURNED_DOWN,
    Observation,
)
from games.engine.scoring import FOLDED
from games.engine.tricks import Trick, winner
from games.files.played import PlayedDeal, PlayedGame
from games.picture import log, phrases
from games.picture.cast import Cast, Person, cast_of, place_of
from games.picture.log import LogLine
from games.picture.values import LETTERS, Row, Values

ALL: Final = "all"
PUBLIC: Final = "public"

#: What a deal waits for before its first card, if not for a call.
_BEFORE_THE_LEAD: Final = {
    SWAPPING: "Farmer’s hand?",
    FOLDING: "Fold?",
    ASKING: "Partner’s best?",
    GIVING: "The best card",
    DEFENDING: "Defend alone?",
    DISCARDING: "Before the discard",
    PLAYING: "Before the first lead",
    DONE: "Thrown in",
}
#: How cards leave a hand, by the action.
_PUT_AWAY: Final = {SWAP: "swapped", GIVE: "given away", BEST: "given to the maker"}
_TURN_UP_NOTES: Final = {
    ON_PACK: "turned up",
    TURNED_DOWN: "turned down",
    TAKEN: "taken up by the dealer",
}
_AT: Final = re.compile(r"([0-9]{1,4})\.([0-9]{1,3})")


class NoMomentError(Exception):
    pass


def headline(game: PlayedGame) -> str:
    cast, (us, them) = cast_of(game.players), game.standing.score
    if game.resigned >= 0:
        return phrases.resigned_at(cast, game.resigned, game.standing.score)
    if game.standing.over:
        return phrases.game_result(phrases.sides_of(cast), game.standing)
    return f"Not played to its end, at {us}–{them}"


def facts(game: PlayedGame) -> list[str]:
    hands = len(game.deals)
    count = f"{hands} hand{'s' * (hands != 1)}"
    return [game.rules.name, count, *filter(None, (game.title,))]


def moment(
    game: PlayedGame, at: str, seat: str, *, all_open: bool = False, old_words: bool = False
) -> Values:
    """Return the values of one moment of a game; raise NoMomentError for no such moment or view.

    at: ``<hand>.<step>``, both counted by actions: ``1.0`` is the first hand as it was dealt.
    seat: ``all`` for all hands open, ``public`` for what everybody saw, or a seat's name in small
    letters. all_open: show all hands even from a seat's view. old_words: of the calls.
    """
    cast = cast_of(game.players)
    names = [person.compass.lower() for person in cast]
    if seat not in (ALL, PUBLIC, *names):
        raise NoMomentError(f"There is no view {seat[:20]!r}: {ALL}, {PUBLIC}, {', '.join(names)}.")
    viewer = names.index(seat) if seat in names else None
    played, step = place(game, at)
    deal = played.at(step)
    standing = played.after if deal.result is not None else played.before
    seen = phrases.worded(deal.observe(viewer, standing), old=old_words)
    view = "Public view" if viewer is None else f"As {cast[viewer].name} saw it"
    where, marks = _where(deal, played, step), _marks(played)
    trump = deal.trump if deal.trump != UNNAMED else None
    complete = deal.tricks and not deal.plays
    here = f"{played.number}.{step}"
    values: Values = {
        "said": f"{where}. {log.news(seen, cast)}",
        "title": f"Hand {played.number}. {'All hands open' if seat == ALL else view}",
        "trump": LETTERS[trump] if trump is not None else None,
        "trump.title": _trump_title(deal.trump),
        "made": _made(seen, cast),
        "tricks": f"Tricks {_near_first(deal.won, viewer)}",
        "won": f"{cast[deal.tricks[-1].winner].short} wins this one" if complete else None,
        "turned": _turn_up(deal),
        "seat": seat,
        "hand": played.number,
        "step": step,
        "steps": played.steps,
        "marks": [{"as": "mark", "step": mark} for mark in marks],
        "where": where,
        "hands": [
            {
                "as": "hand",
                "key": f"to-hand-{one.number}",
                "to": _link(f"{one.number}.0", seat),
                "here": one.number == played.number or None,
                "number": one.number,
                "score": _near_first(one.after.score, viewer),
            }
            for one in game.deals
        ],
        "views": [
            _view(here, ALL, seat, "All hands"),
            *(
                _view(here, name, seat, person.short, person.compass)
                for name, person in zip(names, cast, strict=True)
            ),
            _view(here, PUBLIC, seat, "What everybody saw"),
        ],
        "log": _lines(seen, cast),
    }
    for name, to in _ways(game, played, step, marks).items():
        values[f"way.{name}"] = _link(to, seat) if to else None
        values[f"end.{name}"] = not to or None
    for person in cast:
        _add_seat(values, person, played, deal, seen, all_open=all_open or seat == ALL)
    return values


def _link(at: str, seat: str) -> str:
    return f"?at={at}&seat={seat}"


def _view(at: str, name: str, chosen: str, label: str, place: str | None = None) -> Row:
    return {
        "as": "view",
        "key": f"view-{name}",
        "to": _link(at, name),
        "here": name == chosen or None,
        "label": label,
        "place": place,
    }


def place(game: PlayedGame, at: str) -> tuple[PlayedDeal, int]:
    found = _AT.fullmatch(at)
    number, step = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= len(game.deals):
        raise NoMomentError(
            f"There is no moment {at[:20]!r}: a hand from 1 to {len(game.deals)} and a step, "
            "such as 1.0."
        )
    played = game.deals[number - 1]
    if step > played.steps:
        raise NoMomentError(f"Hand {number} has the steps 0 to {played.steps}, not {step}.")
    return played, step


def _trump_title(trump: int) -> str:
    if trump > UNNAMED:
        return TRUMP_NAMES[trump].capitalize()
    return f"{TRUMP_NAMES[trump]} trump" if trump < UNNAMED else "No trump yet"


def _made(seen: Observation, cast: Cast) -> str:
    if seen.maker < 0:
        return f"{cast[seen.dealer].short} deals"
    if not seen.calls:
        return f"{cast[seen.dealer].short} named it"
    return log.call_at(seen, len(seen.calls) - 1).past.format(name=cast[seen.maker].short)


# Where one is and where one can go --------------------------------------------------------


def _where(deal: Deal, played: PlayedDeal, step: int) -> str:
    if deal.phase == DONE and deal.tricks:
        return f"Trick {len(deal.tricks)}, the hand is over"
    if deal.plays:
        size = deal.rules.players - len(deal.sitting_out)
        return f"Trick {len(deal.tricks) + 1}, card {len(deal.plays)} of {size}"
    if deal.tricks:
        return f"Trick {len(deal.tricks)}, complete"
    if step == 0 or (step == 1 and played.deal.actions[0].kind == CUT):
        return "Before the deal" if deal.turn_up < 0 else "The cards are dealt"
    if deal.result is not None and deal.answers and deal.result.outcome == FOLDED:
        return "Folded"
    return _BEFORE_THE_LEAD.get(deal.phase, "Bidding")


def _marks(played: PlayedDeal) -> list[int]:
    """Return the steps at which something ends: the deal, the bidding, each trick."""
    deal, marks = played.at(0), [0]
    for step, action in enumerate(played.deal.actions, start=1):
        tricks = len(deal.tricks)
        opens = action.kind == PLAY and not tricks and not deal.plays
        deal.push(action)
        if opens and step - 1 not in marks:
            marks.append(step - 1)
        if len(deal.tricks) > tricks:
            marks.append(step)
    return marks if marks[-1] == played.steps else [*marks, played.steps]


def _ways(game: PlayedGame, played: PlayedDeal, step: int, marks: list[int]) -> Mapping[str, str]:
    """Return the moments a card, a trick or a deal before and after this one."""
    number = played.number
    before = game.deals[number - 2] if number > 1 else None
    last = f"{number - 1}.{before.steps}" if before else ""
    following = f"{number + 1}.0" if number < len(game.deals) else ""
    return {
        "card_back": f"{number}.{step - 1}" if step else last,
        "card_on": f"{number}.{step + 1}" if step < played.steps else following,
        "trick_back": f"{number}.{max(mark for mark in marks if mark < step)}" if step else last,
        "trick_on": f"{number}.{min(mark for mark in marks if mark > step)}"
        if step < played.steps
        else following,
        "deal_back": f"{number}.0" if step else (f"{number - 1}.0" if before else ""),
        "deal_on": following or (f"{number}.{played.steps}" if step < played.steps else ""),
    }


def _near_first(two: tuple[int, int], viewer: int | None) -> str:
    """Return both sides' number, first that of the seat at the bottom of the page: "3–2"."""
    near = (viewer or 0) % 2
    return f"{two[near]}–{two[1 - near]}"


def _lines(seen: Observation, cast: Cast) -> list[LogLine]:
    lines = [*log.deal_lines(seen, cast)]
    if seen.discard >= 0 and log.has_discarded(seen):
        lines.append(log.line("Discarded: {card}", card=seen.discard))
    return lines


# Seats and cards --------------------------------------------------------------------------


def _add_seat(
    values: Values,
    person: Person,
    played: PlayedDeal,
    deal: Deal,
    seen: Observation,
    *,
    all_open: bool,
) -> None:
    seat = person.seat
    in_trick = {
        card: number
        for number, trick in enumerate((*deal.tricks, Trick(deal.plays)), start=1)
        for player, card in trick.plays
        if player == seat
    }
    open_hand = all_open or seen.seat == seat
    held = set(cards_in(deal.hands[seat]))
    gone = {deal.discarded: "discarded"} if seat == deal.dealer and deal.discarded >= 0 else {}
    for who, (kind, value, _) in deal.answers:
        if who == seat and kind in _PUT_AWAY:
            away = value if kind == SWAP else mask_of([value])
            gone |= dict.fromkeys(cards_in(away), _PUT_AWAY[kind])
    cards = set(in_trick)
    if open_hand:
        cards |= (held | gone.keys()) - played.unknown
    if not all_open and seen.hand == 0 and not in_trick:
        cards = set()  # a dealer who names a joker's suit has not seen their cards
    ordered = sorted(cards, key=lambda card: sort_key(deal.trump, card))
    backs = len((held | (gone.keys() if open_hand else set())) - cards)
    fan: list[Row] = [_in_fan(card, deal, in_trick, gone) for card in ordered]
    for number in range(backs):
        label = f"{phrases.counted(backs, 'card', 'cards')} face down" if number == 0 else None
        fan.append({"as": "fan_back", "label": label})
    role = ", ".join(_roles(person, deal))
    values[f"at.{seat}"] = place_of(seat, seen.seat, deal.rules.players)[0]
    values[f"role.{seat}"] = role
    values[f"label.{seat}"] = f"{person.name}, {role}"
    values[f"fan.{seat}"] = fan
    values[f"on_table.{seat}"] = _on_table(seat, deal)


def _on_table(seat: int, deal: Deal) -> list[Row]:
    """Return a seat's card in the present trick, or in the last until the next is led."""
    trick = deal.tricks[-1] if deal.tricks else Trick(())
    if deal.plays:
        trick = Trick(deal.plays, winner(deal.trump, deal.plays))
    card = dict(trick.plays).get(seat)
    if card is None:
        return []
    marks = (" led", trick.leader == seat), (" winning", trick.winner == seat)
    name = "card" + "".join(mark for mark, is_so in marks if is_so)
    return [_face(card, deal.trump) | {"as": "lying_card", "class": name}]


def _turn_up(deal: Deal) -> list[Row]:
    """Return the turn-up and what became of it, until the first card is led."""
    if deal.turn_up < 0 or deal.plays or deal.tricks:
        return []
    note = _TURN_UP_NOTES[deal.observe().turn_up_at]
    card = _face(deal.turn_up, deal.trump, f", {note}") | {"as": "lying_card", "class": "card"}
    return [card, {"as": "turned_note", "text": note}]


def _face(card: int, trump: int, more: str = "") -> Row:
    return {"card": CARD_TEXTS[card], "label": f"{phrases.card_name(card, trump)}{more}"}


def _in_fan(card: int, deal: Deal, in_trick: dict[int, int], gone: dict[int, str]) -> Row:
    if card in in_trick:
        note, more = str(in_trick[card]), f", played in trick {in_trick[card]}"
    elif card in gone:
        note, more = "out", f", {gone[card]}"
    else:
        note, more = "", ", still in hand"
    spent = card in in_trick or card in gone or None
    return _face(card, deal.trump, more) | {"as": "fan_card", "note": note, "spent": spent}


def _roles(person: Person, deal: Deal) -> Iterator[str]:
    yield person.compass
    if person.seat == deal.dealer:
        yield "dealer"
    if person.seat == deal.maker:
        yield "alone" if deal.alone else "maker"
    if person.seat == deal.defender:
        yield "defends alone"
    if person.seat in deal.sitting_out:
        yield "sits out"
