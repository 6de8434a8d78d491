"""The values of a table's page: who sits where, the card so far, and what its reader can do."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from games.engine.seats import COMPASS
from tournaments.events import director_messages
from tournaments.models import Act, EntryPlayer, Event, Pairing, RoomTable, ScoreLine
from tournaments.results import matches, penalties, possible
from tournaments.results.match_lines import MatchLine, matches_of, teams_drawn
from tournaments.room_scores import cards, codes, writing
from tournaments.room_scores.cards import RoomCard, RoomGame, RoomHand, Signature
from tournaments.room_scores.writing import Writer, side_words

#: The most hands in a row of the card.
ROW: Final = 8
#: Short names of the sides, as on a score card.
SHORT: Final = {2: ("N", "S"), 4: ("N–S", "E–W")}


@dataclass(frozen=True, slots=True)
class CardCell:
    """A column of the card: a hand, or a game; `points` is empty on the side that got none.

    `key` is that of its line.
    """

    number: int
    points: tuple[str, str] = ("", "")
    key: str = ""
    alone: bool = False
    now: bool = False
    differs: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True)
class CardPage:
    """A table as its page shows it.

    `side` is the side that the reader writes for, None before they have chosen; `fixed` says that
    they sit there. `why_not` is why they cannot write, or empty. `number` is that of the hand or
    game in the form, `present` what is written there. `version` changes whenever the page does.
    `ended` says how the match is over by the card, empty while it goes on; `tied` that another hand
    has to decide it. `messages` are the latest ones of directors, to this table and to all.
    `can_clear`: the reader's side can clear the card.
    """

    event: Event
    table: RoomTable
    match: MatchLine
    card: RoomCard
    side: int | None
    fixed: bool
    why_not: str
    rows: tuple[tuple[CardCell, ...], ...]
    version: str
    number: int
    by_game: bool
    ended: str
    problem: str
    tied: bool = False
    messages: tuple[Act, ...] = ()
    can_clear: bool = False

    @property
    def pairing(self) -> Pairing:
        return self.match.pairing

    @property
    def open(self) -> bool:
        return not self.match.decided and self.event.state == Event.State.RUNNING

    @property
    def can_call(self) -> bool:
        """Whether the reader can call a director to the table."""
        return self.event.state == Event.State.RUNNING and not self.why_not

    @property
    def code(self) -> str:
        """The table's code as people read it, to show to the others."""
        return codes.in_groups(self.table.code)

    @property
    def address(self) -> str:
        return codes.address_of(self.table.code)

    @property
    def called(self) -> datetime | None:
        """When a director was called who has not answered yet."""
        return self.pairing.director_called

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the sides: "North–south"."""
        first, second = (side_words(self.event, side).capitalize() for side in (0, 1))
        return first, second

    @property
    def short(self) -> tuple[str, str]:
        return SHORT[self.event.rules.players]

    @property
    def own(self) -> str:
        return "" if self.side is None else side_words(self.event, self.side)

    @property
    def shown(self) -> tuple[int, int]:
        """The score: of the result once there is one, else of the card."""
        if not self.match.decided:
            return self.card.shown
        return self.pairing.games_won if self.match.several else self.pairing.points

    @property
    def score(self) -> str:
        return f"{self.shown[0]}–{self.shown[1]}"

    @property
    def ahead(self) -> int:
        return matches.leader(*self.shown)

    @property
    def signed_score(self) -> str:
        """The score as a signature names it: "10-6,7-10"."""
        return ",".join(f"{one[0]}-{one[1]}" for one in self.card.scores)

    @property
    def lone(self) -> str:
        """The lone marches of both sides, "1–0"; empty if there were none."""
        first, second = self.card.lone
        return f"{first}–{second}" if first or second else ""

    @property
    def asked(self) -> Signature | None:
        """The other side's signature, if the reader is asked whether the score is right."""
        signed = self.card.signer
        return signed if signed is not None and signed.side != self.side else None

    @property
    def waits(self) -> Signature | None:
        """The reader's own side's signature, while it waits for the other side."""
        signed = self.card.signer
        return signed if signed is not None and signed.side == self.side else None

    @property
    def on_time(self) -> bool:
        return self.ended == possible.TIME

    @property
    def present(self) -> RoomHand | RoomGame | None:
        return self.card.written.get(self.number)

    @property
    def penalties(self) -> list[str]:
        """The penalties on the card in words."""
        return [
            penalties.in_words(one.offence, one.side, one.points)
            for one in self.card.penalties.values()
        ]

    @property
    def last(self) -> RoomHand | RoomGame | None:
        return self.card.written.get(self.card.next - 1)

    @property
    def what(self) -> str:
        if self.by_game:
            return f"game {self.number}" if self.card.games_to_win > 1 else "the final score"
        return f"hand {self.number}"

    @property
    def asks_line(self) -> bool:
        """Whether the form for a hand or game is shown."""
        return self.present is not None or not (self.card.complete or self.card.surplus)

    @property
    def deals(self) -> str:
        """Who deals the hand in the form; empty where the cut decides."""
        kind, _deals = matches.match_kind(self.event, self.pairing)
        if kind != Event.Match.DEALS or self.by_game:
            return ""
        return self._name_at((self.number - 1) % self.event.rules.players)

    @property
    def outcomes(self) -> list[tuple[str, str, str]]:
        rules = self.event.rules
        none = "1 or 2" if rules.skunk != rules.euchre else "0 to 2"
        found = [
            (cards.FEW, none, "euchred"),
            (cards.MADE, "3 or 4", "made it"),
            (cards.MARCH, "All 5", "march"),
        ]
        if rules.skunk != rules.euchre:
            found.insert(0, (cards.NONE, "None", "euchred"))
        if cards.counts_passed(self.event, self.pairing):
            found.append((cards.PASSED, "Nobody called", "thrown in"))
        return found

    @property
    def seats(self) -> list[tuple[str, str]]:
        """The seats and who sits there: ("North", "Maeve")."""
        names = COMPASS[self.event.rules.players]
        return [(name, self._name_at(seat)) for seat, name in enumerate(names)]

    def _name_at(self, seat: int) -> str:
        side = self.match.sides[seat % 2]
        return side.name_of(side.team.people[seat // 2])

    @property
    def drawn(self) -> str:
        """Stands for who was drawn to the table, in every line that the page sends."""
        return writing.draw_of(self.pairing)

    @property
    def new_key(self) -> str:
        """A key for the line of one form; another at each use."""
        return secrets.token_hex(16)

    @property
    def shown_rows(self) -> int:
        """How many of the rows are needed so far."""
        needed = max(self.hands_limit or 0, self.number, len(self.card.written))
        return sum(row[0].number <= needed for row in self.rows)

    @property
    def worth(self) -> str:
        """The points of each outcome as JSON, for the phone that adds up by itself."""
        return json.dumps(cards.worth(self.event.rules))

    @property
    def hands_limit(self) -> int | None:
        """The number of hands after which nothing is written; None where points decide."""
        kind, deals = matches.match_kind(self.event, self.pairing)
        return deals if kind == Event.Match.DEALS else None

    @property
    def plays_off(self) -> bool:
        """Whether more hands are written while the score is tied."""
        return matches.plays_off_ties(self.event, self.pairing.round)

    @property
    def target(self) -> int | None:
        """The points that end the only game; None where the number of hands does."""
        kind, _deals = matches.match_kind(self.event, self.pairing)
        return None if kind == Event.Match.DEALS else self.event.rules.target


def version_of(event: Event, match: Pairing, now: datetime) -> str:
    """Return a value that changes whenever the page of a table does, in three queries.

    Prefetch `entries` of the match.
    """
    ends, drawn = match.ends, writing.draw_of(match)
    seats = EntryPlayer.objects.filter(entry__pairings__pairing=match).order_by("pk")
    people = list(seats.values_list("player", "player__name", "entry__state"))
    messages = [(one.pk, one.reason) for one in _messages(event, match)]
    parts = (
        *(event.state, event.name, event.paused, drawn, match.state, match.points),
        *(match.games_won, ends, ends is not None and now >= ends, match.score_lines.count()),
        *(match.director_called, messages, people),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def read(
    table: RoomTable,
    writer: Writer,
    chosen: Mapping[int, int],
    now: datetime,
    *,
    number: int | None = None,
    by_game: bool = False,
) -> CardPage:
    """Read the page of a table; raises RefusedError like `writing.present_match`.

    chosen: the sides that the phone has chosen, by match. number: the hand or game to change; the
    next one if it is None or not written. by_game: whether only the final score is asked for.
    """
    event = table.event
    pairing = writing.present_match(event, table.number)
    lines = writing.lines_of(pairing)
    card = cards.card_of(event, pairing, lines)
    (match,) = matches_of(event, Pairing.objects.filter(pk=pairing.pk), teams_drawn(event))
    own = writing.side_of(pairing, writer.player)
    why_not = ""
    if own is None and writing.plays_elsewhere(pairing, writer.player):
        why_not = "You play at another table in this round, so you can only read this card."
    at_time = event.paused or now
    ended, problem = cards.ending(event, pairing, card, at_time)
    tied = bool(problem) and cards.goes_on_tied(event, pairing, card, at_time)
    at = card.next
    if tied and len(card.finished) < len(card.games):
        at -= 1  # one more hand changes the score of the last game
    if number is not None and number in card.written:
        at = number
    side = own if own is not None else None if why_not else chosen.get(pairing.pk)
    can_clear = card.lines > 0 and side is not None
    if side is not None and can_clear:
        can_clear = not writing.why_not_cleared(pairing, card, side, writer.player)
    return CardPage(
        event=event,
        table=table,
        match=match,
        card=card,
        side=side,
        fixed=own is not None,
        why_not=why_not,
        rows=tuple(_rows(event, pairing, card, at)),
        number=at,
        version=version_of(event, pairing, now),
        by_game=bool(card.games) or (by_game and not card.hands),
        ended=ended,
        problem=problem,
        tied=tied,
        messages=() if why_not else _messages(event, pairing),
        can_clear=can_clear,
    )


def _messages(event: Event, match: Pairing) -> tuple[Act, ...]:
    to_table = director_messages.at_tables([match]).get(match.pk)
    return tuple(one for one in (to_table, director_messages.latest(event)) if one is not None)


def _rows(
    event: Event, pairing: Pairing, card: RoomCard, number: int
) -> Iterator[tuple[CardCell, ...]]:
    kind, deals = matches.match_kind(event, pairing)
    most = (deals or 1) if kind == Event.Match.DEALS else len(card.hands) + 1
    if card.games:
        most = 2 * card.games_to_win - 1
    elif kind != Event.Match.DEALS or matches.plays_off_ties(event, pairing.round):
        most += ROW  # for a phone without a connection, hidden
    count = max(most, len(card.written), number)
    width, fixed = (count if card.games else ROW), 0
    if deals and kind == Event.Match.DEALS and not card.games:
        # A box for each hand, in rows as even as they can be; those of a play-off follow.
        width, fixed = -(-deals // -(-deals // ROW)), deals
    rest = -(-(count - fixed) // width) * width
    for first, last in ((1, fixed), (fixed + 1, fixed + rest)):
        for start in range(first, last + 1, width):
            ahead = range(start, min(start + width, last + 1))
            yield tuple(_cell(card, at, number) for at in ahead)


def _cell(card: RoomCard, at: int, number: int) -> CardCell:
    one = card.written.get(at)
    now = at == number and not (one is None and card.complete)
    differs = card.disputed is not None and card.disputed.hand == at
    if isinstance(one, RoomGame):
        points = str(one.points[0]), str(one.points[1])
        return CardCell(at, points, one.key, now=now, differs=differs, written=True)
    if one is None:
        return CardCell(at, now=now)
    first, second = (str(one.points) if one.scored == side else "" for side in (0, 1))
    return CardCell(at, (first, second), one.key, one.alone, now, differs, written=True)


# For directors -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CardState:
    """How far the card of a table is, in words; `tone` is the CSS class of its colour.

    brief: the same in a line of many tables. waits_for: the side that has not signed, "E–W".
    """

    words: str
    tone: str
    card: RoomCard
    brief: str = ""
    waits_for: str = ""


def states_of(event: Event, pairings: Sequence[Pairing]) -> dict[int, CardState]:
    """Return the states of the cards of undecided matches in the room, by match, in one query."""
    rows = [row for row in pairings if row.in_room and row.state != Pairing.State.DECIDED]
    if not rows:
        return {}
    lines: dict[int, list[ScoreLine]] = {row.pk: [] for row in rows}
    for line in ScoreLine.objects.filter(pairing__in=rows).select_related("player").order_by("pk"):
        lines[line.pairing_id].append(line)
    return {row.pk: _state(event, cards.card_of(event, row, lines[row.pk])) for row in rows}


def _state(event: Event, card: RoomCard) -> CardState:
    score = writing.score_words(card)
    if card.disputed is not None:
        said = f": {card.disputed.said}" if card.disputed.said else ""
        hand = f", hand {card.disputed.hand}" if card.disputed.hand else ""
        side = side_words(event, card.disputed.side)
        return CardState(f"Disputed by {side}, {score}{hand}{said}", "bad", card)
    if card.signer is not None:
        other = side_words(event, 1 - card.signer.side)
        short = SHORT[event.rules.players][1 - card.signer.side]
        return CardState(f"{score}, waits for {other}", "warn", card, waits_for=short)
    if card.complete:
        return CardState(f"{score}, not signed", "warn", card, "Not signed")
    if not card.written:
        return CardState("No score yet", "", card, "No score yet")
    what = f"{'hand' if card.by_hand else 'game'} {card.next}"
    return CardState(f"{score}, {what}", "", card, what.capitalize())


def history_of(event: Event, match: Pairing) -> list[tuple[str, str, datetime]]:
    """Return everything that was written on a card in words, by whom and when, in order."""
    return [
        (
            _ruled_words(line) if line.kind in _BY_DIRECTORS else _line_words(event, line),
            _line_by(event, line),
            line.at,
        )
        for line in writing.lines_of(match)
    ]


_BY_DIRECTORS: Final = (ScoreLine.Kind.PENALTY, ScoreLine.Kind.LIFT)


def _line_by(event: Event, line: ScoreLine) -> str:
    name = line.player.name if line.player else ""
    if line.kind in _BY_DIRECTORS or "director" in line.values:
        return f"The director ({name})" if name else "The director"
    side = side_words(event, line.side).capitalize()
    return f"{side} ({name or 'a phone without an account'})"


def _ruled_words(line: ScoreLine) -> str:
    if line.kind == ScoreLine.Kind.LIFT:
        return "Lifted a penalty"
    first, second = line.values["points"]
    return penalties.in_words(line.values["offence"], line.side, (first, second)).capitalize()


def _line_words(event: Event, line: ScoreLine) -> str:
    kind, values = ScoreLine.Kind(line.kind), line.values
    if kind == ScoreLine.Kind.HAND:
        hand = cards.hand_of(event.rules, line.number, line.key, values)
        return f"Hand {line.number}: {writing.hand_words(event, hand)}"
    if kind == ScoreLine.Kind.GAME:
        return f"Game {line.number}: {values['points'][0]}–{values['points'][1]}"
    if kind == ScoreLine.Kind.TAKE_BACK:
        return f"Took number {line.number} back"
    if kind == ScoreLine.Kind.SIGN:
        signed = ", ".join(f"{first}–{second}" for first, second in values["scores"])
        lone = values.get("lone", (0, 0))
        with_lone = f", lone marches {lone[0]}–{lone[1]}" if any(lone) else ""
        return f"Signed {signed}{with_lone}"
    if kind == ScoreLine.Kind.CLEAR:
        return "Cleared the card"
    hand_meant = f", hand {line.number}" if line.number else ""
    return f"Disputed the score{hand_meant}{': ' if line.said else ''}{line.said}"
