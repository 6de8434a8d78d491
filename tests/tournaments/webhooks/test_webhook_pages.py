"""The pages on which owners see to the webhooks of their club."""

import base64
from datetime import timedelta
from typing import Any

import pytest

from games.models import Player
from tests.factories import Clock, logged_in, member
from tests.receiver import Receiver
from tests.tournaments import build
from tests.tournaments.build import NOON, hook
from tournaments.models import Club, Delivery, Membership, Webhook
from tournaments.webhooks import deliveries, webhooks

pytestmark = pytest.mark.django_db


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

    def test_invalid_address_is_reported_beside_the_field(self, owner: Player) -> None:
        answer = logged_in(owner).post(
            "/clubs/the-old-mill/webhooks/", {"url": "http://example.org/"}
        )
        assert answer.status_code == 422
        assert "The URL must start with https://" in answer.content.decode()
        assert not Webhook.objects.exists()

    def test_page_shows_the_status_of_each_message(self, owner: Player, receiver: Receiver) -> None:
        webhook = hook(receiver, Club.objects.get())[0]
        browser, path = logged_in(owner), f"/clubs/the-old-mill/webhooks/{webhook.pk}/"
        browser.post(f"{path}test")
        assert "Waiting" in browser.get(path).content.decode()
        receiver.status = 500
        deliveries.send_due(Clock(NOON + timedelta(days=9999)))
        assert "The server responded with 500." in browser.get(path).content.decode()
        browser.post(f"{path}deliveries/{Delivery.objects.get().pk}/again")
        receiver.status = 200
        deliveries.send_due(Clock(NOON + timedelta(days=9999)))
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

    def test_webhook_of_another_club_is_not_found(self, owner: Player) -> None:
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
