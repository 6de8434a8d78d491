"""Play-offs out of a season's table: who plays with whom, seeds, and what they do not count for."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member, people
from tests.tournaments import build
from tests.tournaments.build import club, director
from tests.tournaments.seasons.test_clubs_seasons import SEASONS, finished, lines
from tests.tournaments.seasons.test_divisions import split
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments.models import Club, Event, Season, WalkIn

pytestmark = pytest.mark.django_db

NEXT_YEAR = timezone.now().year + 1


@pytest.fixture
def mill() -> Club:
    return club()


@pytest.fixture
def season(mill: Club) -> Season:
    return spring(mill)


@pytest.fixture
def browser(mill: Club) -> Client:
    """A director's."""
    return logged_in(director(mill))


def path(season: Season) -> str:
    return f"{SEASONS}{season.pk}/play-offs/"


def shown(browser: Client, season: Season, **asked: Any) -> list[str]:
    """Who would play together, the best first."""
    return [team.name for team in browser.get(path(season), asked).context["teams"]]


def make(browser: Client, season: Season, **fields: Any) -> Any:
    """Make play-offs of four as they are shown, unless something else is said."""
    asked: dict[str, Any] = {
        "count": 4,
        **{name: fields[name] for name in ("count", "table") if name in fields},
    }
    context = browser.get(path(season), asked).context
    data = {
        "table": context["form"].initial["table"], "name": "Finals", "place": "room",
        "match": "best_of_3", "starts": f"{NEXT_YEAR}-06-04T19:30", "seen": context["players"],
    }  # fmt: skip
    return browser.post(path(season), data | asked | fields)


def refusal(browser: Client, season: Season, count: int) -> str:
    return str(browser.get(path(season), {"count": count}).context["refusal"])


def test_the_best_play_with_the_last_and_are_seeded_by_the_table(
    mill: Club, season: Season, browser: Client
) -> None:
    players = people(9)
    evening(mill, 5, players)
    assert shown(browser, season) == ["1 and 8", "2 and 7", "3 and 6", "4 and 5"]
    assert make(browser, season, count=8).status_code == 303
    event = Event.objects.get(name="Finals")
    assert (event.format, event.state, event.capacity) == ("single_elimination", "ready", 4)
    assert (event.rounds_known, event.match, event.place) == (False, "best_of_3", "room")
    build.rating(players[4], 2500)  # what ratings say does not matter
    build.begin(event, event.starts)
    order = event.entries.order_by("seed")
    assert [entry.name for entry in order] == ["1 and 8", "2 and 7", "3 and 6", "4 and 5"]
    first = build.latest(event).pairings.get(number=1).entries.order_by("side")
    assert [line.entry.seed for line in first] == [1, 4]


def test_partners_of_the_whole_season_stay_together(
    mill: Club, season: Season, browser: Client
) -> None:
    one, two, three, four, five, six = people(6)
    finished(mill, [(1, [one, two]), (2, [three, four]), (3, [five, six])])
    finished(mill, [(1, [three, four]), (2, [one, two]), (3, [five]), (4, [six])])
    assert shown(browser, season, count=4) == ["1 and 2", "3 and 4"]
    assert shown(browser, season, count=6) == ["1 and 2", "3 and 4", "5 and 6"]


def test_a_division_has_its_own(mill: Club, season: Season, browser: Client) -> None:
    players = people(8)
    evening(mill, 5, players)
    split(season, {"First": players[:4], "Second": players[4:]})
    second = season.divisions.get(name="Second").pk
    assert shown(browser, season, table=second, count=4) == ["5 and 8", "6 and 7"]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (3, "an even number, 4 or more"),
        (2, "an even number, 4 or more"),
        (8, "Only 6 players of this table have played."),
        (4, "4, 5 share place 4"),
    ],
)
def test_so_many_cannot_play(season: Season, browser: Client, count: int, said: str) -> None:
    places = zip([1, 2, 3, 4, 4, 6], people(6), strict=True)
    finished(season.club, [(place, [who]) for place, who in places])
    assert said in refusal(browser, season, count)
    assert make(browser, season, count=count).status_code == 422
    assert Event.objects.count() == 1


def test_only_those_with_an_account_are_entered(season: Season, browser: Client) -> None:
    players = people(6)
    night = evening(season.club, 5, players)
    walk_in = WalkIn.objects.create(event=night, player=players[2])
    assert f"Without an account: {players[2]}" in refusal(browser, season, 4)
    assert make(browser, season).status_code == 422
    walk_in.delete()
    Player.objects.filter(pk=players[2].pk).update(former=True, user=None)
    assert make(browser, season).status_code == 303
    entered = Event.objects.get(name="Finals").entered_players.values_list("player", flat=True)
    assert {*entered} == {players[at].pk for at in (0, 1, 3, 4)}


def test_they_do_not_count_for_the_season_and_are_linked_from_it(
    mill: Club, season: Season, browser: Client
) -> None:
    evening(mill, 5, people(6))
    before = lines(mill, season)
    make(browser, season)
    event = Event.objects.get(name="Finals")
    times = dict.fromkeys(("registration_opens", "registration_closes", "starts"), build.NOON)
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED, **times)
    event.entries.update(place=1)
    assert lines(mill, season) == before
    assert "Finals" in browser.get(f"{SEASONS}{season.pk}/").content.decode()


def test_a_table_that_has_changed_since_is_shown_again(
    mill: Club, season: Season, browser: Client
) -> None:
    players = people(6)
    evening(mill, 5, players)
    response = make(browser, season, seen=" ".join(str(one.pk) for one in reversed(players)))
    assert response.status_code == 422
    assert "The table has changed since" in response.content.decode()
    assert not Event.objects.filter(name="Finals").exists()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("starts", "2020-01-01T19:30", "Choose a day of the years"),
        ("count", "many", "Write a whole number from 2 to 64."),
        ("match", "deals", "Choose one of those listed."),
        ("table", "999", "Choose one of those listed."),
    ],
)
def test_what_is_wrong_is_said(
    season: Season, browser: Client, field: str, value: str, said: str
) -> None:
    evening(season.club, 5, people(6))
    response = make(browser, season, **{field: value})
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not Event.objects.filter(name="Finals").exists()


def test_only_directors_make_them(mill: Club, season: Season) -> None:
    nora: Player = member("Nora")
    build.joined(mill, nora)
    evening(mill, 5, people(6))
    assert logged_in(nora).get(path(season)).status_code == 403
