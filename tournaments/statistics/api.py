"""API of players: their records, their games, and head-to-head comparisons."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.access import invitations
from games.api.callers import ApiRequest
from games.api.problems import ApiProblem
from games.api.values import (
    NO_CONTROLS,
    Moment,
    Page,
    PageQuery,
    PlayerRef,
    one_of,
    page_of,
    ref_of,
)
from games.engine.rules import RULE_SETS
from games.models import Player
from games.records import game_lists
from games.records.game_lists import shows_record
from games.records.selection import CALLS, RESULTS, Selection, selected
from games.records.sums import DealTotals, GamesScore, PlayedRow, Streak
from tournaments.access import clubs_shown, requested_player
from tournaments.models import Trophy
from tournaments.ratings.api import PlayerRating, rating_out
from tournaments.statistics import player_record

router = Router(tags=["Players"])

OUTCOMES = {value: word for word, value in RESULTS.items()}


class ClubRef(Schema):
    """A club."""

    slug: str
    name: str


class TrophyOut(Schema):
    """A prize of honour: one of the first three places of an event."""

    event: int
    name: str
    place: int
    entrants: int


class PlayerOut(Schema):
    """A player; of one who keeps their record private no more than the name."""

    player: PlayerRef
    private: bool
    owner: PlayerRef | None = Field(description="Whose program it is.")
    country: str = Field(description="ISO 3166, or empty.")
    clubs: list[ClubRef] = Field(description="Those of the player’s that you may see.")
    home_club: str = Field(description="The slug of the one they show as theirs, or empty.")
    ratings: list[PlayerRating]
    trophies: list[TrophyOut] = Field(description="The newest first.")


class ScoreOut(Schema):
    """Results of some games; points are of those that had a result."""

    games: int
    won: int
    tied: int
    lost: int
    given_up: int
    points: int
    against: int


class PlaceOut(Schema):
    """Calls from one place at the table."""

    place: int = Field(description="From the dealer’s left, 1, to the dealer, 4.")
    called: int
    trumps: float | None = Field(description="Trumps held at a call on average.")


class DeedsOut(Schema):
    """What a player did in the deals of some games."""

    deals: int
    called: int = Field(description="Deals in which the player made trump.")
    made: int = Field(description="Of these: with three tricks or more.")
    marched: int = Field(description="Of these: with all five.")
    euchred: int = Field(description="Of these: with fewer than three.")
    alone: int
    alone_marched: int
    euchres: int = Field(description="Deals in which the player’s side euchred the makers.")
    lone_euchres: int = Field(description="Of these, those of a player who went alone.")
    lone_defences: int = Field(description="Deals that the player defended alone.")
    no_trump: int = Field(description="Calls without a trump, which are not among the places.")
    places: list[PlaceOut]
    luck: float | None = Field(
        description="By how many tricks a deal the player’s side was dealt the better cards."
    )


class RulesScore(Schema):
    """The results with one rule set."""

    rules: str
    score: ScoreOut


class MetOut(Schema):
    """Somebody the player played with or against, and the results."""

    player: PlayerRef
    score: ScoreOut


class StreakOut(Schema):
    """Games in a row with the same result."""

    result: Annotated[str, one_of(RESULTS)]
    games: int


class RecordOut(Schema):
    """What a player’s games add up to."""

    player: PlayerRef
    score: ScoreOut
    deeds: DeedsOut
    rules: list[RulesScore]
    partners: list[MetOut] = Field(description="The 20 with most games; not who is private.")
    opponents: list[MetOut] = Field(description="The same.")
    streak: StreakOut = Field(description="The present one.")
    longest: list[StreakOut] = Field(description="Of wins, and of losses.")


class PlayerGameOut(Schema):
    """A game as one of its players sees it."""

    game: UUID | None = Field(
        description="Null where you may not read it, or a result was set without any play."
    )
    rules: str
    ended: datetime
    result: Annotated[str, one_of(RESULTS)]
    score: list[int] = Field(
        description="The points of the player’s side, and the others’: those that count."
    )
    said: str = Field(
        description="How the result came about where it is not that of the table’s log, and what "
        "that says; or empty."
    )
    partner: PlayerRef | None = Field(
        description="Null where there was none, or one who is private in a game you may not read."
    )
    opponents: list[PlayerRef] = Field(description="The same.")


class HeadToHead(Schema):
    """Two players."""

    players: list[PlayerRef]
    together: ScoreOut = Field(description="As partners.")
    opposed: ScoreOut = Field(description="Against each other, as the first sees it.")


class RecordQuery(Schema):
    """Which games count."""

    rules: str = Field(
        "", max_length=40, pattern=NO_CONTROLS, description="Only with the rule set of this name."
    )
    since: Moment | None = Field(None, description="Only those that ended then or later.")
    until: Moment | None = Field(None, description="Only those that ended before.")


class GamesQuery(RecordQuery):
    """Which games are asked for."""

    partner: int | None = Field(None, description="Only with this partner.")
    opponent: int | None = Field(None, description="Only against this player.")
    result: Literal["won", "tied", "lost", "given-up"] | None = None
    call: Literal[tuple(CALLS)] | None = Field(  # type: ignore[valid-type]
        None, description="Only those in which the player did this."
    )


@router.get("{num:player_id}", response=PlayerOut)
def player(request: ApiRequest, player_id: int) -> PlayerOut:
    """A player."""
    found = get_object_or_404(Player.objects.select_related("owner"), pk=player_id)
    told = PlayerOut(
        player=ref_of(found),
        private=found.private,
        owner=ref_of(found.owner) if found.owner else None,
        country="",
        clubs=[],
        home_club="",
        ratings=[],
        trophies=[],
    )
    if shows_record(found, request.auth.player):
        now = timezone.now()
        shown = clubs_shown(request.auth.player, request.auth.session)
        trophies = Trophy.objects.filter(player=found, event__club__in=shown)
        told.country = found.country
        clubs = player_record.clubs_of(found, shown)
        told.clubs = [ClubRef(slug=club.slug, name=club.name) for club, _home in clubs]
        told.home_club = next((club.slug for club, home in clubs if home), "")
        told.ratings = [
            rating_out(rating, now)
            for rating in found.ratings.select_related("pool", "only_club").order_by("pool__key")
        ]
        told.trophies = [
            TrophyOut(
                event=one.event_id, name=one.event.name, place=one.place, entrants=one.entrants
            )
            for one in trophies.select_related("event").order_by("-event__starts", "-event")
        ]
    return told


@router.get("{num:player_id}/record", response=RecordOut)
def record(request: ApiRequest, player_id: int, wanted: Query[RecordQuery]) -> RecordOut:
    """What a player’s games add up to."""
    player = requested_player(request, player_id)
    rows = _selected(player, wanted)
    told = player_record.record_of(rows, request.auth.player)
    return RecordOut(
        player=ref_of(player),
        score=_score(told["score"]),
        deeds=_deeds(told["totals"]),
        rules=[RulesScore(rules=name, score=_score(score)) for name, score in told["rules"]],
        partners=_met(told["partners"]["lines"]),
        opponents=_met(told["opponents"]["lines"]),
        streak=_streak(told["present"]),
        longest=[_streak(told["wins"]), _streak(told["losses"])],
    )


@router.get("{num:player_id}/games", response=Page[PlayerGameOut])
def player_games(
    request: ApiRequest, player_id: int, page: Query[PageQuery], wanted: Query[GamesQuery]
) -> Page[PlayerGameOut]:
    """The games of a player that have ended.

    The newest first. Of games at tables that you may not see you learn no more than the result.
    """
    player, caller = requested_player(request, player_id), request.auth
    for other in (wanted.partner, wanted.opponent):
        if other is not None:
            requested_player(request, other)
    rows = _selected(player, wanted)

    def refs(people: Iterable[Player | None]) -> list[PlayerRef]:
        return [ref_of(one) for one in people if one is not None]

    def lines(part: Iterable[PlayedRow]) -> list[PlayerGameOut]:
        invited = invitations(caller.session)
        return [
            PlayerGameOut(
                game=line.game_id,
                rules=line.row.rules,
                ended=line.row.ended,
                result=OUTCOMES[line.row.result],
                score=[line.row.points, line.row.against],
                said=line.said,
                partner=next(iter(refs([line.partner])), None),
                opponents=refs(line.opponents),
            )
            for line in game_lists.game_lines(player, list(part), caller.player, invited)
        ]

    return page_of(request, rows, page, lines)


@router.get("{num:player_id}/and/{num:other_id}", response=HeadToHead)
def head_to_head(
    request: ApiRequest, player_id: int, other_id: int, wanted: Query[RecordQuery]
) -> HeadToHead:
    """Two players together and against each other."""
    if player_id == other_id:
        raise Http404
    one, other = requested_player(request, player_id), requested_player(request, other_id)
    two = player_record.head_to_head(_selected(one, wanted), one, other, timezone.now())
    return HeadToHead(
        players=[ref_of(one), ref_of(other)],
        together=_score(two["together"]),
        opposed=_score(two["opposed"]),
    )


def _selected(player: Player, wanted: RecordQuery) -> list[PlayedRow]:
    rows = game_lists.rows_of(player)
    known = dict.fromkeys([*(row.rules for row in rows), *(one.name for one in RULE_SETS.values())])
    if wanted.rules and wanted.rules not in known:
        words = f"query.rules: “{wanted.rules}” is not one of: {'; '.join(known)}."
        raise ApiProblem(422, "invalid", words)
    asked = wanted.model_dump(exclude_none=True)
    return selected(rows, Selection(**asked))


def _score(score: GamesScore) -> ScoreOut:
    return ScoreOut.from_orm(score)


def _deeds(totals: DealTotals) -> DeedsOut:
    places = [
        PlaceOut(place=place, called=share.part, trumps=trumps.value)
        for place, share, trumps in totals.places
    ]
    values: dict[str, Any] = {"places": places, "luck": totals.luck.value}
    plain = DeedsOut.model_fields.keys() - values.keys()
    return DeedsOut(**values, **{name: getattr(totals, name) for name in plain})


def _met(lines: Sequence[tuple[Player, GamesScore]]) -> list[MetOut]:
    return [MetOut(player=ref_of(person), score=_score(score)) for person, score in lines]


def _streak(streak: Streak) -> StreakOut:
    return StreakOut(result=OUTCOMES[streak.result], games=streak.length)
