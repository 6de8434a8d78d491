"""The demonstration club, and an event of house players to watch."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from euchre_site.management.commands import quickstart
from games.engine.rules import CLASSIC_24
from games.models import Game, Player, Table, User
from games.seats import lobby
from games.sockets import hub
from tests.tournaments import build
from tournaments.demonstration import demo, house_events
from tournaments.formats.registry import FORMATS
from tournaments.models import Club, Event, Round

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 15, tzinfo=UTC)


@pytest.mark.slow
def test_demo_club_shows_every_feature_of_a_club(client: Client) -> None:
    now = timezone.now()
    made = demo.make(now)
    assert made is not None
    past = made.club.events.filter(state=Event.State.FINISHED)
    assert past.count() == len(demo.PAST)

    assert {event.format for event in past} == set(FORMATS)
    for event in past:
        assert event.starts < (event.ended or now) < now
        assert event.entries.filter(place=1).exists()
        assert not event.notices.filter(at__gt=event.ended).exists()
    following = made.club.events.get(state=Event.State.REGISTRATION)
    assert following.recurrence == "weekly"
    assert following.starts > now
    assert made.running.state == Event.State.RUNNING
    games = Game.objects.filter(state=Game.State.OVER)
    assert games.count() > 100
    assert all(game.events.count() == game.version for game in games)
    members = Player.objects.filter(demonstration=True)
    assert members.count() == len(demo.MEMBERS)
    for member in members:
        page = client.get(f"/players/{member.pk}/").text
        assert "a member of this site’s demonstration, not a person" in page
        assert "House players have played all these games" in page
        assert "Guest" not in page
        assert member.performances.count() >= 30
        assert sum(one.called for one in member.performances.all()) > 10
    board = client.get("/ratings/").text
    assert sum(member.name in board for member in members) >= 3
    told = client.get(f"/clubs/{made.club.slug}/statistics/").text
    assert f"{past.count()} events · " in told
    assert " · 0 games" not in told
    assert "No event of these days" not in told
    assert all(member.name in told for member in members)
    assert User.objects.get(email=made.email).check_password(made.password)
    assert [line.table_id for line in lobby.running_tables(None)] == [made.live]
    assert f'href="/tables/{made.live}/"' in client.get("/").text
    assert demo.make(now) is None
    assert Club.objects.count() == 1


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demonstration with one past event of one match."""
    past = {"members": 4, "rules": CLASSIC_24, "format": "single_elimination"}
    monkeypatch.setattr(demo, "PAST", (past,))


@pytest.mark.usefixtures("short")
def test_demo_command_reports_its_progress() -> None:
    told: list[tuple[int, int, str]] = []
    demo.make(datetime(2026, 3, 10, 15, tzinfo=UTC), lambda *step: told.append(step))
    assert told == [
        (1, 3, "5 March: Single elimination, 4 members"),
        (2, 3, "Ratings and statistics"),
        (3, 3, "The next event, and play to watch"),
    ]


@pytest.mark.usefixtures("short")
def test_interrupted_demo_leaves_nothing_and_can_be_repeated() -> None:
    def interrupt(step: int, *_: object) -> None:
        if step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.make(timezone.now(), interrupt)
    assert not Club.objects.exists()
    assert not User.objects.exists()
    assert not Table.objects.exists()
    made = demo.make(timezone.now())
    assert made is not None
    assert Table.objects.get(pk=made.live).plays_on


@pytest.mark.usefixtures("short")
def test_the_command_shows_each_step_at_once_where_output_is_no_terminal() -> None:
    class Pipe(StringIO):
        """Output that is read only as far as it has been flushed."""

        flushed = ""

        def flush(self) -> None:
            self.flushed = self.getvalue()

    pipe = Pipe()
    command = quickstart.Command(stdout=pipe)
    command.say_step(1, 13, "19 March: Swiss")
    assert pipe.flushed == "   1 of 13  19 March: Swiss\n"
    command.make_demo()
    assert "  3 of 3  The next event" in pipe.getvalue()
    assert "To direct it, log in as" in pipe.getvalue()


class TestWatching:
    def test_house_players_play_by_themselves_to_the_end(self, client: Client) -> None:
        club = build.club()
        client.force_login(build.director(club).user or User())
        answer = client.post(f"/clubs/{club.slug}/events/house-players")
        event = Event.objects.get()
        assert (answer.status_code, answer["Location"]) == (303, f"/events/{event.pk}/")
        build.step(event, timezone.now())
        assert Round.objects.get().pairings.count() == 2
        assert Game.objects.filter(state=Game.State.PLAYING).count() == 2
        house_events.play_to_the_end(event, timezone.now(), Random(1))
        assert event.state == Event.State.FINISHED
        assert event.rated is False
        assert event.entries.filter(house=True, place__isnull=False).count() == event.capacity

    def test_one_house_event_at_a_time(self, client: Client) -> None:
        club = build.club()
        client.force_login(build.director(club).user or User())
        for status in (303, 409):
            answer = client.post(f"/clubs/{club.slug}/events/house-players")
            assert answer.status_code == status
        assert "already" in answer.text
        assert Event.objects.count() == 1


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Auckland"])
def test_evenings_are_over_or_not_today_at_every_hour_of_a_week(zone: str) -> None:
    there = ZoneInfo(zone)
    for hour in range(7 * 24):
        now = datetime(2026, 11, 23, tzinfo=UTC) + timedelta(hours=hour)
        latest, coming = demo.evenings(now, there)
        assert latest.astimezone(there).strftime("%a %H:%M") == "Thu 19:30"
        assert coming.astimezone(there).strftime("%a %H:%M") == "Thu 19:30"
        assert timedelta(days=1) < now - latest <= timedelta(days=8)
        assert coming.astimezone(there).date() > now.astimezone(there).date()
        assert coming - now < timedelta(days=9)


@pytest.mark.django_db(transaction=True)
def test_past_tables_have_only_demo_players(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        hub, "announce", lambda table_id: told.append(Table.objects.get(pk=table_id).state)
    )
    event = build.event(rounds=2, state=Event.State.READY)
    names = ("Robin", "Wren", "Jay", "Lark")
    house_events.simulate(
        event, [Player.objects.create(name=name, demonstration=True) for name in names]
    )
    assert told
    assert Table.State.PLAYING not in told
