"""A bracket with its names and results: what each match says, and whose way is golden."""

from random import Random

import pytest

from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.event_page import page_values
from tournaments.event_page.bracket_lines import Bracket, BracketMatch, fitted
from tournaments.models import Event, Pairing
from tournaments.templatetags.brackets import bracket_match

pytestmark = pytest.mark.django_db


def started(entries: int, form: str = "single_elimination") -> Event:
    event = build.event(format=form)
    build.enter(event, entries)
    build.begin(event)
    return event


def bracket(event: Event) -> Bracket:
    page = page_values.read(Event.objects.select_related("club").get(pk=event.pk), NOON)
    assert page.bracket is not None
    return page.bracket


def match(event: Event, title: str) -> BracketMatch:
    return next(one for one in bracket(event).matches if one.title == title)


def test_future_match_states_where_its_sides_come_from() -> None:
    event = started(4)
    assert match(event, "Final").label == ("Final: Winner of semi-final 1; Winner of semi-final 2")
    assert match(event, "Final").link == ""


def test_losers_rounds_state_which_losers_enter() -> None:
    event = started(4, "double_elimination")
    sides = match(event, "Losers’ round 1").sides
    assert [side.words for side in sides] == [
        "Loser of winners’ semi-final 1",
        "Loser of winners’ semi-final 2",
    ]
    assert match(event, "Second final").maybe
    assert match(event, "Second final").sides[1].words == "Loser of the final"


def test_running_match_can_be_watched_and_shows_no_score() -> None:
    event = started(4)
    build.arrive(event)
    build.step(event, NOON)
    playing = match(event, "Semi-final 1")
    assert (playing.foot, playing.link) == ("Round 1, table 1", "Watch")
    assert [side.count for side in playing.sides] == ["", ""]


def test_finished_match_shows_seeds_score_and_winner() -> None:
    event = started(4)
    build.play_round(event, NOON + MINUTE, Random(1))
    done = match(event, "Semi-final 1")
    pairing = event.played_rounds.get(number=1).pairings.get(number=1)
    assert [side.count for side in done.sides] == [str(pairing.points_0), str(pairing.points_1)]
    assert [side.won for side in done.sides] == [pairing.winner == 0, pairing.winner == 1]
    assert [side.seed for side in done.sides] == [1, 4]
    assert done.link == "Game"
    assert f"seed {1 if pairing.winner == 0 else 4}, 10, won" in done.label


def test_forfeit_is_labelled() -> None:
    event = started(4)
    pairings = Pairing.objects.filter(round__event=event)
    pairings.update(state=Pairing.State.DECIDED, how=Pairing.How.FORFEIT, winner=0)
    assert match(event, "Semi-final 1").foot == "Forfeit"


@pytest.mark.parametrize("form", ["single_elimination", "double_elimination"])
def test_champion_has_the_crown_and_the_golden_line(form: str) -> None:
    event = build.event(format=form)
    build.enter(event, 6)
    build.play_to_end(event)
    drawn = bracket(event)
    winner = event.entries.get(place=1)
    assert drawn.champion is not None
    assert drawn.champion.entries == (winner.pk,)
    assert [name for name, _base, _squeeze in drawn.names] == [
        one.player.name for one in winner.players.all()
    ]
    golden = [side for one in drawn.matches for side in one.sides if side.golden]
    won = event.played_rounds.filter(pairings__entries__entry=winner).count()
    assert {side.team.entries for side in golden if side.team} == {(winner.pk,)}
    assert 0 < len(golden) <= won
    assert any(is_golden for _path, is_golden in drawn.paths)


def test_the_list_holds_every_match_of_the_picture() -> None:
    drawn = bracket(started(11, "double_elimination"))
    listed = [one for _title, same in drawn.rounds for one in same]
    assert sorted(one.title for one in listed) == sorted(one.title for one in drawn.matches)
    assert [title for title, _same in drawn.rounds][-2:] == ["Final", "Second final"]


@pytest.mark.parametrize(
    ("name", "squeezed"),
    [
        ("Maeve", False),
        ("Jill Illi", False),
        ("W" * 30, True),
        ("Wilhelmina Featherstonehaugh-M", True),
    ],
)
def test_only_long_names_are_squeezed(name: str, squeezed: bool) -> None:
    assert fitted(name, 168) == ("168" if squeezed else "")


def test_names_are_escaped_in_the_picture() -> None:
    event = started(4)
    player = event.entries.order_by("seed")[0].players.all()[0].player
    player.name = "<b>&</b>"
    player.save()
    html = bracket_match(match(event, "Semi-final 1"))
    assert "<b>" not in html
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in html
