"""More time for one table: what it changes, who may give it, and undoing it."""

from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Game, Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled, seen_in
from tests.tournaments.room_scores.cards_of import drawn, hand, match_of, player_at, sign, table_of
from tournaments.acts import correcting, round_clock, table_time, undoing
from tournaments.acts import page as act_page
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


def playing(ada: Player) -> Event:
    """Two tables online that play, in a round of 20 minutes without a break."""
    event = build.event(
        ada.memberships.get().club, rounds=2, round_minutes=20, time_up=Event.TimeUp.SCORE
    )
    build.enter(event, 8)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON)
    Game.objects.update(score_0=3, score_1=2, deal_number=4)
    return event


def give(event: Event, by: Player, minutes: int = 5, number: int = 1) -> Act:
    table_time.give(match_of(event, number), minutes, by, reason="Late.", now=NOON)
    return event.acts.latest("pk")


def hows(event: Event) -> list[str]:
    round_ = event.played_rounds.get(number=1)
    return [one.how for one in round_.pairings.order_by("number")]


def test_the_others_end_with_the_round_and_the_table_later(ada: Player) -> None:
    event = playing(ada)
    give(event, ada)
    build.step(event, NOON + 20 * MINUTE)
    assert hows(event) == ["", "time"]
    assert event.due == NOON + 25 * MINUTE, "the clock comes back when the table's time is up"
    build.step(event, NOON + 24 * MINUTE)
    assert hows(event) == ["", "time"]
    build.step(event, NOON + 25 * MINUTE)
    assert hows(event) == ["time", "time"]
    assert event.played_rounds.count() == 2


def test_a_pause_and_a_later_end_of_the_round_move_it(ada: Player) -> None:
    event = playing(ada)
    give(event, ada)
    round_clock.pause(event, ada, NOON + MINUTE)
    round_clock.resume(event, ada, NOON + 11 * MINUTE)
    round_clock.extend_round(event, ada, 2, NOON + 12 * MINUTE)
    assert match_of(event).ends == NOON + 37 * MINUTE


def test_time_can_be_given_once_the_round_is_over_for_others(ada: Player) -> None:
    event = playing(ada)
    give(event, ada, 1)
    build.step(event, NOON + 20 * MINUTE)
    give(event, ada, 4)
    build.step(event, NOON + 24 * MINUTE)
    assert hows(event) == ["", "time"]


def test_undo_ends_the_table_with_the_round(ada: Player) -> None:
    event = playing(ada)
    act = give(event, ada)
    build.step(event, NOON + 20 * MINUTE)
    undoing.undo(act, ada, NOON + 21 * MINUTE)
    build.step(event, NOON + 21 * MINUTE)
    assert hows(event) == ["time", "time"]
    with pytest.raises(RefusedError, match="undone this already"):
        undoing.undo(act, ada, NOON)


def test_what_forbids_it(ada: Player) -> None:
    event = playing(ada)
    with pytest.raises(RefusedError, match="1 to 60 minutes more, not 61"):
        give(event, ada, 61)
    act = give(event, ada, 60)
    with pytest.raises(RefusedError, match="1 to 60 minutes more, not 61"):
        give(event, ada, 1)
    player = player_at(event, 0)
    build.joined(event.club, player, "director")
    with pytest.raises(RefusedError, match="somebody else has to give it time"):
        give(event, player, 1)
    wish = ruled(0, (3, 2), ended=Pairing.How.TIME)
    correcting.set_result(match_of(event), ada, wish, reason="So.", now=NOON)
    with pytest.raises(RefusedError, match="The match is over"):
        give(event, ada)
    with pytest.raises(RefusedError, match="A later act depends on it"):
        undoing.undo(act, ada, NOON)


def test_in_the_room_the_score_is_signed_only_then(ada: Player) -> None:
    event = drawn(ada.memberships.get().club, round_minutes=20)
    hand(event, 1, 0)
    give(event, ada)
    with pytest.raises(RefusedError, match="not over"):
        sign(event, (1, 0), now=NOON + 20 * MINUTE)
    sign(event, (1, 0), now=NOON + 25 * MINUTE)
    code = table_of(event).code
    shown = Client().get(f"/t/{code}/").text
    assert "12:25" in shown
    assert "5 minutes more" in shown


def test_the_pages_say_so(ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act_page, "timezone", SimpleNamespace(now=lambda: NOON))
    event, browser = playing(ada), logged_in(ada)
    path = reverse("more_time", args=[event.pk, 1, 1])
    manage = reverse("manage_event", args=[event.pk])
    assert f"{path}?minutes=5" in browser.get(manage, {"open": "1"}).text
    shown = browser.get(path, {"minutes": "5"}).text
    assert "5 minutes, until 12:25" in shown
    said = {"minutes": "5", "reason": "A late start.", "seen": seen_in(shown)}
    assert browser.post(path, said).status_code == 303
    assert "+5 min, until" in browser.get(manage).text
    assert "+5 min" in browser.get(reverse("projector", args=[event.pk])).text
    page = reverse("event", args=[event.pk])
    assert "+5 min" in browser.get(page).text
    own = logged_in(player_at(event, 0)).get(page).text
    assert "Your table has 5 minutes more, until" in own
    log = browser.get(reverse("event_acts", args=[event.pk])).text
    assert "Gave a table more time: round 1, table 1" in log
    assert "<s>0 minutes</s> → 5 minutes" in log


class TestOnePress:
    def press(self, by: Player, event: Event, had: object = 0, table: int = 1) -> int:
        path = reverse("five_minutes", args=[event.pk, 1, table])
        status: int = logged_in(by).post(path, {"had": str(had)}).status_code
        return status

    @pytest.fixture(autouse=True)
    def _noon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(act_page, "timezone", SimpleNamespace(now=lambda: NOON))

    def test_it_gives_five_minutes_and_is_undone_like_others(self, ada: Player) -> None:
        event, browser = playing(ada), logged_in(ada)
        manage = reverse("manage_event", args=[event.pk])
        press = reverse("five_minutes", args=[event.pk, 1, 1])
        assert f'formaction="{press}" name="had" value="0"' in browser.get(manage).text
        assert self.press(ada, event) == 303
        assert f'formaction="{press}" name="had" value="5"' in browser.get(manage).text
        assert match_of(event).ends == NOON + 25 * MINUTE
        assert event.notices.latest("pk").text == "Round 1, table 1: 5 minutes more."
        undoing.undo(event.acts.get(), ada, NOON)
        assert match_of(event).ends == NOON + 20 * MINUTE

    def test_a_second_press_of_the_same_button_gives_nothing(self, ada: Player) -> None:
        event = playing(ada)
        assert [self.press(ada, event), self.press(ada, event)] == [303, 409]
        assert match_of(event).more_minutes == 5
        assert self.press(ada, event, had=5) == 303
        assert match_of(event).more_minutes == 10

    def test_what_was_shown_must_be_a_number(self, ada: Player) -> None:
        event = playing(ada)
        path = reverse("five_minutes", args=[event.pk, 1, 1])
        answer = logged_in(ada).post(path, {"had": "x"})
        assert answer.status_code == 422
        assert "Minutes shown" in answer.text
        assert match_of(event).more_minutes == 0

    def test_nobody_gives_time_to_their_own_table(self, ada: Player) -> None:
        event = playing(ada)
        match_of(event).entries.get(side=0, position=0).entry.players.update(player=ada)
        assert self.press(ada, event) == 403
        assert match_of(event).more_minutes == 0
        shown = logged_in(ada).get(reverse("manage_event", args=[event.pk])).text
        assert reverse("five_minutes", args=[event.pk, 1, 1]) not in shown
        assert reverse("five_minutes", args=[event.pk, 1, 2]) in shown
