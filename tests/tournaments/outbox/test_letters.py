"""Letters are written once, sent once, and tried again where that fails."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any, ClassVar

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection, transaction
from structlog.testing import capture_logs

from games.models import Player
from tests.factories import Clock, member, player
from tests.tournaments.build import NOON
from tournaments import tasks
from tournaments.models import Letter
from tournaments.outbox import letters

pytestmark = pytest.mark.django_db
PATIENCE = 60  # seconds before a hanging thread fails a test
SITE = "https://euchre.example.org"
CLUB = {"name": "The Old Mill", "slug": "the-old-mill"}


class Broken(EmailBackend):
    """A mail server that fails with `error` on letters to Maeve.

    `tried` has the addresses it was given, `ids` the Message-IDs.
    """

    error: ClassVar[Exception]
    tried: ClassVar[list[str]]
    ids: ClassVar[list[str]]

    def send_messages(self, messages: Any) -> int:
        """Fail as SMTP does."""
        Broken.tried += [to for message in messages for to in message.to]
        Broken.ids += [message.message()["Message-ID"] for message in messages]
        if self.tried[-1] == "maeve@example.com":
            raise self.error
        return super().send_messages(messages)


class Slow(EmailBackend):
    """A mail server that takes its time."""

    asked, answers = threading.Event(), threading.Event()

    def send_messages(self, messages: Any) -> int:
        """Wait until it may answer."""
        self.asked.set()
        self.answers.wait(PATIENCE)
        return super().send_messages(messages)


class Lasting(EmailBackend):
    """A mail server that takes 50 seconds for a letter; during the third another worker comes."""

    clock: ClassVar[Clock]

    def send_messages(self, messages: Any) -> int:
        """Take the letter once the time has passed."""
        Lasting.clock.advance(50)
        if len(mail.outbox) == 2:
            assert letters.send_due(Lasting.clock) == 0
        return super().send_messages(messages)


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL, settings.SITE_NAME = SITE, "Bower"


@pytest.fixture
def broken(settings: Any) -> type[Broken]:
    """The mail server is broken for Maeve."""
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    Broken.tried, Broken.ids = [], []
    Broken.error = SMTPRecipientsRefused({"maeve@example.com": (550, b"no such mailbox")})
    return Broken


def write(*players: Player, subject: str = "Tea", author: str = "Ada", text: str = "At 8.") -> None:
    """Write a letter, due at noon: the announcement's, any would do."""
    said = {"author": Player(name=author), "text": text}
    letters.write("announcement 1", players, subject, "announcement", club=CLUB, announcement=said)
    Letter.objects.update(due=NOON)


def test_a_letter_is_plain_text_with_whole_links_and_the_way_to_stop_it() -> None:
    write(member(), author="Ada O'Neil & Co", text='Tea <b>at</b> "eight".')
    assert letters.send_due(Clock(NOON)) == 1
    (sent,) = mail.outbox
    assert (sent.subject, sent.to) == ("Bower: Tea", ["maeve@example.com"])
    assert sent.body.startswith("Ada O'Neil & Co writes to the members of The Old Mill:\n\n")
    assert 'Tea <b>at</b> "eight".' in sent.body
    assert f"\n{SITE}/clubs/the-old-mill/announcements/\n" in sent.body
    assert sent.body.endswith(f"Choose what you get: {SITE}/you/notifications/\n")
    assert sent.extra_headers["List-Unsubscribe"] == f"<{SITE}/you/notifications/>"


def test_letter_goes_to_accounts_only_and_is_written_once() -> None:
    people = member(), member("Ben"), player("Iris")
    write(*people)
    write(*people)
    assert letters.send_due(Clock(NOON)) == 2
    assert [sent.to for sent in mail.outbox] == [["maeve@example.com"], ["ben@example.com"]]


def test_letter_is_sent_once_when_due() -> None:
    write(member())
    assert letters.send_due(Clock(NOON - timedelta(seconds=1))) == 0
    assert letters.send_due(Clock(NOON)) == 1
    assert letters.send_due(Clock(NOON + timedelta(days=9))) == 0
    assert Letter.objects.get().sent == NOON


def test_letter_of_a_rolled_back_change_is_never_sent() -> None:
    with transaction.atomic():
        write(member())
        transaction.set_rollback(True)
    assert letters.send_due(Clock(NOON)) == 0


def test_a_subject_is_one_line_that_fits() -> None:
    write(member(), subject="Tea\r\nBcc: otto@example.com\n" + "x" * 200)
    letters.send_due(Clock(NOON))
    (sent,) = mail.outbox
    assert sent.subject.startswith("Bower: Tea Bcc: otto@example.com xxx")
    assert len(Letter.objects.get().subject) == 150
    assert sent.recipients() == ["maeve@example.com"]


def test_failed_letter_is_retried_with_growing_delays_and_given_up(
    broken: type[Broken],
) -> None:
    write(member())
    now, waits = NOON, []
    with capture_logs() as lines:
        while True:
            assert letters.send_due(Clock(now)) == 0
            due = Letter.objects.get().due
            if due is None:
                break
            assert letters.send_due(Clock(due - timedelta(seconds=1))) == 0
            waits.append(due - now)
            now = due
    assert [wait.total_seconds() / 60 for wait in waits] == [1, 5, 30, 120, 720]
    assert len(broken.tried) == 6
    assert [line["event"] for line in lines] == ["letter not sent"] * 5 + ["letter given up"]
    assert "maeve" not in str(lines)
    assert Letter.objects.get().sent is None


def test_failed_letter_does_not_delay_others(broken: type[Broken]) -> None:
    write(member(), member("Ben"), member("Iris"))
    assert [letters.send_due(Clock(NOON)), letters.send_due(Clock(NOON))] == [0, 2]
    assert broken.tried == ["maeve@example.com", "ben@example.com", "iris@example.com"]


@pytest.mark.parametrize(
    "error", [SMTPServerDisconnected(), TimeoutError(), ConnectionRefusedError()]
)
def test_a_lost_mail_server_ends_the_run_and_the_letter_is_kept(
    broken: type[Broken], error: Exception
) -> None:
    broken.error = error
    write(member(), member("Ben"))
    assert letters.send_due(Clock(NOON)) == 0
    assert broken.tried == ["maeve@example.com"]
    assert Letter.objects.filter(due__isnull=False, sent=None).count() == 2


def test_every_attempt_has_the_same_message_id(settings: Any, broken: type[Broken]) -> None:
    write(member())
    letters.send_due(Clock(NOON))
    (first,) = broken.ids
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    letters.send_due(Clock(NOON + timedelta(minutes=1)))
    assert mail.outbox[0].message()["Message-ID"] == first
    assert first.endswith("@euchre.example.org>")


def test_closed_account_gets_no_letter() -> None:
    maeve = member()
    assert maeve.user is not None
    write(maeve)
    maeve.user.is_active = False
    maeve.user.save()
    assert letters.send_due(Clock(NOON)) == 0


def test_letters_not_sent_can_be_kept_back() -> None:
    maeve, ben = member(), member("Ben")
    write(maeve, ben)
    Letter.objects.filter(user=maeve.user).update(sent=NOON, due=None)
    letters.delete_unsent("announcement 1")
    assert [letter.user_id for letter in Letter.objects.all()] == [maeve.user_id]
    letters.delete_unsent("announcement")
    assert Letter.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_task_sends_due_letters_despite_a_silent_mail_server(
    settings: Any,
) -> None:
    assert settings.CELERY_BEAT_SCHEDULE["send-letters"]["task"] == tasks.send_letters.name
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    write(member(), member("Ben"))

    def work() -> None:
        try:
            tasks.send_letters()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as worker:
        first = worker.submit(work)
        assert Slow.asked.wait(PATIENCE)
        tasks.send_letters()  # returns at once, and sends nothing
        assert mail.outbox == []
        Slow.answers.set()
        first.result(PATIENCE)
    assert {sent.to[0] for sent in mail.outbox} == {"maeve@example.com", "ben@example.com"}


def test_late_claim_in_a_long_run_is_not_sent_twice(settings: Any) -> None:
    """Each of three letters takes 50 seconds; as the last one goes out another worker looks."""
    settings.EMAIL_BACKEND = f"{__name__}.Lasting"
    Lasting.clock = Clock(NOON)
    write(member(), member("Ben"), member("Iris"))
    assert letters.send_due(Lasting.clock) == 3
    assert sorted(sent.to[0] for sent in mail.outbox) == [
        "ben@example.com", "iris@example.com", "maeve@example.com",
    ]  # fmt: skip
    moments = sorted(letter.sent for letter in Letter.objects.all() if letter.sent)
    assert [(moment - NOON).total_seconds() for moment in moments] == [50, 100, 150]


@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_send_each_letter_once() -> None:
    write(*(member(f"Member{number}") for number in range(30)))

    def work(_worker: int) -> int:
        try:
            return letters.send_due(Clock(NOON))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        assert sum(workers.map(work, range(4))) == 30
    assert len({tuple(sent.to) for sent in mail.outbox}) == len(mail.outbox) == 30
