"""What an event's page shows, from its first round to its result."""

import re
from datetime import datetime
from html import unescape
from random import Random
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.engine.rules import HEADS_UP
from games.models import Game, Player, Seat
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import round_clock
from tournaments.event_page import own_status, page_values, showing
from tournaments.event_page.own_status import OwnStatus
from tournaments.event_page.page_values import EventPage
from tournaments.models import Club, Entry, EntryPlayer, Event, Notice, Pairing

pytestmark = pytest.mark.django_db


def read(event: Event, now: datetime = NOON) -> EventPage:
    return page_values.read(Event.objects.select_related("club").get(pk=event.pk), now)


def started(entries: int, **fields: Any) -> Event:
    event = build.event(**{"format": "swiss", "rounds": 3, **fields})
    build.enter(event, entries)
    build.begin(event)
    return event


def player_of(event: Event, entry: int) -> Player:
    line = EntryPlayer.objects.filter(event=event, entry=entry).select_related("player")[0]
    return line.player


def mine(event: Event, entry: int, now: datetime = NOON) -> OwnStatus:
    found = own_status.status_of(read(event, now), player_of(event, entry).pk)
    assert found is not None
    return found


def shown(html: str) -> str:
    """The words of a part; spaces that hold words together stay as they are."""
    return re.sub(r"[ \t\r\n\f]+", " ", unescape(re.sub(r"<[^>]*>", " ", html))).strip(" ")


def test_every_part_is_one_element_with_its_id_in_every_state() -> None:
    coming = build.event(build.club("Coming"))
    running = started(4)
    ended = started(4, of=build.club("Ended"))
    for _round in range(3):
        build.play_round(ended, NOON + MINUTE, Random(1))
    for event in (coming, running, ended):
        parts = showing.draw(read(event))
        assert parts.keys() == showing.PARTS.keys()
        for part, html in parts.items():
            assert re.match(rf'<(\w+)[^>]*\bid="{part}"', html), part
            assert len(re.findall(rf'id="{part}"', html)) == 1


def test_scores_of_running_games_are_shown() -> None:
    event = started(4)
    build.arrive(event)
    build.step(event, NOON)
    pairing = build.latest(event).pairings.get(number=1)
    Game.objects.filter(table=pairing.table_id).update(score_0=3, score_1=4, deal_number=9)
    match = read(event).rounds[0].matches[0]
    assert [side.count for side in match.sides] == ["3", "4"]
    assert match.words == "Hand 9"
    assert match.path == f"/tables/{pairing.table_id}/"
    assert "Hand 9" in shown(showing.draw(read(event))["event-pairings"])


def test_a_finished_match_leads_to_its_game() -> None:
    event = started(4)
    build.play_round(event, NOON + MINUTE, Random(1))
    pairing = event.played_rounds.get(number=1).pairings.get(number=1)
    round_ = page_values.round_of(event, 1)
    assert round_ is not None
    match = round_.matches[0]
    assert match.words == "Finished"
    assert match.sides[pairing.winner].won
    assert match.path == f"/games/{Game.objects.get(table=pairing.table_id).pk}/"


def test_a_match_of_several_games_counts_these_and_leads_to_its_round() -> None:
    event = started(4, match=Event.Match.BEST_OF_3)
    build.arrive(event)
    build.step(event, NOON)
    pairing = build.latest(event).pairings.get(number=1)
    for minutes, side in ((1, 0), (2, 1)):
        build.win(pairing, side)
        build.step(event, NOON + minutes * MINUTE)
    match = read(event).rounds[0].matches[0]
    assert [side.count for side in match.sides] == ["1", "1"]
    assert match.words == "Game 3, hand 1"
    build.win(pairing, 0)
    build.step(event, NOON + 4 * MINUTE)
    match = read(event).rounds[0].matches[0]
    assert [side.count for side in match.sides] == ["2", "1"]
    assert match.scores == "10–5, 5–10, 10–5"
    assert match.path == f"/events/{event.pk}/rounds/1/#round-1-table-1"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (Pairing.How.FORFEIT, "Forfeit"),
        (Pairing.How.TIME, "Ended on time"),
        (Pairing.How.DIRECTOR, "By the director"),
    ],
)
def test_page_states_how_a_result_came_about(how: str, words: str) -> None:
    event = started(4)
    build.latest(event).pairings.update(
        state=Pairing.State.DECIDED, how=how, winner=0, points_0=4, points_1=2
    )
    match = read(event).rounds[0].matches[0]
    assert match.words == words
    assert [side.count for side in match.sides] == (["", ""] if how == "forfeit" else ["4", "2"])


@pytest.mark.parametrize(
    ("came", "words"),
    [((), "Nobody came"), ((0, 1), "Both sides lacked a player")],
)
def test_page_states_why_both_sides_lost(came: tuple[int, ...], words: str) -> None:
    event = started(4)
    Seat.objects.filter(table__pairing__number=1, position__in=came).update(
        last_seen=timezone.now()
    )
    build.step(event, NOON + 5 * MINUTE)
    match = page_values.round_of(event, 1).matches[0]  # type: ignore[union-attr]
    assert match.words == words
    assert mine(event, match.sides[0].team.entries[0]).heading != "A tie"


def test_match_given_up_by_both_sides_is_labelled() -> None:
    event = started(4, format="single_elimination", break_seconds=60)
    build.play_round(event, NOON, Random(1))
    winners = [
        pairing.entries.get(side=pairing.winner).entry_id
        for pairing in build.latest(event).pairings.all()
    ]
    Entry.objects.filter(pk__in=winners).update(state=Entry.State.WITHDRAWN)
    build.step(event, NOON + 2 * MINUTE)
    final = read(event).rounds[-1].matches[0]
    assert final.entries == tuple(winners)
    assert final.words == "Given up by both"
    assert "Given up by both" in shown(showing.draw(read(event))["event-bracket"])


def test_player_sees_table_side_partner_and_opponents() -> None:
    event = started(8, format="rotation", rounds=3)
    match = read(event).rounds[0].matches[1]
    entry = match.sides[1].team.entries[0]
    told = mine(event, entry)
    assert told.label == "Round 1, you are called to"
    assert told.heading == "Table 2"
    assert told.seat == "east–west"
    assert told.partner == match.sides[1].team.people[1].name
    assert told.opponents == match.sides[0].team.name
    assert told.at_table
    build.arrive(event)
    build.step(event, NOON)
    assert mine(event, entry).label == "Round 1, you are playing"


def test_heads_up_has_no_partner() -> None:
    event = started(4, rules=HEADS_UP)
    told = mine(event, read(event).rounds[0].matches[0].sides[0].team.entries[0])
    assert (told.seat, told.partner) == ("north", "")


def test_finished_player_sees_who_still_plays() -> None:
    event = started(8)
    build.arrive(event)
    build.step(event, NOON)
    pairing = build.latest(event).pairings.get(number=1)
    build.win(pairing, 0)
    build.step(event, NOON + MINUTE)
    match = read(event).rounds[0].matches[0]
    won, lost = (mine(event, side.team.entries[0]) for side in match.sides)
    assert (won.heading, lost.heading) == ("You won 10–5", "You lost 5–10")
    assert won.words == "3 tables are still playing."
    assert not won.at_table


@pytest.mark.parametrize(
    ("form", "words"),
    [("rotation", "You sit out"), ("swiss", "You have a bye")],
)
def test_player_without_a_table_sees_why(form: str, words: str) -> None:
    event = started(5, format=form)
    idle = read(event).rounds[0].sit_outs[0].entries[0]
    assert mine(event, idle).heading == words
    assert shown(showing.draw(read(event))["event-pairings"]).endswith(
        f"{'Sits out' if form == 'rotation' else 'Bye'}: {read(event).teams[idle].name}"
    )


def test_knocked_out_player_sees_they_are_out() -> None:
    event = started(4, format="single_elimination", rounds=None)
    build.play_round(event, NOON + MINUTE, Random(1))
    playing = {entry for match in read(event).rounds[0].matches for entry in match.entries}
    (out, _other) = set(event.entries.values_list("pk", flat=True)) - playing
    assert mine(event, out).heading == "You are out"


def test_semi_final_loser_sees_the_match_for_third_place() -> None:
    event = started(4, format="single_elimination", rounds=None, third_place=True)
    build.arrive(event)
    build.step(event, NOON)
    build.win(build.latest(event).pairings.get(number=1), 0)
    build.step(event, NOON + MINUTE)
    loser = read(event).rounds[0].matches[0].sides[1].team.entries[0]
    assert mine(event, loser).words == "You play for third place next."


def test_everybody_sees_their_final_place() -> None:
    event = build.event(format="swiss", rounds=2)
    build.enter(event, 4)
    build.play_to_end(event)
    first = event.entries.get(place=1)
    told = mine(event, first.pk)
    assert (told.label, told.heading) == ("You finished", "1st of 4")
    page = read(event)
    assert next(prize.words for prize in page.prizes) == "1st of 4"
    assert len(page.rounds) == 2
    games = set(re.findall(r"/games/([0-9a-f-]{36})/", showing.draw(page)["event-results"]))
    assert games == {str(pk) for pk in Game.objects.values_list("pk", flat=True)}


def test_withdrawn_players_and_outsiders_have_no_table() -> None:
    event = started(6)
    entry = event.entries.first()
    assert entry is not None
    Entry.objects.filter(pk=entry.pk).update(state=Entry.State.WITHDRAWN)
    assert mine(event, entry.pk).heading == "You are out of this event"
    assert own_status.status_of(read(event), Player.objects.create(name="Otto").pk) is None


def test_clock_shows_the_time_left_and_stops_while_paused() -> None:
    event = started(4, round_minutes=30)
    clock = read(event, NOON + 10 * MINUTE).clock
    assert clock is not None
    assert (clock.shown, clock.words, clock.share) == ("20:00", "left in round 1", 67)
    assert (clock.finished, clock.tables) == (0, 2)
    Event.objects.filter(pk=event.pk).update(paused=NOON + 12 * MINUTE)
    clock = read(event, NOON + 25 * MINUTE).clock
    assert clock is not None
    assert (clock.shown, clock.paused) == ("18:00", True)
    html = showing.draw(read(event, NOON + 25 * MINUTE))["event-clock"]
    assert "paused" in shown(html)
    assert "data-ends" not in html


def test_clock_never_goes_below_zero() -> None:
    event = started(4, round_minutes=5)
    clock = read(event, NOON + 9 * MINUTE).clock
    assert clock is not None
    assert (clock.shown, clock.share) == ("0:00", 0)


def test_between_rounds_the_clock_counts_to_the_next() -> None:
    event = started(4, break_seconds=180)
    build.play_round(event, NOON + MINUTE, Random(1))
    clock = read(event, NOON + 2 * MINUTE).clock
    assert clock is not None
    assert (clock.words, clock.shown) == ("until round 2", "2:00")


def test_a_pause_between_rounds_shows_no_week_to_wait() -> None:
    event = started(4, break_seconds=180)
    build.play_round(event, NOON + MINUTE, Random(1))
    event.refresh_from_db()
    ada = Player.objects.create(name="Ada")
    round_clock.pause(event, ada, NOON + 2 * MINUTE)
    clock = read(event, NOON + 10 * MINUTE).clock
    assert clock is not None
    assert (clock.words, clock.shown) == ("until round 2", "2:00")
    round_clock.resume(event, ada, NOON + 10 * MINUTE)
    round_clock.pause(event, ada, NOON + 12 * MINUTE)
    clock = read(event, NOON + 13 * MINUTE).clock
    assert clock is not None
    assert (clock.words, clock.ends, clock.paused) == ("Before round 2", None, True)


def test_rounds_state_their_times() -> None:
    event = started(8, round_minutes=30, break_seconds=0)
    build.play_round(event, NOON + 20 * MINUTE, Random(1))
    steps = read(event, NOON + 20 * MINUTE).steps
    assert [(step.state, step.words) for step in steps] == [
        ("over", "Finished"),
        ("now", "Until"),
        ("to come", "About"),
    ]
    assert [step.at for step in steps] == [NOON + minutes * MINUTE for minutes in (20, 50, 50)]


def test_tag_shows_the_round_or_the_pause() -> None:
    event = started(8)
    assert read(event).tag.words == "Round 1 of 3"
    Event.objects.filter(pk=event.pk).update(paused=NOON)
    assert read(event).tag.words == "Paused"


@pytest.mark.parametrize(
    ("fields", "entries", "total"),
    [
        ({"format": "swiss", "rounds": 5}, 14, 5),
        ({"format": "single_elimination"}, 6, 3),
        ({"format": "double_elimination"}, 8, 6),
        ({"format": "round_robin"}, 5, 5),
        (
            {
                "format": "swiss",
                "rounds": 3,
                "second_stage": "single_elimination",
                "qualifiers": 4,
            },
            8,
            5,
        ),
    ],
)
def test_page_states_the_number_of_rounds(fields: dict[str, Any], entries: int, total: int) -> None:
    event = build.event(**fields)
    build.enter(event, entries)
    build.begin(event)
    assert read(event).total == total
    assert len(read(event).steps) == total


def test_only_public_notices_are_shown_and_text_is_escaped() -> None:
    event = started(4)
    Notice.objects.create(event=event, text="Tea <b>now</b>", public=True)
    Notice.objects.create(event=event, text="Drew round 1", public=False)
    html = showing.draw(read(event))["event-notices"]
    assert "Tea &lt;b&gt;now&lt;/b&gt;" in html
    assert "Drew" not in html


def test_all_readers_see_the_same_with_their_own_rows_marked() -> None:
    event = started(4)
    page = read(event)
    entry = page.rounds[0].matches[0].sides[0].team.entries[0]
    kept = showing.KeptPage(page, showing.draw(page))
    plain, marked = kept.parts, showing.draw_for(kept, player_of(event, entry), entry)
    assert 'class="mine"' not in "".join(plain.values())
    assert marked["event-pairings"].count('class="mine"') == 1
    assert showing.draw_mine(page, player_of(event, entry)).keys() == {"event-mine"}
    assert showing.draw_mine(page, Player.objects.create(name="Otto")) == {}


def test_standings_before_the_first_result_state_when_they_begin() -> None:
    words = shown(showing.draw(read(started(4)))["event-standings"])
    assert "Standings appear after round 1" in words


def test_rotation_reports_repeated_pairs() -> None:
    event = started(5, format="rotation", rounds=7)
    for minutes in range(1, 8):
        build.play_round(event, NOON + minutes * MINUTE, Random(minutes))
    repeats = read(event).repeats
    assert repeats is not None
    assert not repeats.perfect
    assert all(again.times > 1 for again in repeats.partners)
    perfect = started(8, of=build.club("Another"), format="rotation", rounds=3)
    build.play_round(perfect, NOON + MINUTE, Random(1))
    repeats = read(perfect).repeats
    assert repeats is not None
    assert repeats.perfect
    assert read(started(4, of=build.club("A third"))).repeats is None


def test_tables_of_a_closed_club_are_reached_through_the_event() -> None:
    club = build.club(joining=Club.Joining.INVITATION)
    event = started(4, of=club)
    assert read(event).rounds[0].matches[0].path == f"/events/{event.pk}/rounds/1/tables/1/"


@pytest.mark.parametrize(
    "form",
    ["rotation", "swiss", "single_elimination", "double_elimination"],
)
def test_more_tables_take_no_more_queries(form: str) -> None:
    counts = []
    for number, entries in enumerate((8, 16)):
        event = started(entries, of=build.club(f"Club {number}"), format=form)
        build.play_round(event, NOON + MINUTE, Random(1))
        build.arrive(event)
        build.step(event, NOON + MINUTE)
        fresh = Event.objects.select_related("club").get(pk=event.pk)
        with CaptureQueriesContext(connection) as captured:
            page = page_values.read(fresh, NOON + MINUTE)
        counts.append(len(captured))
        with CaptureQueriesContext(connection) as drawing:
            showing.draw(page)
            showing.draw_mine(page, player_of(event, next(iter(page.entries))))
        assert len(drawing) == 1  # the test's own, to find a player
    assert counts[0] == counts[1] <= 32


def test_teams_sharing_a_prize_are_separated() -> None:
    event = build.event(format="single_elimination", minimum=2)
    build.enter(event, 8)
    build.play_to_end(event)
    third = next(prize for prize in read(event).prizes if prize.place == 3)
    assert [len(people) for people in third.teams] == [2, 2]
    html = showing.draw(read(event))["event-prizes"]
    assert shown(html).count(" & ") == 4


def test_the_page_has_a_link_to_share() -> None:
    event = build.event()
    page = Client().get(f"/events/{event.pk}/").text
    assert f'value="{settings.SITE_URL}/events/{event.pk}/"' in page
    assert 'popovertarget="qr"' in page
    closed = build.event(build.club("Closed", joining="invitation"))
    ada = build.director(closed.club)
    assert 'popovertarget="qr"' not in logged_in(ada).get(f"/events/{closed.pk}/").text
