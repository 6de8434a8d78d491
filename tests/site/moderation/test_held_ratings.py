"""Moderators of the site decide on the matches that wait before they are rated."""

from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from games.models import Game, OperatorAct, Player
from tests.factories import logged_in, member
from tests.site.factories import decide, post
from tests.tournaments import build
from tests.tournaments.build import pool
from tournaments.models import Club, EntryPlayer, Membership, RatingChange, RatingHold
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import rating_games

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
        rating_games.catch_up()
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


def evidence() -> int:
    return RatingHold.objects.values_list("pk", flat=True)[0]


def answer(browser: Client, **fields: str) -> Any:
    return decide(browser, "ratings", evidence(), **fields)


def shown(browser: Client) -> str:
    """The page of the case, once it is taken."""
    post(browser, "case", "ratings", evidence(), step="take")
    page = browser.get(reverse("case", args=["ratings", evidence()]))
    return " ".join(page.text.split())


def test_page_shows_players_and_reason_of_a_case(staff: Client) -> None:
    page = shown(staff)
    for told in ("Maeve", "Ben", "2 matches", "Many or fast games in little time: 8 hands"):
        assert told in page
    assert page.count('name="decision" value="pass"') == 1


def test_approved_match_is_rated_in_order(staff: Client) -> None:
    assert RatingChange.objects.count() == 4
    assert answer(staff, decision="pass").status_code in (302, 303)
    rating_games.catch_up()
    changes = RatingChange.objects.order_by("position")
    assert [one.at for one in changes] == sorted(one.at for one in changes)
    assert len(changes) == 8
    by_steps = rating_games.fingerprint(pool("heads-up online"))
    RatingChange.objects.all().delete()
    assert rating_games.recompute() == {"heads-up online": by_steps}


def test_rejected_match_is_not_rated_with_the_reason(staff: Client) -> None:
    assert answer(staff, decision="refuse", reason="One person.").status_code in (302, 303)
    rating_games.catch_up()
    assert RatingChange.objects.count() == 4
    hold = RatingHold.objects.select_related("by", "pairing").all()[0]
    assert (hold.state, hold.by.name if hold.by else "") == (State.REFUSED, "Ada")
    assert hold.pairing is not None
    game = Game.objects.get(table=hold.pairing.table_id)
    assert rating_effects.of_game(game, None).words.endswith("refused to rate it. One person.")
    assert "One person." in staff.get(reverse("cases")).text


@pytest.mark.parametrize(
    "fields",
    [{"decision": "refuse"}, {"decision": "maybe"}, {"decision": "refuse", "reason": "x" * 201}],
)
def test_invalid_decision_is_reported_and_changes_nothing(
    staff: Client, fields: dict[str, str]
) -> None:
    assert answer(staff, **fields).status_code == 422
    assert RatingHold.objects.filter(state=State.WAITING).count() == 2


def test_second_decision_changes_nothing(staff: Client) -> None:
    answer(staff, decision="pass")
    answer(staff, decision="refuse", reason="No.")
    assert not RatingHold.objects.exclude(state=State.PASSED).exists()


def test_moderator_cannot_decide_on_their_own_match(two: list[Player]) -> None:
    assert two[0].user is not None
    two[0].user.is_staff = True
    two[0].user.save()
    answered = answer(logged_in(two[0]), decision="pass")
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
    page = shown(staff)
    assert "Maeve" in page
    assert "Owner" not in page
    test_moderator_cannot_decide_on_their_own_match(two)


def test_a_decision_is_taken_back_and_the_ratings_with_it(staff: Client) -> None:
    answer(staff, decision="pass")
    rating_games.catch_up()
    assert RatingChange.objects.count() == 8
    act = OperatorAct.objects.get()
    assert (act.what, act.about_name) == ("decide_report", "The New Mill")
    assert post(staff, "take_back_decision", act.pk, reason="Too soon.").status_code == 303
    rating_games.catch_up()
    assert RatingChange.objects.count() == 4
    assert RatingHold.objects.filter(state=State.WAITING, by=None, decided=None).count() == 2
    assert "Maeve" in shown(staff)


def test_a_club_that_a_decision_recognised_is_as_before_once_it_is_taken_back(
    staff: Client,
) -> None:
    RatingHold.objects.update(reason=RatingHold.Reason.ADDRESS)
    assert "meets in one room" in shown(staff)
    answer(staff, decision="pass", recognise="on")
    assert Club.objects.get().recognised
    post(staff, "take_back_decision", OperatorAct.objects.get().pk, reason="Too soon.")
    assert not Club.objects.get().recognised


def test_the_club_does_not_decide_on_ratings(two: list[Player]) -> None:
    for browser, status in ((Client(), 403), (logged_in(two[1]), 403), (logged_in(two[0]), 404)):
        assert answer(browser, decision="pass").status_code == status
    assert RatingHold.objects.filter(state=State.WAITING).count() == 2


def test_a_club_stays_recognised_that_was_so_before_the_decision(staff: Client) -> None:
    RatingHold.objects.update(reason=RatingHold.Reason.ADDRESS)
    assert 'name="recognise"' in shown(staff)
    answer(staff, decision="pass", recognise="on")
    assert Club.objects.get().recognised
    first = OperatorAct.objects.get()
    RatingHold.objects.update(state=State.WAITING, by=None, decided=None)
    assert 'name="recognise"' not in shown(staff)
    answer(staff, decision="pass", recognise="on")
    post(staff, "take_back_decision", OperatorAct.objects.latest("pk").pk, reason="No.")
    assert Club.objects.get().recognised
    post(staff, "take_back_decision", first.pk, reason="No.")
    assert not Club.objects.get().recognised
