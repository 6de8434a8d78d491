"""Webhooks are told final results, signed, once, again where that fails, and never from inside."""

import base64
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

import pytest
from django.core import mail
from django.db import connection, transaction

from games.models import Player
from tests.factories import logged_in, member
from tests.receiver import Receiver, receiving
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments import tasks
from tournaments.models import Club, Delivery, Event, Membership, Pairing, Webhook
from tournaments.refusals import RefusedError
from tournaments.services import correcting, deliveries, directing, letters, outside, webhooks

pytestmark = pytest.mark.django_db
PATIENCE = 60  # seconds before a hanging thread fails a test


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A program on this machine, to which webhooks may lead."""
    settings.WEBHOOKS_TO_PRIVATE = True
    settings.WEBHOOKS_HTTP_HOSTS = ["127.0.0.1", "localhost"]
    settings.SITE_URL = "https://euchre.example.org"
    with receiving() as one:
        yield one


def hook(to: Receiver, of: Club | None = None) -> tuple[Webhook, str]:
    return webhooks.make(of or build.club(), to.url)


def finished(club: Club) -> Event:
    """An event of two rounds, played to its end."""
    event = build.event(club, format=Event.Format.SWISS, rounds=2)
    build.enter(event, 4)
    build.play_to_end(event)
    return event


def messages(of: Receiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in of.received]


class TestMessages:
    def test_a_finished_event_tells_its_standings(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        event = finished(club)
        assert deliveries.send_due(NOON + 60 * MINUTE) == 1
        (message,) = messages(receiver)
        assert message["id"] == f"event-finished-{event.pk}"
        assert message["type"] == "event.finished"
        assert message["timestamp"].endswith("+00:00")
        assert message["data"]["event"]["id"] == event.pk
        assert message["data"]["event"]["state"] == "finished"
        assert message["data"]["event"]["url"] == f"https://euchre.example.org/events/{event.pk}/"
        lines = message["data"]["standings"]
        assert [line["place"] for line in lines] == sorted(line["place"] for line in lines)
        names = {person["name"] for line in lines for person in line["players"]}
        assert names == {"1", "2", "3", "4", "5", "6", "7", "8"}

    def test_a_correction_after_the_end_tells_what_changed(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        event = finished(club)
        match = Pairing.objects.filter(round__event=event, round__number=2).earliest("number")
        before = [match.points_0, match.points_1]
        winner = 1 - match.winner
        points = (10, 3) if winner == 0 else (3, 10)
        correcting.set_result(
            match, build.director(club), winner, points, reason="Misread.", now=NOON + 60 * MINUTE
        )
        deliveries.send_due(NOON + 60 * MINUTE)
        first, second = messages(receiver)
        assert (first["type"], second["type"]) == ("event.finished", "event.corrected")
        assert second["data"]["correction"]["before"]["points"] == before
        assert second["data"]["correction"]["after"]["points"] == list(points)
        assert second["data"]["standings"] != first["data"]["standings"]

    def test_a_correction_while_it_is_played_tells_nothing(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        event = build.event(club, format=Event.Format.SWISS, rounds=2)
        build.enter(event, 4)
        build.begin(event)
        match = build.latest(event).pairings.earliest("number")
        correcting.set_result(match, build.director(club), 0, (10, 3), reason="Paper.", now=NOON)
        assert deliveries.send_due(NOON) == 0

    def test_a_cancelled_event_tells_why(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        directing.cancel(build.event(club), build.director(club), "The hall is flooded.", NOON)
        deliveries.send_due(NOON)
        (message,) = messages(receiver)
        assert message["type"] == "event.cancelled"
        assert message["data"]["reason"] == "The hall is flooded."

    def test_what_is_taken_back_and_what_another_club_does_is_not_told(
        self, receiver: Receiver
    ) -> None:
        club = build.club()
        hook(receiver, build.club("The New Mill"))
        hook(receiver, club)
        with transaction.atomic():
            directing.cancel(build.event(club), build.director(club), "Rain.", NOON)
            transaction.set_rollback(True)
        directing.cancel(build.event(build.club("The Far Mill")), member("Theo"), "Rain.", NOON)
        assert deliveries.send_due(NOON) == 0

    def test_the_signature_is_that_of_the_specification(self, receiver: Receiver) -> None:
        webhook, secret = hook(receiver)
        webhooks.send_test(webhook, NOON)
        deliveries.send_due(NOON)
        (sent,) = receiver.received
        assert sent.path == "/hook"
        assert sent.headers["content-type"] == "application/json"
        assert sent.headers["host"] == receiver.url.split("/")[2]
        assert int(sent.headers["webhook-timestamp"]) == NOON.timestamp()
        assert "." not in sent.headers["webhook-id"]
        key = base64.b64decode(secret.removeprefix("whsec_"))
        parts = (sent.headers["webhook-id"], sent.headers["webhook-timestamp"], sent.body.decode())
        expected = hmac.new(key, ".".join(parts).encode(), hashlib.sha256).digest()
        assert sent.headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"

    def test_the_published_example_is_signed_as_published(self) -> None:
        key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        body = b'{"test": 2432232314}'
        signed = deliveries.signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
        assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    def test_the_secret_is_stored_encrypted(self, receiver: Receiver) -> None:
        webhook, secret = hook(receiver)
        key = base64.b64decode(secret.removeprefix("whsec_"))
        assert len(key) == 32
        assert key not in bytes(webhook.secret)
        assert webhooks.secret_of(Webhook.objects.get()) == key


class TestSending:
    def test_it_is_sent_once(self, receiver: Receiver) -> None:
        webhooks.send_test(hook(receiver)[0], NOON)
        assert deliveries.send_due(NOON - timedelta(seconds=1)) == 0
        assert deliveries.send_due(NOON) == 1
        assert deliveries.send_due(NOON + timedelta(days=9)) == 0
        delivery = Delivery.objects.get()
        assert (delivery.status, delivery.trouble, delivery.arrived) == (204, "", NOON)

    def test_what_fails_is_tried_ever_later_for_a_day_and_then_given_up(
        self, receiver: Receiver
    ) -> None:
        webhook = hook(receiver)[0]
        webhooks.send_test(webhook, NOON)
        receiver.status, now, waits = 500, NOON, []
        while True:
            assert deliveries.send_due(now) == 1
            delivery = Delivery.objects.get()
            assert (delivery.status, delivery.trouble) == (500, "The answer was 500.")
            if delivery.due is None:
                break
            assert deliveries.send_due(delivery.due - timedelta(seconds=1)) == 0
            waits.append(delivery.due - now)
            now = delivery.due
        assert waits == sorted(waits)
        assert timedelta(hours=23) < now - NOON < timedelta(hours=25)
        assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
        assert (
            len({one.headers["webhook-signature"] for one in receiver.received}) == len(waits) + 1
        )
        webhook.refresh_from_db()
        assert webhook.failures == len(waits) + 1

    def test_success_forgets_failures(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.send_test(webhook, NOON)
        receiver.status = 503
        deliveries.send_due(NOON)
        receiver.status = 200
        deliveries.send_due(NOON + MINUTE)
        webhook.refresh_from_db()
        assert webhook.failures == 0
        delivery = Delivery.objects.get()
        assert (delivery.status, delivery.trouble, delivery.attempts) == (200, "", 2)

    def test_redirects_are_not_followed(self, receiver: Receiver) -> None:
        webhooks.send_test(hook(receiver)[0], NOON)
        receiver.status, receiver.headers = 307, {"Location": receiver.url}
        deliveries.send_due(NOON)
        assert len(receiver.received) == 1
        assert Delivery.objects.get().trouble == "The answer was 307."

    def test_a_silent_receiver_is_not_waited_for(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outside, "LIMIT", 0.2)
        webhooks.send_test(hook(receiver)[0], NOON)
        receiver.status = 0
        deliveries.send_due(NOON)
        delivery = Delivery.objects.get()
        assert delivery.status is None
        assert delivery.trouble == "There was no answer within 0.2 seconds."

    def test_nobody_there(self, receiver: Receiver) -> None:
        with socket.create_server(("127.0.0.1", 0)) as unused:
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        webhooks.send_test(webhooks.make(build.club(), url)[0], NOON)
        deliveries.send_due(NOON)
        assert Delivery.objects.get().trouble.startswith("The connection failed")

    def test_after_many_failures_it_is_paused_and_the_owner_told(self, receiver: Receiver) -> None:
        club = build.club()
        build.joined(club, member("Maeve"), Membership.Role.OWNER)
        build.director(club)
        webhook = hook(receiver, club)[0]
        receiver.status = 500
        for number in range(deliveries.MOST_FAILURES):
            webhooks.send_test(webhook, NOON + number * MINUTE / 60)
            Delivery.objects.exclude(attempts=0).update(due=None)
            deliveries.send_due(NOON + MINUTE)
        webhook.refresh_from_db()
        assert webhook.paused
        letters.send_due(NOON + timedelta(days=1000))
        (letter,) = mail.outbox
        assert letter.to == ["maeve@example.com"]
        assert "The answer was 500." in letter.body
        assert f"/clubs/{club.slug}/webhooks/{webhook.pk}/" in letter.body

    def test_whoever_is_gone_is_asked_no_more(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.send_test(webhook, NOON)
        receiver.status = 410
        deliveries.send_due(NOON)
        webhook.refresh_from_db()
        assert webhook.paused

    def test_what_waits_while_paused_is_sent_on_resuming(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.pause(webhook)
        webhooks.send_test(webhook, NOON)
        assert deliveries.send_due(NOON) == 0
        webhooks.resume(webhook)
        assert deliveries.send_due(NOON) == 1

    def test_it_can_be_sent_again_under_the_same_id(self, receiver: Receiver) -> None:
        webhooks.send_test(hook(receiver)[0], NOON)
        deliveries.send_due(NOON)
        webhooks.send_again(Delivery.objects.get(), NOON + MINUTE)
        assert deliveries.send_due(NOON + MINUTE) == 1
        first, second = receiver.received
        assert first.body == second.body
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert first.headers["webhook-signature"] != second.headers["webhook-signature"]

    @pytest.mark.django_db(transaction=True)
    def test_workers_that_send_at_once_send_each_message_once(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        for _number in range(30):
            webhooks.send_test(webhook, NOON)

        def work(_worker: int) -> int:
            try:
                return deliveries.send_due(NOON)
            finally:
                connection.close()

        with ThreadPoolExecutor(3) as workers:
            assert sum(workers.map(work, range(3))) == 30
        assert len({one.headers["webhook-id"] for one in receiver.received}) == 30
        assert len(receiver.received) == 30

    @pytest.mark.django_db(transaction=True)
    def test_the_task_sends_on_a_thread_of_its_own(self, receiver: Receiver, settings: Any) -> None:
        name = settings.CELERY_BEAT_SCHEDULE["send-webhooks"]["task"]
        assert name == tasks.send_webhooks.name
        webhooks.send_test(hook(receiver)[0], NOON)
        tasks.send_webhooks()
        assert deliveries._at_it.acquire(timeout=PATIENCE)
        deliveries._at_it.release()
        assert len(receiver.received) == 1


class TestWhereTheyLead:
    @pytest.mark.parametrize(
        ("address", "private"),
        [
            ("127.0.0.1", True),
            ("10.1.2.3", True),
            ("172.16.0.1", True),
            ("192.168.1.1", True),
            ("169.254.169.254", True),
            ("100.64.0.1", True),
            ("0.0.0.1", True),
            ("224.0.0.1", True),
            ("::1", True),
            ("fe80::1", True),
            ("fd00::1", True),
            ("::ffff:10.0.0.1", True),
            ("2002:a00:1::", True),
            ("64:ff9b::a00:1", True),
            ("93.184.216.34", False),
            ("64:ff9b::5db8:d822", False),
            ("2606:4700::1111", False),
        ],
    )
    def test_what_is_private(self, address: str, private: bool) -> None:
        assert outside.private(ip_address(address)) == private

    def test_a_name_that_leads_inside_is_refused_without_a_connection(
        self, receiver: Receiver, settings: Any
    ) -> None:
        webhook = hook(receiver)[0]
        settings.WEBHOOKS_TO_PRIVATE = False
        Webhook.objects.update(url=receiver.url.replace("127.0.0.1", "localhost"))
        webhooks.send_test(webhook, NOON)
        deliveries.send_due(NOON)
        assert receiver.received == []
        trouble = Delivery.objects.get().trouble
        assert trouble == "localhost is in a private network, and that is not allowed."

    def test_a_name_is_asked_for_once_and_the_answer_kept_to(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        settings.WEBHOOKS_HTTP_HOSTS = ["mill.example"]
        port = int(receiver.url.split(":")[2].split("/")[0])
        asked = []

        def resolve(host: str, *_args: Any, **_kwargs: Any) -> list[Any]:
            asked.append(host)
            where = ("127.0.0.1", port) if host in ("mill.example", "127.0.0.1") else ("::1", port)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", where)]

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        webhook = webhooks.make(build.club(), f"http://mill.example:{port}/hook")[0]
        webhooks.send_test(webhook, NOON)
        deliveries.send_due(NOON)
        assert receiver.received[0].headers["host"] == f"mill.example:{port}"
        assert asked.count("mill.example") == 1

    @pytest.mark.parametrize(
        ("url", "why"),
        [
            ("http://example.org/", "must begin with https://"),
            ("ftp://example.org/", "must begin with https://"),
            ("https://maeve:secret@example.org/", "user name or a password"),
            ("https:///path", "names no host"),
            ("https://example.org:port/", "not an address"),
        ],
    )
    def test_what_is_no_address_for_it(self, url: str, why: str) -> None:
        with pytest.raises(RefusedError, match=why) as refused:
            webhooks.make(build.club(), url)
        assert refused.value.status == 422

    def test_plain_http_only_where_the_site_allows_it(self, settings: Any) -> None:
        settings.WEBHOOKS_HTTP_HOSTS = ["mill.example"]
        assert webhooks.make(build.club(), "http://mill.example/hook")

    def test_a_club_has_few_and_each_once(self) -> None:
        club = build.club()
        for number in range(webhooks.MOST):
            webhooks.make(club, f"https://example.org/{number}")
        with pytest.raises(RefusedError, match="remove one first"):
            webhooks.make(club, "https://example.org/another")
        Webhook.objects.first().delete()  # type: ignore[union-attr]
        with pytest.raises(RefusedError, match="already"):
            webhooks.make(club, "https://example.org/4")


class TestPages:
    @pytest.fixture
    def owner(self) -> Player:
        maeve = member("Maeve")
        build.joined(build.club(), maeve, Membership.Role.OWNER)
        return maeve

    def test_the_secret_is_shown_once(self, owner: Player) -> None:
        path = "/clubs/the-old-mill/webhooks/"
        browser = logged_in(owner)
        made = browser.post(path, {"url": "https://example.org/euchre"})
        assert made.status_code == 201
        secret = base64.b64encode(webhooks.secret_of(Webhook.objects.get())).decode()
        assert f"whsec_{secret}" in made.content.decode().replace("&#x3D;", "=")
        assert "no-store" in made.headers["Cache-Control"]
        shown = browser.get(path).content.decode()
        assert "https://example.org/euchre" in shown
        assert "whsec_" not in shown

    def test_a_wrong_address_is_told_beside_the_field(self, owner: Player) -> None:
        answer = logged_in(owner).post(
            "/clubs/the-old-mill/webhooks/", {"url": "http://example.org/"}
        )
        assert answer.status_code == 422
        assert "The address must begin with https://" in answer.content.decode()
        assert not Webhook.objects.exists()

    def test_the_page_tells_what_became_of_each_message(
        self, owner: Player, receiver: Receiver
    ) -> None:
        webhook = hook(receiver, Club.objects.get())[0]
        browser, path = logged_in(owner), f"/clubs/the-old-mill/webhooks/{webhook.pk}/"
        browser.post(f"{path}test")
        assert "Waiting" in browser.get(path).content.decode()
        receiver.status = 500
        deliveries.send_due(NOON + timedelta(days=9999))
        assert "The answer was 500." in browser.get(path).content.decode()
        browser.post(f"{path}deliveries/{Delivery.objects.get().pk}/again")
        receiver.status = 200
        deliveries.send_due(NOON + timedelta(days=9999))
        assert "Arrived" in browser.get(path).content.decode()

    def test_pausing_and_removing(self, owner: Player) -> None:
        webhook = webhooks.make(Club.objects.get(), "https://example.org/euchre")[0]
        browser, path = logged_in(owner), f"/clubs/the-old-mill/webhooks/{webhook.pk}/"
        browser.post(f"{path}pause")
        assert "Paused" in browser.get(path).content.decode()
        browser.post(f"{path}resume")
        assert "Paused" not in browser.get(path).content.decode()
        browser.post(f"{path}remove")
        assert browser.get(path).status_code == 404

    def test_one_of_another_club_is_not_found(self, owner: Player) -> None:
        other = webhooks.make(build.club("The New Mill"), "https://example.org/euchre")[0]
        path = f"/clubs/the-old-mill/webhooks/{other.pk}/"
        assert logged_in(owner).get(path).status_code == 404
        assert logged_in(owner).post(f"{path}remove").status_code == 404

    @pytest.mark.django_db
    def test_few_queries(self, owner: Player, django_assert_max_num_queries: Any) -> None:
        webhook = webhooks.make(Club.objects.get(), "https://example.org/euchre")[0]
        for _number in range(40):
            webhooks.send_test(webhook, NOON)
        browser = logged_in(owner)
        with django_assert_max_num_queries(12):
            browser.get(f"/clubs/the-old-mill/webhooks/{webhook.pk}/")
        with django_assert_max_num_queries(12):
            browser.get("/clubs/the-old-mill/webhooks/")
