"""One press in a mail program stops one kind of mail, without logging in (RFC 8058)."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from games.models import Player
from games.notifying import choices
from games.notifying.kinds import DAY_BEFORE, RESULTS, Way
from tests.factories import Clock, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Letter
from tournaments.outbox import letters

pytestmark = pytest.mark.django_db


def letter_to(who: Player, key: str = "results", **more: Any) -> mail.EmailMessage:
    letters.write(
        key, [who], "Over", "event_cancelled", event=build.event(), reason="Rain.", **more
    )
    Letter.objects.update(due=NOON)
    assert letters.send_due(Clock(NOON)) == 1
    return mail.outbox[-1]


def link_in(letter: mail.EmailMessage) -> str:
    found = re.fullmatch(r"<http://localhost:8000(/unsubscribe/\S+)>", header(letter))
    assert found
    return found[1]


def header(letter: mail.EmailMessage) -> str:
    return str(letter.extra_headers["List-Unsubscribe"])


def wants(who: Player) -> list[bool]:
    found = choices.choices_of(who)
    return [found[kind.key, Way.MAIL] for kind in (RESULTS, DAY_BEFORE)]


def test_a_press_stops_one_kind_and_a_look_stops_nothing() -> None:
    ada, ben = member("Ada"), member("Ben")
    letter = letter_to(ada, kind=RESULTS)
    assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link, program = link_in(letter), Client(enforce_csrf_checks=True)
    page = program.get(link)
    assert "Stop these mails?" in page.text
    assert program.head(link).status_code == 200
    assert wants(ada) == [True, True]
    pressed = program.post(link, {"List-Unsubscribe": "One-Click"})
    assert (pressed.status_code, "No more of these" in pressed.text) == (200, True)
    assert wants(ada) == [False, True]
    assert wants(ben) == [True, True]
    assert program.post(link).status_code == 200
    letters.write("more", [ada], "Over", "event_cancelled", kind=RESULTS)
    assert Letter.objects.count() == 1


@pytest.mark.parametrize("change", [lambda text: text[:-4] + "abc/", lambda _: "/unsubscribe/x/"])
def test_a_link_that_is_not_ours_stops_nothing(change: object) -> None:
    ada = member("Ada")
    link = link_in(letter_to(ada, kind=RESULTS))
    assert callable(change)
    assert Client().post(change(link)).status_code == 404
    assert wants(ada) == [True, True]


def test_letters_that_nobody_can_switch_off_have_no_such_press() -> None:
    letter = letter_to(member("Ada"))
    assert "List-Unsubscribe-Post" not in letter.extra_headers
    assert header(letter) == "<http://localhost:8000/you/notifications/>"


def test_the_link_ends_with_the_account() -> None:
    ada = member("Ada")
    link = link_in(letter_to(ada, kind=RESULTS))
    Player.objects.filter(pk=ada.pk).update(user=None)
    assert Client().get(link).status_code == 404
