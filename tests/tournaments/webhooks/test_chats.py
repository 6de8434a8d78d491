"""Rounds and results in group chats: Discord, Slack, and texts to copy."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from games.models import Player
from tests.factories import Clock, logged_in, member
from tests.receiver import Receiver
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, hook
from tests.tournaments.console.test_seating_by_hand import called, seats, table
from tournaments.acts import drawing_again, seating_by_hand, starting_and_ending, undoing
from tournaments.models import Club, Delivery, Event, Membership, Webhook
from tournaments.webhooks import chats, deliveries, webhooks

pytestmark = pytest.mark.django_db
DISCORD = "https://discord.com/api/webhooks/123/a-token"
SLACK = "https://hooks.slack.com/services/T1/B2/c3"
#: Names that call everybody, or that a chat would format.
LOUD = (
    "@everyone",
    "<!channel>",
    "@here",
    "*Bold* _x_",
    "<@123>",
    "`a` ~b~ ||c||",
    "[x](y)",
    "# H",
)


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.SITE_URL = "https://euchre.example.org"


def posted(url: str) -> list[dict[str, Any]]:
    bodies = Delivery.objects.filter(webhook__url=url).order_by("pk").values_list("body", flat=True)
    return [json.loads(one) for one in bodies]


def played(*urls: str) -> Event:
    """An event of one round of people with loud names, played to its end."""
    club = build.club()
    for url in urls:
        webhooks.make(club, url)
    event = build.event(club, format="swiss", rounds=1)
    build.enter(event, 4)
    people = Player.objects.filter(name__in=map(str, range(1, 9))).order_by("pk")
    for person, name in zip(people, LOUD, strict=True):
        Player.objects.filter(pk=person.pk).update(name=name)
    build.play_to_end(event)
    return event


def test_discord_gets_each_round_and_the_result() -> None:
    event = played(DISCORD)
    round_, result = posted(DISCORD)
    assert round_.keys() == result.keys() == {"content", "allowed_mentions"}
    assert round_["content"].startswith(f"{event.name}, round 1\nTable 1\\: ")
    assert result["content"].startswith(f"{event.name}\\: the result\n1. ")
    for one in (round_, result):
        assert one["allowed_mentions"] == {"parse": []}
        assert one["content"].endswith(f"\nhttps://euchre.example.org/events/{event.pk}/")
        assert len(one["content"]) <= 2000


def test_slack_gets_the_same_in_its_own_form() -> None:
    event = played(SLACK)
    round_, result = posted(SLACK)
    assert round_["text"].startswith(f"{event.name}, round 1\nTable 1: ")
    assert result["text"].startswith(f"{event.name}: the result\n1. ")


def test_nobodys_name_calls_everybody() -> None:
    played(DISCORD, SLACK)
    for text in (posted(DISCORD)[0]["content"], posted(SLACK)[0]["text"]):
        assert "everyone" in text
        assert not re.search(r"@everyone|@here|(?<!\\)<", text)
    assert "\\*Bold\\* \\_x\\_" in posted(DISCORD)[0]["content"]
    assert "&lt;!channel&gt;" in posted(SLACK)[0]["text"]


def test_programs_get_what_they_got_before_and_no_rounds() -> None:
    url = "https://example.org/euchre"
    event = played(url, DISCORD)
    (message,) = posted(url)
    assert (message["type"], message["data"]["event"]["id"]) == ("event.finished", event.pk)
    assert len(posted(DISCORD)) == 2


def test_a_long_round_is_cut_at_the_end_of_a_line() -> None:
    lines = [f"Table {number}: {'x' * 60}" for number in range(100)]
    said = json.loads(chats.body(chats.DISCORD, lines, "https://euchre.example.org/events/7/"))
    *_tables, cut, link = said["content"].split("\n")
    assert (cut, link) == ("…", "https://euchre.example.org/events/7/")
    assert len(said["content"]) <= 2000


def test_cancellations_and_tests_are_posted() -> None:
    club = build.club()
    hook_, secret = webhooks.make(club, DISCORD)
    assert secret == ""
    event = build.event(club)
    starting_and_ending.cancel(event, build.director(club), "Snow @everyone", NOON)
    webhooks.send_test(hook_, NOON)
    cancelled, test = (one["content"] for one in posted(DISCORD))
    assert cancelled.startswith(f"{event.name} is cancelled.\nSnow @\u2060everyone\n")
    assert test.startswith(f"This is a test from {club}")


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        (DISCORD, chats.DISCORD),
        ("https://canary.discord.com/api/webhooks/1/2", chats.DISCORD),
        ("https://ptb.discord.com/api/webhooks/1/2", chats.DISCORD),
        ("https://discordapp.com/api/webhooks/1/2", chats.DISCORD),
        (SLACK, chats.SLACK),
        ("https://discord.com.evil.example/api/webhooks/1/2", None),
        ("https://evil.example/https://discord.com/api/webhooks/1/2", None),
        ("https://discord.com@evil.example/api/webhooks/1/2", None),
    ],
)
def test_only_the_chats_own_hosts_are_chats(url: str, kind: tuple[str, str] | None) -> None:
    assert chats.kind_of(url) == kind


@pytest.mark.parametrize(
    "wrong",
    [
        "https://discord.com/channels/1/2",
        "https://canary.discord.com/channels/1/2",
        "https://hooks.slack.com/",
    ],
)
def test_the_address_of_a_channel_itself_is_refused(wrong: str) -> None:
    club, owner = build.club(), member()
    build.joined(club, owner, Membership.Role.OWNER)
    url, browser = reverse("club_webhooks", args=[club.slug]), logged_in(owner)
    page = browser.post(url, {"url": wrong})
    assert page.status_code == 422
    assert "Copy the address of the channel’s webhook: it begins with https://" in page.text
    assert not Webhook.objects.exists()
    made = browser.post(url, {"url": DISCORD})
    assert made.status_code == 201
    assert "Rounds and results of The Old Mill are posted in that channel" in made.text
    assert "whsec_" not in made.text


def test_a_chat_that_fails_is_tried_again(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chats, "kind_of", lambda _url: chats.DISCORD)
    club = build.club()
    hook(receiver, club)
    event = build.event(club, format="swiss", rounds=1)
    build.enter(event, 4)
    build.begin(event)
    receiver.status = 500
    assert deliveries.send_due(Clock(NOON + MINUTE)) == 1
    receiver.status = 204
    assert deliveries.send_due(Clock(NOON + 2 * MINUTE)) == 1
    assert Delivery.objects.get().arrived
    assert json.loads(receiver.received[-1].body)["content"].startswith(event.name)


def test_a_round_changed_by_hand_is_posted_again_and_its_old_text_no_more(ada: Player) -> None:
    webhooks.make(ada.memberships.get().club, DISCORD)
    event = called(ada, 8, format="swiss", place=Event.Place.ROOM)
    (drawn,) = posted(DISCORD)
    one, other = seats(table(event, 1))[0], seats(table(event, 2))[0]
    seating_by_hand.swap(build.latest(event), ada, one, other, reason="So.", now=NOON)
    (changed,) = posted(DISCORD)  # the first was not sent yet
    assert changed["content"].startswith(f"{event.name}, round 1, changed\nTable 1\\: ")
    Delivery.objects.update(arrived=NOON, due=None)
    undoing.undo(event.acts.get(), ada, NOON)
    sent, back = posted(DISCORD)
    assert sent == changed
    assert back["content"] == drawn["content"].replace("round 1\n", "round 1, changed\n")


def test_a_round_taken_back_is_not_posted_until_it_is_back(ada: Player) -> None:
    webhooks.make(ada.memberships.get().club, SLACK)
    event = called(ada, 8, format="swiss", place=Event.Place.ROOM)
    (drawn,) = posted(SLACK)
    drawing_again.take_back(event, ada, 1, reason="So.", override=True, now=NOON)
    assert posted(SLACK) == []
    undoing.undo(event.acts.get(), ada, NOON)
    (back,) = posted(SLACK)
    assert back["text"] == drawn["text"].replace("round 1\n", "round 1, changed\n")


def test_a_text_to_copy_has_the_round_and_the_standings() -> None:
    event = played()
    page = unescape(Client().get(reverse("chat_texts", args=[event.pk])).text)
    assert f"{event.name}, round 1\nTable 1: " in page
    assert f"{event.name}: the result\n1. " in page
    assert "@everyone" not in page.partition("<textarea")[2]
    assert "@\u2060everyone" in page


def test_before_the_draw_there_is_nothing_to_copy() -> None:
    event = build.event(build.club())
    page = Client().get(reverse("chat_texts", args=[event.pk]))
    assert "Nothing is drawn yet" in page.text
    Club.objects.update(joining=Club.Joining.INVITATION)
    assert Client().get(reverse("chat_texts", args=[event.pk])).status_code == 404
