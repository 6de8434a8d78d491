"""What players' games add up to: records, the games behind them, and two players together."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from django.http import Http404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.access import invitations
from games.api.callers import ApiRequest
from games.api.inputs import NO_CONTROLS, Moment
from games.api.paging import Page, PageQuery, page_of
from games.api.people import PlayerRef, one_of, ref_of, ref_of_person
from games.api.problems import Problem
from games.engine.rules import RULE_SETS
from games.models import Player
from games.records import reading
from games.records.reading import ListedPerson, PlayerGameLine
from games.records.selection import RESULTS, Selection, selected
from games.records.sums import GamesScore, PlayedRow, Streak
from tournaments.access import player_asked_for
from tournaments.statistics import player_record
from tournaments.statistics.player_record import Met

router = Router(tags=["Players"])

OUTCOMES = {value: word for word, value in RESULTS.items()}


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
    places: list[PlaceOut]
    luck: float | None = Field(
        description="By how many tricks a deal the player’s side was dealt the better cards."
    )


class RulesScore(Schema):
    """The results with one rule set."""

    rules: str
    score: ScoreOut


class MetOut(Schema):
    """Somebody he played with or against, and the results."""

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


class PlayedGame(Schema):
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
    call: (
        Literal["called", "made", "marched", "euchred", "alone", "alone-marched", "defended"] | None
    ) = Field(None, description="Only those in which the player did this.")


@router.get("{int:player_id}/record", response=RecordOut)
def record(request: ApiRequest, player_id: int, wanted: Query[RecordQuery]) -> RecordOut:
    """What a player’s games add up to."""
    player = player_asked_for(request, player_id)
    rows = _selected(player, wanted)
    told = player_record.record_of(rows, request.auth.player, everybody=False)
    deeds = told.deeds
    return RecordOut(
        player=ref_of(player),
        score=_score(told.score),
        deeds=DeedsOut(
            deals=deeds.deals,
            called=deeds.called,
            made=deeds.made,
            marched=deeds.marched,
            euchred=deeds.euchred,
            alone=deeds.alone,
            alone_marched=deeds.alone_marched,
            euchres=deeds.euchres,
            places=[
                PlaceOut(place=one.place, called=one.share.part, trumps=one.trumps.value)
                for one in deeds.places
            ],
            luck=deeds.luck.value,
        ),
        rules=[RulesScore(rules=name, score=_score(score)) for name, score in told.rules],
        partners=_met(told.partners.lines),
        opponents=_met(told.opponents.lines),
        streak=_streak(told.present),
        longest=[_streak(told.wins), _streak(told.losses)],
    )


@router.get("{int:player_id}/games", response=Page[PlayedGame])
def player_games(
    request: ApiRequest, player_id: int, page: Query[PageQuery], wanted: Query[GamesQuery]
) -> Page[PlayedGame]:
    """The games of a player that have ended.

    The newest first. Of games at tables that you may not see you learn no more than the result.
    """
    player, caller = player_asked_for(request, player_id), request.auth
    for other in (wanted.partner, wanted.opponent):
        if other is not None:
            player_asked_for(request, other)
    rows = _selected(player, wanted)

    def lines(part: Iterable[PlayedRow]) -> list[PlayedGame]:
        invited = invitations(caller.session)
        found = reading.game_lines(player, list(part), caller.player, invited)
        return [_game(line) for line in found]

    return page_of(request, rows, page, lines)


@router.get("{int:player_id}/and/{int:other_id}", response=HeadToHead)
def head_to_head(
    request: ApiRequest, player_id: int, other_id: int, wanted: Query[RecordQuery]
) -> HeadToHead:
    """Two players together and against each other."""
    if player_id == other_id:
        raise Http404
    one, other = player_asked_for(request, player_id), player_asked_for(request, other_id)
    two = player_record.head_to_head(_selected(one, wanted), one, other, timezone.now())
    return HeadToHead(
        players=[ref_of(one), ref_of(other)],
        together=_score(two.together),
        opposed=_score(two.opposed),
    )


def _selected(player: Player, wanted: RecordQuery) -> list[PlayedRow]:
    rows = reading.rows_of(player)
    known = dict.fromkeys([*(row.rules for row in rows), *(one.name for one in RULE_SETS.values())])
    if wanted.rules and wanted.rules not in known:
        words = f"query.rules: “{wanted.rules}” is not one of: {'; '.join(known)}."
        raise Problem(422, "invalid", words)
    asked = wanted.model_dump(exclude_none=True)
    return selected(rows, Selection(**asked))


def _score(score: GamesScore) -> ScoreOut:
    return ScoreOut(
        games=score.games,
        won=score.won,
        tied=score.tied,
        lost=score.lost,
        given_up=score.given_up,
        points=score.points,
        against=score.against,
    )


def _met(lines: Sequence[Met]) -> list[MetOut]:
    return [MetOut(player=ref_of_person(one.person), score=_score(one.score)) for one in lines]


def _streak(streak: Streak) -> StreakOut:
    return StreakOut(result=OUTCOMES[streak.result], games=streak.length)


def _game(line: PlayerGameLine) -> PlayedGame:
    def refs(people: Iterable[ListedPerson | None]) -> list[PlayerRef]:
        return [ref_of_person(one) for one in people if one is not None]

    return PlayedGame(
        game=line.game_id,
        rules=line.rules,
        ended=line.ended,
        result=OUTCOMES[line.row.result],
        score=list(line.score),
        said=line.said,
        partner=next(iter(refs([line.partner])), None),
        opponents=refs(line.opponents),
    )
