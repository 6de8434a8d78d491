"""A player's own status in an event: where to go now, or how it went."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tournaments.event_page.page_values import EventPage, RoundTables
from tournaments.models import Act, Entry, Event, Pairing
from tournaments.models.entries import OUT
from tournaments.results.match_lines import MatchLine, SideLine, matches_of

COMPASS = ("north–south", "east–west")


@dataclass(frozen=True, slots=True)
class OwnStatus:
    """A player's own status in an event; `words` say what comes next.

    `at_table` says whether the player has to be at the table now; `code` opens the score card of
    a table in the room. `left` are those at their table in the room who have withdrawn.
    `not_rated` says why this match of a rated event is not. `message`: a director’s to the table.
    """

    entry: int
    label: str
    heading: str
    words: str = ""
    match: MatchLine | None = None
    side: int = 0
    seat: str = ""
    partner: str = ""
    opponents: str = ""
    at_table: bool = False
    code: str = ""
    left: str = ""
    not_rated: str = ""
    message: Act | None = None

    @property
    def sides(self) -> tuple[SideLine, ...]:
        """Both sides of the player's match, their own first."""
        if self.match is None:
            return ()
        return self.match.sides[self.side], self.match.sides[1 - self.side]

    @property
    def calling(self) -> bool:
        """Whether a director has been called to the player's table."""
        return self.match is not None and self.match.pairing.director_called is not None


def status_of(page: EventPage, player_id: int) -> OwnStatus | None:
    """Return a player's status; None if they are not among those who started."""
    entry = next(
        (
            each
            for each, team in page.teams.items()
            if any(person.pk == player_id for person in team.people)
        ),
        None,
    )
    if entry is None or entry not in page.entries or page.event.state == Event.State.CANCELLED:
        return None
    if page.finished:
        place, state = page.entries[entry].place, page.entries[entry].state
        if place is None or state in OUT:
            came = state != Entry.State.NO_SHOW
            words = "You did not finish the event" if came else "You never came to a table"
            return OwnStatus(entry, page.event.name, words)
        return OwnStatus(
            entry, "You finished", page.outcome.finish(entry, place, len(page.entries))
        )
    if page.entries[entry].state == Entry.State.WITHDRAWN:
        goes_on = "" if page.event.final_at else "The event continues without you."
        return OwnStatus(entry, page.event.name, "You are out of this event", goes_on)
    round_ = page.present
    if round_ is None:
        return OwnStatus(
            entry, "You are in", "Round 1 is being drawn", "Your table will be announced here."
        )
    return _in_round(page, round_, entry, player_id)


def results_of(page: EventPage, entry: int, player_id: int) -> list[OwnStatus]:
    """Return the decided matches of an entry that a player played in, by round, as they read them.

    The entry must have started; others may have had the seat in some of its rounds.
    """
    decided = Pairing.objects.filter(
        round__event=page.event, entries__entry=entry, state=Pairing.State.DECIDED
    )
    return [
        _at(page, match, side, entry, player_id)
        for match in matches_of(page.event, decided, page.teams)
        for side in (0, 1)
        if entry in match.sides[side].team.entries
        and any(one.pk == player_id for one in match.sides[side].team.people)
    ]


def _in_round(page: EventPage, round_: RoundTables, entry: int, player_id: int) -> OwnStatus:
    for match in round_.matches:
        for side in (0, 1):
            if entry in match.sides[side].team.entries:
                return _at(page, match, side, entry, player_id)
    label = f"Round {round_.number}"
    if page.event.final_at is not None:
        return OwnStatus(entry, page.event.name, "All rounds have been played", page.all_played)
    if any(entry in team.entries for team in round_.sit_outs):
        if not round_.bye:
            return OwnStatus(entry, label, "You sit out", "Your next table will be announced here.")
        return OwnStatus(
            entry,
            label,
            "You have a bye",
            "You are through: your next table will be announced here.",
        )
    return OwnStatus(
        entry, label, "You are out", "Thank you for playing. You can watch the others."
    )


def _at(page: EventPage, match: MatchLine, side: int, entry: int, player_id: int) -> OwnStatus:
    ours, theirs = match.sides[side], match.sides[1 - side]
    outcome = "You won" if ours.won else "You lost"
    outcome += f" {ours.count}–{theirs.count}" if ours.count else " by forfeit"
    outcome += _handicap_words(ours, theirs) if ours.count else ""
    if match.tied:
        outcome = match.lost_by_both or "A tie"
    elif match.sealed:
        outcome = "You have finished"
    two = page.event.rules.players == 2
    mine = OwnStatus(
        entry,
        f"Round {match.pairing.round.number}, table {match.pairing.number}",
        outcome,
        match=match,
        side=side,
        seat=("north", "south")[side] if two else COMPASS[side],
        partner=" & ".join(one.name for one in ours.team.people if one.pk != player_id),
        opponents=theirs.team.name,
        message=page.table_messages.get(match.pairing.pk),
    )
    if match.decided:
        return replace(mine, words=_then(page, match, side))
    if match.pairing.in_room:
        doing = "you play in the room at"
        mine = replace(mine, code=page.codes.get(match.pairing.number, ""))
        mine = _without_those_who_left(mine, ours, theirs, player_id)
    else:
        doing = "you are playing" if match.games else "you are called to"
    label = f"Round {match.pairing.round.number}, {doing}"
    heading, why = f"Table {match.pairing.number}", _why_not_rated(page.event, match)
    return replace(mine, label=label, heading=heading, at_table=True, not_rated=why)


def _why_not_rated(event: Event, match: MatchLine) -> str:
    pairing = match.pairing
    if not event.rated:
        return ""
    if any(person.house for side in match.sides for person in side.team.people):
        return "Not rated: a house player sits here."
    begun = pairing.state == Pairing.State.PLAYING and not pairing.in_room
    late = begun and not pairing.rated
    return "Not rated: not everybody had come when this match began." if late else ""


def _without_those_who_left(
    mine: OwnStatus, ours: SideLine, theirs: SideLine, player_id: int
) -> OwnStatus:
    """Say at a table in the room who has withdrawn, as no house player sits in for them."""
    left = [one.name for side in (ours, theirs) for one in side.team.people if one.pk in side.left]
    if not left:
        return mine

    def names(side: SideLine) -> str:
        return " & ".join(
            f"somebody for {one.name}" if one.pk in side.left else one.name
            for one in side.team.people
            if one.pk != player_id
        )

    return replace(mine, partner=names(ours), opponents=names(theirs), left=" and ".join(left))


def _handicap_words(ours: SideLine, theirs: SideLine) -> str:
    if ours.handicap:
        return f", with {ours.handicap} points of handicap for you"
    return f", with {theirs.handicap} points of handicap for them" if theirs.handicap else ""


def _then(page: EventPage, match: MatchLine, side: int) -> str:
    """Return what comes after a match that is over."""
    round_ = match.pairing.round
    knock_out = page.event.knock_out if page.event.is_knock_out or round_.stage == 2 else None
    if knock_out is not None and match.lost_by_both:
        return "That was your last match."
    if knock_out is not None and knock_out.losses == 1:
        if round_.number == page.total:
            return "That was the last round."
        if not match.sides[side].won:
            for_third = page.event.third_place and round_.number + 1 == page.total
            return "You play for third place next." if for_third else "That was your last match."
    if page.event.final_at is not None:
        return page.all_played
    left = sum(not one.decided for one in page.present.matches) if page.present else 0
    if left:
        return f"{left} table{'s are' if left > 1 else ' is'} still playing."
    return "The next round will be drawn in a moment."
