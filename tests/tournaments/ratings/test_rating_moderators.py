"""Moderators of the site decide on the matches that wait before they are rated."""

from typing import Any

import pytest
from django.test import Client, override_settings

from games.models import Game, Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import pool
from tournaments.models import EntryPlayer, Membership, RatingChange, RatingHold
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import rating as rating_service

pytestmark = [pytest.mark.django_db, pytest.mark.db]

State = RatingHold.State
HAND_SECONDS = 5


@pytest.fixture(scope="module")
def waiting(lasting_database: None) -> list[int]:
    """Two who have played four matches of which two wait: the owner of the club, and another."""
    two = [member("Maeve"), member("Ben")]
    club = build.club("The New Mill")
    build.joined(club, two[0], Membership.Role.OWNER)
    with override_settings(RATING_HAND_SECONDS=HAND_SECONDS):
        for at, seconds in enumerate((600, 1, 1, 600)):
            build.played_match(club, two, 60 * at, seconds)
        rating_service.catch_up()
    return [one.pk for one in two]


@pytest.fixture
def two(waiting: list[int]) -> list[Player]:
    return [Player.objects.get(pk=pk) for pk in waiting]


@pytest.fixture(autouse=True)
def _bounds(waiting: list[int], settings: Any) -> None:
    settings.RATING_HAND_SECONDS = HAND_SECONDS


@pytest.fixture
def staff() -> Client:
    ada = member("Ada")
    assert ada.user is not None
    ada.user.is_staff = True
    ada.user.save()
    return logged_in(ada)


def answer(browser: Client, **fields: object) -> Any:
    holds = list(RatingHold.objects.values_list("pk", flat=True))
    return browser.post("/ratings/waiting/", {"hold": holds, **fields})


def test_page_shows_players_and_reason_of_a_case(staff: Client) -> None:
    shown = " ".join(staff.get("/ratings/waiting/").content.decode().split())
    for told in ("Maeve", "Ben", "2 matches", "Many or fast games in little time: 8 hands"):
        assert told in shown
    assert shown.count('name="answer" value="pass"') == 1


def test_approved_match_is_rated_in_order(staff: Client) -> None:
    assert RatingChange.objects.count() == 4
    assert answer(staff, answer="pass").status_code in (302, 303)
    rating_service.catch_up()
    changes = RatingChange.objects.order_by("position")
    assert [one.at for one in changes] == sorted(one.at for one in changes)
    assert len(changes) == 8
    by_steps = rating_service.fingerprint(pool("heads-up online"))
    RatingChange.objects.all().delete()
    assert rating_service.recompute() == {"heads-up online": by_steps}


def test_rejected_match_is_not_rated_with_the_reason(staff: Client) -> None:
    assert answer(staff, answer="refuse", words="One person.").status_code in (302, 303)
    rating_service.catch_up()
    assert RatingChange.objects.count() == 4
    hold = RatingHold.objects.select_related("by", "pairing").all()[0]
    assert (hold.state, hold.by.name if hold.by else "") == (State.REFUSED, "Ada")
    assert hold.pairing is not None
    game = Game.objects.get(table=hold.pairing.table_id)
    assert rating_effects.of_game(game, None).words.endswith("refused to rate it. One person.")
    assert "One person." in staff.get("/ratings/waiting/").content.decode()


@pytest.mark.parametrize(
    "fields",
    [{"answer": "refuse"}, {"answer": "maybe"}, {"answer": "refuse", "words": "x" * 201}],
)
def test_invalid_decision_is_reported_and_changes_nothing(
    staff: Client, fields: dict[str, str]
) -> None:
    assert answer(staff, **fields).status_code == 422
    assert RatingHold.objects.filter(state=State.WAITING).count() == 2


def test_second_decision_changes_nothing(staff: Client) -> None:
    answer(staff, answer="pass")
    answer(staff, answer="refuse", words="No.")
    assert not RatingHold.objects.exclude(state=State.PASSED).exists()


def test_moderator_cannot_decide_on_their_own_match(two: list[Player]) -> None:
    assert two[0].user is not None
    two[0].user.is_staff = True
    two[0].user.save()
    held = list(RatingHold.objects.values_list("pk", flat=True))
    answered = logged_in(two[0]).post("/ratings/waiting/", {"hold": held, "answer": "pass"})
    assert answered.status_code == 403
    assert "another moderator decides" in answered.text
    assert not RatingHold.objects.exclude(state=State.WAITING).exists()


def test_who_played_as_a_substitute_is_named_and_does_not_decide(
    two: list[Player], staff: Client
) -> None:
    """The seats have gone back to the owner of the place, or to another substitute."""
    for line in EntryPlayer.objects.filter(player=two[0]).select_related("entry"):
        line.entry.substitutions.create(position=line.position, player=two[0], until=1)
        line.player = member(f"Owner {line.pk}")
        line.save()
    shown = staff.get("/ratings/waiting/").text
    assert "Maeve" in shown
    assert "Owner" not in shown
    test_moderator_cannot_decide_on_their_own_match(two)


def test_page_is_for_staff_only(two: list[Player]) -> None:
    for browser in (Client(), logged_in(two[0])):
        assert browser.get("/ratings/waiting/").status_code == 403
        assert answer(browser, answer="pass").status_code == 403
    assert RatingHold.objects.filter(state=State.WAITING).count() == 2
