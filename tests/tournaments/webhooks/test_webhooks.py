"""Webhooks are told what is final, signed as the specification has it."""

import base64
import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from tests.factories import Clock, member
from tests.receiver import Receiver
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, hook
from tournaments.acts import correcting, starting_and_ending
from tournaments.models import Club, Event, Pairing, Webhook
from tournaments.webhooks import deliveries, webhooks

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[3] / "docs/webhooks.md"


def finished(club: Club) -> Event:
    """An event of two rounds, played to its end."""
    event = build.event(club, format="swiss", rounds=2)
    build.enter(event, 4)
    build.play_to_end(event)
    return event


def messages(of: Receiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in of.received]


class TestMessages:
    def test_finished_event_sends_its_standings(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        event = finished(club)
        assert deliveries.send_due(Clock(NOON + 60 * MINUTE)) == 1
        (message,) = messages(receiver)
        assert message["id"] == f"event-finished-{event.pk}"
        assert message["type"] == "event.finished"
        assert message["timestamp"].endswith("+00:00")
        assert message["data"]["event"]["id"] == event.pk
        assert message["data"]["event"]["state"] == "finished"
        assert "version" not in message["data"]["event"]  # it moves on while this is written
        assert message["data"]["event"]["url"] == f"https://euchre.example.org/events/{event.pk}/"
        lines = message["data"]["standings"]
        assert [line["place"] for line in lines] == sorted(line["place"] for line in lines)
        names = {person["name"] for line in lines for person in line["players"]}
        assert names == {"1", "2", "3", "4", "5", "6", "7", "8"}

    def test_correction_after_the_end_sends_the_changes(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        event = finished(club)
        match = Pairing.objects.filter(round__event=event, round__number=2).earliest("number")
        before = [match.points_0, match.points_1]
        winner = 1 - match.winner
        points = (5, 3) if winner == 0 else (3, 5)
        ruling, later = build.ruled(winner, points), NOON + 60 * MINUTE
        correcting.set_result(match, build.director(club), ruling, reason="Misread.", now=later)
        deliveries.send_due(Clock(NOON + 60 * MINUTE))
        second, first = sorted(messages(receiver), key=lambda one: one["type"])  # sent at once
        assert (first["type"], second["type"]) == ("event.finished", "event.corrected")
        assert second["data"]["correction"]["before"]["points"] == before
        assert second["data"]["correction"]["after"]["points"] == list(points)
        assert second["data"]["standings"] != first["data"]["standings"]

    def test_correction_during_play_sends_nothing(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        event = build.event(club, format="swiss", rounds=2)
        build.enter(event, 4)
        build.begin(event)
        match = build.latest(event).pairings.earliest("number")
        correcting.set_result(
            match, build.director(club), build.ruled(0, (5, 3)), reason="Paper.", now=NOON
        )
        assert deliveries.send_due(Clock(NOON)) == 0

    def test_cancelled_event_sends_its_reason(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, club)
        starting_and_ending.cancel(
            build.event(club), build.director(club), "The hall is flooded.", NOON
        )
        deliveries.send_due(Clock(NOON))
        (message,) = messages(receiver)
        assert message["type"] == "event.cancelled"
        assert message["data"]["reason"] == "The hall is flooded."

    def test_rolled_back_changes_and_other_clubs_send_nothing(self, receiver: Receiver) -> None:
        club = build.club()
        hook(receiver, build.club("The New Mill"))
        hook(receiver, club)
        with transaction.atomic():
            starting_and_ending.cancel(build.event(club), build.director(club), "Rain.", NOON)
            transaction.set_rollback(True)
        starting_and_ending.cancel(
            build.event(build.club("The Far Mill")), member("Theo"), "Rain.", NOON
        )
        assert deliveries.send_due(Clock(NOON)) == 0

    def test_signature_follows_the_specification(self, receiver: Receiver) -> None:
        webhook, secret = hook(receiver)
        webhooks.send_test(webhook, NOON)
        deliveries.send_due(Clock(NOON))
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

    def test_documented_check_detects_a_changed_message(self, receiver: Receiver) -> None:
        block = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)[0]
        example: dict[str, Any] = {}
        exec(block, example)  # noqa: S102 - it is the documentation's own
        webhook, secret = hook(receiver)
        webhooks.send_test(webhook, timezone.now())
        deliveries.send_due()
        (sent,) = receiver.received
        assert example["genuine"](sent.headers, sent.body, secret)
        assert not example["genuine"](sent.headers, sent.body + b" ", secret)
        late = sent.headers | {"webhook-timestamp": "1614265330"}
        assert not example["genuine"](late, sent.body, secret)

    def test_the_secret_is_stored_encrypted(self, receiver: Receiver) -> None:
        webhook, secret = hook(receiver)
        key = base64.b64decode(secret.removeprefix("whsec_"))
        assert len(key) == 32
        assert key not in bytes(webhook.secret)
        assert webhooks.secret_of(Webhook.objects.get()) == key
