"""A player's page: what he belongs to and has played, as far as the visitor may see it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from games.models import Player
from games.services import lobby
from games.services.lobby import Result
from tournaments.models import Club, Event, Trophy
from tournaments.services.entry_lines import OVER, SURE, Line, entries_of, lines

MOST_EVENTS: Final = 20
MOST_NEXT: Final = 6
MOST_GAMES: Final = 8
MOST_TROPHIES: Final = 12


@dataclass(frozen=True, slots=True)
class PlayerPage:
    """All lists of the page.

    clubs: by name. trophies: with their events, the newest first. next: what he has entered.
    finished: events, the newest first. games: the last ones.
    """

    clubs: tuple[Club, ...]
    trophies: tuple[Trophy, ...]
    next: tuple[Line, ...]
    finished: tuple[Line, ...]
    games: tuple[Result, ...]


def page_of(
    player: Player, viewer: Player | None, clubs: QuerySet[Club], tables: Collection[int]
) -> PlayerPage:
    """Return what the page of `player` shows to `viewer` (None: a visitor).

    Args:
        player: whose page it is.
        viewer: who looks at it.
        clubs: those the viewer may see; of others nothing is told.
        tables: those whose invitation link the viewer has followed.
    """
    entries = entries_of(player).filter(event__club__in=clubs)
    coming = entries.exclude(event__state__in=OVER).filter(state__in=SURE)
    finished = entries.filter(event__state=Event.State.FINISHED).order_by("-event__starts")
    trophies = Trophy.objects.filter(player=player, event__club__in=clubs)
    return PlayerPage(
        clubs=tuple(clubs.filter(memberships__player=player)),
        trophies=tuple(
            trophies.select_related("event__club").order_by("-event__starts")[:MOST_TROPHIES]
        ),
        next=lines(coming[:MOST_NEXT], player),
        finished=lines(finished[:MOST_EVENTS], player),
        games=lobby.results_shown(player, viewer, tables, MOST_GAMES),
    )
