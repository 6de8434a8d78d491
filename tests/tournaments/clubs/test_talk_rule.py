"""What players may say at the tables of a club's events: the club's rule, and less if rated."""

import pytest
from django.urls import reverse

from games.engine.rules import CLASSIC_24
from games.models import Table
from games.seats import reserved
from games.seats.reserved import ReservedTable
from tests.factories import cast, logged_in, member
from tests.games.talk.test_talk import say
from tests.tournaments import build
from tournaments.models import Club, Event, Membership

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("rule", "rated", "talk"),
    [
        ("free", False, "free"), ("free", True, "after"), ("after", False, "after"),
        ("after", True, "after"), ("phrases", False, "phrases"), ("phrases", True, "phrases"),
    ],
)  # fmt: skip
def test_an_events_tables_follow_the_club(rule: str, rated: bool, talk: str) -> None:
    club = build.club()
    club.talk = rule
    assert Event(club=club, rated=rated).talk == talk


def test_at_a_reserved_table_nothing_is_free_unless_its_owner_says_so() -> None:
    four = cast()
    (made,) = reserved.open_tables([ReservedTable(four, "Table 1", "/")], CLASSIC_24, four[0])
    Table.objects.filter(pk=made.pk).update(state=Table.State.PLAYING)
    assert say(logged_in(four[0]), made.pk, words="hearts are mine").status_code == 403
    assert say(logged_in(four[0]), made.pk, phrase="0").status_code == 204
    Table.objects.filter(pk=made.pk).update(state=Table.State.FINISHED)
    assert say(logged_in(four[0]), made.pk, words="that was close").status_code == 204


def test_an_owner_sets_the_rule() -> None:
    club, owner = build.club(), member()
    build.joined(club, owner, Membership.Role.OWNER)
    browser = logged_in(owner)
    path = reverse("club_settings", args=[club.slug])
    page = browser.get(path)
    assert "The six phrases can always be used" in page.content.decode()
    fields = {"name": club.name, "joining": "open", "time_zone": "UTC", "talk": "phrases"}
    assert browser.post(path, fields).status_code in (302, 303)
    assert Club.objects.get(pk=club.pk).talk == "phrases"
