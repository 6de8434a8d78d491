"""Substitutes: whose the points are, who is rated, what earlier rounds say, and taking it back."""

from random import Random
from typing import Any

import pytest
from django.urls import reverse

from games.models import Performance, Player, Seat
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting, drawing_again, log, playing_again, undoing
from tournaments.attendance import substitutes
from tournaments.calendar.your_events import your_events
from tournaments.entering import leaving_running_event
from tournaments.event_page import exports, page_values
from tournaments.models import Act, Entry, Event, Pairing, Substitution
from tournaments.ratings import units as rating_units
from tournaments.refusals import RefusedError
from tournaments.results import match_lines
from tournaments.standings import conflicts_of_interest, ranking

pytestmark = pytest.mark.django_db


def running(ada: Player, entries: int = 8, **fields: Any) -> Event:
    """An event in the room in its first round, or where it is said."""
    values = {"rounds": 3, "place": Event.Place.ROOM, "format": "progressive", **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.enter(event, entries)
    build.begin(event)
    return event


def put_in(event: Event, entry: Entry, person: Player | str, by: Player, position: int = 0) -> int:
    """Put a substitute in; from which round they play."""
    seat = entry.players.get(position=position)
    return substitutes.substitute(seat, person, by, NOON, reason="Called away.")


def end_round(event: Event) -> None:
    """Let the first side of every match of the round win, and draw the next."""
    for match in build.latest(event).pairings.exclude(state=Pairing.State.DECIDED):
        correcting.set_result(match, event.created_by, ruled(0, (5, 3)), reason="", now=NOON)
    build.step(event, NOON)


class TestSeat:
    def test_the_points_are_the_entrys(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        end_round(event)
        before = ranking.standings_of(event)
        assert put_in(event, entry, rosa, ada) == 2
        after = ranking.standings_of(event)
        assert [row[2:] for row in after.lines] == [row[2:] for row in before.lines]
        assert entry.players.get().player == rosa
        act = event.acts.latest("pk")
        assert (act.kind, act.reason) == (Act.Kind.SUBSTITUTE, "Called away.")
        (line,) = log.lines_of(event, [act])
        assert (line.before, line.after) == ("1", "Rosa")

    def test_everybody_is_rated_for_the_matches_they_played(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, 4, format="swiss", rounds=2)
        entry = event.entries.order_by("pk")[0]
        first, partner = (line.player for line in entry.players.order_by("position"))
        end_round(event)
        assert put_in(event, entry, rosa, ada) == 2
        end_round(event)
        event = Event.objects.get(pk=event.pk)
        kept = rating_units.RatedEvent(event.pk, NOON, NOON, event.version, event.club_id)
        played: dict[int, set[int]] = {}
        numbers = dict(Pairing.objects.values_list("pk", "round__number"))
        for unit in rating_units.units([kept], in_room=True):
            for player in (*unit.sides[0], *unit.sides[1]):
                played.setdefault(player, set()).add(numbers[unit.pairing_id or 0])
        assert played[first.pk] == {1}
        assert played[rosa.pk] == {2}
        assert played[partner.pk] == {1, 2}

    def test_a_corrected_or_restored_result_counts_for_who_played_it(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, rounds=2, break_seconds=600)
        entry = event.entries.order_by("pk")[0]
        played = entry.players.get().player
        end_round(event)
        put_in(event, entry, rosa, ada)
        match = entry.pairings.get().pairing
        assert list(Performance.objects.filter(match=match.pk, player=played)) != []
        correcting.set_result(match, ada, ruled(1, (3, 6)), reason="So.", now=NOON)
        drawing_again.take_back(event, ada, 1, reason="So.", override=True, now=NOON)
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        found = Performance.objects.filter(match=match.pk)
        assert found.filter(player=played).exists()
        assert not found.filter(player=rosa).exists()

    def test_earlier_rounds_name_who_played_them(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        end_round(event)
        put_in(event, entry, rosa, ada)
        end_round(event)
        put_in(event, entry, "Xan", ada)
        for number, name in ((1, "1"), (2, "Rosa"), (3, "Xan")):
            round_ = page_values.round_of(event, number)
            assert round_ is not None
            names = {
                person.name
                for match in round_.matches
                for side in match.sides
                for person in side.team.people
                if entry.pk in side.team.entries
            }
            sides = [
                (row["north_south"], row["east_west"])
                for row in exports.pairings(event)
                if row["round"] == number
            ]
            drawn = [
                person["name"] for both in sides for side in both for person in side["players"]
            ]
            assert name in names
            assert name in drawn
            assert names.isdisjoint({"1", "Rosa", "Xan"} - {name})

    def test_a_match_played_again_is_theirs(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        match = build.latest(event).pairings.get(number=1)
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
        entry = match.entries.all()[0].entry
        assert put_in(event, entry, rosa, ada) == 2
        playing_again.reopen(match, ada, reason="So.", now=NOON)
        (line,) = match_lines.matches_of(
            event, Pairing.objects.filter(pk=match.pk), match_lines.teams_drawn(event)
        )
        assert rosa in (*line.sides[0].team.people, *line.sides[1].team.people)
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert entry.substitutions.get().until == 1
        undoing.undo(event.acts.filter(kind=Act.Kind.SUBSTITUTE).get(), ada, NOON)

    def test_who_has_left_the_seat_rules_on_none_of_its_matches(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        match = entry.pairings.get().pairing
        olga = member("Olga")
        build.joined(event.club, olga, "director")
        entry.players.update(player=olga)
        put_in(event, entry, rosa, ada)
        with pytest.raises(RefusedError, match="Olga plays at table"):
            conflicts_of_interest.check_result(event, match, olga)


class TestRound:
    def test_a_match_in_the_room_goes_on_with_them(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        assert put_in(event, event.entries.order_by("pk")[0], rosa, ada) == 1

    def test_a_match_that_waits_online_gets_a_new_table(self, ada: Player, rosa: Player) -> None:
        event = running(ada, place=Event.Place.ONLINE)
        entry = event.entries.order_by("pk")[0]
        match = entry.pairings.get().pairing
        old = match.table_id
        assert put_in(event, entry, rosa, ada) == 1
        match.refresh_from_db()
        assert match.table_id != old
        assert Seat.objects.filter(table=match.table_id, player=rosa).exists()
        undoing.undo(event.acts.get(), ada, NOON)
        match.refresh_from_db()
        assert not Seat.objects.filter(table=match.table_id, player=rosa).exists()

    def test_a_match_that_has_begun_online_is_not_taken_over(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, place=Event.Place.ONLINE)
        build.arrive(event)
        build.step(event, NOON)
        with pytest.raises(RefusedError, match="has begun online"):
            put_in(event, event.entries.order_by("pk")[0], rosa, ada)
        build.play_round(event, NOON + MINUTE, Random(1))
        event.played_rounds.filter(over=None).delete()
        assert put_in(event, event.entries.order_by("pk")[0], rosa, ada) == 2


class TestRefusing:
    def test_who_plays_already_is_no_substitute(self, ada: Player) -> None:
        event = running(ada)
        first, second = event.entries.order_by("pk")[:2]
        with pytest.raises(RefusedError, match="2 is in the event already"):
            put_in(event, first, second.players.get().player, ada)

    @pytest.mark.parametrize(
        ("fields", "round_"), [({"format": "swiss"}, 2), ({"place": Event.Place.ONLINE}, 1)]
    )
    def test_a_partnership_and_whom_the_house_plays_for_are_put_back_first(
        self, ada: Player, rosa: Player, fields: Any, round_: int
    ) -> None:
        event = running(ada, **fields)
        entry = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        with pytest.raises(RefusedError, match="put the entry back first"):
            put_in(event, entry, rosa, ada)
        leaving_running_event.put_back(entry, ada, NOON)
        assert put_in(event, entry, rosa, ada) == round_

    def test_nobody_puts_their_own_entry_back_by_a_substitute(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada)
        entry, olga = event.entries.order_by("pk")[0], member("Olga")
        build.joined(event.club, olga, "director")
        put_in(event, entry, olga, ada)
        leaving_running_event.withdraw(entry, olga, NOON)
        with pytest.raises(RefusedError, match="cannot put their own entry back"):
            put_in(event, entry, rosa, olga)

    def test_a_director_who_plays_replaces_no_rival(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        olga = member("Olga")
        build.joined(event.club, olga, "director")
        match = event.played_rounds.get().pairings.get(number=1)
        first, second = (line.entry for line in match.entries.order_by("pk")[:2])
        first.players.update(player=olga)
        with pytest.raises(RefusedError, match="Olga plays at the same table"):
            put_in(event, second, rosa, olga)

    def test_an_online_match_is_not_played_again_with_a_walk_in(self, ada: Player) -> None:
        event = running(ada, place=Event.Place.MIXED, room_from=2)
        online = build.latest(event).pairings.get(in_room=False)
        correcting.set_result(online, ada, ruled(0, (5, 3)), reason="So.", now=NOON)
        put_in(event, online.entries.all()[0].entry, "Yul", ada)
        with pytest.raises(RefusedError, match="Yul has no account, so table 1 of round 1"):
            playing_again.reopen(online, ada, reason="So.", now=NOON)

    def test_walk_ins_do_not_substitute_online(self, ada: Player) -> None:
        event = running(ada, place=Event.Place.MIXED, room_from=3)
        with pytest.raises(RefusedError, match="Xan has no account"):
            put_in(event, event.entries.order_by("pk")[0], "Xan", ada)


class TestUndoing:
    def test_everything_is_as_before(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        before = list(entry.players.values())
        for person in (rosa, "Xan"):
            put_in(event, entry, person, ada)
            undoing.undo(event.acts.latest("pk").undoes or event.acts.latest("pk"), ada, NOON)
            assert list(entry.players.values()) == before
            assert not entry.substitutions.exists()
            assert not event.walk_ins.exists()

    def test_one_after_the_other_is_undone_online_in_the_time_of_the_round(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, place=Event.Place.ONLINE, round_minutes=30)
        entries, uma = event.entries.order_by("pk"), member("Uma")
        build.joined(event.club, uma)
        match = entries[0].pairings.get().pairing
        partner = next(one.entry for one in match.entries.all() if one.entry != entries[0])
        for entry, person in ((entries[0], rosa), (partner, uma)):
            put_in(event, entry, person, ada)
        times = list(event.played_rounds.values("called", "ends"))
        for act in event.acts.order_by("-pk"):
            undoing.undo(act, ada, NOON + 20 * MINUTE)
        match.refresh_from_db()
        assert not Seat.objects.filter(table=match.table_id, player__in=(rosa, uma)).exists()
        assert list(event.played_rounds.values("called", "ends")) == times

    def test_it_depends_on_the_match_and_the_round(self, ada: Player, rosa: Player) -> None:
        event = running(ada, break_seconds=600)
        entry = event.entries.order_by("pk")[0]
        put_in(event, entry, rosa, ada)
        act = event.acts.get()
        match = entry.pairings.get().pairing
        Pairing.objects.filter(pk=match.pk).update(state=Pairing.State.DECIDED)
        with pytest.raises(RefusedError, match="was decided with Rosa"):
            undoing.undo(act, ada, NOON)
        end_round(event)
        build.step(event, NOON + 11 * MINUTE)
        with pytest.raises(RefusedError, match="Round 2 was drawn with them"):
            undoing.undo(act, ada, NOON)


def test_the_page_says_from_which_round_and_asks_why(ada: Player, rosa: Player) -> None:
    event, browser = running(ada), logged_in(ada)
    seat = event.entries.order_by("pk")[0].players.get()
    sought = {"q": "ro", "seat": str(seat.pk)}
    found = browser.get(reverse("find_people", args=[event.pk]), sought).text
    path = reverse("substitute", args=[event.pk, seat.pk])
    assert f'href="{path}?player={rosa.pk}"' in found
    shown = browser.get(path, {"player": rosa.pk})
    assert "Rosa plays from round 1." in shown.text
    things = [change.thing for change in shown.context["preview"].changes]
    assert [thing for thing in things if thing.startswith("Round")] == ["Round 1, table 1, seats"]
    fields = {"player": str(rosa.pk), "seen": shown.context["preview"].digest}
    assert browser.post(path, fields).status_code == 422
    assert browser.post(path, {**fields, "reason": "Called away."}).status_code == 303
    seat.refresh_from_db()
    assert seat.player == rosa
    assert browser.get(path).status_code == 422


class TestAfterWithdrawing:
    """At a table in the room no house player plays on, so somebody else has to sit in."""

    def test_a_substitute_sits_in_at_once_and_is_taken_back(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        left = entry.players.get().player
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        assert put_in(event, entry, rosa, ada) == 1
        entry.refresh_from_db()
        assert (entry.state, entry.players.get().player) == (Entry.State.CHECKED_IN, rosa)
        undoing.undo(event.acts.get(kind=Act.Kind.SUBSTITUTE), ada, NOON)
        entry.refresh_from_db()
        assert (entry.state, entry.players.get().player) == (Entry.State.WITHDRAWN, left)
        undoing.undo(event.acts.get(kind=Act.Kind.WITHDRAW), ada, NOON)
        entry.refresh_from_db()
        assert entry.state == Entry.State.ENTERED

    def test_the_page_says_what_happens_and_leads_to_who_sits_in(
        self, ada: Player, rosa: Player
    ) -> None:
        event, browser = running(ada), logged_in(ada)
        entry = event.entries.order_by("pk")[0]
        seat, match = entry.players.get(), entry.pairings.get().pairing
        find = f"{reverse('find_people', args=[event.pk])}?seat={seat.pk}"
        path = reverse("withdraw_entry", args=[event.pk, entry.pk])
        asked = browser.get(path).text
        assert f"Table {match.number} plays with real cards, so no house player sits in" in asked
        assert "A house player plays on" not in asked
        assert f'href="{find}"' in asked
        assert build.acted_by_form(browser, path, reason="Ill.")["Location"] == find
        match.refresh_from_db()
        assert match.state == Pairing.State.PLAYING
        found = browser.get(f"{find}&q=ro").text
        put = f"{reverse('substitute', args=[event.pk, seat.pk])}?player={rosa.pk}"
        assert f'href="{put}"' in found
        assert "Rosa plays from round 1." in browser.get(put).text

    def test_who_loses_the_match_is_told_so(self, ada: Player) -> None:
        event, browser = running(ada, format="swiss"), logged_in(ada)
        entry = event.entries.order_by("pk")[0]
        number = entry.pairings.get().pairing.number
        path = reverse("withdraw_entry", args=[event.pk, entry.pk])
        asked = browser.get(path).text
        assert f"They lose the match at table {number}, which is not finished." in asked
        answer = build.acted_by_form(browser, path, reason="Ill.")
        assert answer["Location"] == reverse("manage_event", args=[event.pk])

    def test_the_others_at_the_table_read_who_left(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        first = event.entries.order_by("pk")[0]
        line = first.pairings.get()
        mates = line.pairing.entries.exclude(pk=line.pk)
        partner = mates.get(side=line.side).entry.players.get().player
        rival = mates.exclude(side=line.side)[0].entry.players.get().player
        left = first.players.get().player
        Player.objects.filter(pk=left.pk).update(name="Tom")
        leaving_running_event.withdraw(first, ada, NOON, reason="Ill.")
        page = reverse("event", args=[event.pk])
        for player, words in ((partner, "with <b>somebody for Tom</b>"), (rival, "against <b>")):
            shown = logged_in(player).get(page).text
            assert words in shown
            assert "Tom left the event. The director says who sits in." in shown
        put_in(event, first, rosa, ada)
        shown = logged_in(partner).get(page).text
        assert "with <b>Rosa</b>" in shown
        assert "left the event" not in shown

    def test_who_is_found_can_be_withdrawn_or_put_back(self, ada: Player) -> None:
        event, browser = running(ada), logged_in(ada)
        entry = event.entries.order_by("pk")[0]
        seat = entry.players.get()
        Player.objects.filter(pk=seat.player_id).update(name="Tom")
        page, sought = reverse("find_people", args=[event.pk]), {"q": "to"}
        out = f'href="{reverse("withdraw_entry", args=[event.pk, entry.pk])}?found=to"'
        back = reverse("put_back_entry", args=[event.pk, entry.pk])
        found = browser.get(page, sought).text
        assert (out in found, back in found) == (True, False)
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        found = browser.get(page, sought).text
        assert (out in found, back in found) == (False, True)
        assert f"{page}?seat={seat.pk}" in found, "somebody can still sit in"
        assert build.acted_by_form(browser, back).status_code == 303
        Event.objects.filter(pk=event.pk).update(final_at=NOON)
        found = browser.get(page, sought).text
        assert (out in found, back in found) == (False, False)


class TestYourEvents:
    def test_whoever_left_keeps_the_event_with_their_last_round(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, rounds=2)
        first, second = event.entries.order_by("pk")[:2]
        left, never = first.players.get().player, second.players.get().player
        put_in(event, second, "Xan", ada)  # before their first match was over
        end_round(event)
        put_in(event, first, rosa, ada)
        Substitution.objects.update(gave_up=True)
        assert your_events(left)["past"] == (), "the event is not over"
        end_round(event)
        Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
        (line,) = your_events(left)["past"]
        assert (line.ending, line.partner) == ("Played until round 1", "")
        assert your_events(never)["past"] == (), "they played no round"
        assert [one.entry.pk for one in your_events(rosa)["past"]] == [first.pk]
