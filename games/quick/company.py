"""What the matching rule knows of people and tables: ratings, people met, when hands end."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from itertools import permutations
from typing import Final, TypeAlias

from django.conf import settings
from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from games.engine.actions import NEXT
from games.engine.rules import RuleSet
from games.models import Game, GameEvent, GameSeat
from games.quick.arrivals import ASK_FOR, NOBODY

#: Gives the ratings of players, by id, for a rule set; those without one are left out.
Ratings: TypeAlias = Callable[[Collection[int], RuleSet], Mapping[int, float]]

#: The rating of whoever has none.
USUAL: Final = 1500.0
#: People met in this time are met again only if nobody else fits as well.
LATELY: Final = timedelta(hours=1)
#: Actions of a usual hand, and seconds of one of them where people play.
ACTIONS: Final = 27
SECONDS: Final = 2.0


class _Rated:
    ratings: Ratings = staticmethod(lambda _players, _rules: {})


def rate_by(ratings: Ratings) -> None:
    """Set where ratings come from; without it nobody has one."""
    _Rated.ratings = staticmethod(ratings)


def ratings_of(players: Collection[int], rules: RuleSet) -> dict[int, float]:
    known = _Rated.ratings(players, rules)
    return {player: known.get(player, USUAL) for player in players}


def met(players: Collection[int], now: datetime) -> dict[int, dict[int, int]]:
    """Return how many games of the last hour players have had with each other, by their ids."""
    rows = GameSeat.objects.filter(player__in=players, game__started__gt=now - LATELY)
    games: defaultdict[object, set[int]] = defaultdict(set)
    for game, player in rows.values_list("game_id", "player_id"):
        games[game].add(player)
    found: dict[int, dict[int, int]] = {player: {} for player in players}
    for people in games.values():
        for one, other in permutations(people, 2):
            found[one][other] = found[one].get(other, 0) + 1
    return found


def met_by(player: int, others: Collection[int], now: datetime) -> dict[int, int]:
    """Return how many games of the last hour a player has had with each of some others."""
    mine = GameSeat.objects.filter(player=player, game__started__gt=now - LATELY).values("game")
    seats = GameSeat.objects.filter(game__in=mine, player__in=others).exclude(player=player)
    return Counter(seats.values_list("player_id", flat=True))


def ends_in(tables: Collection[int], now: datetime) -> dict[int, float]:
    """Return the seconds until a newcomer can sit at tables that are playing, as a guess.

    It is counted from the actions of the hand so far. If the next hand is dealt before those at the
    table have been asked, it is the hand after.
    """
    begun = GameEvent.objects.filter(game=OuterRef("pk"), action=NEXT).order_by("-seq")
    games = Game.objects.filter(table__in=tables, state=Game.State.PLAYING).annotate(
        begun=Coalesce(Subquery(begun.values("seq")[:1]), Value(0)),
        done=F("version") - F("begun"),
    )
    rows = games.values_list("table_id", "turn", "done", "moved")
    return {table: _ends_in(turn, done, now - moved) for table, turn, done, moved in rows}


def _ends_in(turn: int, done: int, rested: timedelta) -> float:
    pause = float(settings.NEXT_DEAL_PAUSE)
    if turn != NOBODY:
        return SECONDS * max(0, ACTIONS - done) + pause
    left = max(0.0, pause - rested.total_seconds())
    asked = left >= ASK_FOR.total_seconds()
    return left if asked else left + SECONDS * ACTIONS + pause
