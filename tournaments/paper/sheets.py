"""The values on the sheets of an event: score cards, table cards, and pages of lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, TypeVar

from games import rule_words
from games.engine.rules import RuleSet
from games.engine.scoring import points_possible
from games.engine.seats import COMPASS, compass
from tournaments.event_page import page_values
from tournaments.event_page.bracket_lines import Bracket, BracketSheet
from tournaments.events import event_words
from tournaments.models import Event, Pairing
from tournaments.results import event_rows, matches
from tournaments.results.match_lines import MatchLine, SideLine
from tournaments.room_scores import codes

T = TypeVar("T")

#: Rows that fit half a page, and a whole one.
HALF: Final = 9
WHOLE: Final = 24
#: Rows of a movement card that fit half a page.
MOVEMENT_HALF: Final = 9
#: Lines of a list on a page, and tables of a round, which take two lines of names each.
LINES: Final = 22
TABLES: Final = 20
#: Winners of money on a page, which the balance stands on too.
WINNERS: Final = 14
#: Names on a page of the list by name, and their columns.
NAMES: Final = 80
COLUMNS: Final = 2
#: Room for a bracket on a page lying across, in millimetres.
ACROSS: Final = (254, 152)
#: The smallest pixel of a whole bracket, in millimetres: names of 15 pixels are then 5 points high.
PIXEL: Final = 0.118
#: The most tables for which cards are printed at once.
MOST_TABLES: Final = 250
#: The most boxes for points that fit a line; with more values they are written as a number.
MOST_BOXES: Final = 4
SIDES: Final = {2: ("North", "South"), 4: ("N–S", "E–W")}


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A card, or a part of one that is longer than a page; `last`: it has the sum.

    `played_off`: a table that is tied plays one more hand. `code` and `link` open the score card
    of a table in the room, on phones. `hands`: each number, with the letter of the dealer, or empty
    where the cut decides.
    """

    round: int | None
    table: int | None
    sides: tuple[SideLine | None, SideLine | None]
    hands: tuple[tuple[int, str], ...]
    several: bool = False
    last: bool = True
    played_off: bool = False
    code: str = ""
    link: str = ""

    @property
    def short(self) -> bool:
        """Whether it fits half a page."""
        return len(self.hands) <= HALF


def layout_of(rules: RuleSet) -> dict[str, Any]:
    """Return what is printed on all score cards of an event."""
    worths = [row for row in rule_words.worths(rules) if row.points != row.usual]
    worths.sort(key=lambda row: row.usual > 0)  # lone hands last
    values = sorted(points_possible(rules))
    words = {
        value: " or ".join(row.short for row in worths if row.points == value) for value in values
    }
    return {
        "sides": SIDES[rules.players],
        "seats": [name[0] for name in COMPASS[rules.players]],
        "boxes": [one for one in values if one] if len(values) <= MOST_BOXES else [],
        "key": " · ".join(f"{value} {name}" for value, name in words.items()),
        "alone": rules.alone,
        "defended": rules.defend_alone,
    }


def most_hands(rules: RuleSet, kind: str, deals: int | None) -> int:
    """Return how many hands a game can take, or the number that is set."""
    if kind == Event.Match.DEALS:
        return deals or HALF
    if rules.target is None:
        return rules.deals or HALF
    fewest = min(points for points in points_possible(rules) if points)
    return 2 * -(-rules.target // fewest) - 1


def blank_cards(event: Event, tables: int) -> list[ScoreCard]:
    """Return empty score cards with the numbers of the tables."""
    hands = _hands(event.rules, event.match, event.deals)
    blank = ScoreCard(
        None,
        None,
        (None, None),
        hands,
        several=_several(event.match),
        played_off=_played_off(event),
    )
    return [
        card for number in range(1, tables + 1) for card in _parts(replace(blank, table=number))
    ]


def round_cards(event: Event, lines: Iterable[MatchLine]) -> list[ScoreCard]:
    """Return score cards for the matches of a round that are not decided yet."""
    waiting = [line for line in lines if not line.decided]
    known = codes.codes_of(event, [one.pairing.number for one in waiting if one.pairing.in_room])
    return [card for line in waiting for card in _parts(_card(event, line, known))]


def _card(event: Event, line: MatchLine, known: Mapping[int, str]) -> ScoreCard:
    kind, deals = matches.match_kind(event, line.pairing)
    north_south, east_west = line.sides
    return ScoreCard(
        line.pairing.round.number,
        line.pairing.number,
        (north_south, east_west),
        _hands(event.rules, kind, deals),
        several=_several(kind),
        played_off=_played_off(event) and not matches.needs_winner(event, line.pairing.round),
        code=codes.in_groups(code) if (code := known.get(line.pairing.number, "")) else "",
        link=codes.address_of(code) if code else "",
    )


def _hands(rules: RuleSet, kind: str, deals: int | None) -> tuple[tuple[int, str], ...]:
    # A cut decides who deals first; a number of hands begins with north, so that all deal alike.
    letters = [name[0] for name in COMPASS[rules.players]]
    dealers = letters if kind == Event.Match.DEALS else [""]
    count = most_hands(rules, kind, deals)
    return tuple((at + 1, dealers[at % len(dealers)]) for at in range(count))


def _played_off(event: Event) -> bool:
    return event.ties == Event.Ties.HAND and bool(event_words.ties_rule(event))


def _several(kind: str) -> bool:
    return kind in (Event.Match.BEST_OF_3, Event.Match.BEST_OF_5)


def _parts(card: ScoreCard) -> Iterator[ScoreCard]:
    parts = chunks(card.hands, WHOLE)
    for part in parts:
        yield replace(card, hands=tuple(part), last=part is parts[-1])


def table_cards(event: Event, tables: int) -> list[dict[str, Any]]:
    """Return a card for each table; makes the codes that are missing.

    `renewed`: when a director last gave it another code. In a mixed event every table has one: a
    walk-in or the director can bring its match to the room. Online only those do that a director
    has moved to the room.
    """
    numbers = range(1, tables + 1)
    renewed = dict(event.room_tables.values_list("number", "renewed"))
    online = event.place == Event.Place.ONLINE
    known = codes.codes_of(event, renewed.keys() & set(numbers) if online else numbers)
    return [
        {
            "number": number,
            "code": codes.in_groups(known[number]),
            "link": codes.address_of(known[number]),
            "renewed": renewed.get(number),
        }
        if number in known
        else {"number": number}
        for number in numbers
    ]


def tables_of(event: Event) -> int:
    """Return how many tables the event has: those drawn, or enough for those who are in."""
    drawn = Pairing.objects.filter(round__event=event).order_by("-number").first()
    if drawn is not None:
        return drawn.number
    return max(1, -(-event_rows.entries(event).count() // event.first_stage.table_size))


def seats_of(round_: page_values.RoundTables) -> Iterator[tuple[str, bool, int | None, str]]:
    """Yield everybody in a round: name, whether they have left, table and seat.

    Whoever has no table sits out.
    """
    for match in round_.matches:
        for side, line in enumerate(match.sides):
            people = line.team.people
            for position, person in enumerate(people):
                letter = compass(2 * len(people), 2 * position + side)[0]
                yield person.name, person.pk in line.left, match.pairing.number, letter
    for team in round_.sit_outs:
        for person in team.people:
            yield person.name, False, None, ""


def bracket_pages(bracket: Bracket) -> Sequence[Bracket | BracketSheet]:
    """Return a bracket on one sheet, or each of its parts on one where it would be illegible."""
    whole = bracket.picture
    fits = min(ACROSS[0] / whole.width, ACROSS[1] / whole.height) >= PIXEL
    return [bracket] if fits or not bracket.printed else bracket.printed


def columns(names: Sequence[T]) -> list[list[T]]:
    """Return a page of names in columns of one length, to be read downwards."""
    return chunks(names, -(-len(names) // COLUMNS))


def chunks(items: Sequence[T], size: int) -> list[list[T]]:
    rest = iter(items)
    return list(iter(lambda: list(islice(rest, size)), []))


def two_by_two(cards: Sequence[T], fits: bool) -> list[list[T]]:
    """Return the cards of each page: two if they fit, else one."""
    return chunks(cards, 2 if fits else 1)


def present_round(event: Event) -> page_values.RoundTables | None:
    """Return the round that is being played, if there is one."""
    last = event.played_rounds.order_by("-number").first()
    if last is None or last.over is not None or event.state != Event.State.RUNNING:
        return None
    return page_values.round_of(event, last.number)
