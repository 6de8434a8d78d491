"""Where each player sits in every round, for formats whose rounds are known ahead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from games.engine.seats import compass
from games.models import Player
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.models import Event, Round
from tournaments.refusals import RefusedError
from tournaments.results import event_rows
from tournaments.results.match_lines import Team, teams_drawn
from tournaments.results.round_steps import steps_of
from tournaments.standings import draws, ranking


@dataclass(frozen=True, slots=True)
class Turn:
    """A player's place in a round; without a table they sit out. starts: None if not known."""

    number: int
    starts: datetime | None
    table: int | None = None
    seat: str = ""
    partners: str = ""
    opponents: str = ""


@dataclass(frozen=True, slots=True)
class MovementCard:
    """A player's way through the rounds, a row for each."""

    player: Player
    number: int
    turns: tuple[Turn, ...]

    def parts(self, most: int) -> Iterator[MovementCard]:
        """Yield the card, or parts of it with `most` rounds each."""
        for first in range(0, len(self.turns), most):
            yield replace(self, turns=self.turns[first : first + most])


def why_unknown(event: Event) -> str:
    """Return why there are no movement cards; empty if there are."""
    if not event.rounds_known:
        return (
            f"{event.first_stage.name} draws each round from the results so far, so there are no"
            " movement cards. Print the pairings of each round instead."
        )
    if event.started is None:
        return "Movement cards can be printed when the event has started and round 1 is drawn."
    return ""


def movement_cards(event: Event, now: datetime) -> list[MovementCard]:
    """Return a card for each player; raise RefusedError if the rounds are not known ahead."""
    unknown = why_unknown(event)
    if unknown:
        raise RefusedError("movement_unknown", unknown)
    rounds = list(event.played_rounds.filter(stage=1).order_by("number"))
    every = known_rounds(event, rounds)
    steps = steps_of(event, rounds, len(every), now)
    starts = {step.number: step.at for step in steps if step.state == "to come"}
    starts |= {one.number: one.called for one in rounds}
    teams = teams_drawn(event)
    turns: dict[int, list[Turn]] = {}
    for number, drawn in enumerate(every, start=1):
        for player_id, turn in _turns(number, drawn, teams, starts.get(number)):
            turns.setdefault(player_id, []).append(turn)
    people = (person for team in teams.values() for person in team.people if not person.house)
    known = [person for person in people if person.pk in turns]
    return [MovementCard(person, at, tuple(turns[person.pk])) for at, person in enumerate(known, 1)]


def known_rounds(event: Event, rounds: Sequence[Round]) -> list[Draw]:
    """Return the draws of `rounds`, those drawn so far, and of all rounds to come.

    Those to come are drawn as if everybody stayed.
    """
    field = ranking.field_of(event)
    every = _drawn(event, rounds)
    played = [*field.first, *map(_as_played, every[len(field.first) :])]
    field, apart = field._replace(first=played), draws.apart_in(event)
    while event.state == Event.State.RUNNING and (drawn := draws.next_draw(field, apart)).pairings:
        every.append(drawn)
        field = field._replace(first=[*field.first, _as_played(drawn)])
    return every


def _drawn(event: Event, rounds: Sequence[Round]) -> list[Draw]:
    matches: dict[int, list[DrawnMatch]] = {one.pk: [] for one in rounds}
    for row in event_rows.pairings(event).filter(round__in=rounds):
        sides = tuple(row.entries_of_side(0)), tuple(row.entries_of_side(1))
        matches[row.round_id].append(DrawnMatch(row.number, sides))
    return [
        Draw(
            tuple(matches[one.pk]),
            tuple(one.sit_outs.order_by("entry").values_list("entry", flat=True)),
        )
        for one in rounds
    ]


def _as_played(drawn: Draw) -> PlayedRound:
    return PlayedRound(tuple(PlayedMatch(match, 0) for match in drawn.pairings), drawn.sit_outs)


def _turns(
    number: int, drawn: Draw, teams: Mapping[int, Team], starts: datetime | None
) -> Iterator[tuple[int, Turn]]:
    """Yield the turn of each player in a round; players as `running.round_tables` seats them."""
    for match in drawn.pairings:
        both = [[one for entry in side for one in teams[entry].people] for side in match.sides]
        for side, people in enumerate(both):
            for position, person in enumerate(people):
                seat = compass(2 * len(people), 2 * position + side)
                yield (
                    person.pk,
                    Turn(
                        number,
                        starts,
                        match.table,
                        seat[0],
                        ", ".join(one.name for one in people if one is not person),
                        ", ".join(one.name for one in both[1 - side]),
                    ),
                )
    for entry in drawn.sit_outs:
        for person in teams[entry].people:
            yield person.pk, Turn(number, starts)
