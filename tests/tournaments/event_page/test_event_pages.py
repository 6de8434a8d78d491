"""The pages of an event: what stands on them, and what is not there."""

import time
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Game, Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.formats.registry import FORMATS
from tournaments.models import Club, EntryPlayer, Event

pytestmark = pytest.mark.django_db


def started(entries: int, **fields: Any) -> Event:
    event = build.event(**{"format": "swiss", "rounds": 3, **fields})
    build.enter(event, entries)
    build.begin(event)
    return event


def page(path: str, who: Player | None = None) -> str:
    browser = logged_in(who) if who is not None else Client()
    response = browser.get(path)
    assert response.status_code == 200
    return response.content.decode()


def status(path: str) -> int:
    return Client().get(path).status_code


@pytest.mark.parametrize("form", FORMATS)
def test_page_works_in_every_state(form: str) -> None:
    soon = timezone.now() + MINUTE
    event = build.event(format=form, rounds=2, starts=soon, registration_closes=soon)
    build.enter(event, max(5, FORMATS[form].least_entries))
    assert "Starts in" in page(f"/events/{event.pk}/")
    build.begin(event)
    assert "Round 1 tables" in page(f"/events/{event.pk}/")
    for minutes in range(1, 40):
        build.play_round(event, NOON + minutes * MINUTE, Random(minutes))
        if event.state == Event.State.FINISHED:
            break
    assert "The result" in page(f"/events/{event.pk}/")


def test_cancelled_event_is_labelled_and_links_on() -> None:
    event = build.event(state=Event.State.CANCELLED)
    html = page(f"/events/{event.pk}/")
    assert "This event has been cancelled." in html
    assert f'href="/clubs/{event.club.slug}/"' in html


def test_start_is_in_the_clubs_time() -> None:
    event = build.event(build.club(time_zone="America/New_York"))
    assert "Saturday 7 March, 7:00 am" in page(f"/events/{event.pk}/")


def test_clocks_get_the_time_in_milliseconds() -> None:
    html = page(f"/events/{build.event().pk}/")
    shown = int(html.partition('data-now="')[2].partition('"')[0])
    assert abs(shown / 1000 - time.time()) < 60


def test_ones_own_rows_are_marked_without_scripts() -> None:
    event = started(4)
    player = EntryPlayer.objects.filter(event=event).select_related("player")[0].player
    assert page(f"/events/{event.pk}/", player).count('class="mine"') == 1
    assert 'class="mine"' not in page(f"/events/{event.pk}/")


def test_a_visitor_is_offered_a_table_to_watch() -> None:
    event = started(4)
    build.arrive(event)
    build.step(event, NOON)
    busy = build.latest(event).pairings.get(number=2)
    Game.objects.filter(table=busy.table_id).update(deal_number=7)
    html = page(f"/events/{event.pk}/")
    assert "Watch table 2" in html
    assert f'href="/tables/{busy.table_id}/"' in html


def test_every_round_has_its_page_with_every_game() -> None:
    event = started(4, match=Event.Match.BEST_OF_3)
    build.arrive(event)
    build.step(event, NOON)
    for minutes in (1, 2):
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        build.step(event, NOON + minutes * MINUTE)
    html = page(f"/events/{event.pk}/rounds/1/")
    assert html.count("/games/") == 4
    assert all(
        str(pk) in html
        for pk in Game.objects.filter(table__pairing__round__number=1).values_list("pk", flat=True)
    )


@pytest.mark.parametrize("path", ["rounds/9/", "rounds/0/", "standings/?after=9"])
def test_unplayed_round_is_not_found(path: str) -> None:
    event = started(4)
    assert status(f"/events/{event.pk}/{path}") == 404


@pytest.mark.parametrize("after", ["0", "x", "-1", "²", "9" * 30])
def test_standings_of_an_invalid_round_are_not_found(after: str) -> None:
    event = started(4)
    build.play_round(event, NOON + MINUTE, Random(1))
    assert status(f"/events/{event.pk}/standings/?after={after}") == 404


def test_standings_can_be_read_as_they_were_after_a_round() -> None:
    event = started(4)
    for minutes in (1, 2):
        build.play_round(event, NOON + minutes * MINUTE, Random(minutes))
    early, late = (page(f"/events/{event.pk}/standings/?after={n}") for n in (1, 2))
    assert "after round 1" in early
    assert "1–0" in early
    assert "2–0" in late
    assert page(f"/events/{event.pk}/standings/") == late


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"format": "swiss", "rounds": 3}, "has no knock-out"),
        ({"format": "single_elimination"}, "drawn when the event starts"),
        (
            {"format": "swiss", "rounds": 3, "second_stage": "single_elimination"},
            "when the first stage is over",
        ),
    ],
)
def test_empty_bracket_states_the_reason(fields: dict[str, Any], words: str) -> None:
    event = build.event(**fields)
    assert words in page(f"/events/{event.pk}/bracket/")


def test_empty_standings_state_when_they_begin() -> None:
    event = build.event()
    assert "Standings appear after round 1." in page(f"/events/{event.pk}/standings/")


def test_the_bracket_is_a_picture_with_a_title_and_the_same_as_a_list() -> None:
    event = started(6, format="single_elimination", rounds=None)
    build.play_round(event, NOON + MINUTE, Random(1))
    html = page(f"/events/{event.pk}/bracket/")
    assert "<title id=" in html
    assert "<desc id=" in html
    assert html.count('aria-label="Quarter-final ') == 2
    assert html.count("Score sheet") == 2
    assert html.count(">Watch<") == 4  # two semi-finals, in the picture and in the list
    assert "Winner of semi-final 1" in html


def test_the_bracket_of_a_second_stage_pairs_the_qualified() -> None:
    event = started(8, format="rotation", rounds=1, second_stage="single_elimination", qualifiers=4)
    build.play_round(event, NOON + MINUTE, Random(1))
    html = page(f"/events/{event.pk}/bracket/")
    assert '<svg class="bracket-picture"' in html
    best = event.entries.filter(qualified__in=(1, 4)).order_by("qualified")
    both = " &amp; ".join(entry.players.get().player.name for entry in best)
    assert both in html


def test_members_of_a_closed_club_can_watch_and_read_its_games() -> None:
    club = build.club(joining=Club.Joining.INVITATION)
    event = started(4, of=club)
    otto, stranger = member("Otto"), member("Silas")
    build.joined(club, otto)
    pairing = build.latest(event).pairings.get(number=1)
    visit = f"/events/{event.pk}/rounds/1/tables/1/"
    browser = logged_in(otto)
    assert browser.get(f"/tables/{pairing.table_id}/").status_code == 404
    assert browser.get(visit, follow=True).redirect_chain == [(f"/tables/{pairing.table_id}/", 302)]
    assert logged_in(stranger).get(visit).status_code == 404
    build.play_round(event, NOON + MINUTE, Random(1))
    game = Game.objects.get(table=pairing.table_id)
    response = browser.get(f"{visit}?game={game.pk}", follow=True)
    assert response.redirect_chain == [(f"/games/{game.pk}/", 302)]
    assert response.status_code == 200


def test_visit_to_a_table_of_another_event_is_not_found() -> None:
    event = started(4)
    assert status(f"/events/{event.pk}/rounds/1/tables/3/") == 404
    assert Client().get(f"/events/{event.pk}/rounds/1/tables/1/?game=x").status_code == 302


def test_draft_page_is_for_directors_only() -> None:
    event = build.event(state=Event.State.DRAFT)
    director = build.director(event.club)
    for path in ("", "standings/", "bracket/"):
        assert status(f"/events/{event.pk}/{path}") == 404
        assert logged_in(director).get(f"/events/{event.pk}/{path}").status_code == 200


def test_only_unfinished_events_open_a_socket() -> None:
    event = build.event(starts=NOON + timedelta(days=1))
    socket = f"/ws/events/{event.pk}/?have={event.version}"
    assert f'hx-ws:connect="{socket}"' in page(f"/events/{event.pk}/")
    Event.objects.update(state=Event.State.CANCELLED)
    assert "hx-ws:connect" not in page(f"/events/{event.pk}/")
