"""Late entries: from which round, what missed rounds are worth, and what forbids them."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.acts import drawing_again, round_clock, undoing
from tournaments.attendance import newcomers
from tournaments.entering import leaving_running_event
from tournaments.formats.registry import FORMATS
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Act, Entry, Event, Pairing, SitOut
from tournaments.refusals import RefusedError
from tournaments.results import event_rows
from tournaments.results.match_lines import teams_of
from tournaments.standings import ranking, standing_lines

pytestmark = pytest.mark.django_db


def joined(ada: Player, *names: str) -> list[Player]:
    """Members of Ada's club."""
    return build.members(ada.memberships.get().club, *names)


def running(ada: Player, entries: int = 8, drawn: int = 2, **fields: Any) -> Event:
    """An event of Ada's club of which so many rounds have been drawn, all but the last played."""
    values = {"rounds": 5, "format": "progressive", "late_half_wins": 1, **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.enter(event, entries)
    build.begin(event)
    for number in range(drawn - 1):
        build.play_round(event, NOON, Random(number))
    return event


def let_in(event: Event, ada: Player, *people: Player) -> Entry:
    """Let Ada let these in."""
    entry = newcomers.enter(event, people, ada, NOON, reason="A flat tyre.")
    event.refresh_from_db()
    return entry


def play_on(event: Event) -> None:
    """Play the event to its end."""
    for number in range(40):
        if event.final_at is not None or event.state != Event.State.RUNNING:
            return
        build.play_round(event, NOON, Random(number))
    pytest.fail("it does not end")


def counted_wins(event: Event) -> dict[int, Fraction]:
    """The wins of every entry, added up from the rounds as plainly as it can be."""
    wins: Counter[int] = Counter()
    for match in Pairing.objects.filter(round__event=event):
        for line in match.entries.all():
            wins[line.entry_id] += 2 * (match.winner == line.side) + (match.winner == -1)
    bye = 2 if event.format == "swiss" else event.credit_half_wins
    for entry_id in SitOut.objects.filter(round__event=event).values_list("entry", flat=True):
        wins[entry_id] += bye
    for entry in event.entries.filter(first_round__gt=1):
        wins[entry.pk] += event.late_half_wins * (entry.first_round - 1)
    return {entry: Fraction(count, 2) for entry, count in wins.items()}


@pytest.mark.parametrize("worth", [0, 1, 2])
@pytest.mark.parametrize(
    ("form", "movement"),
    [("progressive", "up"), ("progressive", "fixed"), ("rotation", "up"), ("swiss", "up")],
)
def test_standings_are_a_plain_sum(ada: Player, form: str, movement: str, worth: int) -> None:
    event = running(
        ada, 6 if form == "swiss" else 9, format=form, movement=movement, late_half_wins=worth,
        sit_out=Event.SitOut.FIXED,
    )  # fmt: skip
    names = ("Dev", "Kit") if form == "swiss" else ("Dev",)
    entry = let_in(event, ada, *joined(ada, *names))
    assert entry.first_round == 3
    play_on(event)
    assert event.played_rounds.count() == 5
    rows = {row.entry.pk: row for row in ranking.standings_of(event).lines}
    expected = counted_wins(event)
    assert {one: row.values[TieBreak.WINS] for one, row in rows.items()} == {
        one: expected.get(one, Fraction()) for one in rows
    }
    mine = rows[entry.pk]
    assert mine.won + mine.lost + mine.tied + mine.sat_out == 3
    assert mine.late_credit == Fraction(worth, 2) * 2


class TestLettingIn:
    def test_the_act_says_why_and_the_round_being_played_is_not_theirs(self, ada: Player) -> None:
        event = running(ada)
        (dev,) = joined(ada, "Dev")
        entry = let_in(event, ada, dev)
        act = event.acts.get()
        assert (act.kind, act.entry, act.reason) == (Act.Kind.LATE, entry, "A flat tyre.")
        assert not entry.pairings.exists()
        build.play_round(event, NOON, Random(1))
        assert entry.pairings.exists() or entry.sit_outs.exists()

    def test_who_did_not_come_gets_that_entry_back(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        event = running(ada)
        missed = event.entries.create(state=Entry.State.NO_SHOW, arrival=40)
        missed.players.create(event=event, player=dev)
        entry = let_in(event, ada, dev)
        assert (entry, entry.arrival, entry.first_round) == (missed, 40, 3)
        undoing.undo(event.acts.get(), ada, NOON)
        missed.refresh_from_db()
        assert (missed.state, missed.seed, missed.first_round) == (Entry.State.NO_SHOW, None, 1)

    def test_the_number_of_rounds_stays(self, ada: Player) -> None:
        event = running(ada, 4, 1, format="swiss", rounds=None)
        before = event.round_count(4)
        for pair in (("Dev", "Kit"), ("Eve", "Max")):
            let_in(event, ada, *joined(ada, *pair))
        assert event.round_count(6) == before
        first, second = event.acts.order_by("pk")
        undoing.undo(first, ada, NOON)
        undoing.undo(second, ada, NOON)
        event.refresh_from_db()
        assert event.rounds is None

    def test_swiss_pairs_them_by_their_score_with_the_credit(self, ada: Player) -> None:
        event = running(ada, 8, 3, format="swiss", late_half_wins=2)
        entry = let_in(event, ada, *joined(ada, "Dev", "Kit"))
        build.play_round(event, NOON, Random(7))
        best = max(ranking.standings_of(event, 3).lines, key=lambda row: row.won).entry
        match = entry.pairings.get().pairing
        assert {line.entry_id for line in match.entries.all()} == {entry.pk, best.pk}

    def test_pages_say_it(self, ada: Player) -> None:
        event = running(ada)
        before = build.event(event.club, format="progressive", name="Next", late_half_wins=1)
        text = logged_in(ada).get(reverse("event", args=[before.pk])).text
        assert "a round missed counts as half a win" in text
        let_in(event, ada, *joined(ada, "Dev"))
        build.play_round(event, NOON, Random(1))
        standings = ranking.standings_of(event)
        table = standing_lines.table_of(event, standings, teams_of(event_rows.entries_of(event)))
        assert "a round missed counts as half a win" in table.explanation
        assert [line.more for line in table.lines if "from" in line.more] == ["from round 3 (+1)"]

    def test_standings_of_earlier_rounds_do_not_have_them(self, ada: Player) -> None:
        event = running(ada, drawn=3)
        let_in(event, ada, *joined(ada, "Dev"))
        assert len(ranking.standings_of(event, 1).lines) == 8
        assert len(ranking.standings_of(event).lines) == 9

    def test_a_round_that_is_taken_back_is_theirs_as_well(self, ada: Player) -> None:
        event = running(ada, drawn=3, sit_out=Event.SitOut.FIXED)
        entry = let_in(event, ada, *joined(ada, "Dev"))
        assert entry.first_round == 4
        drawing_again.take_back(event, ada, 3, reason="Too soon.", override=True, now=NOON)
        with pytest.raises(RefusedError, match="A later act depends on it: “Took a round back”"):
            undoing.undo(event.acts.get(kind=Act.Kind.LATE), ada, NOON)
        round_clock.resume(event, ada, NOON)
        build.step(event, NOON)
        entry.refresh_from_db()
        assert entry.first_round == 3
        play_on(event)
        expected = counted_wins(event)
        rows = ranking.standings_of(event).lines
        assert [row.values[TieBreak.WINS] for row in rows] == [
            expected[row.entry.pk] for row in rows
        ]


class TestRefusing:
    @pytest.mark.parametrize("form", [key for key, one in FORMATS.items() if one.no_late_entry])
    def test_formats_that_are_fixed_say_why(self, ada: Player, form: str) -> None:
        event = running(ada, 12, 1, format=form, rounds=None)
        people = joined(ada, "Dev", "Kit")[: event.team_size]
        with pytest.raises(RefusedError, match=FORMATS[form].no_late_entry):
            let_in(event, ada, *people)

    def test_the_last_round_is_too_late(self, ada: Player) -> None:
        event = running(ada, drawn=5)
        with pytest.raises(RefusedError, match="The last round has been drawn"):
            let_in(event, ada, *joined(ada, "Dev"))

    def test_places_are_not_exceeded(self, ada: Player) -> None:
        event = running(ada, capacity=8)
        (dev,) = joined(ada, "Dev")
        with pytest.raises(RefusedError, match="All 8 places are taken"):
            let_in(event, ada, dev)
        leaving_running_event.withdraw(event.entries.all()[0], ada, NOON, reason="Ill.")
        assert let_in(event, ada, dev).first_round == 3

    def test_nobody_is_let_in_twice(self, ada: Player) -> None:
        event = running(ada)
        (dev,) = joined(ada, "Dev")
        let_in(event, ada, dev)
        with pytest.raises(RefusedError, match="Dev is in the event already"):
            let_in(event, ada, dev)

    def test_who_has_left_is_put_back_instead(self, ada: Player) -> None:
        event = running(ada)
        (dev,) = joined(ada, "Dev")
        leaving_running_event.withdraw(let_in(event, ada, dev), ada, NOON, reason="Ill.")
        with pytest.raises(RefusedError, match="Dev withdrawn"):
            let_in(event, ada, dev)

    def test_directors_do_not_let_themselves_in(self, ada: Player) -> None:
        with pytest.raises(RefusedError, match="Ada cannot let themselves in"):
            let_in(running(ada), ada, ada)

    def test_undoing_is_refused_once_a_round_was_drawn_with_them(self, ada: Player) -> None:
        event = running(ada)
        let_in(event, ada, *joined(ada, "Dev"))
        build.play_round(event, NOON, Random(1))
        with pytest.raises(RefusedError, match="Round 3 was drawn with them"):
            undoing.undo(event.acts.get(), ada, NOON)

    def test_a_director_who_plays_removes_no_rival_by_undoing(self, ada: Player) -> None:
        event = running(ada, drawn=3, late_half_wins=2)
        rosa, olga = joined(ada, "Rosa", "Olga")
        let_in(event, ada, rosa)
        event.club.memberships.filter(player=olga).update(role="director")
        ranking.standings_of(event).lines[-1].entry.players.update(player=olga)
        with pytest.raises(RefusedError, match="Olga is placed behind them"):
            undoing.undo(event.acts.get(kind=Act.Kind.LATE), olga, NOON)

    def test_undoing_leaves_no_trace(self, ada: Player) -> None:
        event = running(ada)
        before = list(event.entries.order_by("pk").values())
        let_in(event, ada, *joined(ada, "Dev"))
        undoing.undo(event.acts.get(), ada, NOON)
        assert list(event.entries.order_by("pk").values()) == before

    def test_undoing_leaves_the_money_of_who_had_paid_before(self, ada: Player) -> None:
        event, (dev,) = running(ada), joined(ada, "Dev")
        entry = event.entries.create(state=Entry.State.NO_SHOW, paid=NOON)
        entry.players.create(event=event, player=dev)
        assert let_in(event, ada, dev) == entry
        undoing.undo(event.acts.get(), ada, NOON)
        entry.refresh_from_db()
        assert (entry.state, entry.paid) == (Entry.State.NO_SHOW, NOON)


def test_the_page_says_from_which_round(ada: Player) -> None:
    event = running(ada)
    (dev,) = joined(ada, "Dev")
    path = reverse("enter_people", args=[event.pk])
    shown = logged_in(ada).get(path, {"player": dev.pk})
    assert "Let Dev in from round 3?" in shown.text
    assert "Can be undone until round 3 is drawn." in shown.text
    found = logged_in(ada).get(reverse("find_people", args=[event.pk]), {"q": "dev"}).text
    assert "Enter late" in found
