"""Nobody rules on their own table: what directors who play must leave to others."""

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting, round_clock, starting_and_ending
from tournaments.console import manage_page
from tournaments.entering import entering, leaving_running_event
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership, Pairing
from tournaments.refusals import RefusedError
from tournaments.setting_up import setting_up
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


@pytest.fixture
def club() -> Club:
    """A club whose owner is Olga and whose director is Ada."""
    made = build.club()
    build.joined(made, member("Olga"), Membership.Role.OWNER)
    return made


@pytest.fixture
def olga(club: Club) -> Player:
    """The owner, who does not."""
    return club.memberships.get(role=Membership.Role.OWNER).player


def running(ada: Player, players: int = 8, **fields: Any) -> Event:
    """An event that Ada plays in, as the first who entered, with its first round being played."""
    club = ada.memberships.get().club
    event = build.event(club, **{"rounds": 3, "round_minutes": 20, **fields})
    first, *_ = build.enter(event, players)
    seat = first.players.order_by("position")[0]
    EntryPlayer.objects.filter(pk=seat.pk).update(player=ada)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON)
    return event


def mine(event: Event, ada: Player) -> Pairing:
    """Ada's match of the latest round."""
    return build.latest(event).pairings.get(entries__entry__players__player=ada)


def others(event: Event, ada: Player) -> Pairing:
    """A match of the latest round that Ada is not in."""
    return build.latest(event).pairings.exclude(pk=mine(event, ada).pk)[0]


def opponent(event: Event, ada: Player) -> Entry:
    """Somebody who plays against Ada now."""
    match = mine(event, ada)
    side = match.entries.get(entry__players__player=ada).side
    return match.entries.filter(side=1 - side)[0].entry


def own_entry(event: Event, ada: Player) -> Entry:
    """What Ada plays as."""
    return event.entries.get(players__player=ada)


def decide_all(event: Event, ada: Player, *, her_side: bool) -> None:
    """Let every match of the round end; Ada wins or loses."""
    match = mine(event, ada)
    side = match.entries.get(entry__players__player=ada).side
    build.win(match, side if her_side else 1 - side)
    for pairing in build.latest(event).pairings.exclude(pk=match.pk):
        if pairing.state == Pairing.State.PLAYING:
            build.win(pairing, 0)


class TestResults:
    def test_director_cannot_set_or_correct_their_own_result(
        self, ada: Player, olga: Player
    ) -> None:
        event = running(ada)
        match = mine(event, ada)
        with pytest.raises(RefusedError, match=r"Ada plays at table .*Olga can") as refusal:
            correcting.set_result(match, ada, ruled(0, (5, 3)), reason="So it was.", now=NOON)
        assert (refusal.value.code, refusal.value.status) == ("own table", 403)
        match.refresh_from_db()
        assert match.state == Pairing.State.PLAYING
        correcting.set_result(match, olga, ruled(0, (5, 3)), reason="So it was.", now=NOON)
        with pytest.raises(RefusedError, match="Ada plays"):
            correcting.set_result(match, ada, ruled(1, (3, 5)), reason="No.", now=NOON)

    def test_director_sets_results_of_other_matches(self, ada: Player) -> None:
        event = running(ada)
        match = others(event, ada)
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="So it was.", now=NOON)
        match.refresh_from_db()
        assert match.state == Pairing.State.DECIDED

    def test_withdrawn_director_is_still_part_of_the_match(self, ada: Player) -> None:
        event = running(ada, 8, format="swiss")
        match = mine(event, ada)
        entering.withdraw(event, ada, NOON)
        match.refresh_from_db()
        assert match.how == Pairing.How.FORFEIT
        with pytest.raises(RefusedError, match="Ada plays"):
            correcting.set_result(match, ada, ruled(0, (5, 3)), reason="I was here.", now=NOON)

    def test_directing_partner_cannot_rule_either(self, ada: Player) -> None:
        event = running(ada, 4, format="swiss")
        partner = own_entry(event, ada).players.exclude(player=ada).get().player
        build.joined(event.club, partner, Membership.Role.DIRECTOR)
        with pytest.raises(RefusedError, match="plays at table"):
            correcting.set_result(
                mine(event, ada), partner, ruled(0, (5, 3)), reason="Ha.", now=NOON
            )

    def test_refusal_without_another_director_states_the_remedy(self) -> None:
        club = build.club("Alone")
        ada = member("Ada")
        build.joined(club, ada, Membership.Role.OWNER)
        event = running(ada)
        with pytest.raises(RefusedError, match="make another member a director"):
            correcting.set_result(mine(event, ada), ada, ruled(0, (5, 3)), reason="So.", now=NOON)

    def test_suggested_director_does_not_play_in_the_match(self, ada: Player) -> None:
        event = running(ada)
        rival = opponent(event, ada).players.get().player
        build.joined(event.club, rival, Membership.Role.DIRECTOR)
        with pytest.raises(RefusedError) as refusal:
            correcting.set_result(mine(event, ada), ada, ruled(0, (5, 3)), reason="So.", now=NOON)
        assert refusal.value.message.endswith(" Olga can.")


class TestTime:
    @pytest.mark.parametrize("verb", ["longer", "shorter", "end", "pause", "cancel", "settings"])
    def test_playing_director_cannot_change_the_clock(
        self, ada: Player, olga: Player, verb: str
    ) -> None:
        event = running(ada)

        def do(by: Player) -> None:
            if verb in {"longer", "shorter"}:
                round_clock.extend_round(event, by, 5 if verb == "longer" else -5, NOON)
            elif verb == "end":
                round_clock.end_round_now(event, by, NOON)
            elif verb == "pause":
                round_clock.pause(event, by, NOON)
            elif verb == "cancel":
                starting_and_ending.cancel(event, by, "I lose.", NOON)
            else:
                wanted = Event.objects.get(pk=event.pk)
                wanted.no_show_minutes = 0
                setting_up.change(event, wanted, by, NOON)

        before = Event.objects.filter(pk=event.pk).values().get()
        with pytest.raises(RefusedError, match=r"Ada still plays at table .*Olga can") as refusal:
            do(ada)
        assert refusal.value.status == 403
        assert Event.objects.filter(pk=event.pk).values().get() == before
        do(olga)

    def test_director_changes_the_clock_once_their_match_is_decided(self, ada: Player) -> None:
        event = running(ada)
        build.win(mine(event, ada), 0)
        build.step(event, NOON)
        round_clock.extend_round(event, ada, 5, NOON)
        round_clock.pause(event, ada, NOON)
        round_clock.resume(event, ada, NOON + MINUTE)
        round_clock.end_round_now(event, ada, NOON + 2 * MINUTE)

    def test_playing_director_can_resume_and_set_later_breaks(
        self, ada: Player, olga: Player
    ) -> None:
        event = running(ada)
        round_clock.pause(event, olga, NOON)
        round_clock.resume(event, ada, NOON + MINUTE)
        wanted = Event.objects.get(pk=event.pk)
        wanted.round_minutes = 30
        assert setting_up.change(event, wanted, ada, NOON) == ["round_minutes"]


class TestWithdrawing:
    def test_director_cannot_withdraw_players_at_their_table(
        self, ada: Player, olga: Player
    ) -> None:
        event = running(ada)
        rival = opponent(event, ada)
        with pytest.raises(RefusedError, match=r"plays at the same table\. Olga can") as refusal:
            leaving_running_event.withdraw(rival, ada, NOON)
        assert refusal.value.status == 403
        leaving_running_event.withdraw(rival, olga, NOON)

    def test_director_can_withdraw_others_and_themselves(self, ada: Player) -> None:
        event = running(ada)
        away = others(event, ada).entries.all()[0].entry
        leaving_running_event.withdraw(away, ada, NOON)
        leaving_running_event.withdraw(own_entry(event, ada), ada, NOON)

    def test_director_cannot_withdraw_a_possible_next_opponent(self, ada: Player) -> None:
        event = running(ada, 8, format="single_elimination", break_seconds=600)
        decide_all(event, ada, her_side=True)
        build.step(event, NOON)
        assert build.latest(event).over is not None
        winners = [
            match.entries.get(side=match.winner).entry
            for match in build.latest(event).pairings.all()
        ]
        for entry in winners:
            if entry != own_entry(event, ada):
                with pytest.raises(RefusedError, match="still in the same knock-out"):
                    leaving_running_event.withdraw(entry, ada, NOON)

    def test_eliminated_director_has_no_conflict(self, ada: Player) -> None:
        event = running(ada, 8, format="single_elimination", break_seconds=600)
        decide_all(event, ada, her_side=False)
        build.step(event, NOON)
        best = ranking.standings_of(event).lines[0].entry
        leaving_running_event.withdraw(best, ada, NOON)

    def test_director_cannot_withdraw_entries_ranked_above_them(self, ada: Player) -> None:
        event = running(ada, 8, format="swiss", break_seconds=600)
        decide_all(event, ada, her_side=False)
        build.step(event, NOON)
        lines = ranking.standings_of(event).lines
        own = next(line.place for line in lines if line.entry == own_entry(event, ada))
        with pytest.raises(RefusedError, match="is placed behind them"):
            leaving_running_event.withdraw(lines[0].entry, ada, NOON)
        assert own < 8
        leaving_running_event.withdraw(lines[-1].entry, ada, NOON)


class TestPage:
    def test_conflicting_actions_are_not_offered_with_the_reason(self, ada: Player) -> None:
        event = running(ada)
        page = manage_page.read(Event.objects.select_related("club").get(pk=event.pk), ada, NOON)
        own = [line for line in page.tables if line.own]
        assert [line.match.pairing.pk for line in own] == [mine(event, ada).pk]
        html = logged_in(ada).get(f"/events/{event.pk}/manage/").content.decode()
        number = mine(event, ada).number
        assert f"/rounds/1/tables/{number}/" not in html
        assert "so somebody else has to set its result. Olga can." in html
        assert "Ada still plays at table" in html
        assert "+ 5 min for all" not in html
        assert "End the round now" not in html
        html = logged_in(ada).get(f"/events/{event.pk}/manage/door/").content.decode()
        assert f"/entries/{opponent(event, ada).pk}/withdraw" not in html
        assert "plays at the same table: another director can withdraw them" in html

    def test_conflicting_actions_are_refused_by_url(self, ada: Player) -> None:
        event = running(ada)
        browser, match = logged_in(ada), mine(event, ada)
        form = {
            "winner": 0,
            "ended": "played",
            "points_0": 5,
            "points_1": 3,
            "reason": "So it was.",
        }
        where = f"/events/{event.pk}/manage/rounds/1/tables/{match.number}/"
        for answer in (browser.get(where), browser.post(where, form)):
            assert answer.status_code == 403
            assert "Olga can" in answer.content.decode()
        out = f"/events/{event.pk}/manage/entries/{opponent(event, ada).pk}/withdraw/"
        asked = browser.get(out).content.decode()
        assert "Not now: " in asked
        assert "Olga can" in asked
        assert browser.post(out, {"reason": "So it was."}).status_code == 403
        match.refresh_from_db()
        assert match.state == Pairing.State.PLAYING


class TestOutAndBack:
    def test_director_cannot_put_back_their_own_entry(self, ada: Player, olga: Player) -> None:
        event = running(ada, format="swiss", break_seconds=600)
        decide_all(event, ada, her_side=False)
        build.step(event, NOON)
        own = own_entry(event, ada)
        leaving_running_event.withdraw(own, ada, NOON)
        for line in ranking.standings_of(event).lines:
            if line.entry.pk != own.pk:
                leaving_running_event.withdraw(line.entry, ada, NOON)
        with pytest.raises(RefusedError, match="cannot put their own entry back") as refused:
            leaving_running_event.put_back(own, ada, NOON)
        assert refused.value.status == 403
        leaving_running_event.put_back(own, olga, NOON)
        own.refresh_from_db()
        assert own.state == Entry.State.CHECKED_IN

    def test_withdrawn_director_is_still_at_the_table(self, ada: Player) -> None:
        event = running(ada)
        against = opponent(event, ada)
        leaving_running_event.withdraw(own_entry(event, ada), ada, NOON)
        with pytest.raises(RefusedError, match="plays at the same table"):
            leaving_running_event.withdraw(against, ada, NOON)

    def test_director_who_lost_cannot_cancel_the_event(self, ada: Player, olga: Player) -> None:
        event = running(ada, format="swiss", break_seconds=600)
        decide_all(event, ada, her_side=False)
        build.step(event, NOON)
        with pytest.raises(RefusedError) as refused:
            starting_and_ending.cancel(event, ada, "I lose.", NOON)
        assert refused.value.status == 403
        starting_and_ending.cancel(event, olga, "The hall is on fire.", NOON)
        event.refresh_from_db()
        assert event.state == Event.State.CANCELLED


def test_a_refusal_links_to_where_a_second_director_is_named() -> None:
    alone = build.club("Alone")
    ada = member("Ada")
    build.joined(alone, ada, Membership.Role.OWNER)
    event = running(ada)
    path = reverse("set_result", args=[event.pk, 1, mine(event, ada).number])
    answer = logged_in(ada).get(path)
    assert answer.status_code == 403
    assert '<a href="/clubs/alone/members/">Name a second director</a>' in answer.text
    assert "(/clubs/" not in answer.text
    page = logged_in(ada).get(f"/events/{event.pk}/manage/").text
    assert "so somebody else has to set its result. Nobody else directs this club" in page
    assert "Your table: another director" not in page


def test_a_lone_director_who_enters_is_asked_for_a_second_one() -> None:
    alone = build.club("Alone")
    ada, ben = member("Ada"), member("Ben")
    build.joined(alone, ada, Membership.Role.OWNER)
    build.joined(alone, ben)
    soon = timezone.now() + 60 * MINUTE
    event = build.event(
        alone, starts=soon, registration_closes=soon, registration_opens=soon - 120 * MINUTE
    )
    browser = logged_in(ada)
    words = "nobody else directs Alone: name a second director before it starts"
    assert words not in browser.get(f"/events/{event.pk}/").text
    told = "Nobody rules on their own table, and nobody else directs Alone"
    assert told not in browser.get(f"/events/{event.pk}/manage/").text
    entering.register(event, ada, timezone.now())
    assert told in browser.get(f"/events/{event.pk}/manage/").text
    page = browser.get(f"/events/{event.pk}/").text
    assert words in page
    assert f'<option value="{ben.pk}">Ben</option>' in page
    form = {"player": ben.pk, "event": event.pk}
    answer = browser.post(reverse("name_director", args=["alone"]), form)
    assert (answer.status_code, answer["Location"]) == (303, f"/events/{event.pk}/")
    assert alone.memberships.get(player=ben).role == Membership.Role.DIRECTOR
    assert words not in browser.get(f"/events/{event.pk}/").text
