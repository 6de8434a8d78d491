"""Events from their first draw to their result."""

from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import HEADS_UP
from games.models import Game, Player, Seat, Table
from games.shuffle import shuffling
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.volume import volume
from tournaments.formats.registry import FORMATS, KNOCK_OUTS
from tournaments.models import (
    Entry,
    EntryPlayer,
    Event,
    Letter,
    Pairing,
    PairingEntry,
    Round,
    SitOut,
    Trophy,
)
from tournaments.refusals import RefusedError
from tournaments.running import finishing, steps
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


class TestStart:
    def test_lots_and_seeds_are_drawn_once_and_reproducibly(self) -> None:
        lots = []
        for name in ("First", "Second"):
            event = build.event(build.club(name), rounds=3)
            build.enter(event, 8)
            build.begin(event)
            lots.append([entry.lot for entry in event.entries.order_by("arrival")])
        assert lots[0] == lots[1]
        assert set(lots[0]) == {1, 2, 3, 4, 5, 6, 7, 8}

    def test_too_few_players_cannot_start(self) -> None:
        event = build.event()
        build.enter(event, 3)
        with pytest.raises(RefusedError, match="At least 4 entries are needed; there are 3"):
            steps.start(event, NOON)

    @pytest.mark.parametrize("people", [0, 1])
    def test_an_event_of_house_players_alone_is_not_rated(self, people: int) -> None:
        event = build.event(rounds=1, rated=True)
        build.enter(event, people)
        house = steps.add_house(event, 4 - people, set(), Entry.State.ENTERED)
        for arrival, entry in enumerate(house, start=people + 1):
            Entry.objects.filter(pk=entry.pk).update(arrival=arrival)
        build.begin(event)
        assert event.rated is bool(people)

    def test_an_event_starts_once(self) -> None:
        event = build.event(rounds=3)
        build.enter(event, 4)
        build.begin(event)
        with pytest.raises(RefusedError, match="is “Running”"):
            steps.start(event, NOON)

    def test_waiting_and_withdrawn_entries_do_not_play(self) -> None:
        event = build.event(rounds=3)
        entries = build.enter(event, 6)
        Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.WITHDRAWN)
        Entry.objects.filter(pk=entries[1].pk).update(state=Entry.State.WAITING)
        build.begin(event)
        assert not PairingEntry.objects.filter(entry__in=entries[:2]).exists()


class TestRounds:
    def test_round_1_has_a_table_for_each_pairing_with_its_players(self) -> None:
        event = build.event(rounds=3)
        build.enter(event, 9)
        build.begin(event)
        round_ = build.latest(event)
        assert round_.number == 1
        assert round_.sit_outs.count() == 1
        for pairing in round_.pairings.all():
            lines = pairing.entries.order_by("position", "side")
            seated = [line.entry.players.get().player for line in lines]
            assert pairing.table is not None
            assert [seat.player for seat in pairing.table.seats.all()] == seated
            assert pairing.table.reserved
            assert pairing.table.state == Table.State.GATHERING
            assert pairing.table.title == f"Table {pairing.number}, round 1: {event.name}"
            assert pairing.table.back == f"/events/{event.pk}/"

    def test_a_game_begins_when_all_four_have_come(self) -> None:
        event = build.event(rounds=3)
        build.enter(event, 4)
        build.begin(event)
        table = build.latest(event).pairings.get().table
        assert table is not None
        seats = table.seats.order_by("position")
        Seat.objects.filter(pk__in=[seat.pk for seat in seats[:3]]).update(last_seen=table.created)
        build.step(event, NOON + MINUTE)
        assert not Game.objects.exists()
        build.arrive(event)
        build.step(event, NOON + MINUTE)
        assert Game.objects.get().table == table

    @pytest.mark.parametrize("match", [Event.Match.GAME, Event.Match.DEALS])
    def test_nothing_is_decided_while_the_cards_are_shuffled(self, match: str) -> None:
        event = build.event(rounds=3, match=match, deals=8)
        build.enter(event, 4)
        build.begin(event)
        build.arrive(event)
        table = build.latest(event).pairings.get().table
        assert table is not None
        table.seats.filter(position=0).update(throws_in=True, last_seen=timezone.now())
        for minutes in range(3):
            build.step(event, NOON + minutes * MINUTE)
            table.refresh_from_db()
            assert (table.state, Game.objects.count()) == (Table.State.SHUFFLING, 0)
            assert build.latest(event).pairings.get().state == Pairing.State.PLAYING
        page = Client().get(f"/events/{event.pk}/")
        assert "Shuffling" in page.text
        due = table.shuffles.get().due
        assert due is not None
        shuffling.advance(table.pk, due)
        build.step(event, NOON + 3 * MINUTE)
        assert (Game.objects.get().state, build.latest(event).number) == (Game.State.PLAYING, 1)

    def test_a_result_comes_in_once(self) -> None:
        event = build.event(rounds=3)
        build.enter(event, 8)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        pairing = build.latest(event).pairings.first()
        assert pairing is not None
        build.win(pairing, 1)
        for _again in range(2):
            build.step(event, NOON + MINUTE)
            pairing.refresh_from_db()
            assert pairing.state == Pairing.State.DECIDED
            assert (pairing.winner, pairing.points_0, pairing.points_1) == (1, 5, 10)
            assert (pairing.games_0, pairing.games_1) == (0, 1)
            assert pairing.how == Pairing.How.PLAYED
        assert Game.objects.count() == 2

    def test_the_next_round_waits_for_the_break(self) -> None:
        event = build.event(rounds=3, break_seconds=90)
        build.enter(event, 4)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        build.win(build.latest(event).pairings.get(), 0)
        build.step(event, NOON + MINUTE)
        assert event.due == NOON + MINUTE + timedelta(seconds=90)
        build.step(event, NOON + timedelta(seconds=149))
        assert build.latest(event).number == 1
        build.step(event, NOON + timedelta(seconds=150))
        assert build.latest(event).number == 2

    def test_a_table_of_house_players_begins_by_itself(self) -> None:
        event = build.event(rounds=1)
        steps.add_house(event, 4, set(), Entry.State.ENTERED)
        for arrival, entry in enumerate(event.entries.all(), start=1):
            Entry.objects.filter(pk=entry.pk).update(arrival=arrival)
        build.begin(event)
        assert Game.objects.get().seats.filter(player__kind=Player.Kind.HOUSE).count() == 4


class TestMatches:
    def knock_out(self, **fields: Any) -> Event:
        event = build.event(format="single_elimination", **fields)
        build.enter(event, 2)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        return event

    def test_best_of_three_needs_two_games(self) -> None:
        event = self.knock_out(match=Event.Match.BEST_OF_3)
        pairing = build.latest(event).pairings.get()
        for side, score in ((0, (1, 0)), (1, (1, 1)), (0, (2, 1))):
            build.win(pairing, side)
            build.step(event, NOON + MINUTE)
            assert Game.objects.filter(state=Game.State.PLAYING).exists() is (max(score) < 2)
        pairing.refresh_from_db()
        assert (pairing.games_0, pairing.games_1, pairing.winner) == (2, 1, 0)
        assert (pairing.points_0, pairing.points_1) == (25, 20)

    def test_a_final_may_be_longer(self) -> None:
        event = build.event(format="single_elimination", final_match=Event.Match.BEST_OF_3)
        build.enter(event, 4)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        build.step(event, NOON + MINUTE)
        final = build.latest(event).pairings.get()
        assert final.final
        build.arrive(event)
        build.step(event, NOON + MINUTE)
        build.win(final, 0)
        build.step(event, NOON + MINUTE)
        assert event.state == Event.State.RUNNING
        build.win(final, 0)
        build.step(event, NOON + MINUTE)
        assert event.state == Event.State.FINISHED

    def test_a_match_of_hands_is_played_under_such_rules_and_a_tie_goes_on_by_one(self) -> None:
        event = self.knock_out(match=Event.Match.DEALS, deals=8)
        pairing = build.latest(event).pairings.get()
        assert (Game.objects.get().rules.deals, Game.objects.get().rules.target) == (8, None)
        build.win(pairing, -1, (6, 6))
        build.step(event, NOON + MINUTE)
        second = Game.objects.get(number=2)
        assert second.rules.deals == 1
        build.win(pairing, 1, (0, 2))
        build.step(event, NOON + MINUTE)
        pairing.refresh_from_db()
        assert (pairing.winner, pairing.points_0, pairing.points_1) == (1, 6, 8)

    def test_tie_counts_where_the_format_allows_it(self) -> None:
        event = build.event(rounds=1, match=Event.Match.DEALS, deals=8)
        build.enter(event, 4)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        build.win(build.latest(event).pairings.get(), -1, (6, 6))
        build.step(event, NOON)
        assert event.state == Event.State.FINISHED
        assert {line.tied for line in ranking.standings_of(event).lines} == {1}

    def test_heads_up_is_played_by_single_players(self) -> None:
        event = self.knock_out(rules=HEADS_UP)
        table = build.latest(event).pairings.get().table
        assert table is not None
        assert table.seats.count() == 2


class TestNoShow:
    def called(self, **fields: Any) -> tuple[Event, Pairing]:
        event = build.event(no_show_minutes=5, **fields)
        build.enter(event, 4)
        build.begin(event)
        return event, build.latest(event).pairings.order_by("number")[0]

    def come(self, pairing: Pairing, *positions: int) -> None:
        table = pairing.table
        assert table is not None
        table.seats.filter(position__in=positions).update(last_seen=table.created)

    def test_no_forfeit_before_the_deadline(self) -> None:
        event, pairing = self.called(rounds=1)
        build.step(event, NOON + 4 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.CALLED
        assert event.due == NOON + 5 * MINUTE

    def test_side_of_a_no_show_forfeits(self) -> None:
        event, pairing = self.called(rounds=1)
        self.come(pairing, 0, 1, 3)
        build.step(event, NOON + 5 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner) == (Pairing.How.FORFEIT, 1)
        missed = Entry.objects.get(players__player__seats__table=pairing.table, missed=1)
        assert missed.players.get().player.seats.get().position == 2
        assert pairing.table is not None
        pairing.table.refresh_from_db()
        assert pairing.table.state == Table.State.CLOSED

    def test_house_player_may_play_until_the_player_arrives(self) -> None:
        event, pairing = self.called(rounds=1, no_show=Event.NoShow.STAND_IN)
        self.come(pairing, 0, 1, 3)
        build.step(event, NOON + 5 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        assert pairing.table is not None
        assert [seat.stand_in for seat in pairing.table.seats.all()] == [False, False, True, False]


class TestMissedRounds:
    """Entries to whose tables nobody comes, round after round."""

    def play(self, event: Event, rounds: int, *absent: Entry) -> None:
        """Play rounds with everybody at the table but the players of some entries."""
        away = Player.objects.filter(entries__entry__in=absent)
        now = NOON + 10 * MINUTE * event.played_rounds.count()
        for _round in range(rounds):
            now += 6 * MINUTE
            build.arrive(event)
            Seat.objects.filter(player__in=away).update(last_seen=NOON - timedelta(days=9999))
            build.step(event, now)
            for pairing in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
                build.win(pairing, 0)
            build.step(event, now)

    def begun(self, number: int, **fields: Any) -> tuple[Event, list[Entry]]:
        event = build.event(**{"rounds": 5, "no_show": Event.NoShow.STAND_IN, **fields})
        build.enter(event, number)
        for line in EntryPlayer.objects.filter(event=event):
            EntryPlayer.objects.filter(pk=line.pk).update(player=member(f"M{line.pk}"))
        build.begin(event)
        return event, list(event.entries.order_by("arrival"))

    def states(self, event: Event) -> list[str]:
        return list(event.entries.order_by("arrival").values_list("state", flat=True))

    def test_house_keeps_playing_for_a_no_show(self) -> None:
        event, entries = self.begun(8)
        self.play(event, 5, entries[0])
        assert event.state == Event.State.FINISHED
        assert Entry.State.WITHDRAWN not in self.states(event)
        assert not Letter.objects.filter(key__contains="absent").exists()

    @pytest.mark.parametrize("by_form", [True, False])
    def test_first_missed_round_warns_and_second_withdraws(self, by_form: bool) -> None:
        rule = Event.NoShow.STAND_IN if by_form else Event.NoShow.FORFEIT
        event, entries = self.begun(8, no_show=rule, withdraw_absent=by_form)
        self.play(event, 1, entries[0])
        assert Entry.State.WITHDRAWN not in self.states(event)
        letter = Letter.objects.get()
        assert letter.user == entries[0].players.get().player.user
        assert "you will be withdrawn from the event" in letter.text
        assert ("A house player has played for you" in letter.text) is by_form
        self.play(event, 1, entries[0])
        assert self.states(event).count(Entry.State.WITHDRAWN) == 1
        entries[0].refresh_from_db()
        assert entries[0].state == Entry.State.WITHDRAWN
        assert not build.latest(event).pairings.filter(entries__entry=entries[0]).exists()

    def test_returning_player_is_warned_again_before_withdrawal(self) -> None:
        event, entries = self.begun(8, withdraw_absent=True)
        self.play(event, 1, entries[0])
        self.play(event, 1)
        self.play(event, 1, entries[0])
        assert Entry.State.WITHDRAWN not in self.states(event)
        assert Letter.objects.count() == 2

    def test_whom_the_clock_withdrew_does_not_read_that_they_withdrew(self) -> None:
        event, entries = self.begun(8, withdraw_absent=True)
        self.play(event, 4, entries[0])
        self.play(event, 1)  # which lets everybody have come to their earlier tables
        assert event.state == Event.State.FINISHED
        assert self.states(event)[0] == Entry.State.WITHDRAWN
        letter = Letter.objects.get(
            text__contains="as you missed 2 rounds in a row",
        )
        assert letter.user == entries[0].players.get().player.user
        assert not Letter.objects.filter(text__contains="You withdrew").exists()

    def test_no_withdrawal_without_a_warning(self) -> None:
        event, entries = self.begun(8)
        self.play(event, 2, entries[0])
        Event.objects.filter(pk=event.pk).update(withdraw_absent=True)
        self.play(event, 1, entries[0])
        assert Entry.State.WITHDRAWN not in self.states(event)
        assert Letter.objects.count() == 1

    def test_no_withdrawal_once_the_last_round_has_begun(self) -> None:
        event, entries = self.begun(8, rounds=3, withdraw_absent=True)
        self.play(event, 1)
        self.play(event, 2, *entries[:6])
        assert (event.state, event.played_rounds.count()) == (Event.State.FINISHED, 3)
        assert Entry.State.WITHDRAWN not in self.states(event)
        assert not Letter.objects.filter(text__contains="You withdrew before").exists()

    def test_unqualified_absentee_keeps_the_place(self) -> None:
        event, entries = self.begun(
            6,
            format="swiss",
            rounds=3,
            second_stage="single_elimination",
            qualifiers=2,
            withdraw_absent=True,
        )
        self.play(event, 1)
        self.play(event, 2, *entries)
        # The two who would have gone on; the four whose last round it was keep their places.
        assert self.states(event).count(Entry.State.WITHDRAWN) == 2

    def test_a_pair_that_came_once_keeps_its_place_before_house_players(self) -> None:
        event = build.event(format="swiss", rounds=3, no_show=Event.NoShow.STAND_IN)
        (pair,) = build.enter(event, 1)
        house = steps.add_house(event, 3, set(), Entry.State.ENTERED)
        for arrival, entry in enumerate(house, start=2):
            Entry.objects.filter(pk=entry.pk).update(arrival=arrival)
        build.begin(event)
        self.play(event, 1)
        self.play(event, 2, pair)
        assert event.state == Event.State.FINISHED
        pair.refresh_from_db()
        assert pair.state != Entry.State.WITHDRAWN
        assert set(Trophy.objects.values_list("player__entries__entry", flat=True)) <= {pair.pk}


class TestTimeUp:
    def playing(self, **fields: Any) -> tuple[Event, Pairing]:
        event = build.event(round_minutes=20, **fields)
        build.enter(event, 4 if event.individual else 2)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        return event, build.latest(event).pairings.get()

    def score(self, first: int, second: int, deal: int) -> None:
        Game.objects.filter(state=Game.State.PLAYING).update(
            score_0=first, score_1=second, deal_number=deal
        )

    def test_the_score_decides_at_once_where_the_event_says_so(self) -> None:
        event, pairing = self.playing(rounds=1, time_up=Event.TimeUp.SCORE)
        self.score(3, 2, 4)
        build.step(event, NOON + 19 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner, pairing.points_0) == (Pairing.How.TIME, 0, 3)
        assert Game.objects.get().state == Game.State.ABANDONED
        assert event.state == Event.State.FINISHED

    def test_the_hand_being_played_is_finished_first(self) -> None:
        event, pairing = self.playing(rounds=1)
        self.score(3, 2, 4)
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        self.score(3, 4, 4)
        build.step(event, NOON + 21 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.winner, pairing.points_1) == (1, 4)

    def test_unfinished_hand_ends_five_minutes_later(self) -> None:
        event, pairing = self.playing(rounds=1)
        self.score(3, 2, 4)
        for minutes, state in ((20, "playing"), (24, "playing"), (25, "decided")):
            build.step(event, NOON + minutes * MINUTE)
            pairing.refresh_from_db()
            assert pairing.state == state

    def test_tie_counts_in_a_rotation(self) -> None:
        event, pairing = self.playing(rounds=1, time_up=Event.TimeUp.SCORE)
        self.score(3, 3, 4)
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.state, pairing.winner) == (Pairing.State.DECIDED, -1)

    @pytest.mark.parametrize("time_up", list(Event.TimeUp))
    def test_a_tied_knock_out_goes_on_until_a_hand_decides(self, time_up: str) -> None:
        event, pairing = self.playing(format="single_elimination", time_up=time_up)
        self.score(3, 3, 4)
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        self.score(3, 3, 5)  # thrown in
        build.step(event, NOON + 21 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        self.score(3, 5, 5)
        build.step(event, NOON + 22 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner) == (Pairing.How.TIME, 1)

    def test_abandoned_tied_knock_out_goes_to_the_better_lot(self) -> None:
        event, pairing = self.playing(format="single_elimination")
        self.score(3, 3, 4)
        build.step(event, NOON + 25 * MINUTE)
        pairing.refresh_from_db()
        lots = {line.side: line.entry.lot for line in pairing.entries.all()}
        assert pairing.winner == min(lots, key=lambda side: lots[side] or 0)

    def test_games_count_before_points_when_time_is_up(self) -> None:
        event, pairing = self.playing(
            format="single_elimination", match=Event.Match.BEST_OF_3, time_up=Event.TimeUp.SCORE
        )
        build.win(pairing, 0)
        build.step(event, NOON)
        self.score(0, 4, 4)
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.winner, pairing.games_0, pairing.games_1) == (0, 1, 0)

    def test_match_at_one_game_each_is_tied_before_the_next_game(self) -> None:
        event, pairing = self.playing(rounds=1, match=Event.Match.BEST_OF_3)
        build.win(pairing, 0)
        build.step(event, NOON + MINUTE)
        build.win(pairing, 1, at=NOON + 20 * MINUTE)
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner) == (Pairing.How.TIME, -1)
        assert (pairing.games_0, pairing.games_1) == (1, 1)

    def test_knock_out_at_one_game_each_continues(self) -> None:
        event, pairing = self.playing(format="single_elimination", match=Event.Match.BEST_OF_3)
        build.win(pairing, 0)
        build.step(event, NOON + MINUTE)
        build.win(pairing, 1, at=NOON + 20 * MINUTE)
        build.step(event, NOON + 20 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        self.score(2, 0, 1)
        build.step(event, NOON + 21 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner) == (Pairing.How.TIME, 0)

    def test_no_show_when_time_is_up_forfeits(self) -> None:
        event = build.event(rounds=1, round_minutes=3, no_show_minutes=10)
        build.enter(event, 4)
        build.begin(event)
        build.step(event, NOON + 3 * MINUTE)
        assert build.latest(event).pairings.get().how == Pairing.How.FORFEIT


class TestSitOuts:
    def test_house_players_fill_the_table_and_are_not_ranked(self) -> None:
        event = build.event(rounds=4, sit_out=Event.SitOut.HOUSE)
        build.enter(event, 6)
        build.play_to_end(event)
        assert not SitOut.objects.exists()
        assert event.entries.filter(house=True).count() == 2
        lines = ranking.standings_of(event).lines
        assert [line.place for line in lines] == [1, 2, 3, 4, 5, 6]
        assert not Trophy.objects.filter(player__kind=Player.Kind.HOUSE).exists()

    def test_a_place_that_becomes_free_is_filled_too(self) -> None:
        event = build.event(rounds=4, sit_out=Event.SitOut.HOUSE)
        entries = build.enter(event, 8)
        build.begin(event)
        Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.WITHDRAWN)
        build.play_round(event, NOON, Random(1))
        assert build.latest(event).number == 2
        assert build.latest(event).pairings.count() == 2
        assert event.entries.filter(house=True).count() == 1

    @pytest.mark.parametrize("players", volume([5, 7], [5, 7], [5, 6, 7, 9, 10, 11]))
    def test_sit_outs_never_differ_by_more_than_one(self, players: int) -> None:
        event = build.event(rounds=7)
        build.enter(event, players)
        build.play_to_end(event, written=True)
        sat = Counter(SitOut.objects.values_list("entry", flat=True))
        counts = [sat[entry.pk] for entry in event.entries.all()]
        assert max(counts) - min(counts) <= 1


class TestEnd:
    def test_places_and_trophies_follow_from_the_standings(self) -> None:
        event = build.event(rounds=3)
        build.enter(event, 8)
        build.play_to_end(event)
        lines = ranking.standings_of(event).lines
        assert [entry.place for entry in event.entries.order_by("place")] == list(range(1, 9))
        for trophy in Trophy.objects.all():
            winner = lines[trophy.place - 1].entry
            assert trophy.player == winner.players.get().player
        assert event.due is None
        assert event.ended is not None

    def test_entries_knocked_out_in_one_round_share_a_place(self) -> None:
        event = build.event(format="single_elimination")
        build.enter(event, 8)
        build.play_to_end(event)
        places = Counter(event.entries.values_list("place", flat=True))
        assert places == {1: 1, 2: 1, 3: 2, 5: 4}

    def test_the_best_of_a_rotation_meet_in_pairs_in_the_second_stage(self) -> None:
        event = build.event(rounds=3, second_stage="single_elimination", qualifiers=8)
        build.enter(event, 12)
        build.play_to_end(event)
        through = {entry.qualified: entry for entry in event.entries.exclude(qualified=None)}
        assert set(through) == set(range(1, 9))
        final = build.latest(event).pairings.get()
        assert final.final
        assert final.round.stage == 2
        for side in (0, 1):
            places = final.entries.filter(side=side).values_list("entry__qualified", flat=True)
            assert sum(place or 0 for place in places) == 9
        champions = event.entries.filter(place=1)
        assert champions.count() == 2

    def test_qualified_entry_that_withdraws_loses_the_next_match(self) -> None:
        event = build.event(
            format="swiss",
            rounds=2,
            second_stage="single_elimination",
            qualifiers=4,
            break_seconds=30,
        )
        build.enter(event, 6)
        build.begin(event)
        now, rng = NOON, Random(3)
        while build.latest(event).stage == 1:
            build.play_round(event, now, rng)
            now += MINUTE
            build.step(event, now)
        build.play_round(event, now, rng)
        winner = build.latest(event).pairings.order_by("number")[0]
        gone = winner.entries.get(side=winner.winner).entry
        Entry.objects.filter(pk=gone.pk).update(state=Entry.State.WITHDRAWN)
        build.step(event, now + MINUTE)
        assert event.played_rounds.order_by("-number")[0].pairings.get().how == Pairing.How.FORFEIT
        gone.refresh_from_db()
        assert gone.place == 2


SIZES = volume((5, 8), (5, 8), (4, 5, 6, 7, 8, 9, 11, 13, 16))


@pytest.mark.parametrize(
    ("which", "players"),
    # The rounds of a round robin are all alike; tests/formats draws them for up to 256.
    [
        (which, size)
        for which, one in FORMATS.items()
        for size in sorted({max(size, one.least_entries) for size in SIZES} | {one.least_entries})
        if which != "round_robin" or size < 9
    ],
)
def test_every_format_comes_to_its_end(which: str, players: int) -> None:
    event = build.event(format=which, rounds=3)
    build.enter(event, players)
    # The smallest field of each format plays its games.
    written = players > FORMATS[which].least_entries and not FORMATS[which].duplicate
    rounds = build.play_to_end(event, seed=players, written=written)
    expected = event.round_count(players)
    assert expected is None or rounds == expected
    assert event.entries.filter(place=1).exists()
    for round_ in Round.objects.all():
        lines = Counter(round_.pairings.values_list("entries__entry", flat=True))
        lines.update(round_.sit_outs.values_list("entry", flat=True))
        assert set(lines.values()) == {1}
        assert which in KNOCK_OUTS or len(lines) == players


def test_entry_without_wins_gets_no_trophy_but_ties_count() -> None:
    event = build.event(rounds=1, match=Event.Match.DEALS, deals=8)
    build.enter(event, 4)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON)
    build.win(build.latest(event).pairings.get(), -1, (6, 6))
    build.step(event, NOON)
    assert set(Trophy.objects.values_list("place", flat=True)) == {1, 2, 3}
    Trophy.objects.all().delete()
    Pairing.objects.update(how=Pairing.How.FORFEIT)
    finishing.store_places(event)
    assert not Trophy.objects.exists()
