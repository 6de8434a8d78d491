"""What everybody is shown of a table, drawn once for all who watch it.

It is drawn from what a spectator may know, so no card is in it that anybody has not seen. Where
viewers read different words, both stand in it (``games.picture.wording``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from games.engine.observation import Observation
from games.engine.rules import HAND
from games.engine.scoring import DealRecord, DealResult
from games.engine.tricks import Trick
from games.picture import logbook, moving, still, wording
from games.picture.cast import Cast, Company, company_of
from games.picture.drawing import Kept, fresh, html, log, text_part
from games.picture.logbook import Bidding
from games.picture.moving import Spotwork, Trickwork
from games.picture.scene import Scene, SeatView
from games.picture.still import Same, Still
from games.picture.wording import WATCHING, Wording
from games.sockets import frames

_numbers: Final = count(1)
_stamp: Final = text_part("stamp.html")
_trick_name: Final = text_part("trick-name.html")


class Facts(NamedTuple):
    """Names with their values."""

    facts: tuple[tuple[str, str], ...]


class Sheet:
    """What everybody is shown at one moment.

    Attributes:
        company: everybody at the table.
        parts: part id to HTML, with both wordings.
        news: the latest event in a sentence.
        number: no other sheet has the same.
    """

    __slots__ = ("_changes", "company", "news", "number", "parts")

    def __init__(self, company: Company, parts: Mapping[str, str], news: str) -> None:
        self.company = company
        self.parts = parts
        self.news = Wording(news)
        self.number = next(_numbers)
        self._changes: dict[int, Wording] = {}

    def changes(self, before: Sheet | None) -> Wording:
        """The parts that differ from an earlier sheet's, as they stand in a frame.

        They are found once for all who were last shown the same sheet.
        """
        number = before.number if before is not None else 0
        found = self._changes.get(number)
        if found is None:
            shown = before.parts if before is not None else {}
            found = Wording(frames.swaps(frames.changed(shown, self.parts)))
            self._changes[number] = found
        return found


def draw_sheet(scene: Scene, seen: Observation | None, kept: Kept) -> Sheet:
    """All that everybody is shown of a table.

    Args:
        scene: the table.
        seen: what a spectator may know of the cards; None before the first game.
        kept: what was kept of its last sheet.
    """
    company = kept.drawn("company", company_of, tuple([seat.name for seat in scene.seats]))
    rest = still.still_of(scene, seen)
    parts = kept.drawn("resting", partial(_resting, kept), rest, company).copy()
    parts.update(kept.drawn("trick", partial(_trick, kept), moving.trickwork_of(seen), company))
    if seen is not None:
        parts.update(kept.drawn("backs", _backs, seen.held, seen.sitting_out))
        if seen.plays:
            parts.update(_trick_log(kept, len(seen.tricks), Trick(seen.plays), company))
    parts["stamp"] = _stamp(scene.stamp)
    return Sheet(company, parts, _news(seen, company) if seen is not None else "")


def _news(seen: Observation, company: Company) -> str:
    if seen.result is None:
        return logbook.news(seen, company.told)
    return wording.for_each([logbook.news(seen, cast) for cast in company.casts])


def _each(company: Company, make: Callable[[Cast], str]) -> str:
    """A part that is drawn for each viewer, since its words differ in more than "you"."""
    return wording.for_each([make(cast) for cast in company.casts])


# What rests while a trick is played -------------------------------------------------------


def _resting(kept: Kept, rest: Still, company: Company) -> dict[str, str]:
    drawn, told = kept.drawn, company.told
    before_play = rest._replace(tricks=Same(()))
    parts = drawn("before play", partial(_before_play, kept), before_play, company).copy()
    parts["facts"] = _facts(rest, company)
    parts["last-cards"] = drawn("last-cards", _last_trick, rest.tricks, rest.trump, told)
    for person in told:
        name = f"marks-{person.seat}"
        parts[name] = drawn(name, _marks, still.marks_of(rest, person))
    tricks = rest.tricks.value
    for number in range(HAND):
        trick = tricks[number] if number < len(tricks) else Trick(())
        parts.update(_trick_log(kept, number, trick, company))
    return parts


def _before_play(kept: Kept, rest: Still, company: Company) -> dict[str, str]:
    """What does not change from the opening lead to the end of the deal."""
    drawn, bid, told = kept.drawn, rest.bidding, company.told
    score = (rest.result, rest.maker, rest.score)
    made = rest if rest.maker >= 0 else rest._replace(calls=())  # no call tells of itself there
    parts = {
        "plaque": drawn("plaque", _plaque, made, company),
        "kitty": drawn("kitty", _kitty, made, company),
        "log-past": drawn("log-past", _past_log, rest.records, rest.result is not None, company),
        "log-bidding": drawn("log-bidding", _bidding_log, bid, told),
        "log-result": drawn("log-result", _result_log, *score, company),
    }
    parts.update(drawn("plates", _plates, rest.seats, rest.sitting_out, rest.clocked, company))
    parts.update(drawn("said", _said, bid, told))
    parts.update({f"backs-{seat}": _no_backs(seat) for seat in range(len(told))})
    return parts


def _plaque(rest: Still, company: Company) -> str:
    return _each(company, lambda cast: html("plaque.html", still.plaque_of(rest, cast)))


def _kitty(rest: Still, company: Company) -> str:
    return _each(company, lambda cast: html("kitty.html", still.kitty_of(rest, cast)))


def _facts(rest: Still, company: Company) -> str:
    return _each(company, lambda cast: html("facts.html", Facts(still.facts_of(rest, cast))))


def _plates(
    seats: tuple[SeatView, ...], sitting_out: int, clocked: bool, company: Company
) -> dict[str, str]:
    def plate(cast: Cast, at: int) -> str:
        out = at == sitting_out
        return html("plate.html", still.plate_of(seats[at], cast[at], out=out, clocked=clocked))

    return {
        f"plate-{seat}": wording.for_each([plate(cast, seat) for cast in company.casts])
        for seat in range(len(seats))
    }


def _marks(marks: still.Marks) -> str:
    drawn = html("marks.html", marks._replace(offer=""))
    return wording.either(WATCHING, html("marks.html", marks), drawn) if marks.offer else drawn


def _said(bid: Bidding | None, cast: Cast) -> dict[str, str]:
    """What each seat said last, for all others to see."""
    parts = {}
    for person in cast:
        said = still.said_of(bid, person)
        drawn, silent = html("said.html", said), html("said.html", said._replace(words=""))
        parts[f"said-{person.seat}"] = (
            wording.either(1 << person.seat, silent, drawn) if said.words else silent
        )
    return parts


def _last_trick(tricks: Same[tuple[Trick, ...]], trump: int, cast: Cast) -> str:
    return fresh("last.html", still.last_trick_of(tricks.value, trump, cast))


def _past_log(records: Same[tuple[DealRecord, ...]], over: bool, company: Company) -> str:
    """The deals before the present one, which is the last record once it is over."""
    past = records.value[:-1] if over else records.value
    return _each(company, lambda cast: log("log-past", logbook.past_lines(past, cast)))


def _bidding_log(bid: Bidding | None, cast: Cast) -> str:
    return log("log-bidding", logbook.bidding_lines(bid, cast) if bid else ())


def _result_log(
    result: DealResult | None, maker: int, score: tuple[int, int], company: Company
) -> str:
    def told(cast: Cast) -> str:
        return log("log-result", logbook.result_lines(result, maker, score, cast))

    return _each(company, told)


# What moves with every card ---------------------------------------------------------------


def _trick_log(kept: Kept, number: int, trick: Trick, company: Company) -> dict[str, str]:
    name = f"log-trick-{number + 1}"
    return {name: kept.drawn(name, _story, name, number, trick, company.told)}


def _story(name: str, number: int, trick: Trick, cast: Cast) -> str:
    return log(name, logbook.trick_lines(logbook.trick_story(number, trick, cast)))


def _trick(kept: Kept, trick: Trickwork, company: Company) -> dict[str, str]:
    """The places of the trick, and what it is called."""
    parts = {}
    for seat, work in moving.spotwork_of(trick, company.told):
        name = f"spot-{seat}"
        parts[name] = kept.drawn(name, _spot, work)
    parts["trick-name"] = _trick_name(moving.trick_title(trick, company.told))
    return parts


def _spot(work: Spotwork) -> str:
    return fresh("spot.html", moving.spot_of(work))


def _backs(held: tuple[int, ...], sitting_out: int) -> dict[str, str]:
    """Everybody's cards from behind, but for the hand that lies at the bottom of a page."""
    parts = {}
    for seat, cards in enumerate(held):
        drawn = html("backs.html", moving.backs_of(seat, cards, out=seat == sitting_out))
        below = 1 << seat | (WATCHING if seat == len(held) // 2 else 0)
        parts[f"backs-{seat}"] = wording.either(below, _no_backs(seat), drawn)
    return parts


def _no_backs(seat: int) -> str:
    return html("backs.html", moving.backs_of(seat, 0, out=False))
