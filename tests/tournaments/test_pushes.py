"""Push messages: received by a push service, and only what may be in them."""

import asyncio
import base64
import json
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import sync_to_async
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from games.engine.rules import HEADS_UP
from games.friends import inviting
from games.models import Player, PushDevice, PushMessage, QuietHours
from games.notifying import absent, choices, devices, keys, pushes
from games.notifying.kinds import NEWS, RESULTS, ROUND, TURN, Way
from games.quick import queue
from games.quick.queue import QuickWish
from tests import factories
from tests.factories import Clock, logged_in, member
from tests.games.friends.test_inviting import befriend
from tests.games.quick.test_rated import members as rated_players
from tests.games.quick.test_rated import together
from tests.push_service import LOCAL, Browser
from tests.receiver import Receiver, receiving
from tests.tournaments import build
from tournaments.acts import message_to_table, undoing
from tournaments.event_page.calls import calls_by_player
from tournaments.outbox import outside
from tournaments.outbox import pushes as outbox
from tournaments.outbox.pushes import DELAYS, payload_of, send_due

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture(name="service")
def push_service(settings: Any) -> Iterator[Receiver]:
    for name, value in LOCAL.items():
        setattr(settings, name, value)
    with receiving() as service:
        service.status = 201
        yield service


def subscribed(who: Player, service: Receiver) -> Browser:
    browser = Browser()
    devices.add(who, SessionStore(), browser.subscription(f"{service.url}/{who.pk}"), "Firefox")
    return browser


def test_a_push_arrives_encrypted_and_signed(service: Receiver) -> None:
    maeve = member()
    browser = subscribed(maeve, service)
    pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2: table 5", "/tables/9/", text="Thursday")
    assert send_due() == 1
    assert browser.read(service) == [
        {"title": "Round 2: table 5", "text": "Thursday", "path": "/tables/9/",
         "tag": "round /tables/9/"},
    ]  # fmt: skip
    headers = service.received[0].headers
    assert headers["content-encoding"] == "aes128gcm"
    assert 0 < int(headers["ttl"]) <= 600
    assert b"Thursday" not in service.received[0].body
    token, key = (
        part.partition("=")[2]
        for part in headers["authorization"].removeprefix("vapid ").split(",")
    )
    assert key == keys.public_key()
    signed, _, signature = token.rpartition(".")
    raw, claims = _bytes(signature), json.loads(_bytes(signed.partition(".")[2]))
    assert claims["aud"] == service.url.removesuffix("/hook")
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(key))
    halves = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    point.verify(utils.encode_dss_signature(*halves), signed.encode(), ec.ECDSA(SHA256()))


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_push_is_sent_once_to_those_who_chose_it(service: Receiver) -> None:
    maeve, ben = member(), member("Ben")
    browsers = [subscribed(one, service) for one in (maeve, ben)]
    choices.choose(ben, {(ROUND.key, Way.PUSH): False})
    for _ in range(2):
        pushes.queue(ROUND, "round 7", [maeve.pk, ben.pk], "Round 2", "/tables/9/")
        send_due()
    assert len(service.received) == 1
    assert service.received[0].path == f"/hook/{maeve.pk}"
    assert browsers[0].read(service)
    pushes.queue(NEWS, "news", [maeve.pk], "Off by default", "/")
    assert send_due() == 0


def test_a_message_has_nothing_but_words_a_path_and_a_tag(service: Receiver) -> None:
    device = PushDevice(endpoint=service.url, p256dh="secret", auth="secret")
    note = pushes.PushNote("T" * 500, "/tables/9/", "line\nbreak")
    made = pushes.message(device, TURN, "key", note, timezone.now())
    found = json.loads(payload_of(made))
    assert found.keys() == {"title", "text", "path", "tag"}
    assert len(found["title"]) == 150
    assert found["text"] == "line break"


class Services:
    """Two push services, of which one hangs until the other has been sent something.

    Attributes:
        order: what happened, in order.
    """

    HANGING, QUICK = "http://127.0.0.1:1001", "http://127.0.0.1:1002"

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.order: list[str] = []
        self.released = asyncio.Event()
        monkeypatch.setattr(outside, "post", self.post)
        monkeypatch.setattr(outbox, "LOOK_AGAIN", 0.01)

    async def post(self, url: str, _body: bytes, _headers: object) -> int:
        if url.startswith(self.QUICK):
            self.order.append("sent")
            self.released.set()
            return 201
        await self.on_hang()
        try:
            await asyncio.wait_for(self.released.wait(), 2.0)
        except TimeoutError:
            self.order.append("gave up")
        raise outside.UnreachableError("There was no response.")

    async def on_hang(self) -> None:
        """Do nothing else meanwhile."""

    def subscribe(self, count: int, origin: str) -> list[int]:
        found = []
        for number in range(count):
            who = member(f"P{origin[-1]}{number}")
            browser = Browser().subscription(f"{origin}/{who.pk}")
            devices.add(who, SessionStore(), browser, "Firefox")
            found.append(who.pk)
        return found


class TestHanging:
    def test_others_get_their_messages(
        self, service: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = Services(monkeypatch)
        now = timezone.now()
        hanging = services.subscribe(2 * outbox.AT_ONCE, services.HANGING)
        pushes.queue(ROUND, "round 7", hanging, "Round 2", "/", now=now - timedelta(seconds=9))
        quick = services.subscribe(1, services.QUICK)
        pushes.queue(ROUND, "round 7", quick, "Round 2", "/", now=now)
        assert send_due(Clock(now)) == 2 * outbox.AT_ONCE + 1
        assert services.order == ["sent"]

    def test_others_get_messages_that_come_meanwhile(
        self, service: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = Services(monkeypatch)
        now = timezone.now()
        quick = services.subscribe(1, services.QUICK)
        hanging = services.subscribe(1, services.HANGING)
        pushes.queue(ROUND, "round 7", hanging, "Round 2", "/", now=now)

        async def on_hang() -> None:
            await sync_to_async(pushes.queue)(ROUND, "8", quick, "Round 3", "/", now=now)

        monkeypatch.setattr(services, "on_hang", on_hang)
        assert send_due(Clock(now)) == 2
        assert services.order == ["sent"]

    def test_others_get_messages_after_another_worker_has_taken_one_of_theirs(
        self, service: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = Services(monkeypatch)
        now = timezone.now()
        people = services.subscribe(1, services.QUICK) + services.subscribe(1, services.HANGING)
        pushes.queue(ROUND, "round 7", people, "Round 2", "/", now=now)
        claim = outbox._claim

        def taken_once(of: str, at: datetime) -> list[PushMessage]:
            if of == services.QUICK:
                monkeypatch.setattr(outbox, "_claim", claim)
                return []
            return claim(of, at)

        monkeypatch.setattr(outbox, "_claim", taken_once)
        assert send_due(Clock(now)) == 2
        assert services.order == ["sent"]

    def test_no_message_is_tried_after_its_time(
        self, service: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = Services(monkeypatch)
        clock = Clock(timezone.now())
        people = services.subscribe(2 * outbox.AT_ONCE, services.HANGING)
        pushes.queue(ROUND, "round 7", people, "Round 2", "/", now=clock.now)

        async def on_hang() -> None:
            clock.now += pushes.SOON
            services.released.set()

        monkeypatch.setattr(services, "on_hang", on_hang)
        assert send_due(clock) == outbox.AT_ONCE

    def test_it_is_known_which_service_took_nothing_lately(
        self, service: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        maeve = member()
        subscribed(maeve, service)
        now = timezone.now()
        service.status = 403
        pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2", "/", now=now)
        assert outbox.refused_lately(now) == {}
        send_due(Clock(now))
        assert outbox.refused_lately(timezone.now()) == {"127.0.0.1": 1}
        assert outbox.refused_lately(timezone.now() + outbox.LATELY) == {}
        service.status = 201
        pushes.queue(ROUND, "round 8", [maeve.pk], "Round 3", "/", now=now)
        send_due(Clock(now))
        assert outbox.refused_lately(timezone.now()) == {}


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_forgotten(service: Receiver, status: int) -> None:
    maeve = member()
    subscribed(maeve, service)
    service.status = status
    pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2", "/")
    send_due()
    assert not PushDevice.objects.exists()
    assert not PushMessage.objects.exists()


def test_a_service_in_trouble_is_tried_again_while_it_is_of_use(service: Receiver) -> None:
    maeve = member()
    subscribed(maeve, service)
    service.status = 503
    now = timezone.now()
    pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2", "/", now=now)
    assert send_due(Clock(now)) == 1
    assert send_due(Clock(now)) == 0
    service.status = 201
    assert send_due(Clock(now + DELAYS[0])) == 1
    assert PushMessage.objects.get().sent is not None
    pushes.queue(ROUND, "round 8", [maeve.pk], "Round 3", "/", now=now)
    assert send_due(Clock(now + timedelta(minutes=11))) == 0


def test_a_refused_message_is_given_up(service: Receiver) -> None:
    maeve = member()
    subscribed(maeve, service)
    service.status = 403
    now = timezone.now()
    pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2", "/", now=now)
    send_due(Clock(now))
    assert send_due(Clock(now + DELAYS[0])) == 0
    assert PushDevice.objects.exists()


def test_a_host_that_is_allowed_no_more_is_not_asked(service: Receiver, settings: Any) -> None:
    maeve = member()
    subscribed(maeve, service)
    pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2", "/")
    settings.PUSH_HOSTS = ["push.services.mozilla.com"]
    send_due()
    assert not service.received


def test_a_name_of_a_push_service_in_the_own_network_is_not_asked(
    service: Receiver, settings: Any
) -> None:
    maeve = member()
    subscribed(maeve, service)
    settings.WEBHOOKS_TO_PRIVATE = False
    pushes.queue(ROUND, "round 7", [maeve.pk], "Round 2", "/")
    send_due()
    assert not service.received


class TestQuietHours:
    NIGHT = datetime(2026, 7, 1, 23, tzinfo=ZoneInfo("Europe/Dublin"))
    MORNING = datetime(2026, 7, 2, 7, 30, tzinfo=ZoneInfo("Europe/Dublin"))

    def asleep(self, service: Receiver, *, own_rounds: bool) -> Player:
        maeve = member()
        subscribed(maeve, service)
        QuietHours.objects.create(
            player=maeve, on=True, starts=time(22, 30), ends=time(7, 30), zone="Europe/Dublin",
            own_rounds=own_rounds,
        )  # fmt: skip
        choices.choose(maeve, {(RESULTS.key, Way.PUSH): True})
        return maeve

    def test_what_is_still_of_use_comes_when_they_end(self, service: Receiver) -> None:
        maeve = self.asleep(service, own_rounds=False)
        pushes.queue(RESULTS, "results", [maeve.pk], "You finished 1st", "/", now=self.NIGHT)
        pushes.queue(TURN, "turn", [maeve.pk], "Your turn", "/", now=self.NIGHT)
        assert send_due(Clock(self.NIGHT)) == 0
        assert send_due(Clock(self.MORNING)) == 1
        assert PushMessage.objects.get().title == "You finished 1st"

    def test_own_rounds_get_through_if_one_likes(self, service: Receiver) -> None:
        maeve = self.asleep(service, own_rounds=True)
        pushes.queue(ROUND, "round", [maeve.pk], "Round 2", "/", now=self.NIGHT)
        assert send_due(Clock(self.NIGHT)) == 1

    def test_a_test_gets_through(self, service: Receiver) -> None:
        maeve = self.asleep(service, own_rounds=False)
        browser = logged_in(maeve)
        device = str(maeve.push_devices.get().pk)
        for _ in range(2):
            browser.post("/you/notifications/test/", {"device": device})
        assert send_due() in (1, 2)  # the seconds may have turned between


class TestAbsent:
    def test_somebody_who_is_gone_is_called_once_a_turn(self, service: Receiver) -> None:
        people = factories.cast()
        at = factories.table(*people)
        game = at.games.get()
        game.turn, game.moved = 1, timezone.now()
        game.save()
        browser = subscribed(people[1], service)
        subscribed(people[2], service)
        now = game.moved + timedelta(seconds=5)
        absent.call_absent(now)
        assert not PushMessage.objects.exists()
        at.seats.filter(position=1).update(missing_since=game.moved)
        for _ in range(2):
            absent.call_absent(now)
        send_due(Clock(now))
        (found,) = browser.read(service)
        assert found["title"] == "Your turn"
        assert found["path"] == f"/tables/{at.pk}/"
        assert at.invite_token not in json.dumps(found)

    def test_a_house_player_who_stands_in_ends_it(self, service: Receiver) -> None:
        people = factories.cast()
        at = factories.table(*people)
        at.games.update(turn=1)
        subscribed(people[1], service)
        at.seats.filter(position=1).update(missing_since=timezone.now(), stand_in=True)
        absent.call_absent(timezone.now() + timedelta(seconds=30))
        assert not PushMessage.objects.exists()

    def test_a_quick_game_calls_whoever_has_not_come(self, service: Receiver) -> None:
        maeve = member()
        subscribed(maeve, service)
        logged_in(maeve).post("/play/now/", {"rules": "classic-24"})
        table = queue.seated_at(maeve)
        assert table is not None
        seat = table.seats.get(player=maeve)
        absent.call_absent(seat.since + timedelta(seconds=5))
        titles = PushMessage.objects.values_list("title", "path")
        assert ("Your table is ready", f"/tables/{table.pk}/") in titles

    def test_a_rated_game_calls_whoever_has_not_come(self, service: Receiver) -> None:
        here, away = rated_players(2)
        subscribed(here, service)
        subscribed(away, service)
        table = together([here, away], QuickWish(HEADS_UP, 45, rated=True))
        seat = table.seats.get(player=away)
        later = seat.since + timedelta(seconds=5)
        table.seats.filter(player=here).update(last_seen=later)
        for _ in range(2):
            absent.call_absent(later)
        called = PushMessage.objects.filter(title="Your table is ready")
        assert [(one.device.player, one.path) for one in called] == [(away, f"/tables/{table.pk}/")]

    def test_nobody_costs_more_than_a_question(
        self, service: Receiver, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(1):
            absent.call_absent(timezone.now())


def test_sixty_are_called_to_a_round_in_one_go(service: Receiver) -> None:
    everybody = [member(f"P{number}") for number in range(60)]
    for one in everybody:
        subscribed(one, service)
    pushes.queue(ROUND, "round 1", [one.pk for one in everybody], "Round 1", "/")
    assert send_due() == 60
    assert len({one.path for one in service.received}) == 60


def test_a_friends_invitation_is_pushed_and_its_page_opens(
    service: Receiver, django_capture_on_commit_callbacks: Any
) -> None:
    maeve, ben = member(), member("Ben")
    subscribed(ben, service)
    befriend(maeve, ben)
    table = factories.table(maeve, open=False)
    with django_capture_on_commit_callbacks(execute=True):
        inviting.invite(maeve, ben, table, timezone.now())
    call = PushMessage.objects.get()
    assert call.title == "Maeve invites you to a table"
    assert table.invite_token not in call.path
    assert table.invite_token in logged_in(ben).get(call.path).text


def test_whoever_wants_no_calls_on_pages_has_none() -> None:
    people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    choices.choose(people[0], {(ROUND.key, Way.PAGE): False})
    event = build.event()
    build.let_in(event, people)
    build.begin(event)
    called = calls_by_player([one.pk for one in people], timezone.now())
    assert [len(called[one.pk]) for one in people] == [0, 1, 1, 1]


def test_an_events_players_are_called_by_push(service: Receiver) -> None:
    people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    browser = subscribed(people[0], service)
    event = build.event()
    build.let_in(event, people)
    build.begin(event)
    at = build.latest(event).pairings.get()
    (call,) = PushMessage.objects.filter(title="Round 1: table 1")
    assert call.path == f"/tables/{at.table_id}/"
    send_due(Clock(call.made + timedelta(seconds=1)))
    assert "Round 1: table 1" in [one["title"] for one in browser.read(service)]


def test_a_message_to_a_table_goes_to_its_players_devices(service: Receiver) -> None:
    people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    browser = subscribed(people[0], service)
    event = build.event()
    ada = build.director(event.club)
    build.let_in(event, [*people, *(member(f"M{number}") for number in range(4))])
    build.begin(event)
    PushMessage.objects.all().delete()
    at = build.latest(event).pairings.get(entries__entry__players__player=people[0])
    other = build.latest(event).pairings.exclude(pk=at.pk).get()
    message_to_table.post(other, ada, "Wait.", timezone.now())
    assert not PushMessage.objects.exists()
    message_to_table.post(at, ada, "Wait for me.", timezone.now())
    send_due()
    (read,) = browser.read(service)
    assert (read["text"], read["path"]) == ("Wait for me.", f"/events/{event.pk}/")
    message_to_table.post(at, ada, "Go on.", timezone.now())
    undoing.undo(event.acts.latest("pk"), ada, timezone.now())
    assert not PushMessage.objects.filter(sent=None).exists(), "what is not sent is not sent"
