"""What is expected of a match before it is played, and where nothing is said."""

import re
from typing import Any

import pytest

from games.engine.rules import HEADS_UP
from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, rating
from tournaments import rating_formula as formula
from tournaments.event_page import page_values, showing
from tournaments.models import Event, Pairing
from tournaments.rating_formula import START, Skill, expected
from tournaments.ratings import chances
from tournaments.ratings.words import percent
from tournaments.results.match_lines import MatchLine

pytestmark = pytest.mark.django_db


def started(entries: int = 4, **fields: Any) -> Event:
    event = build.event(**{"rounds": 3, **fields})
    build.enter(event, entries)
    build.begin(event)
    return event


def players() -> list[Player]:
    """Those of the first table: north, south, east and west."""
    pairing = Pairing.objects.earliest("number")
    lines = pairing.entries.order_by("side", "position")
    return [one.player for line in lines for one in line.entry.players.order_by("position")]


def first(event: Event) -> MatchLine:
    event = Event.objects.select_related("club").get(pk=event.pk)
    page = page_values.read(event, NOON)
    assert page.present is not None
    return page.present.matches[0]


def told(event: Event) -> tuple[str, str]:
    north, east = first(event).sides
    return north.chance, east.chance


def mine(event: Event, player: Player) -> str:
    event = Event.objects.select_related("club").get(pk=event.pk)
    drawn = showing.draw_mine(page_values.read(event, NOON), player)
    return drawn[showing.MINE].replace("\N{NO-BREAK SPACE}", " ")


def test_equals_are_expected_to_win_half() -> None:
    assert told(started()) == (percent(0.5), percent(0.5))


def test_the_better_rated_side_is_expected_to_win_more() -> None:
    event = started()
    north, south, _east, west = players()
    rating(north, 1700)
    rating(west, 1450)
    sides = [Skill(1700, 60), START], [START, Skill(1450, 60)]
    chance = expected((sides[0], sides[1]))
    assert chance > 0.6
    assert told(event) == (percent(chance), percent(1 - chance))
    assert f"The two of you are expected to win {round(100 * chance)} %." in mine(event, south)
    assert f"The two of you are expected to win {100 - round(100 * chance)} %." in mine(event, west)


@pytest.mark.parametrize("chance", [0.425, 0.685, 0.5, 0.004, 0.995, 0.3349])
def test_both_sides_together_are_expected_to_win_all(
    monkeypatch: pytest.MonkeyPatch, chance: float
) -> None:
    event = started()
    monkeypatch.setattr(formula, "expected", lambda _sides: chance)
    north, east = (re.findall(r"\d+", words) for words in told(event))
    if "under" in "".join(told(event)):
        assert {*north, *east} == {"1", "99"}
    else:
        assert int(north[0]) + int(east[0]) == 100


def test_heads_up_chance_says_you() -> None:
    event = started(2, rules=HEADS_UP, format="single_elimination")
    assert "You are expected to win 50 %." in mine(event, players()[0])


def test_a_match_of_several_games_is_expected_game_by_game() -> None:
    event = started(2, format="single_elimination", match=Event.Match.BEST_OF_3)
    assert "are expected to win 50 % of the games." in mine(event, players()[0])


@pytest.mark.parametrize(
    ("change", "words"),
    [({"kind": Player.Kind.HOUSE}, chances.HOUSE), ({"private": True}, chances.PRIVATE)],
)
def test_missing_chance_states_the_reason(change: dict[str, Any], words: str) -> None:
    event = started()
    north, south, *_others = players()
    Player.objects.filter(pk=north.pk).update(**change)
    assert told(event) == ("", "")
    assert words in mine(event, south)


def test_unrated_event_has_no_chances() -> None:
    event = started(rated=False)
    assert told(event) == ("", "")
    assert "expected" not in mine(event, players()[0])


def test_finished_match_has_no_chances() -> None:
    event = started(8)
    build.arrive(event)
    build.step(event, NOON)
    build.win(Pairing.objects.earliest("number"), 0)
    build.step(event, NOON + MINUTE)
    decided, playing = page_values.read(event, NOON + MINUTE).rounds[0].matches
    assert (decided.decided, decided.sides[0].chance) == (True, "")
    assert (playing.decided, playing.sides[0].chance) == (False, percent(0.5))


def test_chances_are_shown_beside_the_sides() -> None:
    event = started()
    parts = showing.draw(page_values.read(event, NOON))
    assert parts["event-pairings"].count("expected to win") == 2
