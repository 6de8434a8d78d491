"""The page of notifications: what is chosen there, by script and without."""

from datetime import time
from zoneinfo import ZoneInfo

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from games.models import NotificationChoice, QuietHours
from games.notifying import choices
from games.notifying.kinds import DIRECTOR, INVITE, KINDS, NEWS, RESULTS, TURN, Way
from tests.factories import logged_in, member, player
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.acts import message_to_all, undoing
from tournaments.models import Act, Letter
from tournaments.outbox import letters

pytestmark = pytest.mark.django_db

PAGE = "/you/notifications/"
CHOOSE = f"{PAGE}choose/"
QUIET = f"{PAGE}quiet/"
BY_SCRIPT = {"HX-Request": "true"}
NIGHT = {"starts": "22:30", "ends": "07:30", "zone": "Europe/Dublin", "days": ["0", "6"]}


def ticked(*without: str) -> dict[str, str]:
    """The form with all boxes ticked but these."""
    names = (f"{kind.key}-{way}" for kind in KINDS.values() for way in kind.ways)
    return {"ways": "1", **{name: "on" for name in names if name not in without}}


class TestChoices:
    def test_everybody_begins_with_the_defaults(self) -> None:
        found = choices.choices_of(member())
        assert found[TURN.key, Way.PUSH]
        assert not found[NEWS.key, Way.PUSH]
        assert (TURN.key, Way.MAIL) not in found

    def test_the_form_stores_what_is_ticked(self) -> None:
        maeve = member()
        response = logged_in(maeve).post(CHOOSE, ticked("turn-push"))
        assert response.status_code == 303
        found = choices.choices_of(maeve)
        assert not found[TURN.key, Way.PUSH]
        assert found[NEWS.key, Way.PUSH]
        page = logged_in(maeve).get(PAGE).content.decode()
        assert 'aria-label="Your turn: push">' in page
        assert 'aria-label="News from your clubs: push" checked>' in page

    def test_a_script_is_told_that_it_is_kept(self) -> None:
        response = logged_in(member()).post(CHOOSE, ticked(), headers=BY_SCRIPT)
        assert (response.status_code, response.content) == (200, b"Saved")

    def test_an_empty_form_switches_nothing_off(self) -> None:
        maeve = member()
        assert logged_in(maeve).post(CHOOSE).status_code == 400
        assert not NotificationChoice.objects.exists()

    def test_choosing_again_keeps_one_row_for_each(self) -> None:
        maeve = member()
        for _ in range(2):
            choices.choose(maeve, {(TURN.key, Way.PUSH): False})
        choices.choose(maeve, {("unheard of", Way.PUSH): True})
        assert maeve.notification_choices.count() == 1
        choices.choose(maeve, {(TURN.key, Way.PUSH): True})
        assert not maeve.notification_choices.exists()

    def test_a_guest_has_no_mail_to_choose(self) -> None:
        otto = player("Otto")
        page = logged_in(otto).get(PAGE).content.decode()
        assert "guests get no mail" in page
        logged_in(otto).post(CHOOSE, ticked("results-mail", "invite-push"))
        found = choices.choices_of(otto)
        assert found[RESULTS.key, Way.MAIL]
        assert not found[INVITE.key, Way.PUSH]

    def test_wanting_asks_for_all_of_them_at_once(self, django_assert_num_queries: object) -> None:
        maeve, ben, iris = member(), member("Ben"), member("Iris")
        choices.choose(ben, {(RESULTS.key, Way.MAIL): False})
        choices.choose(iris, {(NEWS.key, Way.PUSH): True})
        with django_assert_num_queries(1):  # type: ignore[operator]
            assert choices.wanting(RESULTS, Way.MAIL, [maeve, ben, iris]) == [maeve, iris]
        assert choices.wanting(NEWS, Way.PUSH, [maeve, ben, iris]) == [iris]
        assert choices.wanting(TURN, Way.MAIL, [maeve]) == []

    def test_it_says_that_reminders_need_a_confirmed_address(self) -> None:
        maeve = member()
        browser = logged_in(maeve)
        assert "confirmed addresses only" in browser.get(PAGE).text
        EmailAddress.objects.create(user=maeve.user, email="maeve@example.com", verified=True)
        assert "confirmed addresses only" not in browser.get(PAGE).text

    def test_ones_events_lead_there(self) -> None:
        assert PAGE in logged_in(member()).get("/you/events/").text
        assert PAGE in logged_in(member("Ben")).get("/you/").text


class TestQuietHours:
    def test_they_are_stored(self) -> None:
        maeve = member()
        response = logged_in(maeve).post(QUIET, {**NIGHT, "on": "on"}, headers=BY_SCRIPT)
        assert response.content == b"Saved"
        hours = QuietHours.objects.get(player=maeve)
        assert (hours.on, hours.starts, hours.ends) == (True, time(22, 30), time(7, 30))
        assert (hours.days, hours.zone, hours.own_rounds) == ("06", "Europe/Dublin", False)
        assert ZoneInfo(hours.zone)

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"ends": "22:30"}, "another time"),
            ({"zone": ""}, "Choose where you are"),
            ({"zone": "Mars/Olympus"}, "Choose one of the listed time zones"),
            ({"starts": "late"}, "Write a time"),
            ({"starts": ""}, "Write a time"),
        ],
    )
    def test_what_makes_no_sense_is_refused_in_words(
        self, fields: dict[str, str], words: str
    ) -> None:
        maeve = member()
        sent = {**NIGHT, "on": "on", **fields}
        browser = logged_in(maeve)
        by_script = browser.post(QUIET, sent, headers=BY_SCRIPT)
        page = browser.post(QUIET, sent)
        assert (by_script.status_code, page.status_code) == (422, 422)
        assert words in by_script.content.decode()
        assert words in page.content.decode()
        assert not QuietHours.objects.exists()

    def test_without_a_zone_they_can_stay_off(self) -> None:
        response = logged_in(member()).post(QUIET, {**NIGHT, "zone": ""})
        assert response.status_code == 303


class TestMail:
    def test_nobody_gets_letters_that_they_switched_off(self) -> None:
        maeve, ben = member(), member("Ben")
        choices.choose(ben, {(RESULTS.key, Way.MAIL): False})
        event = build.event()
        for kind, key in ((RESULTS, "some"), (None, "all")):
            letters.write(
                key, [maeve, ben], "Over", "event_cancelled", kind=kind, event=event, reason="Rain."
            )
        assert Letter.objects.filter(key__startswith="some ").count() == 1
        assert Letter.objects.filter(key__startswith="all ").count() == 2

    def test_letters_say_where_to_choose(self) -> None:
        maeve = member()
        letters.write("a", [maeve], "Over", "event_cancelled", event=build.event(), reason="Rain.")
        letters.send_due()
        assert PAGE in mail.outbox[0].body
        assert PAGE in mail.outbox[0].extra_headers["List-Unsubscribe"]

    def test_a_directors_message_goes_to_those_who_want_it_by_mail_unless_undone(self) -> None:
        maeve, ben, otto = member(), member("Ben"), member("Otto")
        choices.choose(ben, {(DIRECTOR.key, Way.MAIL): True})
        event = build.event()
        build.let_in(event, [maeve, ben])
        message_to_all.post_message(event, otto, "Bring a pencil.", NOON)
        (letter,) = Letter.objects.all()
        assert letter.user == ben.user
        assert "Bring a pencil." in letter.text
        undoing.undo(Act.objects.get(), otto, timezone.now())
        assert not Letter.objects.exists()
