"""What rated games did to ratings, one line each, for those who may know of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from django.db.models import QuerySet
from django.urls import reverse

from games.models import Game, Player
from games.records.outcomes import DIRECTOR, RULED, outcome_of
from tournaments.models import Club, Event, Pairing, RatingChange
from tournaments.ratings.rating_words import ChangeWords
from tournaments.results.match_lines import visit_path
from tournaments.skill import Skill

#: A game: its match and its number there, which is 0 for a result that a director set.
Key: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RatedGameLine:
    """A rated game as one of its players lived it.

    Attributes:
        at: when it ended.
        change: what it did to his rating.
        event: where it was played, None if the reader may not see that; nor does he then learn
            with and against whom.
        partner, opponents: their names; the first is empty where nobody had a partner.
        score: his side's points and the others', None if nothing was counted.
        ruled: how the result came about where it is not the log's, see `Outcome.said`.
        path: of the game's page, or of its event's where the result is a director's.
    """

    at: datetime
    change: ChangeWords
    event: Event | None = None
    partner: str = ""
    opponents: str = ""
    score: tuple[int, int] | None = None
    ruled: str = ""
    path: str = ""


def changes_of(player: Player) -> QuerySet[RatingChange]:
    """Return what rated games did to a player, with all that `lines` needs, the latest first."""
    changes = RatingChange.objects.filter(player=player).order_by("-position")
    return changes.select_related("pairing__round__event__club")


def lines(
    changes: Iterable[RatingChange],
    player: Player,
    reader: Player | None,
    clubs: QuerySet[Club],
) -> list[RatedGameLine]:
    """Return changes of one player, from `changes_of`, as lines: in three queries at most.

    Args:
        changes: the changes.
        player: whose they are.
        reader: who reads them, None for a visitor.
        clubs: those he may see.
    """
    found = list(changes)
    seats = seats_of(found)
    matches = {
        change.pairing.table_id: change.pairing_id
        for change in found
        if change.pairing.table_id is not None
    }
    played = Game.objects.filter(table__in=matches)
    played = played.select_related("table").defer("rules_data", "secret", "commitment", "mixed")
    games = {(matches[game.table_id], game.number): game for game in played}
    held = {change.pairing.round.event.club_id for change in found}
    seen = set(clubs.filter(pk__in=held).values_list("pk", flat=True)) if held else set()
    told = []
    for change in found:
        key = change.pairing_id, change.number
        around = seats[key]
        may_know = change.pairing.round.event.club_id in seen or any(
            reader is not None and seat.player_id == reader.pk for seat in around
        )
        name = "" if reader == player else player.name
        if may_know:
            game = games.get(key)
            pairing, event = change.pairing, change.pairing.round.event
            words = change_in_words(change, around, name)
            ended = outcome_of(game) if game else None
            score = ended.score if ended else pairing.points
            told.append(
                RatedGameLine(
                    at=change.at,
                    change=words,
                    event=event,
                    partner=words.partner,
                    opponents=" and ".join(
                        seat.player.name for seat in around if seat.side != change.side
                    ),
                    score=(score[change.side], score[1 - change.side]),
                    ruled=ended.said if ended else RULED[DIRECTOR],
                    path=_path(event, pairing, game),
                )
            )
        else:
            told.append(RatedGameLine(change.at, change_in_words(change, (), name)))
    return told


def seats_of(changes: Sequence[RatingChange]) -> dict[Key, list[RatingChange]]:
    """Return the changes of all who played in the games that made these."""
    pairings = {change.pairing_id for change in changes}
    rows = RatingChange.objects.filter(pairing__in=pairings).order_by("pk")
    seats: dict[Key, list[RatingChange]] = {}
    for row in rows.select_related("player").only("pairing", "number", "side", "player__name"):
        seats.setdefault((row.pairing_id, row.number), []).append(row)
    return seats


def change_in_words(change: RatingChange, seats: Iterable[RatingChange], name: str) -> ChangeWords:
    """Return a change as words tell it.

    Args:
        change: what happened to a player.
        seats: who played in the game; without them nothing is told of a partner.
        name: how the player is called, empty for who reads it.
    """
    partners = (
        seat.player.name
        for seat in seats
        if seat.side == change.side and seat.player_id != change.player_id
    )
    return ChangeWords(
        name=name,
        partner=" and ".join(partners),
        before=Skill(change.mu_before, change.sigma_before),
        after=Skill(change.mu_after, change.sigma_after),
        expected=change.expected,
        outcome=outcome(change),
        weight=change.weight,
    )


def outcome(change: RatingChange) -> int:
    """Return how the game ended for the player: 1 won, 0 tied, -1 lost."""
    if change.winner < 0:
        return 0
    return 1 if change.winner == change.side else -1


def _path(event: Event, pairing: Pairing, game: Game | None) -> str:
    if game is not None:
        return visit_path(event, pairing, game.pk)
    page = reverse("event_round", args=[event.pk, pairing.round.number])
    return f"{page}#round-{pairing.round.number}-table-{pairing.number}"
