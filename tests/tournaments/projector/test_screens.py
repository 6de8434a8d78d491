"""The room's screen: what it shows in each phase, to whom, and what it keeps secret."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Game
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Club, Event, Pairing
from tournaments.projector import screens

pytestmark = pytest.mark.django_db


def keys(event: Event) -> list[str]:
    return [slide.key for slide in screens.read(event, NOON).slides]


def text_of(event: Event) -> str:
    return Client().get(f"/events/{event.pk}/projector/").text


def decide(event: Event, *numbers: int) -> None:
    """Let north-south win at these tables of the latest round."""
    build.latest(event).pairings.filter(number__in=numbers).update(
        state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=0, points_0=5, decided=NOON
    )
    build.step(event, NOON)


def test_before_the_start_it_says_when_and_how_to_come_in() -> None:
    event = build.event(starts=NOON + timedelta(hours=1))
    assert keys(event) == ["screen-start"]
    assert "Starts at" in text_of(event)
    assert event.join_code in text_of(event)


def test_long_lists_take_several_pages() -> None:
    event = build.event(rounds=2, break_seconds=600)
    build.enter(event, 52)
    build.begin(event)
    assert keys(event) == ["screen-tables-1", "screen-tables-2", "screen-tables-3"]
    decide(event, *range(1, 14))
    read = screens.read(event, NOON)
    places = [line.place for slide in read.slides for column in slide.columns for line in column]
    assert len(places) == 52
    shown = [match.pairing.number for slide in read.slides for match in slide.matches]
    assert shown == list(range(1, 14))
    standings = [slide for slide in read.slides if slide.kind == "standings"]
    assert [[len(column) for column in slide.columns] for slide in standings] == [
        [11, 11], [11, 11], [8],
    ]  # fmt: skip
    assert standings[0].small == "after round 1, 1 of 3"


def test_who_sits_out_and_what_the_director_says_are_shown() -> None:
    event = build.event(round_minutes=20)
    build.enter(event, 9)
    build.begin(event)
    event.notices.create(text="Tea.", public=True)
    event.notices.create(text="Not for all.", public=False)
    page = text_of(event)
    assert "Sits out: " in page
    assert "Tea." in page
    assert "Not for all." not in page
    assert 'data-time-up="Finish the hand"' in page
    Event.objects.filter(pk=event.pk).update(time_up=Event.TimeUp.SCORE)
    assert 'data-time-up="Time is up"' in text_of(event)
    Event.objects.filter(pk=event.pk).update(paused=timezone.now())
    assert "data-ends" not in text_of(event)


def test_bracket_shows_where_somebody_still_plays() -> None:
    event = build.event(format="single_elimination", minimum=2)
    build.enter(event, 16)
    build.begin(event)

    def titles() -> list[list[str]]:
        slides = screens.read(event, NOON).slides
        return [[title for title, _column in slide.bracket] for slide in slides if slide.bracket]

    assert titles() == [
        ["Round of 16", "Quarter-finals", "Semi-finals"],
        ["Round of 16", "Quarter-finals", "Semi-finals"],
        ["Final"],
    ]
    decide(event, *range(1, 9))
    decide(event, 1, 2, 3, 4)
    decide(event, 1, 2)
    assert titles() == [["Final"]]


def test_cancelled_event_does_not_invite() -> None:
    event = build.event(state=Event.State.CANCELLED, ended=NOON)
    page = text_of(event)
    assert "This event does not take place." in page
    assert "hx-ws:connect" not in page


def test_there_is_a_picture_before_the_first_round_and_without_one() -> None:
    event = build.event(started=NOON, state=Event.State.RUNNING)
    assert keys(event) == ["screen-start"]
    assert "Round 1 is being drawn." in text_of(event)
    Event.objects.filter(pk=event.pk).update(ended=NOON, state=Event.State.FINISHED)
    event.refresh_from_db()
    assert "screen-start" in keys(event)
    assert "No round was played." in text_of(event)


def test_update_is_the_pictures_alone() -> None:
    event = build.event()
    part = Client().get(f"/events/{event.pk}/projector/", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div id="screens"')
    assert "<html" not in part


def test_it_costs_the_same_queries_however_many_play() -> None:
    club, spent = build.club(), []
    for players in (8, 40):
        event = build.event(club, rounds=3)
        build.enter(event, players)
        build.begin(event)
        with CaptureQueriesContext(connection) as queries:
            text_of(event)
        spent.append(len(queries))
    assert spent[0] == spent[1]


def test_screen_of_a_draft_or_a_closed_club_is_for_those_who_may_see_it() -> None:
    club = build.club(joining=Club.Joining.INVITATION)
    event, ada = build.event(club, state=Event.State.DRAFT), build.director(club)
    inside, outside = member("Ina"), member("Otto")
    build.joined(club, inside)
    for path in (f"/events/{event.pk}/projector/", f"/screen/{event.join_code}/"):
        for who in (inside, outside):
            assert logged_in(who).get(path).status_code == 404
        assert logged_in(ada).get(path).status_code in {200, 302}


def test_code_leads_to_the_screen() -> None:
    event = build.event()
    response = Client().get(f"/screen/{event.join_code.lower()}/")
    assert response["Location"] == f"/events/{event.pk}/projector/"
    wrong = Client().get("/screen/AAAAA/")
    assert wrong.status_code == 404
    assert "No event that you may see has the code AAAAA" in wrong.text


@pytest.mark.sqlite
def test_results_under_seal_are_not_shown() -> None:
    event = build.event(format="duplicate", match="deals", deals=2, rounds=1, rated=False)
    first, *_playing = build.finish_first_of_shared_deals(event)
    Pairing.objects.filter(table=first).update(points_0=71, points_1=83)
    Game.objects.filter(table=first).update(score_0=71, score_1=83)
    page = text_of(event)
    assert "others still play" in page
    assert not re.search("71|83", re.sub(r"<svg.*?</svg>|data-now=\S+", "", page))
