"""What the games of a match count for once a director has set its result.

Places follow the match, records its games: both are told here from one result. A game of which the
table's log says something else counts as it was set; one that was not begun is noted without a log;
one beyond the result counts for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

from games.models import Player
from games.records import outcomes, performances
from games.records.outcomes import Outcome
from games.seats import reserved
from tournaments.models import Event, Pairing, PairingEntry
from tournaments.results import matches, possible
from tournaments.results.matches import Played
from tournaments.results.possible import Ruling


def count(event: Event, match: Pairing, ruling: Ruling) -> None:
    """Let the games of a match that is over count as its result says; the event's row is held."""
    wanted = _wanted(ruling)
    begun: set[int] = set()

    def decide(played: Played) -> Mapping[int, Outcome]:
        begun.update(game.number for game, _stands in played)
        if _as_played(ruling, played):
            return {}
        if ruling.ended == possible.FORFEIT:
            game, stands = played[-1]
            return {game.number: matches.forfeited(ruling.winner, stands)}
        return {
            game.number: counted
            for game, stands in played
            if not _alike(counted := _of(wanted.get(game.number), stands), stands)
        }

    if match.table_id is not None:
        reserved.rule(match.table_id, lambda played: decide(played) if played else {})
    unplayed = {number: one for number, one in wanted.items() if number not in begun}
    performances.note_unplayed(
        match.pk, _seats(match), event.rules, unplayed, match.decided or event.starts
    )


def _wanted(ruling: Ruling) -> dict[int, Outcome]:
    """Return the games that a result says, by number."""
    if ruling.ended == possible.FORFEIT:
        return {}
    return {
        number: Outcome(
            outcomes.results_of(
                ruling.winner if len(ruling.scores) == 1 else matches.leader(*score)
            ),
            score,
            outcomes.DIRECTOR,
            score,
        )
        for number, score in enumerate(ruling.scores, start=1)
    }


def _as_played(ruling: Ruling, played: Played) -> bool:
    """Whether a result is what the games of a match that counts hands say together.

    Then each counts as it was played; so a correction that is taken back leaves nothing.
    """
    if ruling.ended == possible.FORFEIT or len(ruling.scores) != 1 or not played:
        return False
    first, second = (sum(stands.log[side] for _game, stands in played) for side in (0, 1))
    score = (first, second)
    return score == ruling.scores[0] and matches.leader(*score) == ruling.winner


def _of(wanted: Outcome | None, stands: Outcome) -> Outcome:
    """A game as it counts; one that the result does not have counts for nobody."""
    if wanted is None:
        return stands._replace(results=(None, None), score=stands.log, how=outcomes.VOID)
    return wanted._replace(log=stands.log)


def _alike(one: Outcome, stands: Outcome) -> bool:
    """Whether a game counts as its log says."""
    return (one.results, one.score) == (stands.results, stands.score)


def _seats(match: Pairing) -> list[Player]:
    """Who was to play, by position."""
    lines = PairingEntry.objects.filter(pairing=match).order_by("side", "position")
    sides: tuple[list[Player], list[Player]] = ([], [])
    for line in lines.prefetch_related("entry__players__player"):
        sides[line.side].extend(one.player for one in line.entry.players.all())
    return [player for both in zip(*sides, strict=True) for player in both]
