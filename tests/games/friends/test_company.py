"""Whom somebody has played with: at the end of a game, and on its score sheet."""

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Game, Player
from games.people import friends
from games.review import reviewing
from tests.factories import logged_in, member, player
from tests.games.review.judges import Judge, played

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> tuple[Player, ...]:
    """Two members opposite each other, a guest and another member."""
    return member("Maeve"), player("Finn"), member("Ben"), member("Iris")


@pytest.fixture
def game(people: tuple[Player, ...]) -> Game:
    return played(people=people)


def pages(game: Game, of: Player) -> list[str]:
    """The part for the end of a game at its table, and the score sheet."""
    browser = logged_in(of)
    return [browser.get(f"/games/{game.pk}/{page}").text for page in ("company", "")]


def test_those_met_can_become_friends(game: Game, people: tuple[Player, ...]) -> None:
    maeve, _, ben, iris = people
    for page in pages(game, maeve):
        assert page.count("Add friend") == 2, "the guest has no account"
    friends.ask(maeve, ben, timezone.now())
    for page in pages(game, maeve):
        assert page.count("Add friend") == 1
        assert "Asked</span>" in page
    for page in pages(game, ben):
        assert "Accept<span" in page
    friends.accept(ben, maeve, timezone.now())
    for page in pages(game, ben):
        assert "Friends</span>" in page
    assert "Your partner" in pages(game, ben)[0]
    assert "Your partner" not in pages(game, iris)[0].split("Maeve")[1].split("<li>")[0]


def test_a_guest_is_offered_nothing(game: Game, people: tuple[Player, ...]) -> None:
    assert "Add friend" not in friends_part(game, logged_in(people[1]))


def friends_part(game: Game, browser: Client) -> str:
    return browser.get(f"/games/{game.pk}/company").text


def test_whoever_did_not_play_gets_no_list_of_the_others(game: Game) -> None:
    for browser in (Client(), logged_in(member("Otto"))):
        assert browser.get(f"/games/{game.pk}/company").status_code == 404


def test_the_review_says_how_many_decisions_to_look_at(
    game: Game, people: tuple[Player, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pages(game, people[0])[0]
    assert 'data-review="Ready in about a minute"' in first
    assert "data-again" in first
    Judge().instead(monkeypatch)
    reviewing.review_due()
    report = reviewing.report_of(game)
    assert report is not None
    mine = report.of(0)
    marked = sum(bool(one.mark) for one in mine)
    after = pages(game, people[0])[0]
    assert f'data-review="{marked} of your {len(mine)} decisions could be better"' in after
    assert "data-again" not in after


def test_the_review_of_a_sealed_game_says_when_it_opens(
    game: Game, people: tuple[Player, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.review.views.embargo_on", lambda _game: "Opens at 22:00.")
    assert 'data-review="Opens at 22:00."' in pages(game, people[0])[0]
