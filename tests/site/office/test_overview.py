"""The staff overview: the state of the site, and how to fix problems."""

from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from euchre_site import __version__
from euchre_site.backups import backups
from euchre_site.health import doctor, local_checks, remote_checks
from euchre_site.health.findings import Finding, Level
from euchre_site.moderation import member_reports
from euchre_site.office import failures, overview, search
from games.models import Player, PushDevice, PushMessage, Seat, Table, TaskFailure
from games.people import limits
from games.people.house_players import house_players
from games.sockets import heartbeats
from games.tasks import close_left
from tests.factories import logged_in, member, people, player, table
from tests.served import free_port
from tests.site.factories import operator, post
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Event, Letter

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def found(title: str, now: datetime | None = None) -> Finding:
    """Return the finding with this title."""
    site = overview.overview(now or timezone.now())
    every = [*site.work, *site.waiting, *site.machine, *site.events]
    exactly = [one for one in every if one.title == title]
    (one,) = exactly or (one for one in every if one.title.startswith(title))
    return one


class TestServices:
    def test_services_that_never_ran_or_have_stopped(self) -> None:
        now = timezone.now()
        heartbeats.beat("ticks", now)
        heartbeats.beat("work", now - timedelta(hours=1))
        assert found("Schedule", now).details == "There has never been a heartbeat."
        assert found("Short tasks", now).level is Level.FINE
        late = found("Long tasks", now)
        assert (late.level, "since" in late.details, "work" in late.fix) == (
            Level.WRONG,
            True,
            True,
        )

    def test_the_last_backup(self) -> None:
        now = timezone.now()
        assert found("Backup", now).details == "None was ever made."
        heartbeats.beat("backup", now)
        assert found("Backup", now).level is Level.FINE
        assert found("Backup", now + timedelta(days=2)).level is Level.WRONG
        backups.note_failure()
        failed = found("Backup", now)
        assert failed.level is Level.WRONG
        assert failed.details.startswith("A backup failed on ")
        assert "The last backup was made on " in failed.details

    def test_without_problems_there_is_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for check in ("versions", "key_strength", "folder", "static_files", "addresses", "push"):
            monkeypatch.setattr(local_checks, check, lambda *_of: iter(()))
        # The server of the tests keeps nothing if its machine crashes.
        monkeypatch.setattr(remote_checks, "postgresql", lambda *_of: iter(()))
        monkeypatch.setattr(remote_checks, "mails", lambda _to: iter(()))
        for part in (*heartbeats.PARTS, "backup"):
            heartbeats.beat(part, timezone.now())
        assert overview.overview(timezone.now()).wrong == []
        page = logged_in(operator()).get(reverse("office")).content.decode()
        assert "All is well" in page

    def test_the_version_is_shown_without_an_installed_package(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nothing(name: str) -> str:
            raise metadata.PackageNotFoundError(name)

        monkeypatch.setattr(metadata, "version", nothing)
        page = logged_in(operator()).get(reverse("office"))
        assert f"Bower {__version__}," in page.content.decode()

    def test_all_staff_pages_are_for_staff_only(self) -> None:
        for browser in (Client(), logged_in(member()), logged_in(player("Ben"))):
            assert browser.get(reverse("office")).status_code == 404


class TestInstallation:
    """What `manage.py doctor` finds, the office says as well."""

    def test_without_redis_the_cause_comes_first_and_no_worker_is_to_be_started(
        self, settings: Any
    ) -> None:
        settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
        backups.note_failure()
        first, *others = overview.overview(timezone.now()).wrong
        assert first.title == "Redis cannot be used"
        assert "Start Redis" in first.fix
        waiting = [one.fix for one in others if one.title.endswith(": waits for Redis")]
        assert len(waiting) == len(heartbeats.PARTS)
        assert not [one for one in others if "Start a worker" in one.fix]

    def test_static_files_that_are_gone(self, settings: Any, tmp_path: Path) -> None:
        settings.STATIC_LIVE, settings.STATIC_ROOT = False, tmp_path
        settings.DATA_DIR = tmp_path
        assert found("Static files are not collected").level is Level.WRONG

    def test_mail_that_goes_to_files(self, settings: Any) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
        assert found("Mails are not sent").level is Level.NOTE

    def test_push_that_is_refused(self) -> None:
        device = PushDevice.objects.create(player=member(), endpoint="https://push.example/1")
        now = timezone.now()
        PushMessage.objects.create(key="one", device=device, due=None, until=now, tries=1)
        refused = found("Push messages are not taken", now)
        assert (refused.level, "push.example (1)" in refused.details) == (Level.NOTE, True)

    def test_the_same_findings_as_the_doctors(self) -> None:
        options, now = doctor.Options(), timezone.now()
        told = {one.title for one in doctor.run_checks(options, timezone.now)}
        services = {title for title, _fix in remote_checks.SERVICES.values()}
        shown = {one.title for one in overview.overview(now).machine}
        shown |= {one.title for one in overview.overview(now).work}
        missing = told - shown - {local_checks.HOUSE_PLAYERS, local_checks.REVIEWS}
        assert not {one for one in missing if not one.startswith(("Schedule", *services))}


class TestQueues:
    def test_reports_and_letters(self) -> None:
        now, maeve = timezone.now(), member()
        member_reports.make(maeve, player("Ben"), "name", "", now)
        assert maeve.user
        Letter.objects.create(key="one", user=maeve.user, subject="x", text="x", made=now)
        assert found("Reports of members", now).details.startswith("1 waiting, the oldest since ")
        assert found("Letters waiting", now).level is Level.FINE
        late = found("Letters waiting", now + timedelta(hours=2))
        assert (late.level, "EMAIL_URL" in late.fix) == (Level.WRONG, True)
        Letter.objects.update(due=None)
        assert found("Letters given up", now).details == "1 letter in 30 days."

    def test_people_at_tables(self) -> None:
        at = table(member(), *people(3))
        Seat.objects.filter(table=at, position=3).update(missing_since=timezone.now())
        assert found("People online").details == "3 people at tables"
        assert found("Tables in play").details == "1"
        Table.objects.update(state=Table.State.CLOSED)
        assert found("Tables in play").details == "0"


class TestEvents:
    def test_an_event_whose_step_failed(self) -> None:
        Event.objects.filter(pk=build.event().pk).update(trouble="KeyError: 3", tries=4)
        bad = found("Thursday euchre")
        assert (bad.level, "KeyError: 3" in bad.details) == (Level.WRONG, True)
        assert bad.link.endswith("/manage/")

    def test_an_event_that_has_stopped_or_is_paused(self) -> None:
        event = build.event(state=Event.State.RUNNING, due=NOON)
        assert found("Thursday euchre", NOON + timedelta(minutes=5)).details.startswith(
            "It has stopped"
        )
        Event.objects.filter(pk=event.pk).update(paused=NOON)
        assert found("Thursday euchre", NOON + timedelta(hours=5)).details.startswith(
            "Paused since"
        )

    def test_a_running_event_has_no_finding(self) -> None:
        build.event(state=Event.State.RUNNING, due=NOON + timedelta(minutes=1))
        assert overview.overview(NOON).events == []

    def test_a_table_without_players(self) -> None:
        event = build.event()
        build.enter(event, 8)
        build.begin(event)
        Event.objects.update(due=None)
        now = timezone.now()
        Seat.objects.filter(table__pairing__number=2).update(last_seen=now - timedelta(hours=1))
        Seat.objects.filter(table__pairing__number=1).update(last_seen=now)
        assert found("Thursday euchre", now).details == (
            "Nobody has been at table 2 for ten minutes."
        )


class TestFailures:
    def test_failures_are_counted_by_cause(self) -> None:
        now = timezone.now()
        for error in ("OSError", "OSError", "ValueError"):
            failures.count("games.tasks.sweep", error, now)
        counts = dict(TaskFailure.objects.values_list("error", "count"))
        assert counts == {"OSError": 2, "ValueError": 1}

    def test_a_failure_stores_no_arguments_or_message(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(_now: Any) -> None:
            raise RuntimeError("the hand is 9C JD")

        monkeypatch.setattr("games.tasks.closing.close_left", fails)
        close_left.apply()
        (noted,) = TaskFailure.objects.values_list("name", "error")
        assert noted == ("games.tasks.close_left", "RuntimeError")

    def test_the_number_of_causes_is_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(failures, "MAX_KEPT", 3)
        for number in range(5):
            failures.count(f"task {number}", "OSError", NOON + timedelta(minutes=number))
        assert set(TaskFailure.objects.values_list("name", flat=True)) == {
            "task 2", "task 3", "task 4",
        }  # fmt: skip

    def test_without_a_database_failures_are_only_logged(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(*_args: Any) -> None:
            raise DatabaseError("away")

        monkeypatch.setattr(failures, "count", away)
        failures.note_failure(sender=close_left, exception=OSError())

    def test_failures_can_be_cleared(self) -> None:
        failures.count("games.tasks.sweep", "OSError", timezone.now())
        opal = operator()
        assert "games.tasks.sweep" in logged_in(opal).get(reverse("office")).content.decode()
        assert post(opal, "office_clear_failures").status_code == 303
        assert not TaskFailure.objects.exists()


def test_often_refused_addresses_are_listed(settings: Any) -> None:
    settings.API_RATE_ANONYMOUS = 1
    for _ in range(limits.REFUSED_MUCH + 5):
        Client().get("/api/clubs", REMOTE_ADDR="192.0.2.7")
    Client().get("/api/clubs", REMOTE_ADDR="192.0.2.8")
    assert limits.refused_much() == [("192.0.2.7", limits.REFUSED_MUCH + 4)]


class SlowCache:
    """A cache that calls `meanwhile` while a first value is being written."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.meanwhile = [meanwhile]

    def __getattr__(self, verb: str) -> Any:
        return getattr(cache, verb)

    def set(self, *args: Any) -> None:
        if self.meanwhile:
            self.meanwhile.pop()()
        cache.set(*args)


@pytest.mark.parametrize(
    "where",
    ["memory", pytest.param("redis", marks=pytest.mark.redis)],
)
def test_concurrent_refusals_are_all_counted(
    where: str, settings: Any, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if where == "redis":
        backend = {"BACKEND": "euchre_site.caching.RedisOrMemoryCache", "KEY_PREFIX": "refusals"}
        address = request.getfixturevalue("redis_url")
        settings.CACHES = {"default": backend | {"LOCATION": address}}
    cache.clear()

    def refuse(address: str) -> None:
        for _ in range(limits.REFUSED_MUCH):
            limits.record_refusal(address)

    monkeypatch.setattr(limits, "cache", SlowCache(lambda: refuse("192.0.2.8")))
    refuse("192.0.2.7")
    assert sorted(limits.refused_much()) == [
        ("192.0.2.7", limits.REFUSED_MUCH),
        ("192.0.2.8", limits.REFUSED_MUCH),
    ]
    cache.clear()


def test_the_number_of_addresses_is_limited() -> None:
    for number in range(limits.MAX_LISTED + 5):
        for _ in range(limits.REFUSED_MUCH):
            limits.record_refusal(f"192.0.2.{number}")
    listed = {address for address, _times in limits.refused_much()}
    assert listed == {f"192.0.2.{number}" for number in range(5, limits.MAX_LISTED + 5)}


class TestSearch:
    def test_search_by_name_lookalike_mail_and_url(self) -> None:
        maeve, at = member("Maeve"), table(member("Ben"), *people(3))
        club = build.club()
        for words in ("maev", "M\u0430eve", "MAEVE@exam", f"/players/{maeve.pk}/"):
            assert search.find(words).players == [maeve], words
        invitation = f"https://example.org/tables/{at.pk}/join/{at.invite_token}/"
        assert "Ben" in [one.name for one in search.find(invitation).players]
        by_link = f"/clubs/{club.slug}/join/{club.invite_token}/"
        assert search.find(by_link).clubs == [club]
        assert search.find("old m").clubs == [club]
        event = build.event(club)
        assert search.find(f"/events/{event.pk}/").clubs == [club]

    @pytest.mark.parametrize(
        "words", ["/nowhere/", "//", "http://[", "/tables/99999999999999999999/", "\u0000/", "%"]
    )
    def test_an_unknown_url_finds_nothing(self, words: str) -> None:
        page = logged_in(operator()).get(reverse("office_accounts"), {"q": words})
        assert page.status_code == 200

    def test_house_players_are_not_found(self) -> None:
        house: Player = house_players(1)[0]
        browser = logged_in(operator())
        assert browser.get(reverse("office_player", args=[house.pk])).status_code == 404

    def test_an_account_without_a_player(self) -> None:
        maeve = member()
        user = maeve.user
        maeve.delete()
        assert user
        browser = logged_in(operator())
        shown = browser.get(reverse("office_accounts"), {"q": "maeve@"}).content.decode()
        assert reverse("office_user", args=[user.pk]) in shown
        assert browser.get(reverse("office_user", args=[user.pk])).status_code == 200
        done = post(browser, "office_ban", user.pk, long="good", reason="A robot.")
        assert done["Location"] == reverse("office_user", args=[user.pk])
