"""The tables of the current round: begin games, take results, handle no-shows."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from games.models import Game, Player, Seat, Table
from games.seats import reserved
from games.seats.reserved import TableResult
from tournaments.events.notices import note
from tournaments.models import Event, Pairing, Round
from tournaments.results import matches
from tournaments.results.matches import TIE

#: A hand unfinished this long after the round's time is cut off.
HAND_LIMIT = timedelta(minutes=5)
#: Tables begun or ended per transaction, so that play never waits long for it.
CHUNK = 8
#: The next game begins in seconds; the table is left alone until then.
SHUFFLING = Table.State.SHUFFLING


def changed_pairings(pairings: QuerySet[Pairing]) -> QuerySet[Pairing]:
    """Return the matches that need attention: all players came, no game runs, or time is up.

    Matches in the room need none, as their scores are entered by people.
    Tables that share their deals begin together, so they wait until everybody has come to all.
    """
    missing = Seat.objects.filter(
        table=OuterRef("table"),
        player__kind=Player.Kind.PERSON,
        stand_in=False,
        last_seen__lt=F("table__created"),
    )
    incomplete = Pairing.objects.filter(
        Exists(missing),
        round=OuterRef("round"),
        state=Pairing.State.CALLED,
        table__shared_deals__isnull=False,
    )
    running = Game.objects.filter(table=OuterRef("table"), state=Game.State.PLAYING)
    complete = Q(state=Pairing.State.CALLED) & ~Exists(missing) & ~Exists(incomplete)
    between = Q(state=Pairing.State.PLAYING) & ~Exists(running) & ~Q(table__state=SHUFFLING)
    ending = Q(state=Pairing.State.PLAYING) & ~Q(time_up="")
    return pairings.filter(complete | between | ending, in_room=False)


def no_show_at(event: Event, round_: Round) -> datetime:
    """Return when players who have not come count as no-shows."""
    wait = round_.called + timedelta(minutes=event.no_show_minutes)
    return wait if round_.ends is None else min(wait, round_.ends)


class Floor:
    """The tables of a round; the event's row must be locked."""

    def __init__(self, event: Event, round_: Round, now: datetime) -> None:
        self.event = event
        self.round = round_
        self.now = now
        self.late = now >= no_show_at(event, round_)
        self.over = round_.ends is not None and now >= round_.ends

    def attend(self) -> int:
        """Handle up to `CHUNK` tables that need it; return how many were handled."""
        online = self.round.pairings.filter(in_room=False)
        due = undecided = online.exclude(state=Pairing.State.DECIDED)
        if not self.over or undecided.filter(more_minutes__gt=0).exists():
            due = undecided.filter(self._over_at() | Q(pk__in=changed_pairings(undecided)))
            if self.late:
                called = Q(state=Pairing.State.CALLED)
                due = undecided.filter(called | Q(pk__in=due.values("pk")))
        work = list(
            due.select_related("table", "round")
            .prefetch_related("entries__entry__players")
            .order_by("number")
        )
        if not work:
            return 0
        tables = [one.table_id for one in work if one.table_id is not None]
        missing, played = reserved.awaited(tables), reserved.results(tables)
        done = 0
        for pairing in work:
            if done == CHUNK:
                break
            table = pairing.table_id or 0
            if pairing.state == Pairing.State.CALLED:
                done += self._call(pairing, missing[table])
            else:
                done += self._look(pairing, played[table])
        return done

    def _over_at(self) -> Q:
        """Return the matches whose time is up."""
        if self.round.ends is None or not self.over:
            return Q(pk=None)
        since = (self.now - self.round.ends) // timedelta(minutes=1)
        return Q(more_minutes__lte=since)

    def _over(self, pairing: Pairing) -> bool:
        return pairing.ends is not None and self.now >= pairing.ends

    def _call(self, pairing: Pairing, missing: set[int]) -> bool:
        """Begin a match once its players have come, or without the missing ones when time is up."""
        if missing and not self.late:
            return False
        absent = matches.absent_sides(pairing, missing)
        if absent and self.event.no_show == Event.NoShow.FORFEIT:
            winner = TIE if len(absent) == 2 else 1 - absent.pop()
            matches.decide(pairing, winner, Pairing.How.FORFEIT, self.now)
            note(self.event, f"{pairing}: forfeit, not everybody came.")
            return True
        self._begin(pairing, 1, missing)
        return True

    def _begin(self, pairing: Pairing, number: int, absent: set[int] | None = None) -> None:
        rules = matches.rules_for(self.event, pairing, number)
        reserved.begin(pairing.table_id or 0, number, rules, absent or ())
        pairing.state = Pairing.State.PLAYING
        if number == 1:
            complete = pairing.table_id is not None and reserved.has_only_people(pairing.table_id)
            long_enough = matches.match_length(self.event, pairing) >= settings.RATING_LEAST_HANDS
            pairing.rated = self.event.rated and complete and long_enough
        pairing.save(update_fields=["state", "rated"])

    def _look(self, pairing: Pairing, results: Sequence[TableResult]) -> bool:
        """Take the result of a finished match, begin its next game, or end it on time."""
        state = pairing.table.state if pairing.table is not None else ""
        # Games ended before this: players have had time to read the result.
        rested = self.now - timedelta(seconds=settings.NEXT_GAME_PAUSE)
        if state == SHUFFLING:
            return False
        running = next((one for one in results if one.running), None)
        if running is not None:
            return self._over(pairing) and self._end_on_time(pairing, results, running)
        winner = matches.winner_of(self.event, pairing, results)
        if winner is not None:
            matches.decide(pairing, winner, Pairing.How.PLAYED, self.now, results)
        elif state == Table.State.CLOSED or (
            self._over(pairing) and not self._plays_on(pairing, results)
        ):
            self._stop(pairing)  # everybody has left a closed table
        elif self._over(pairing) or (results[-1].ended or rested) <= rested:
            self._begin(pairing, len(results) + 1)
        else:
            return False
        return True

    def _end_on_time(
        self, pairing: Pairing, results: Sequence[TableResult], running: TableResult
    ) -> bool:
        """End a match whose round is over, after the current hand where the event says so."""
        progress = f"{running.score[0]}-{running.score[1]}-{running.deal_number}"
        first = not pairing.time_up and self.event.time_up == Event.TimeUp.HAND
        in_hand = first or progress == pairing.time_up
        if self._waited(pairing) or not (in_hand or self._plays_on(pairing, results)):
            self._stop(pairing)
            return True
        if progress == pairing.time_up:
            return False
        pairing.time_up = progress
        pairing.save(update_fields=["time_up"])
        return True

    def _plays_on(self, pairing: Pairing, results: Sequence[TableResult]) -> bool:
        tied = matches.winner_on_time(results) == TIE
        goes_on = tied and matches.plays_off_ties(self.event, self.round)
        return goes_on and not self._waited(pairing)

    def _waited(self, pairing: Pairing) -> bool:
        return pairing.ends is not None and self.now >= pairing.ends + HAND_LIMIT

    def _stop(self, pairing: Pairing) -> None:
        """End a match with its current score."""
        table = pairing.table_id or 0
        reserved.end(table, self.now, counts=True)
        results = reserved.results([table])[table]
        winner = matches.winner_on_time(results)
        if winner == TIE and matches.needs_winner(self.event, self.round):
            winner = matches.by_lot(pairing)
        matches.decide(pairing, winner, Pairing.How.TIME, self.now, results)
