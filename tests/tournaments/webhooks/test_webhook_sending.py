"""Messages are sent once, again where that fails, and never to where they may not lead."""

import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from django.core import mail
from django.db import connection

from tests.factories import Clock, member
from tests.loops import looped
from tests.receiver import Receiver
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, hook
from tournaments import tasks
from tournaments.models import Delivery, Membership, Webhook
from tournaments.outbox import letters, outside
from tournaments.refusals import RefusedError
from tournaments.webhooks import deliveries, webhooks

pytestmark = pytest.mark.django_db
#: IANA's special-purpose address registries for IPv4 and IPv6, without the blocks that stand for an
#: IPv4 address, and multicast.
SPECIAL_PURPOSE = (
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32",
    "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24",
    "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "192.175.48.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "255.255.255.255/32",
    "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32",
    "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32",
    "2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32",
    "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "ff00::/8",
)  # fmt: skip
PATIENCE = 60  # seconds before a hanging thread fails a test


class TestSending:
    def test_message_is_sent_once(self, receiver: Receiver) -> None:
        webhooks.send_test(hook(receiver)[0], NOON)
        assert deliveries.send_due(Clock(NOON - timedelta(seconds=1))) == 0
        assert deliveries.send_due(Clock(NOON)) == 1
        assert deliveries.send_due(Clock(NOON + timedelta(days=9))) == 0
        delivery = Delivery.objects.get()
        assert (delivery.status, delivery.trouble, delivery.arrived) == (204, "", NOON)

    def test_failed_message_is_retried_for_a_day_and_given_up(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.send_test(webhook, NOON)
        receiver.status, now, waits = 500, NOON, []
        while True:
            assert deliveries.send_due(Clock(now)) == 1
            delivery = Delivery.objects.get()
            assert (delivery.status, delivery.trouble) == (500, "The server responded with 500.")
            if delivery.due is None:
                break
            assert deliveries.send_due(Clock(delivery.due - timedelta(seconds=1))) == 0
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

    def test_settled_messages_are_deleted_after_a_month(
        self, receiver: Receiver, settings: Any
    ) -> None:
        settings.WEBHOOK_DAYS = 30
        webhook = hook(receiver)[0]
        for _ in range(2):
            webhooks.send_test(webhook, NOON)
        deliveries.send_due(Clock(NOON))
        given_up, again = Delivery.objects.all()
        Delivery.objects.filter(pk=given_up.pk).update(arrived=None)
        webhooks.send_again(again, NOON + timedelta(days=9))
        waiting = webhooks.send_test(webhook, NOON)
        month = NOON + timedelta(days=30)
        assert deliveries.remove_old(month) == 0
        assert deliveries.remove_old(month + MINUTE) == 1
        assert set(Delivery.objects.all()) == {again, waiting}
        Delivery.objects.filter(pk=again.pk).update(arrived=NOON + timedelta(days=9), due=None)
        assert deliveries.remove_old(month + timedelta(days=8)) == 0
        assert deliveries.remove_old(month + timedelta(days=10)) == 1
        assert Delivery.objects.get() == waiting
        scheduled = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
        assert tasks.remove_old_deliveries.name in scheduled

    def test_success_resets_failures(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.send_test(webhook, NOON)
        receiver.status = 503
        deliveries.send_due(Clock(NOON))
        receiver.status = 200
        deliveries.send_due(Clock(NOON + MINUTE))
        webhook.refresh_from_db()
        assert webhook.failures == 0
        delivery = Delivery.objects.get()
        assert (delivery.status, delivery.trouble, delivery.attempts) == (200, "", 2)

    def test_redirects_are_not_followed(self, receiver: Receiver) -> None:
        webhooks.send_test(hook(receiver)[0], NOON)
        receiver.status, receiver.headers = 307, {"Location": receiver.url}
        deliveries.send_due(Clock(NOON))
        assert len(receiver.received) == 1
        assert Delivery.objects.get().trouble == "The server responded with 307."

    def test_silent_receiver_times_out(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outside, "LIMIT", 0.2)
        webhooks.send_test(hook(receiver)[0], NOON)
        receiver.status = 0
        deliveries.send_due(Clock(NOON))
        delivery = Delivery.objects.get()
        assert delivery.status is None
        assert delivery.trouble == "There was no response within 0.2 seconds."

    def test_unreachable_receiver_fails(self, receiver: Receiver) -> None:
        with socket.create_server(("127.0.0.1", 0)) as unused:
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        webhooks.send_test(webhooks.make(build.club(), url)[0], NOON)
        deliveries.send_due(Clock(NOON))
        assert Delivery.objects.get().trouble.startswith("The connection failed")

    def test_webhook_is_paused_after_many_failures_and_its_owner_mailed(
        self, receiver: Receiver
    ) -> None:
        club = build.club()
        build.joined(club, member("Maeve"), Membership.Role.OWNER)
        build.director(club)
        webhook = hook(receiver, club)[0]
        receiver.status = 500
        for number in range(deliveries.MAX_FAILURES):
            webhooks.send_test(webhook, NOON + number * MINUTE / 60)
            Delivery.objects.exclude(attempts=0).update(due=None)
            deliveries.send_due(Clock(NOON + MINUTE))
        webhook.refresh_from_db()
        assert webhook.paused
        letters.send_due(Clock(NOON + timedelta(days=1000)))
        (letter,) = mail.outbox
        assert letter.to == ["maeve@example.com"]
        assert "The server responded with 500." in letter.body
        assert f"/clubs/{club.slug}/webhooks/{webhook.pk}/" in letter.body

    def test_http_gone_pauses_the_webhook(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.send_test(webhook, NOON)
        receiver.status = 410
        deliveries.send_due(Clock(NOON))
        webhook.refresh_from_db()
        assert webhook.paused

    def test_messages_waiting_while_paused_are_sent_on_resuming(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        webhooks.pause(webhook)
        webhooks.send_test(webhook, NOON)
        assert deliveries.send_due(Clock(NOON)) == 0
        webhooks.resume(webhook)
        assert deliveries.send_due(Clock(NOON)) == 1

    def test_message_can_be_sent_again_under_the_same_id(self, receiver: Receiver) -> None:
        webhooks.send_test(hook(receiver)[0], NOON)
        deliveries.send_due(Clock(NOON))
        webhooks.send_again(Delivery.objects.get(), NOON + MINUTE)
        assert deliveries.send_due(Clock(NOON + MINUTE)) == 1
        first, second = receiver.received
        assert first.body == second.body
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert first.headers["webhook-signature"] != second.headers["webhook-signature"]

    def test_message_is_claimed_and_signed_at_its_sending_time(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each of three messages takes 20 seconds, one after another."""
        clock, send = Clock(NOON), deliveries._send
        free_to_others: list[int] = []

        def lasting(claimed: Any, now: datetime) -> Any:
            clock.advance(20)
            free_to_others.append(Delivery.objects.filter(due__lte=clock.now).count())
            return send(claimed, now)

        monkeypatch.setattr(deliveries, "_send", lasting)
        monkeypatch.setattr(deliveries, "AT_ONCE", 1)
        webhook = hook(receiver)[0]
        for _ in range(3):
            webhooks.send_test(webhook, NOON)
        assert deliveries.send_due(clock) == 3
        assert free_to_others == [2, 1, 0]
        noon = int(NOON.timestamp())
        signed = [int(one.headers["webhook-timestamp"]) - noon for one in receiver.received]
        assert signed == [0, 20, 40]

    @pytest.mark.django_db(transaction=True)
    def test_concurrent_workers_send_each_message_once(self, receiver: Receiver) -> None:
        webhook = hook(receiver)[0]
        for _number in range(30):
            webhooks.send_test(webhook, NOON)

        def work(_worker: int) -> int:
            try:
                return deliveries.send_due(Clock(NOON))
            finally:
                connection.close()

        with ThreadPoolExecutor(3) as workers:
            assert sum(workers.map(work, range(3))) == 30
        assert len({one.headers["webhook-id"] for one in receiver.received}) == 30
        assert len(receiver.received) == 30

    def test_the_task_sends_what_is_due(self, receiver: Receiver, settings: Any) -> None:
        name = settings.CELERY_BEAT_SCHEDULE["send-webhooks"]["task"]
        assert name == tasks.send_webhooks.name
        webhooks.send_test(hook(receiver)[0], NOON)
        tasks.send_webhooks()
        assert len(receiver.received) == 1


class TestWhereTheyLead:
    @looped(
        "address, private",
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
            ("::", True),
            ("::10.0.0.1", True),
            ("::ffff:0:10.0.0.1", True),
            ("64:ff9b:1::a00:1", True),
            ("64:ff9b:1::5db8:d822", True),
            ("fec0::1", True),
            ("feff::1", True),
            ("3fff::1", True),
            ("192.0.0.1", True),
            ("192.0.0.8", True),
            ("::ffff:192.0.0.8", True),
            ("192.0.0.170", True),
            ("192.0.0.255", True),
            ("192.0.0.9", True),  # the nearest gateway of the own network
            ("192.0.0.10", True),
            ("192.0.1.1", False),
            ("3fff:fff:ffff::1", True),
            ("5f00::1", True),
            ("2001:db8::1", True),
            ("2001:0:a00:1::1", True),
            ("100::1", True),
            ("ff02::1", True),
            ("2002:5db8:d822::", False),
            ("::ffff:93.184.216.34", False),
            ("93.184.216.34", False),
            ("64:ff9b::5db8:d822", False),
            ("2606:4700::1111", False),
        ],
    )
    def test_private_addresses(self, address: str, private: bool) -> None:
        assert outside.private(ip_address(address)) == private

    @looped("block", SPECIAL_PURPOSE)
    def test_no_special_purpose_block_is_public(self, block: str) -> None:
        network = ip_network(block)
        assert outside.private(network[0])
        assert outside.private(network[-1])

    @looped(
        "block",
        [
            "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
            "192.88.99.0/24", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "2001:db8::/32", "2620:4f:8000::/48",
        ],
    )  # fmt: skip
    def test_neighbours_of_special_blocks_are_public(self, block: str) -> None:
        network = ip_network(block)
        assert not outside.private(network[-1] + 1)
        if block != "192.0.0.0/24":
            assert not outside.private(network[0] - 1)
        else:
            assert not outside.private(ip_address("191.255.255.255"))

    def test_name_resolving_to_a_private_address_is_refused_without_connecting(
        self, receiver: Receiver, settings: Any
    ) -> None:
        webhook = hook(receiver)[0]
        settings.WEBHOOKS_TO_PRIVATE = False
        Webhook.objects.update(url=receiver.url.replace("127.0.0.1", "localhost"))
        webhooks.send_test(webhook, NOON)
        deliveries.send_due(Clock(NOON))
        assert receiver.received == []
        trouble = Delivery.objects.get().trouble
        assert trouble == "localhost is in a private network, which is not allowed."

    def test_name_is_resolved_once_and_the_address_is_used(
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
        deliveries.send_due(Clock(NOON))
        assert receiver.received[0].headers["host"] == f"mill.example:{port}"
        assert asked.count("mill.example") == 1

    @pytest.mark.parametrize("url", ["https://8.8.8.8:99999/", f"https://{'a' * 64}.org/"])
    def test_failing_webhook_does_not_delay_others(self, receiver: Receiver, url: str) -> None:
        webhook = hook(receiver)[0]
        impossible = webhook.club.webhooks.create(url=url, secret=webhook.secret)
        for one in (impossible, webhook):
            webhooks.send_test(one, NOON)
        assert deliveries.send_due(Clock(NOON)) == 2
        assert len(receiver.received) == 1
        assert Delivery.objects.get(webhook=impossible).trouble
        assert Delivery.objects.get(webhook=webhook).arrived == NOON

    @pytest.mark.parametrize(
        ("url", "why"),
        [
            ("http://example.org/", "must start with https://"),
            ("ftp://example.org/", "must start with https://"),
            ("https://maeve:secret@example.org/", "user name or a password"),
            ("https:///path", "has no host"),
            ("https://example.org:port/", "not a URL"),
            ("https://example.org:99999/", "A port is a number from 1 to 65535, not 99999"),
            ("https://example.org:0/", "A port is a number from 1 to 65535, not 0"),
        ],
    )
    def test_invalid_webhook_addresses_are_refused(self, url: str, why: str) -> None:
        with pytest.raises(RefusedError, match=why) as refused:
            webhooks.make(build.club(), url)
        assert refused.value.status == 422

    def test_plain_http_only_where_the_site_allows_it(self, settings: Any) -> None:
        settings.WEBHOOKS_HTTP_HOSTS = ["mill.example"]
        assert webhooks.make(build.club(), "http://mill.example/hook")

    def test_webhooks_per_club_are_limited_and_unique(self) -> None:
        club = build.club()
        for number in range(webhooks.MAX_WEBHOOKS):
            webhooks.make(club, f"https://example.org/{number}")
        with pytest.raises(RefusedError, match="remove one first"):
            webhooks.make(club, "https://example.org/another")
        Webhook.objects.first().delete()  # type: ignore[union-attr]
        with pytest.raises(RefusedError, match="already"):
            webhooks.make(club, "https://example.org/4")
