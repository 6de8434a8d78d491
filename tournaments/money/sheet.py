"""Where the money of an event goes, computed from its results on every read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Case, F, Prefetch, Sum, When

from games.models import Performance
from games.models.shared_deals import sealed
from tournaments import prize_money
from tournaments.models import (
    Entry,
    EntryPlayer,
    Event,
    Pairing,
    PairingEntry,
    ScoreLine,
    Substitution,
)
from tournaments.models.entries import OUT, PLACED
from tournaments.prize_money import Shares, Terms
from tournaments.results import event_rows, place_owners
from tournaments.results.match_lines import Team, teams_of
from tournaments.room_scores import cards
from tournaments.standings import ranking
from tournaments.standings.winners import Placed, ordinal, outcome

#: A number that no round reaches.
LAST_ROUND: Final = 10_000
EUCHRES_IN_THE_ROOM: Final = (
    "In the room euchres are counted only where the score was written hand by hand, and not where "
    "the director set another result."
)


@dataclass(frozen=True, slots=True)
class PlacePrizeLine:
    """What a place wins before those who share places share it."""

    place: str
    amount: int


@dataclass(frozen=True, slots=True)
class WinnerLine:
    """An entry that wins money; `place` is empty if it wins only a pot.

    `sharing`: how many share the place, itself included.
    """

    entry: int
    team: Team
    place: str
    prize: int
    lone: int
    euchre: int
    sharing: int = 1

    @property
    def total(self) -> int:
        return self.prize + self.lone + self.euchre

    @property
    def shared(self) -> int:
        """What those who share its place share, in all."""
        return self.prize * self.sharing if self.sharing > 1 else 0


@dataclass(frozen=True, slots=True)
class MoneySheet:
    """The money of an event.

    `entries` are those that pay, or would if it started now. `decided`: all matches are played, so
    that `winners` are known; until then nothing of `shares` is won.
    """

    event: Event
    terms: Terms
    entries: Sequence[Entry]
    shares: Shares
    winners: Sequence[WinnerLine]
    decided: bool

    @property
    def final(self) -> bool:
        return self.event.state == Event.State.FINISHED

    @property
    def received(self) -> int:
        """What those who pay have paid by now."""
        return sum(entry.paid is not None for entry in self.entries) * self.terms.entry

    @property
    def places(self) -> list[PlacePrizeLine]:
        return [
            PlacePrizeLine(ordinal(at), amount) for at, amount in enumerate(self.shares.by_place, 1)
        ]

    @property
    def pots(self) -> list[tuple[str, int]]:
        """The pots and what is in them."""
        parts = (("lone hands", self.terms.lone), ("euchres", self.terms.euchre))
        return [(what, each * len(self.entries)) for what, each in parts if each]

    @property
    def paid_out(self) -> int:
        return sum(line.total for line in self.winners)

    @property
    def sum_in_words(self) -> str:
        """The sum of the payouts: "90.00 + 54.00 + 20.00 for the club = 164.00"."""
        amounts = [*(line.total for line in self.winners), self.shares.to_club, self.shares.paid_in]
        words = [prize_money.amount_in_words(one, self.event.currency) for one in amounts]
        return f"{' + '.join(words[:-1])} for the club = {words[-1]}"

    @property
    def rules(self) -> list[str]:
        said = prize_money.rules_in_words(self.terms, self.event.currency)
        if self.terms.euchre and self.event.place != Event.Place.ONLINE:
            said.append(EUCHRES_IN_THE_ROOM)
        return said


def read(event: Event) -> MoneySheet:
    """Return the money of an event, in a constant number of queries."""
    entries = _paying(event)
    decided = is_decided(event)
    terms = event.terms
    if not decided:
        by_place = prize_money.prizes_of(terms.prizes, len(entries) * terms.to_prizes)
        paid_in, club = len(entries) * terms.entry, len(entries) * terms.club
        shares = Shares(paid_in, by_place, club, 0)
        return MoneySheet(event, terms, entries, shares, (), decided)
    places = _places(event)
    able = places.keys()
    shares = prize_money.share(
        terms,
        len(entries),
        places,
        _among(able, _lone_marches(event)) if terms.lone else {},
        _among(able, _euchres(event)) if terms.euchre else {},
    )
    sharing = Counter(places.values())
    teams = place_owners.teams_by_owner(event, teams_of(entries))
    lines = [
        WinnerLine(
            entry.pk,
            teams[entry.pk],
            _place(places.get(entry.pk), sharing) if entry.pk in shares.prizes else "",
            shares.prizes.get(entry.pk, 0),
            shares.lone.get(entry.pk, 0),
            shares.euchre.get(entry.pk, 0),
            sharing[places[entry.pk]] if entry.pk in shares.prizes else 1,
        )
        for entry in sorted(entries, key=lambda one: places.get(one.pk, len(entries)))
    ]
    winners = [line for line in lines if line.total]
    return MoneySheet(event, terms, entries, shares, winners, decided)


def is_decided(event: Event) -> bool:
    """Return whether all matches are played, even if results can still be corrected."""
    finished = event.state == Event.State.FINISHED
    return finished or (event.state == Event.State.RUNNING and event.final_at is not None)


def _paying(event: Event) -> list[Entry]:
    """Return the entries that pay: all who started, or before that those with a place."""
    if event.started is not None:
        entries = event_rows.entries_of(event)
    else:
        placed = event.entries.filter(state__in=PLACED).order_by("arrival")
        entries = list(event_rows.with_players(placed))
    return [entry for entry in entries if not entry.house]


def _places(event: Event) -> dict[int, int]:
    """Return the places of people by entry; house players are passed over even if they win."""
    if event.state == Event.State.FINISHED:
        placed = [
            Placed(entry.pk, entry.place, entry.house, entry.state if entry.state in OUT else "")
            for entry in event_rows.entries_of(event)
            if entry.place is not None
        ]
    else:
        lines = ranking.standings_of(event).lines
        placed = [
            Placed(
                line.entry.pk,
                line.place,
                line.entry.house,
                line.entry.state if line.withdrawn else Entry.State.NO_SHOW if line.absent else "",
            )
            for line in lines
        ]
    return outcome(placed, house_prizes=False).places


def _place(place: int | None, sharing: Mapping[int, int]) -> str:
    if place is None:
        return ""
    last = sum(many for other, many in sharing.items() if other <= place)
    return ordinal(place) if last <= place else f"{ordinal(place)}–{ordinal(last)}"


def _among(able: Collection[int], figures: Mapping[int, int]) -> dict[int, int]:
    return {entry: figure for entry, figure in figures.items() if entry in able}


def _lone_marches(event: Event) -> dict[int, int]:
    """Return the lone marches of each entry's side, in all its decided matches."""
    own = Case(When(side=0, then=F("pairing__lone_0")), default=F("pairing__lone_1"))
    drawn = PairingEntry.objects.filter(
        ~sealed("pairing__table"),
        pairing__round__event=event,
        pairing__state=Pairing.State.DECIDED,
    )
    return dict(drawn.order_by().values("entry").annotate(of=Sum(own)).values_list("entry", "of"))


def _euchres(event: Event) -> dict[int, int]:
    """Return how often each entry's side has euchred the other, online and in the room."""
    found = Counter(_euchres_online(event))
    if event.place != Event.Place.ONLINE:
        found.update(_euchres_in_room(event))
    return found


def _euchres_in_room(event: Event) -> Mapping[int, int]:
    """Return the euchres of each entry's side by the hands of its cards.

    A card counts if its hands make the result of the match.
    """
    hands = ScoreLine.objects.filter(kind=ScoreLine.Kind.HAND).values("pairing")
    played = Pairing.objects.filter(
        round__event=event, in_room=True, state=Pairing.State.DECIDED, pk__in=hands
    )
    lines = ScoreLine.objects.select_related("player").order_by("pk")
    found: Counter[int] = Counter()
    for match in played.select_related("round").prefetch_related(
        Prefetch("score_lines", lines), "entries"
    ):
        card = cards.card_of(event, match, match.score_lines.all())
        if [list(score) for score in card.scores] == match.scores:
            for line in match.entries.all():
                found[line.entry_id] += card.euchres[line.side]
    return found


def _euchres_online(event: Event) -> Mapping[int, int]:
    """Return the euchres of each entry's side, from the logs of the games.

    Those of whoever has left a seat are the entry's, as its points are.
    """
    seats = _seats(event)
    games: dict[tuple[UUID | None, int], int] = {}
    done = Performance.objects.filter(game__table__pairing__round__event=event)
    number = "game__table__pairing__round__number"
    for game, player, round_, euchres in done.values_list("game", "player", number, "euchres"):
        for seat in seats[player]:
            if seat.first <= round_ <= seat.last:
                games[game, seat.entry] = euchres  # partners have the same
    found: dict[int, int] = defaultdict(int)
    for (_game, entry), euchres in games.items():
        found[entry] += euchres
    return dict(found)


class _Seat(NamedTuple):
    """A player's seat in an entry, from round `first` to round `last`."""

    entry: int
    first: int
    last: int


def _seats(event: Event) -> dict[int, list[_Seat]]:
    """Return the seats of each player, present and past."""
    seats: dict[int, list[_Seat]] = defaultdict(list)
    begins: dict[tuple[int, int], int] = defaultdict(lambda: 1)
    left = Substitution.objects.filter(entry__event=event).order_by("until", "pk")
    for entry, position, player, until in left.values_list("entry", "position", "player", "until"):
        seats[player].append(_Seat(entry, begins[entry, position], until))
        begins[entry, position] = until + 1
    now = EntryPlayer.objects.filter(event=event, entry__seed__isnull=False)
    for entry, position, player in now.values_list("entry", "position", "player"):
        seats[player].append(_Seat(entry, begins[entry, position], LAST_ROUND))
    return seats
