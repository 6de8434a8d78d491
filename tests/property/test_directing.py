"""Whatever directors and players do and undo, in any order: standings follow from results, and
rounds go on.

A random sequence of acts and undos is done to an event being played online, in the room or in both;
at tables in the room the players write score cards. Every undo restores every row that counts, and
the event can be played to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from itertools import count
from random import Random
from typing import Any, Final

import pytest
from django.core import serializers
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from games.models import Game, Performance, Player, Seat, Table
from games.shuffle import shuffling
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.volume import volume
from tournaments.acts import (
    checking_in,
    correcting,
    drawing_again,
    moving_table,
    penalties,
    playing_again,
    round_clock,
    seating_by_hand,
    table_time,
    undoing,
    withdrawing,
)
from tournaments.attendance import claiming, newcomers, substitutes, walk_ins
from tournaments.entering import leaving_running_event
from tournaments.models import (
    Act,
    Correction,
    Entry,
    EntryPlayer,
    Event,
    KeptApart,
    Pairing,
    PairingEntry,
    Round,
    ScoreLine,
    SitOut,
    Substitution,
    WalkIn,
)
from tournaments.refusals import RefusedError
from tournaments.results import matches
from tournaments.room_scores import cards, codes, writing
from tournaments.room_scores.cards import RoomCard
from tournaments.room_scores.writing import NewLine, Writer
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db

FORMATS = ("rotation", "progressive", "swiss", "round_robin", "single_elimination")
ONLINE, ROOM, MIXED = Event.Place.ONLINE, Event.Place.ROOM, Event.Place.MIXED
#: Each format at one place, so that all three have their turn; thoroughly at each of them.
PLACES = (ONLINE, MIXED, ROOM, MIXED, ROOM)
EVENTS = volume(
    tuple(zip(FORMATS, PLACES, strict=True)),
    tuple(zip(FORMATS, PLACES, strict=True)),
    tuple((form, place) for form in FORMATS for place in (ONLINE, ROOM, MIXED)),
)
#: The acts of the one event of a plain run, as numbers; hypothesis would come to them late.
FIXED_ACTS: Final = [62, 72, 54, 4, 10, 42, 16, 19, 228, 44, 46, 29]
PHASES: Final = volume((Phase.explicit,), tuple(Phase))
#: A phone of each side of a table, without an account.
PHONES: Final = (Writer("phone of north", None), Writer("phone of east", None))
Kind = ScoreLine.Kind


class Night:
    """An event whose directors and players do whatever the numbers say."""

    def __init__(self, form: str, place: str, seed: int) -> None:
        self.rng = Random(seed)
        self.numbers = count(1)
        self.before: dict[str, Any] = {}
        self.ada = build.director(build.club())
        individual = form in ("rotation", "progressive")
        fields: dict[str, Any] = {} if form.endswith(("robin", "elimination")) else {"rounds": 3}
        fields["ties"] = Event.Ties.values[seed // 2 % 2]
        if place == MIXED:
            fields["room_from"] = 2
        self.event = build.event(
            self.ada.memberships.get().club, format=form, place=place, round_minutes=20, minimum=2,
            check_in_minutes=30, **fields,
        )  # fmt: skip
        build.enter(self.event, 7 if individual else 4)
        self.now = NOON - 9 * MINUTE
        for what in range(5):
            self.before_start(self.rng.randrange(4) if what % 2 else 0)
        self.now = NOON
        build.begin(self.event)
        self.arrive()

    def arrive(self) -> None:
        build.arrive(self.event)
        self.step()

    def step(self) -> None:
        build.step(self.event, self.now)
        for table in Table.objects.filter(state=Table.State.SHUFFLING):
            shuffling.advance(table.pk, self.now)

    def do(self, what: int) -> None:
        """Do an act, undo one, or let a table finish; refusals are allowed, half acts are not."""
        acts = (
            self.result, self.withdraw, self.put_back, self.time, self.undo, self.finish,
            self.reopen, self.seats, self.take_back, self.draw_again, self.let_in, self.substitute,
            self.penalty, self.table_time, self.write, self.write, self.sign, self.dispute,
            self.move, self.pause, self.walk_in, self.claim, self.table_code, self.absent,
        )  # fmt: skip
        self.whole(acts[what % len(acts)], what // len(acts))
        self.event.refresh_from_db()
        check(self.event)

    def before_start(self, what: int) -> None:
        acts = (self.let_in, self.check_in, self.leave, self.undo)
        self.whole(acts[what], what)
        self.event.refresh_from_db()

    def whole(self, verb: Callable[[int], None], which: int) -> None:
        """Do something, or nothing if it is refused."""
        self.before = rows(self.event)
        try:
            with transaction.atomic():
                verb(which)
        except RefusedError:
            assert rows(self.event) == self.before

    # Acts --------------------------------------------------------------------------------

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

    def let_in(self, which: int) -> None:
        people = self.newcomers(which, self.event.team_size)
        self.act(newcomers.enter, self.event, people, self.ada)

    def check_in(self, which: int) -> None:
        entry = self.entry(which)
        self.act(lambda *, reason, now: checking_in.check_in(entry, self.ada, now))

    def leave(self, which: int) -> None:
        self.act(withdrawing.withdraw, self.entry(which), self.ada)

    def substitute(self, which: int) -> None:
        seats = list(EntryPlayer.objects.filter(event=self.event).order_by("pk"))
        seat = seats[which % len(seats)]
        self.act(substitutes.substitute, seat, self.newcomers(which, 1)[0], self.ada)

    def newcomers(self, which: int, number: int) -> list[Player | str]:
        """Return so many who have not played here, players and names of walk-ins."""
        names = [f"Someone{next(self.numbers)}" for _one in range(number)]
        room = self.event.place != ONLINE and which % 4 < 3
        return [name if room else Player.objects.create(name=name) for name in names]

    def time(self, which: int) -> None:
        round_clock.extend_round(self.event, self.ada, which % 9 + 1, self.now)

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
        self.at_table(playing_again.reopen, which)

    def penalty(self, which: int) -> None:
        offence = ("renege", "lone renege", "warning", "other")[which % 4]
        wish = penalties.Penalty(which // 4 % 2, offence, which % 7 - 3)
        self.at_table(penalties.give, which // 8, wish)

    def table_time(self, which: int) -> None:
        self.at_table(table_time.give, which // 9, which % 9 + 1)

    def at_table(self, verb: Any, which: int, *wish: Any) -> None:
        matches = list(Pairing.objects.filter(round__event=self.event).order_by("-pk")[:4])
        if matches:
            self.act(verb, matches[which % len(matches)], *wish, self.ada)

    def take_back(self, which: int) -> None:
        self.again(drawing_again.take_back, which)

    def draw_again(self, which: int) -> None:
        self.again(drawing_again.draw_again, which)

    def again(self, verb: Any, which: int) -> None:
        latest = self.event.played_rounds.order_by("-number").first()
        number = latest.number if latest else 1
        self.act(verb, self.event, self.ada, number, override=which % 3 != 0)

    def move(self, which: int) -> None:
        """Move a table between the room and the site."""
        matches = list(Pairing.objects.filter(round__event=self.event).order_by("-pk")[:3])
        if not matches:
            return
        match = matches[which % len(matches)]

        def verb(*, reason: str, now: Any) -> None:
            number = match.round.number
            moving_table.move_table(
                self.event, self.ada, number, match.number, now, in_room=not match.in_room
            )

        self.act(verb)

    def pause(self, which: int) -> None:
        """Pause the event, or let it go on after some minutes."""
        self.event.refresh_from_db()
        if self.event.paused is None:
            round_clock.pause(self.event, self.ada, self.now)
            return
        ends = build.latest(self.event).ends if self.event.played_rounds.exists() else None
        self.now += which % 9 * MINUTE
        round_clock.resume(self.event, self.ada, self.now)
        if ends is not None and build.latest(self.event).over is None:
            assert (build.latest(self.event).ends or ends) >= ends
        self.arrive()

    def walk_in(self, which: int) -> None:
        """Give a walk-in another name or another code; nothing that counts changes by that."""
        found = list(self.event.walk_ins.order_by("pk"))
        if not found:
            return
        one = found[which % len(found)]
        old, code = one.player.name, one.code
        if which % 2:
            name = f"Renamed{next(self.numbers)}" if which % 4 == 1 else ""
            self.act(walk_ins.rename, one, name, self.ada, restores=True)
            kept = re.search(rf"\b{re.escape(old)}\b", written(self.event))
            renamed = Player.objects.get(pk=one.player_id).name != old
            assert not (kept and renamed), "nothing keeps the old name"
        else:
            self.act(walk_ins.renew_code, one, self.ada, restores=True)
            assert not WalkIn.objects.filter(code=code).exists()

    def claim(self, which: int) -> None:
        found = list(self.event.walk_ins.order_by("pk"))
        if found:
            one = found[which % len(found)]
            account = member(f"Account{next(self.numbers)}")
            self.act(lambda *, reason, now: claiming.claim(one, account, now))

    def table_code(self, which: int) -> None:
        """Give a table another code; the old one opens nothing."""
        known = list(self.event.room_tables.order_by("number"))
        if known:
            table = known[which % len(known)]
            self.act(codes.renew, self.event, table.number, self.ada, restores=True)
            assert codes.retired_from(table.code) == table

    def entry(self, which: int) -> Entry:
        entries = list(self.event.entries.order_by("pk"))
        return entries[which % len(entries)]

    def act(self, verb: Any, *args: Any, restores: bool = False, **more: Any) -> None:
        """Do an act, and see that undoing it at once restores everything.

        restores: it changes nothing that counts, and is not undone.
        """
        before, earlier = dict(self.before), times(self.event)
        latest = self.event.acts.order_by("pk").last()
        verb(*args, **{"reason": "So.", "now": self.now, **more})
        act = self.event.acts.order_by("pk").last()
        if restores:
            assert rows(self.event) == before
            return
        if act is None or act == latest:
            return
        with transaction.atomic():
            with suppress(RefusedError):  # the act has ended the round, and so on
                undoing.undo(act, self.ada, self.now)
                undone = rows(self.event)
                if act.kind == Act.Kind.PENALTY:  # both sides sign again what they read again
                    before["cards"] = unsigned(before["cards"])
                    undone["cards"] = unsigned(undone["cards"])
                assert undone == before
                check_times(earlier, times(self.event))
            transaction.set_rollback(True)

    def undo(self, which: int) -> None:
        acts = list(self.event.acts.exclude(kind=Act.Kind.UNDO).order_by("-pk"))
        if acts:
            undoing.undo(acts[which % min(3, len(acts))], self.ada, self.now)
            if self.event.state == Event.State.RUNNING:
                self.arrive()

    # What players do ---------------------------------------------------------------------

    def open_card(self, which: int) -> tuple[Pairing, RoomCard] | None:
        """Return an undecided match in the room, and its card."""
        latest = Pairing.objects.filter(round__event=self.event, round__over=None, in_room=True)
        undecided = latest.exclude(state=Pairing.State.DECIDED).order_by("pk")
        found = list(undecided.select_related("round").prefetch_related("entries__entry"))
        if not found:
            return None
        match = found[which % len(found)]
        return match, card_of(self.event, match)

    def line(
        self, match: Pairing, kind: str, side: int, values: Mapping[str, Any], *,
        number: int = 0, seen: str = "",
    ) -> None:  # fmt: skip
        """Write a line by the phone of a side."""
        table = self.event.room_tables.select_related("event").get(number=match.number)
        drawn = writing.draw_of(match)
        line = NewLine(
            f"line {next(self.numbers)} {self.rng.random()}",
            kind, match.round.number, side, number, seen, values, drawn=drawn,
        )  # fmt: skip
        writing.write(table, line, PHONES[side], self.now)

    def write(self, which: int) -> None:
        """Write a hand or the score of a game, change one, or take the last one back."""
        if (found := self.open_card(which)) is None:
            return
        match, card = found
        side, number = which % 2, card.next
        if which % 5 == 4 and card.written:
            last = card.written[card.next - 1]
            self.line(match, Kind.TAKE_BACK, side, {}, number=last.number, seen=last.key)
            return
        seen = ""
        if which % 5 == 3 and card.written:
            number, seen = 1, card.written[1].key
        if card.games or (not card.hands and which % 3 == 0):
            points = [5, which % 5] if side == 0 else [which % 5, 6]
            values: dict[str, Any] = {"points": points, "lone": [0, 0]}
            self.line(match, Kind.GAME, side, values, number=number, seen=seen)
        else:
            took = (cards.MADE, cards.MARCH, cards.FEW)[which % 3]
            values = {"caller": which // 2 % 2, "took": took, "alone": which % 7 == 0}
            self.line(match, Kind.HAND, side, values, number=number, seen=seen)

    def sign(self, which: int) -> None:
        if found := self.open_card(which):
            self.sign_for(*found, which % 2)

    def sign_for(self, match: Pairing, card: RoomCard, side: int) -> None:
        scores = [list(one) for one in card.scores]
        self.line(match, Kind.SIGN, side, {"scores": scores, "lone": list(card.lone)})

    def dispute(self, which: int) -> None:
        if found := self.open_card(which):
            match, card = found
            side = 1 - card.signer.side if card.signer else which % 2
            self.line(match, Kind.DISPUTE, side, {})

    def finish_card(self, match: Pairing) -> None:
        """Let both sides write what is missing and sign; the director enters what they cannot."""
        try:
            with transaction.atomic():
                while not (card := card_of(self.event, match)).complete:
                    side = self.rng.randrange(2)
                    if card.hands:
                        values: dict[str, Any] = {
                            "caller": side, "took": cards.MARCH, "alone": False,
                        }  # fmt: skip
                        self.line(match, Kind.HAND, side, values, number=card.next)
                    else:
                        values = {"points": [5, 2] if side == 0 else [1, 5], "lone": [0, 0]}
                        self.line(match, Kind.GAME, side, values, number=card.next)
                for side in (0, 1):
                    self.sign_for(match, card, side)
        except RefusedError:
            wish = ruled(0, (5, 2))
            correcting.set_result(match, self.ada, wish, reason="So.", now=self.now)

    def absent(self, which: int) -> None:
        """Let some not come to their table, until their time is up."""
        if self.event.paused is not None:
            return
        called = Table.objects.filter(
            pairing__round__event=self.event, pairing__state=Pairing.State.CALLED
        ).order_by("pk")
        if not called:
            self.now += MINUTE
            return
        table = called[which % len(called)]
        gone = table.created - timedelta(seconds=1)
        Seat.objects.filter(table=table, position=which % 4).update(last_seen=gone)
        self.now += 6 * MINUTE
        self.step()

    def finish(self, which: int) -> None:
        """Let the game at one table, or at all, end and the event go on."""
        self.now += MINUTE
        self.event.refresh_from_db()
        if self.event.paused is not None:
            round_clock.resume(self.event, self.ada, self.now)
            build.step(self.event, self.now)
        self.arrive()
        playing = Pairing.objects.filter(round__event=self.event, state=Pairing.State.PLAYING)
        for pairing in playing.select_related("round").prefetch_related("entries__entry"):
            if which % 3 and self.rng.random() < 0.5:
                continue
            if pairing.in_room:
                self.finish_card(pairing)
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


# What counts ---------------------------------------------------------------------------------


def rows(event: Event) -> dict[str, Any]:
    """Every row that counts, without which table a match is played at.

    A match online that is played again begins anew, so it does not count how far it was.
    """
    counted = Pairing.objects.filter(round__event=event).order_by("pk")
    columns = (
        "pk", "round", "number", "in_room", "final", "how", "winner", "points_0", "points_1",
        "games_0", "games_1", "lone_0", "lone_1", "deal_results", "scores", "penalty_0",
        "penalty_1", "more_minutes",
    )  # fmt: skip
    decided = counted.filter(state=Pairing.State.DECIDED)
    of_event = Event.objects.filter(pk=event.pk)
    unplayed = Performance.objects.filter(match__in=counted).order_by("match", "number", "position")
    return {
        "event": of_event.values("state", "paused", "rounds", "cut_to", "tie_break_edition").get(),
        "matches": list(counted.values(*columns)),
        "in the room": list(counted.filter(in_room=True).values("pk", "state", "rated")),
        "decided": list(decided.values("pk", "decided", "played_out", "rated")),
        "seats": list(PairingEntry.objects.filter(round__event=event).order_by("pk").values()),
        "sit-outs": list(SitOut.objects.filter(round__event=event).order_by("pk").values()),
        "entries": list(event.entries.order_by("pk").values()),
        "players": list(EntryPlayer.objects.filter(event=event).order_by("pk").values()),
        "walk-ins": list(event.walk_ins.order_by("pk").values("pk", "player", "claimed_by")),
        "substitutions": list(
            Substitution.objects.filter(entry__event=event).order_by("pk").values()
        ),
        "rounds": list(Round.objects.filter(event=event).order_by("pk").values(
            "pk", "number", "stage", "over"
        )),
        "rulings": list(
            Game.objects.filter(table__pairing__in=decided).order_by("pk").values("pk", "ruling")
        ),
        "counted": list(unplayed.values(
            "match", "number", "player", "partner", "position", "result", "points", "against",
        )),
        "apart": list(KeptApart.objects.filter(event=event).order_by("pk").values()),
        "cards": {
            match.pk: facts(card_of(event, match))
            for match in counted.filter(score_lines__isnull=False).distinct()
        },
    }  # fmt: skip


def card_of(event: Event, match: Pairing) -> RoomCard:
    return cards.card_of(event, match, writing.lines_of(match))


def facts(card: RoomCard) -> dict[str, Any]:
    """What is written on a card, signed and disputed."""
    return {
        "hands": card.hands, "games": card.games, "signed": card.signed,
        "disputed": card.disputed, "penalties": card.penalties, "scores": card.scores,
        "complete": card.complete,
    }  # fmt: skip


def unsigned(of_matches: Mapping[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Cards without signatures; one on which nothing stands is as one without a line."""
    bare = {match: {**card, "signed": {}, "disputed": None} for match, card in of_matches.items()}
    return {
        match: card for match, card in bare.items()
        if card["hands"] or card["games"] or card["penalties"]
    }  # fmt: skip


def times(event: Event) -> dict[int, tuple[Any, set[int]]]:
    """When the time of each round is up, and the tables of its matches that are not decided."""
    open_ = Pairing.objects.exclude(state=Pairing.State.DECIDED).exclude(table=None)
    return {
        round_.number: (
            round_.ends,
            set(open_.filter(round=round_).values_list("table", flat=True)),
        )
        for round_ in event.played_rounds.order_by("number")
    }


def check_times(before: Mapping[int, Any], after: Mapping[int, Any]) -> None:
    """The time of a round is restored; more is given only to those who are called anew."""
    assert before.keys() == after.keys()
    for number, (ends, tables) in after.items():
        if tables <= before[number][1]:
            assert ends == before[number][0]
        else:
            assert ends >= before[number][0]


def written(event: Event) -> str:
    """Everything that the event's record, its acts and its cards say."""
    kept = Correction.objects.filter(pairing__round__event=event)
    lines = ScoreLine.objects.filter(pairing__round__event=event)
    return " ".join(
        serializers.serialize("json", found)
        for found in (event.notices.all(), event.acts.all(), kept, lines)
    )


def check(event: Event) -> None:
    """Standings are what the results say, added up in the plainest way; each round is whole."""
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
    for round_ in event.played_rounds.all():
        check_round(event, round_)


def check_round(event: Event, round_: Round) -> None:
    """Everybody has one place, at a table of the kind where they can sit; cards say the results."""
    seated = list(PairingEntry.objects.filter(round=round_).values_list("entry", flat=True))
    out = list(SitOut.objects.filter(round=round_).values_list("entry", flat=True))
    assert len({*seated, *out}) == len(seated) + len(out)
    room_only = set(event.walk_ins.values_list("player", flat=True))
    coded = set(event.room_tables.values_list("number", flat=True))
    if event.place == ROOM:
        moved = event.acts.filter(kind=Act.Kind.MOVE).exists()
        assert moved or not round_.pairings.filter(table__isnull=False).exists()
    for match in round_.pairings.select_related("round", "table").prefetch_related(
        "entries__entry"
    ):
        over = match.state == Pairing.State.DECIDED
        if match.in_room:
            assert match.table is None
            assert match.state != Pairing.State.CALLED
            assert match.number in coded
            check_card(event, match)
        elif not over:
            assert match.table is not None
            assert match.table.state != Table.State.CLOSED
            players = EntryPlayer.objects.filter(entry__pairings__pairing=match)
            assert not room_only & set(players.values_list("player", flat=True))
            card = card_of(event, match)
            assert not card.written, "its score was begun in the room"
            assert not card.penalties, "its score was begun in the room"


def check_card(event: Event, match: Pairing) -> None:
    """A result that both sides have signed is the one on the card."""
    card = card_of(event, match)
    signed = len(card.signed) == 2 and match.how in (Pairing.How.PLAYED, Pairing.How.TIME)
    if signed and not match.acts.exists():
        assert [list(score) for score in card.scores] == match.scores
        assert match.lone_hands == card.lone
    counted = Performance.objects.filter(match=match.pk).values_list("player", flat=True)
    played = match.state == Pairing.State.DECIDED and match.how != Pairing.How.FORFEIT
    there = {player.pk for player in matches.seated_then(match)} if played else set()
    assert set(counted) == there, "it counts for those who played"
    if match.state != Pairing.State.DECIDED and len(card.signed) == 2:
        assert match.acts.exists(), "only a director opens what both have signed"


@pytest.mark.parametrize(("form", "place"), EVENTS)
@settings(
    max_examples=volume(1, 1, 120),
    phases=PHASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(what=FIXED_ACTS, seed=1)
@given(what=st.lists(st.integers(0, 599), min_size=6, max_size=20), seed=st.integers(0, 99))
def test_acts_and_undos_in_any_order(form: str, place: str, what: list[int], seed: int) -> None:
    with transaction.atomic():
        night = Night(form, place, seed)
        for one in what:
            if night.event.state == Event.State.RUNNING:
                night.do(one)
        night.end()
        check(night.event)
        transaction.set_rollback(True)
