"""The demonstration club, and an event of house players to watch."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from games import hub
from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Game, Player, Table, User
from tests.tournaments import build
from tournaments.models import Club, Event, Round
from tournaments.refusals import RefusedError
from tournaments.services import demo, house_events

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 15, tzinfo=UTC)


def test_a_newcomer_finds_past_results_a_next_event_and_one_to_watch() -> None:
    made = demo.make(NOW)
    assert made is not None
    past = made.club.events.filter(state=Event.State.FINISHED)
    assert past.count() == 4
    assert len({event.rules.key for event in past}) == 3
    for event in past:
        assert event.starts < (event.ended or NOW) < NOW
        assert event.entries.filter(place=1).exists()
        assert not event.notices.filter(at__gt=event.ended).exists()
    following = made.club.events.get(state=Event.State.REGISTRATION)
    assert following.repeats_weekly
    assert following.starts > NOW
    assert made.running.state == Event.State.RUNNING
    games = Game.objects.filter(state=Game.State.OVER)
    assert games.count() >= 20
    assert all(game.events.count() == game.version for game in games)
    played = Player.objects.filter(entries__isnull=False)
    assert set(played.values_list("kind", flat=True)) == {Player.Kind.HOUSE}
    assert User.objects.get(email=made.email).check_password(made.password)
    assert demo.make(NOW) is None
    assert Club.objects.count() == 1


class TestWatching:
    def test_house_players_play_by_themselves(self) -> None:
        club = build.club()
        event = house_events.watch_now(club, build.director(club), CLASSIC_24, NOW)
        build.step(event, NOW)
        assert Round.objects.get().pairings.count() == 2
        assert Game.objects.filter(state=Game.State.PLAYING).count() == 2

    def test_one_such_event_at_a_time(self) -> None:
        club = build.club()
        ada = build.director(club)
        house_events.watch_now(club, ada, CLASSIC_24, NOW)
        with pytest.raises(RefusedError, match="already"):
            house_events.watch_now(club, ada, CLASSIC_24, NOW)

    def test_a_rotation_takes_rules_for_four(self) -> None:
        club = build.club()
        with pytest.raises(RefusedError, match="four players"):
            house_events.watch_now(club, build.director(club), HEADS_UP, NOW)


@pytest.mark.django_db(transaction=True)
def test_nobody_else_plays_at_the_tables_of_the_past(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        hub, "announce", lambda table_id: told.append(Table.objects.get(pk=table_id).state)
    )
    event = build.event(rounds=2, state=Event.State.READY)
    house_events.play_at_once(event, 4)
    assert told
    assert Table.State.PLAYING not in told


class TestTheForm:
    def test_an_unknown_rule_set_is_refused_by_name(self, client: Client) -> None:
        club = build.club()
        client.force_login(build.director(club).user or User())
        answer = client.post(f"/clubs/{club.slug}/events/house-players", {"rules": "whist"})
        assert answer.status_code == 422
        assert all(key in answer.content.decode() for key in house_events.RULES)

    def test_a_second_event_at_once_is_refused(self, client: Client) -> None:
        club = build.club()
        client.force_login(build.director(club).user or User())
        for status in (303, 409):
            fields = {"rules": "classic-24"}
            answer = client.post(f"/clubs/{club.slug}/events/house-players", fields)
            assert answer.status_code == status
