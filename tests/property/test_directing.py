"""Whatever directors do and undo, in any order: standings follow from results, and rounds go on.

A random sequence of acts and undos is done to an event being played. Every undo restores every row
that counts, and the event can be played to its end.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.models import Game, Player, Table
from games.shuffle import shuffling
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.volume import scaled
from tournaments.attendance import newcomers, substitutes
from tournaments.directing import (
    correcting,
    directing,
    drawing_again,
    penalties,
    playing_again,
    seating_by_hand,
    table_time,
    undoing,
)
from tournaments.entering import leaving_running_event
from tournaments.models import (
    Act,
    Entry,
    EntryPlayer,
    Event,
    Pairing,
    PairingEntry,
    Round,
    Substitution,
)
from tournaments.refusals import RefusedError
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db

FORMATS = ("rotation", "progressive", "swiss", "round_robin", "single_elimination")


class Night:
    """An event whose directors do whatever the numbers say."""

    def __init__(self, form: str, seed: int) -> None:
        self.rng = Random(seed)
        self.ada = build.director(build.club())
        individual = form in ("rotation", "progressive")
        fields: dict[str, Any] = {} if form.endswith(("robin", "elimination")) else {"rounds": 3}
        fields["place_owner"] = Event.PlaceOwner.values[seed % 2]
        fields["ties"] = Event.Ties.values[seed // 2 % 2]
        self.event = build.event(
            self.ada.memberships.get().club, format=form, round_minutes=20, minimum=2, **fields
        )
        build.enter(self.event, 9 if individual else 5)
        self.now = NOON
        build.begin(self.event)
        self.arrive()

    def arrive(self) -> None:
        build.arrive(self.event)
        build.step(self.event, self.now)
        for table in Table.objects.filter(state=Table.State.SHUFFLING):
            shuffling.advance(table.pk, self.now)

    def do(self, what: int) -> None:
        """Do an act, undo one, or let a table finish; refusals are allowed, half acts are not."""
        before = rows(self.event)
        acts = (
            self.result, self.withdraw, self.put_back, self.time, self.undo, self.finish,
            self.reopen, self.seats, self.take_back, self.draw_again, self.let_in, self.substitute,
            self.penalty, self.table_time,
        )  # fmt: skip
        try:
            with transaction.atomic():
                acts[what % len(acts)](what // len(acts))
        except RefusedError:
            assert rows(self.event) == before
        self.event.refresh_from_db()
        check(self.event)

    def result(self, which: int) -> None:
        matches = list(Pairing.objects.filter(round__event=self.event).order_by("pk"))
        side = which % 2
        wish = ruled(side, (5, 3) if side == 0 else (2, 6))
        if which % 5 == 0:
            wish = ruled(side, ended=Pairing.How.FORFEIT)
        if not matches:
            return
        self.act(correcting.set_result, matches[which % len(matches)], self.ada, wish)

    def withdraw(self, which: int) -> None:
        self.act(leaving_running_event.withdraw, self.entry(which), self.ada)

    def put_back(self, which: int) -> None:
        leaving_running_event.put_back(self.entry(which), self.ada, self.now)

    def let_in(self, _which: int) -> None:
        self.act(newcomers.enter, self.event, self.strangers(self.event.team_size), self.ada)

    def substitute(self, which: int) -> None:
        seats = list(EntryPlayer.objects.filter(event=self.event).order_by("pk"))
        seat = seats[which % len(seats)]
        self.act(substitutes.substitute, seat, self.strangers(1)[0], self.ada)

    def strangers(self, number: int) -> list[Player]:
        """Return so many people who have not played here."""
        names = (f"{self.event.acts.count()}{self.rng.random()}" for _one in range(number))
        return [Player.objects.create(name=name[:20]) for name in names]

    def time(self, which: int) -> None:
        directing.extend_round(self.event, self.ada, which % 9 + 1, self.now)

    def seats(self, which: int) -> None:
        """Seat somebody of the latest round at one of its tables."""
        round_ = self.event.played_rounds.order_by("-number").first()
        if round_ is None:
            return
        matches = list(round_.pairings.order_by("number"))
        match = matches[which % len(matches)]
        lines = match.entries.order_by("side", "position")
        wanted = list(lines.values_list("entry", flat=True))
        coming = seating_by_hand.choices_of(self.event, round_)[which // 3 % len(wanted) - 1][0]
        if coming not in wanted:
            wanted[which % len(wanted)] = coming
        self.act(seating_by_hand.seat, match, self.ada, wanted[1:] + wanted[:1])

    def reopen(self, which: int) -> None:
        matches = list(Pairing.objects.filter(round__event=self.event).order_by("-pk")[:4])
        if matches:
            self.act(playing_again.reopen, matches[which % len(matches)], self.ada)

    def penalty(self, which: int) -> None:
        matches = list(Pairing.objects.filter(round__event=self.event).order_by("-pk")[:4])
        if matches:
            offence = ("renege", "lone renege", "warning", "other")[which % 4]
            points = which % 7 - 3
            wish = penalties.Penalty(which // 4 % 2, offence, points)
            self.act(penalties.give, matches[which // 8 % len(matches)], wish, self.ada)

    def table_time(self, which: int) -> None:
        matches = list(Pairing.objects.filter(round__event=self.event).order_by("-pk")[:4])
        if matches:
            match = matches[which // 9 % len(matches)]
            self.act(table_time.give, match, which % 9 + 1, self.ada)

    def take_back(self, which: int) -> None:
        self.again(drawing_again.take_back, which)

    def draw_again(self, which: int) -> None:
        self.again(drawing_again.draw_again, which)

    def again(self, verb: Any, which: int) -> None:
        latest = self.event.played_rounds.order_by("-number").first()
        number = latest.number if latest else 1
        self.act(verb, self.event, self.ada, number, override=which % 3 != 0)

    def entry(self, which: int) -> Entry:
        entries = list(self.event.entries.order_by("pk"))
        return entries[which % len(entries)]

    def act(self, verb: Any, *args: Any, **more: Any) -> None:
        """Do an act, and see that undoing it at once restores everything."""
        before = rows(self.event)
        verb(*args, reason="So.", now=self.now, **more)
        done = rows(self.event)
        with transaction.atomic():
            with suppress(RefusedError):  # the act has ended the round, and so on
                undoing.undo(self.event.acts.latest("pk"), self.ada, self.now)
                assert rows(self.event) == before
            transaction.set_rollback(True)
        assert rows(self.event) == done

    def undo(self, which: int) -> None:
        acts = list(self.event.acts.exclude(kind=Act.Kind.UNDO).order_by("-pk"))
        if acts:
            undoing.undo(acts[which % min(3, len(acts))], self.ada, self.now)
            self.arrive()

    def finish(self, which: int) -> None:
        """Let the game at one table, or at all, end and the event go on."""
        self.now += MINUTE
        self.event.refresh_from_db()
        if self.event.paused is not None:
            directing.resume(self.event, self.ada, self.now)
            build.step(self.event, self.now)
        self.arrive()
        playing = Pairing.objects.filter(round__event=self.event, state=Pairing.State.PLAYING)
        for pairing in playing:
            if which % 3 and self.rng.random() < 0.5:
                continue
            side = self.rng.randrange(2)
            build.win(pairing, side, (5, 2) if side == 0 else (1, 5), self.now)
        build.step(self.event, self.now)
        self.arrive()

    def end(self) -> None:
        for _round in range(40):
            if self.event.state != Event.State.RUNNING:
                return
            self.finish(0)
        pytest.fail("it does not end")


def rows(event: Event) -> list[Any]:
    """Every row that counts, without which table a match is played at.

    A match that is played again begins anew, so it does not count how far it was.
    """
    counted = Pairing.objects.filter(round__event=event).order_by("pk")
    columns = (
        "pk", "how", "winner", "points_0", "points_1", "games_0", "games_1", "lone_0", "lone_1",
        "deal_results", "scores", "penalty_0", "penalty_1",
        "more_minutes",
    )  # fmt: skip
    decided = counted.filter(state=Pairing.State.DECIDED)
    return [
        list(counted.values(*columns)),
        list(decided.values("pk", "decided", "played_out", "rated")),
        list(PairingEntry.objects.filter(round__event=event).order_by("pk").values()),
        list(event.entries.order_by("pk").values()),
        list(EntryPlayer.objects.filter(event=event).order_by("pk").values()),
        list(Substitution.objects.filter(entry__event=event).order_by("pk").values()),
        list(Round.objects.filter(event=event).order_by("pk").values("number", "stage", "over")),
        list(Game.objects.filter(table__pairing__in=decided).order_by("pk").values("ruling")),
    ]


def check(event: Event) -> None:
    """Standings are what the results say, added up in the plainest way."""
    tallies: dict[int, Counter[str]] = {}
    for match in Pairing.objects.filter(round__event=event, round__over__isnull=False):
        for line in match.entries.all():
            side = line.side
            word = "won" if match.winner == side else "lost"
            if match.winner == -1 and match.how != Pairing.How.FORFEIT:
                word = "tied"
            tally = tallies.setdefault(line.entry_id, Counter())
            tally[word] += 1
            tally["for"] += match.points[side]
    for row in ranking.standings_of(event).lines:
        tally = tallies.get(row.entry.pk, Counter())
        assert (row.won, row.lost, row.tied, row.points_for) == (
            tally["won"], tally["lost"], tally["tied"], tally["for"],
        )  # fmt: skip
    numbers = list(event.played_rounds.order_by("number").values_list("number", "over"))
    assert [number for number, _ in numbers] == list(range(1, len(numbers) + 1))
    assert all(over for _, over in numbers[:-1])


@pytest.mark.parametrize("form", FORMATS)
@settings(
    max_examples=scaled(6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(what=st.lists(st.integers(0, 599), min_size=6, max_size=16), seed=st.integers(0, 99))
def test_acts_and_undos_in_any_order(form: str, what: list[int], seed: int) -> None:
    with transaction.atomic():
        night = Night(form, seed)
        for one in what:
            if night.event.state == Event.State.RUNNING:
                night.do(one)
        night.end()
        check(night.event)
        transaction.set_rollback(True)
