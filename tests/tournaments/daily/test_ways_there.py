"""From the end of a game and its review to the daily deal, for whoever has not played it."""

import pytest
from django.test import Client

from games.models import Game, Player
from games.review import reviewing
from tests.factories import logged_in, member, player
from tests.games.review.judges import Judge
from tests.games.review.judges import played as game_of
from tests.tournaments.daily.days_for_tests import begun, played, today
from tournaments.daily import tries

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> tuple[Player, ...]:
    return member("Maeve"), player("Finn"), member("Ben"), member("Iris")


@pytest.fixture
def game(people: tuple[Player, ...], monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game of theirs with a review."""
    made = game_of(people=people)
    Judge().instead(monkeypatch)
    reviewing.ask(made)
    reviewing.review_due()
    return made


def leads_there(browser: Client, game: Game) -> set[bool]:
    """Whether the end of the game and its review lead to the open day."""
    there = f'href="{tries.path_of(today())}"'
    return {
        there in browser.get(f"/games/{game.pk}/{page}").text for page in ("company", "review/")
    }


def test_whoever_has_not_played_it_gets_a_link(game: Game, people: tuple[Player, ...]) -> None:
    daily = today()
    maeve, finn, *_ = people
    for one in (maeve, finn):
        assert leads_there(logged_in(one), game) == {True}
    begun(daily, maeve)
    assert leads_there(logged_in(maeve), game) == {True}, "to go on"
    played(daily, maeve)
    assert leads_there(logged_in(maeve), game) == {False}
    assert leads_there(logged_in(finn), game) == {True}


def test_the_largest_mistake_is_one_press_from_the_analysis_board(
    game: Game, people: tuple[Player, ...]
) -> None:
    maeve = people[0]
    report = reviewing.report_of(game)
    assert report is not None
    worst = max(report.of(0), key=lambda one: one.judgement.loss)
    end = logged_in(maeve).get(f"/games/{game.pk}/company").text
    assert f"/games/{game.pk}/analyse?at={worst.hand}.{worst.step}" in end
