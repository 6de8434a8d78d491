"""Reminders by e-mail: who gets one, when, once for each start, and never after it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Player
from games.notifying import choices
from games.notifying.kinds import Way
from games.play.outages import WEB
from games.sockets import heartbeats
from tests.factories import Clock, member, player
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.running.test_outages import away
from tournaments.acts import starting_and_ending
from tournaments.entering import entering
from tournaments.models import Entry, Event, Letter
from tournaments.outbox import letters
from tournaments.running import clock, reminding
from tournaments.setting_up import setting_up

pytestmark = [pytest.mark.django_db, pytest.mark.db]

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
WEEK_BEFORE = NOON - 7 * DAY
REMINDER = "Reminder: Thursday euchre"


def confirmed(name: str = "Maeve", **wanted: bool) -> Player:
    """A member with a confirmed address; wanted: which reminders, if they have chosen."""
    who = member(name)
    assert who.user is not None
    EmailAddress.objects.create(user=who.user, email=who.user.email, verified=True, primary=True)
    if wanted:
        choices.choose(who, {(kind, Way.MAIL): on for kind, on in wanted.items()})
    return who


def coming(*players: Player, **fields: Any) -> Event:
    """An event set up a week before its start, entered by these then."""
    event = build.event(
        **{"created": WEEK_BEFORE, "registration_opens": WEEK_BEFORE, "due": WEEK_BEFORE, **fields}
    )
    build.let_in(event, players)
    tick(event, WEEK_BEFORE)
    return event


def tick(event: Event, now: datetime) -> Event:
    clock.tick(now)
    event.refresh_from_db()
    assert not event.trouble
    return event


def written() -> list[tuple[str, str]]:
    """To whom reminders are written, and which ones, in order."""
    rows = Letter.objects.filter(subject=REMINDER).order_by("pk")
    return [(row.user.player.name, row.key.split()[2]) for row in rows if row.user is not None]


def sent(now: datetime) -> list[str]:
    """Send what is due; to whom it went, in order of addresses."""
    mail.outbox.clear()
    Letter.objects.filter(due__isnull=False).update(due=now)
    letters.send_due(Clock(now))
    return sorted(message.to[0].partition("@")[0] for message in mail.outbox)


class TestWhen:
    def test_players_are_reminded_a_day_before_unless_they_chose_otherwise(self) -> None:
        event = coming(
            confirmed(),
            confirmed("Ben", day_before=True, hour_before=True),
            confirmed("Iris", day_before=False, hour_before=True),
            confirmed("Jonah", day_before=False, hour_before=False),
        )
        assert event.due == NOON - DAY
        tick(event, NOON - DAY - timedelta(seconds=1))
        assert written() == []
        tick(event, NOON - DAY)
        assert written() == [("Maeve", "day_before"), ("Ben", "day_before")]
        assert event.due == NOON - HOUR
        tick(event, NOON - HOUR)
        assert written()[2:] == [("Ben", "hour_before"), ("Iris", "hour_before")]
        assert event.due == NOON

    def test_a_late_tick_writes_one_letter_to_each_player(self) -> None:
        event = coming(
            confirmed(),
            confirmed("Ben", day_before=True, hour_before=True),
            confirmed("Iris", day_before=False, hour_before=True),
        )
        tick(event, NOON - MINUTE)
        assert written() == [
            ("Maeve", "day_before"), ("Ben", "hour_before"), ("Iris", "hour_before"),
        ]  # fmt: skip
        assert event.due == NOON

    def test_nobody_is_reminded_once_it_has_started(self) -> None:
        event = coming(*(confirmed(name) for name in ("Maeve", "Ben", "Iris", "Jonah")))
        tick(event, NOON)
        assert event.state == Event.State.RUNNING
        assert written() == []

    def test_after_an_outage_the_letter_says_the_postponed_start_once(self) -> None:
        event = coming(confirmed(day_before=False, hour_before=True), check_in_minutes=30)
        heartbeats.beat(WEB, NOON - 2 * HOUR)
        back = away(NOON - 2 * HOUR, timedelta(minutes=95))
        tick(event, back)
        assert event.starts > NOON
        (letter,) = Letter.objects.filter(subject=REMINDER)
        assert f"{event.starts:%H:%M} UTC" in letter.text
        tick(event, NOON)
        assert len(written()) == 1

    def test_who_enters_later_is_not_reminded_of_times_that_have_passed(self) -> None:
        event = coming(confirmed())
        tick(event, NOON - DAY)
        entering.register(event, confirmed("Ben", day_before=True, hour_before=True), NOON - HOUR)
        tick(event, NOON - HOUR)
        assert written() == [("Maeve", "day_before"), ("Ben", "hour_before")]

    def test_an_event_set_up_too_late_has_no_reminder(self) -> None:
        event = coming(confirmed(), created=NOON - 3 * HOUR, due=NOON - 3 * HOUR)
        tick(event, NOON - 2 * HOUR)
        assert (written(), event.due) == ([], NOON - HOUR)

    def test_the_letter_about_check_in_is_the_reminder_at_the_same_time(self) -> None:
        event = coming(confirmed(day_before=False, hour_before=True), check_in_minutes=60)
        tick(event, NOON - HOUR)
        assert [letter.subject for letter in Letter.objects.all()] == [
            "Check in now: Thursday euchre"
        ]

    def test_players_are_reminded_during_check_in_too(self) -> None:
        event = coming(confirmed(hour_before=True), check_in_minutes=120, registration_closes=NOON)
        tick(event, NOON - 2 * HOUR)
        assert event.due == NOON - HOUR
        tick(event, NOON - HOUR)
        assert written() == [("Maeve", "day_before"), ("Maeve", "hour_before")]

    def test_a_moved_start_reminds_again_and_the_same_start_never_twice(self) -> None:
        event, ada = coming(confirmed()), build.director(build.club("Lakeside"))
        tick(event, NOON - DAY)
        assert sent(NOON - DAY) == ["maeve"]
        self.move(event, NOON + 7 * DAY, ada, NOON - HOUR)
        tick(event, NOON + 6 * DAY)
        assert sent(NOON + 6 * DAY).count("maeve")
        keys = list(Letter.objects.filter(subject=REMINDER).values_list("key", flat=True))
        assert [key.split()[3] for key in keys] == ["202603071200", "202603141200"]
        self.move(event, NOON + 8 * DAY, ada, NOON + 6 * DAY)
        self.move(event, NOON + 7 * DAY, ada, NOON + 6 * DAY - MINUTE)
        tick(event, NOON + 6 * DAY)
        assert len(written()) == 2, written()

    def test_a_start_moved_near_has_the_letter_about_it_and_no_reminder(self) -> None:
        event = coming(confirmed(), starts=NOON + 3 * DAY)
        self.move(event, NOON + HOUR / 2, build.director(build.club("Lakeside")), NOON)
        tick(event, NOON + MINUTE)
        assert written() == []
        assert Letter.objects.filter(subject="Another time: Thursday euchre").exists()

    @staticmethod
    def move(event: Event, starts: datetime, by: Player, now: datetime) -> None:
        wanted = Event.objects.get(pk=event.pk)
        wanted.starts = wanted.registration_closes = starts
        setting_up.change(event, wanted, by, now)
        event.refresh_from_db()


class TestWho:
    def test_only_players_with_a_place_and_a_confirmed_address(self) -> None:
        never_confirmed, not_yet, another = member("Ben"), confirmed("Otto"), confirmed("Clara")
        EmailAddress.objects.filter(user=not_yet.user).update(verified=False)
        EmailAddress.objects.filter(user=another.user).update(email="old@example.com")
        event = coming(confirmed(), never_confirmed, not_yet, another, player("Iris"))
        for number, state in enumerate(("waiting", "withdrawn"), start=11):
            entry = event.entries.create(state=state, arrival=number)
            who = confirmed(state)
            entry.players.create(event=event, player=who, active=state == "waiting")
        tick(event, NOON - DAY)
        assert written() == [("Maeve", "day_before")]

    def test_both_partners_are_reminded(self) -> None:
        event = coming(confirmed(), confirmed("Ben"), format="round_robin")
        tick(event, NOON - DAY)
        assert [name for name, _which in written()] == ["Maeve", "Ben"]

    def test_a_letter_not_sent_yet_is_not_sent_to_who_has_left(self) -> None:
        maeve, ben = confirmed(), confirmed("Ben")
        event = coming(maeve, ben)
        tick(event, NOON - DAY)
        entering.withdraw(event, ben, NOON - DAY)
        assert sent(NOON - DAY) == ["maeve"]
        entering.register(event, ben, NOON - 2 * HOUR)
        assert sent(NOON - 2 * HOUR) == ["ben"]

    def test_nor_once_the_event_is_cancelled_or_has_started_or_is_moved(self) -> None:
        players = [confirmed(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        ada = build.director(build.club("Lakeside"))
        cancelled, started, moved = (
            coming(*players, of=ada.memberships.get().club) for _number in range(3)
        )
        for event in (cancelled, started, moved):
            tick(event, NOON - DAY)
        assert len(written()) == 12
        starting_and_ending.cancel(cancelled, ada, "No heating.", NOON - HOUR)
        starting_and_ending.start_now(started, ada, NOON - HOUR)
        TestWhen.move(moved, NOON + 7 * DAY, ada, NOON - HOUR)
        Letter.objects.exclude(subject=REMINDER).delete()
        assert sent(NOON - HOUR) == []

    def test_nor_after_the_start_if_the_mail_server_was_away(self) -> None:
        event = coming(confirmed())
        tick(event, NOON - DAY)
        assert Letter.objects.filter(letters.to_be_sent(NOON - MINUTE)).count() == 1
        assert Letter.objects.filter(letters.to_be_sent(NOON)).count() == 0
        assert sent(NOON) == []


class TestText:
    def test_it_says_when_and_where_and_how_to_withdraw_and_to_stop(self, settings: Any) -> None:
        settings.SITE_URL = "https://euchre.example.org"
        event = coming(
            confirmed(),
            of=build.club("Lakeside", time_zone="Europe/Dublin"),
            starts=NOON + 120 * DAY,
            registration_closes=NOON + 120 * DAY,
            place="room",
            check_in_minutes=15,
        )
        tick(event, NOON + 119 * DAY)
        text = Letter.objects.get().text
        assert "Thursday euchre of Lakeside starts on Sunday 5 July, 13:00 Dublin time." in text
        assert "Place: In the room, with real cards." in text
        assert "within the 15 minutes before" in text
        assert f"\n{settings.SITE_URL}/events/{event.pk}/\n" in text
        assert "If you cannot come, withdraw there" in text
        assert f"or not at all: {settings.SITE_URL}/you/events/#reminders" in text


class Killed(EmailBackend):
    """A mail server during whose tenth letter the worker is killed."""

    def send_messages(self, messages: Sequence[Any]) -> int:
        """Take the letter, and leave as a killed process does: nothing after it is run."""
        taken = super().send_messages(messages) or 0
        if len(mail.outbox) == 10:
            raise KeyboardInterrupt
        return taken


class TestMany:
    def test_sixty_are_reminded_once_though_workers_are_killed_between(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        players = [confirmed(f"Member{number}") for number in range(60)]
        event = coming(*players)
        write, steps = letters.write, []

        def killed_at_the_second(*args: Any, **fields: Any) -> None:
            write(*args, **fields)
            steps.append(1)
            if len(steps) == 2:
                raise KeyboardInterrupt

        monkeypatch.setattr(letters, "write", killed_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            clock.tick(NOON - DAY)
        assert len(written()) == reminding.CHUNK, "what is committed is kept, the rest undone"
        tick(event, NOON - DAY)
        assert sorted(written()) == sorted((one.name, "day_before") for one in players)

        now = NOON - DAY
        Letter.objects.update(due=now)
        settings.EMAIL_BACKEND = f"{__name__}.Killed"
        with pytest.raises(KeyboardInterrupt):
            letters.send_due(Clock(now))
        for later in (now, now + MINUTE):  # the tenth letter becomes due again
            letters.send_due(Clock(later))
        ids: dict[str, set[str]] = {}
        for message in mail.outbox:
            ids.setdefault(message.to[0], set()).add(str(message.message()["Message-ID"]))
        assert len(ids) == 60
        assert len(mail.outbox) == 61
        assert all(len(mine) == 1 for mine in ids.values()), "a repeated letter keeps its name"

    def test_each_step_writes_few_letters_with_few_queries(self) -> None:
        event = coming(*(confirmed(f"Member{number}") for number in range(2 * reminding.CHUNK)))
        event.refresh_from_db()
        with CaptureQueriesContext(connection) as queries:
            assert reminding.write_some(event, NOON - DAY)
        assert len(written()) == reminding.CHUNK
        assert len(queries) <= 4

    def test_five_hundred_are_all_reminded_in_one_tick(self) -> None:
        event = coming(*(confirmed(f"Member{number}") for number in range(500)), capacity=500)
        tick(event, NOON - DAY)
        assert len(written()) == 500
        assert Entry.objects.filter(event=event).count() == 500
        assert event.due == NOON - HOUR
