"""Games that are not archived, because somebody may still object to their result."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games.models import Game, Player
from games.records import archiving
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.fair_play import playing
from tests.tournaments.fair_play.playing import measured
from tests.tournaments.test_url_roles import matter_of
from tournaments.fair_play import measuring
from tournaments.models import (
    Club,
    Event,
    FairPlayLook,
    FairPlayMatter,
    FairPlayMeasure,
    Pairing,
    RatingHold,
)

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def game(club: Club) -> Game:
    """The game of an event that is over."""
    seated = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    playing.played_event(club, seated, turn_seconds=20)
    Event.objects.update(state=Event.State.FINISHED)
    Game.objects.update(noted=True, published=True)
    return Game.objects.get()


def archive() -> int:
    return archiving.archive_due(timezone.now() + timedelta(days=4000))


@pytest.mark.parametrize("state", [Event.State.RUNNING, Event.State.FINISHED])
def test_a_game_waits_for_the_end_of_its_event(game: Game, state: str) -> None:
    Event.objects.update(state=state)
    assert archive() == (state == Event.State.FINISHED)


def test_a_game_of_a_cancelled_event_does_not_wait_for_a_result(game: Game) -> None:
    Event.objects.update(state=Event.State.CANCELLED)
    Pairing.objects.update(state=Pairing.State.PLAYING)
    assert archive() == 1


def matter(club: Club, game: Game) -> FairPlayMatter:
    player = Player.objects.get(name="Maeve")
    opened = matter_of(club, player, build.director(club))
    opened.games.add(game)
    return opened


def test_a_game_waits_while_a_fair_play_matter_is_open(club: Club, game: Game) -> None:
    one = matter(club, game)
    assert archive() == 0
    FairPlayMatter.objects.filter(pk=one.pk).update(closed=timezone.now())
    assert archive() == 1


def test_one_closed_matter_does_not_close_another(club: Club, game: Game) -> None:
    one = matter(club, game)
    FairPlayMatter.objects.filter(pk=one.pk).update(closed=timezone.now())
    other = club.fair_play_matters.create(
        player=one.player, opened_by=one.opened_by, kind="calls", sign="two", said="So."
    )
    other.games.add(game)
    assert archive() == 0


@pytest.mark.parametrize("of_match", [True, False])
def test_a_game_waits_while_its_rating_is_on_hold(game: Game, *, of_match: bool) -> None:
    of = {"pairing": Pairing.objects.get()} if of_match else {"game": game}
    hold = RatingHold.objects.create(reason="fast", found="5 games", **of)
    assert archive() == 0
    RatingHold.objects.filter(pk=hold.pk).update(state=RatingHold.State.PASSED)
    assert archive() == 1


@pytest.mark.usefixtures("game")
def test_an_archived_game_is_measured_as_before() -> None:
    event = Event.objects.get()
    columns = [field.name for field in FairPlayMeasure._meta.fields if field.name != "id"]
    measured(event)
    before = list(FairPlayMeasure.objects.order_by("player").values(*columns))
    assert len(before) == 4
    assert archive() == 1
    FairPlayMeasure.objects.all().delete()
    FairPlayLook.objects.all().delete()
    measuring.measure_ended(playing.moment_after(event))
    assert list(FairPlayMeasure.objects.order_by("player").values(*columns)) == before
