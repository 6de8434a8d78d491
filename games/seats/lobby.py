"""The tables and results listed on the home page and in the lobby, in a fixed number of queries.

All values are plain and comparable, so that a page can detect changes.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from games import rule_words
from games.engine.seats import compass
from games.models import Game, GameSeat, Player, Seat, Table
from games.models.shared_deals import sealed
from games.models.tables import BEFORE_A_GAME, BEGUN, PATIENCE
from games.records.game_lists import OUTCOMES
from games.records.outcomes import PRACTICE, outcome_of
from games.seats.seating import NOT_HOUSE

RECENT = timedelta(minutes=30)  # hide tables without activity for longer
DESERTED = timedelta(minutes=3)  # hide running games without a player present for longer
MAX_OWN = 8
MAX_LISTED = 24
ORDER = (
    Table.State.PLAYING,
    Table.State.SHUFFLING,
    Table.State.GATHERING,
    Table.State.FINISHED,
)


@dataclass(frozen=True, slots=True)
class SeatInList:
    """A seat in a list; `name` is empty for a free one, `mine` is the viewer's."""

    position: int
    compass: str
    name: str
    house: bool
    mine: bool
    program: bool = False
    program_of: str = ""
    guest: bool = False


@dataclass(frozen=True, slots=True)
class LobbyTable:
    """A table in a list; `my_turn` and `seated` are the viewer's. rated: of a rated quick game."""

    table_id: int
    title: str
    rules: str
    host: str
    open: bool
    reserved: bool
    state: str
    places: tuple[SeatInList, ...]
    sides: tuple[tuple[tuple[SeatInList, ...], int], tuple[tuple[SeatInList, ...], int]]
    hand: int
    seated: bool
    my_turn: bool
    rated: bool

    @property
    def rated_now(self) -> bool:
        """Return True for a rated game in progress, which cannot wait."""
        return self.rated and self.state in BEGUN

    @property
    def free(self) -> tuple[SeatInList, ...]:
        if self.reserved:
            return ()
        return tuple(place for place in self.places if place.house or not place.name)

    @property
    def people(self) -> bool:
        return any(place.name and not place.house for place in self.places)

    @property
    def score(self) -> tuple[int, int]:
        """Return the points of the viewer's side, or north's, and of the other."""
        (_, north), (others, east) = self.sides
        return (east, north) if any(place.mine for place in others) else (north, east)

    @property
    def others(self) -> str:
        names = [seat.name for seat in self.places if seat.name and not (seat.house or seat.mine)]
        return ", ".join(names)


class PlayingNow(NamedTuple):
    """How many people are at tables with a game in progress, and how many such tables."""

    people: int
    tables: int


@dataclass(frozen=True, slots=True)
class Lobby:
    yours: tuple[LobbyTable, ...]
    waiting: tuple[LobbyTable, ...]
    running: tuple[LobbyTable, ...]


def playing_now() -> PlayingNow:
    """Count the people who are here, at tables by invitation too."""
    here = Seat.objects.filter(
        table__state__in=BEGUN,
        player__kind=Player.Kind.PERSON,
        missing_since=None,
        last_seen__gt=timezone.now() - PATIENCE,
    )
    counted = here.aggregate(
        people=Count("player", distinct=True), tables=Count("table", distinct=True)
    )
    return PlayingNow(counted["people"], counted["tables"])


def lobby_for(player: Player | None) -> Lobby:
    yours = your_tables(player)
    own = {line.table_id for line in yours}
    since = timezone.now() - RECENT
    somebody = Seat.objects.filter(NOT_HOUSE, table=OuterRef("pk"), last_seen__gt=since)
    waiting = _lines(
        Table.objects.filter(
            Q(created__gt=since) | Exists(somebody),
            open=True,
            reserved=False,
            state=Table.State.GATHERING,
        ).order_by("-pk")[:MAX_LISTED],
        player,
    )
    return Lobby(
        yours,
        tuple(line for line in waiting if line.table_id not in own),
        tuple(line for line in running_tables(player) if line.table_id not in own),
    )


def your_tables(player: Player | None) -> tuple[LobbyTable, ...]:
    """Return the player's tables: a rated game first, then those with their turn, then games."""
    if player is None:
        return ()
    playing = Game.objects.filter(table=OuterRef("pk"), state=Game.State.PLAYING)
    over = Game.objects.filter(
        Q(state=Game.State.OVER) | Q(ruling__isnull=False), ended__gt=timezone.now() - RECENT
    )
    # Each of these is found by an index, so that tables of long ago are not looked through.
    tables = Table.objects.filter(
        Q(state__in=BEFORE_A_GAME)
        | Q(Exists(playing), state=Table.State.PLAYING)
        | Q(pk__in=over.values("table")),
        Exists(Seat.objects.filter(table=OuterRef("pk"), player=player)),
    ).exclude(state=Table.State.CLOSED)
    # An event calls its players to their next table itself.
    tables = tables.exclude(reserved=True, state=Table.State.FINISHED)
    lines = _lines(tables.order_by("-rated", "-pk")[:MAX_OWN], player)
    return tuple(
        sorted(
            lines,
            key=lambda line: (not line.rated_now, not line.my_turn, ORDER.index(line.state)),
        )
    )


def running_tables(player: Player | None, most: int = MAX_LISTED) -> tuple[LobbyTable, ...]:
    """Return the open tables with a game to watch in progress, the most recently active first.

    A game is hidden while all its players are away, unless only house players play. House tables
    are listed between two games as well.
    """
    now = timezone.now()
    players = Seat.objects.filter(NOT_HOUSE, table=OuterRef("pk"))
    tables = Table.objects.filter(
        Exists(players.filter(last_seen__gt=now - DESERTED)) | ~Exists(players),
        ~sealed(""),
        open=True,
        games__state=Game.State.PLAYING,
        games__moved__gt=now - RECENT,
    )
    between = Table.objects.filter(plays_on=True, open=True, state=Table.State.FINISHED)
    playing = _lines(tables.order_by("-games__moved")[:most], player)
    return (*playing, *_lines(between.order_by("pk")[:most], player))[:most]


def results_of(player: Player | None, most: int = 5) -> list[dict[str, Any]]:
    """Return the player's latest games: how each ended, with their side's points first."""
    if player is None:
        return []
    played = GameSeat.objects.filter(
        Q(game__state=Game.State.OVER) | Q(game__ruling__isnull=False),
        ~sealed("game__table"),
        player=player,
    )
    latest = played.order_by("-game__ended").values_list("pk", flat=True)[:most]
    seats = (
        GameSeat.objects.filter(pk__in=latest)
        .select_related("game__table")
        .defer("game__secret")
        .prefetch_related(Prefetch("game__seats", GameSeat.objects.select_related("player")))
        .order_by("-game__ended")
    )
    results = []
    for seat in seats:
        game, rules = seat.game, seat.game.rules
        side, partner = rules.side_of(seat.position), rules.partner_of(seat.position)
        outcome = outcome_of(game).seen_from(side)
        names = {one.position: one.player.name for one in game.seats.all()}
        results.append(
            {
                "game_id": game.pk,
                "rules": rule_words.brief(rules),
                "outcome": "Practice" if outcome.how == PRACTICE else OUTCOMES[outcome.results[0]],
                "score": outcome.score,
                "partner": "" if partner is None else names.get(partner, ""),
                "opponents": " and ".join(
                    name for at, name in names.items() if rules.side_of(at) != side
                ),
                "ended": game.ended,
            }
        )
    return results


def _lines(tables: QuerySet[Table], player: Player | None) -> tuple[LobbyTable, ...]:
    later = Game.objects.filter(table=OuterRef("table"), number__gt=OuterRef("number"))
    latest = Game.objects.filter(~Exists(later)).defer("secret")
    found = tables.select_related("host").prefetch_related(
        Prefetch("seats", Seat.objects.select_related("player__owner")),
        Prefetch("games", latest),
    )
    return tuple(_line(table, player) for table in found)


def _line(table: Table, player: Player | None) -> LobbyTable:
    game = next(iter(table.games.all()), None)
    rules = table.rules
    places = tuple(
        SeatInList(
            position=seat.position,
            compass=compass(rules.players, seat.position),
            name=seat.player.name if seat.player else "",
            house=seat.player is not None and seat.player.kind == Player.Kind.HOUSE,
            program=seat.player is not None and seat.player.kind == Player.Kind.PROGRAM,
            program_of=seat.player.owner.name if seat.player and seat.player.owner else "",
            guest=seat.player is not None and seat.player.guest,
            mine=player is not None and seat.player_id == player.pk,
        )
        for seat in table.seats.all()
    )
    playing = game is not None and game.state == Game.State.PLAYING
    mine = next((place.position for place in places if place.mine), None)
    return LobbyTable(
        table_id=table.pk,
        title=table.title or f"Table {table.pk}",
        rules=rule_words.brief(rules),
        host=table.host.name,
        open=table.open,
        reserved=table.reserved,
        state=table.state,
        places=places,
        sides=(
            (places[0::2], game.score_0 if game else 0),
            (places[1::2], game.score_1 if game else 0),
        ),
        hand=game.deal_number if game else 0,
        seated=mine is not None,
        my_turn=playing and mine is not None and game is not None and game.turn == mine,
        rated=table.rated,
    )
