"""Each side's chance to win a game of a match, by the current ratings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Final

from games.models import Player
from tournaments import rating_formula as formula
from tournaments.models import Event, Pairing, Rating
from tournaments.rating_formula import START, Skill
from tournaments.ratings import words
from tournaments.ratings.rating_games import pool_key
from tournaments.results.match_lines import MatchLine

HOUSE: Final = "Not rated: a house player sits here."
ABSENT: Final = "Not rated: not everybody had come when this match began."
PRIVATE: Final = "No chances are shown: a player here has a private record."


def with_chances(event: Event, matches: Sequence[MatchLine], now: datetime) -> list[MatchLine]:
    """Add the chances to undecided matches, in at most one query for each place.

    Matches that are not rated have none; neither have matches with a player whose record is
    private.
    """
    if not event.rated or event.state != Event.State.RUNNING:
        return list(matches)
    skills: dict[bool, dict[int, Skill]] = {}
    for in_room in (False, True):
        there = (one for one in matches if not one.decided and one.pairing.in_room == in_room)
        people = {person.pk for match in there for person in _people(match)}
        skills[in_room] = skills_of(event, people, now, in_room=in_room) if people else {}
    return [
        match if match.decided else _with_chance(match, skills[match.pairing.in_room])
        for match in matches
    ]


def _with_chance(match: MatchLine, skills: Mapping[int, Skill]) -> MatchLine:
    if any(person.house for person in _people(match)):
        return replace(match, no_chances=HOUSE)
    begun = match.pairing.state == Pairing.State.PLAYING and not match.pairing.in_room
    if begun and not match.pairing.rated:
        return replace(match, no_chances=ABSENT)
    if any(person.private for person in _people(match)):
        return replace(match, no_chances=PRIVATE)
    first, second = (
        [skills.get(person.pk, START) for person in side.team.people] for side in match.sides
    )
    chance = round(formula.expected((first, second)), 2)  # so that both add up to 100 %
    north, east = match.sides
    return replace(
        match,
        sides=(
            replace(north, chance=words.percent(chance)),
            replace(east, chance=words.percent(1 - chance)),
        ),
    )


def _people(match: MatchLine) -> list[Player]:
    return list(chain.from_iterable(side.team.people for side in match.sides))


def skills_of(
    event: Event, players: Collection[int], now: datetime, *, in_room: bool
) -> dict[int, Skill]:
    """Return the current ratings of players online or in the room, of those who have one there."""
    key = pool_key(event.rules, in_room=in_room)
    rows = Rating.objects.filter(pool__key=key, player__in=players)
    return {row.player_id: words.present(row, now) for row in rows}
