"""A match that is played again by a director's act: what falls, and what undo restores."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from games.models import Game, Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled, seen_in
from tests.tournaments.console.first_round import end_round, first_table, running, set_result
from tests.tournaments.console.test_seating_by_hand import seats
from tournaments.acts import (
    correcting,
    page,
    playing_again,
    previews,
    round_clock,
    seating_by_hand,
    undoing,
)
from tournaments.models import Act, Entry, Event, Pairing
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


def reopen(match: Pairing, by: Player) -> Act:
    playing_again.reopen(match, by, reason="They played with 25 cards.", now=NOON)
    return match.round.event.acts.latest("pk")


def all_of(event: Event) -> list[Any]:
    matches = Pairing.objects.filter(round__event=event).order_by("pk")
    return [
        list(matches.values()),
        list(event.entries.order_by("pk").values()),
        list(event.played_rounds.values("number", "over")),
        list(Game.objects.filter(table__pairing__in=matches).order_by("pk").values("ruling")),
    ]


def break_after_first(ada: Player, **fields: Any) -> Event:
    """An event in the break after its first round."""
    event = running(ada, break_seconds=600, **fields)
    end_round(event)
    return event


def test_the_round_goes_on_and_another_result_counts(ada: Player) -> None:
    event = break_after_first(ada)
    match = first_table(event)
    act = reopen(match, ada)
    match.refresh_from_db()
    assert (match.state, match.how, match.points) == (Pairing.State.CALLED, "", (0, 0))
    assert build.latest(event).over is None
    assert act.before["points"] == [5, 2]
    build.step(event, NOON + 11 * MINUTE)
    assert event.played_rounds.count() == 1
    set_result(event, ada, 1)
    assert first_table(event).points == (3, 5)


def test_undo_restores_every_row(ada: Player) -> None:
    event = break_after_first(ada)
    before = all_of(event)
    act = reopen(first_table(event), ada)
    assert all_of(event) != before
    undoing.undo(act, ada, NOON)
    assert all_of(event) == before


def test_undo_restores_a_score_of_the_room(ada: Player) -> None:
    event = build.event(ada.memberships.get().club, place=Event.Place.ROOM, rounds=2)
    build.enter(event, 8)
    build.begin(event)
    score = ruled(1, (3, 6))._replace(lone=(0, 1))
    correcting.set_result(first_table(event), ada, score, reason="", now=NOON)
    before = all_of(event)
    undoing.undo(reopen(first_table(event), ada), ada, NOON)
    assert all_of(event) == before


@pytest.mark.parametrize("paused", [False, True])
def test_undo_restores_the_time_of_the_round(ada: Player, paused: bool) -> None:
    event = running(ada, place=Event.Place.ROOM)
    correcting.set_result(first_table(event), ada, ruled(0, (5, 3)), reason="", now=NOON)
    round_, now = build.latest(event), NOON + 15 * MINUTE
    match = first_table(event)
    playing_again.reopen(match, ada, reason="So.", now=now)
    assert build.latest(event).ends == now + 20 * MINUTE
    if paused:
        round_clock.pause(event, ada, now)
        round_clock.resume(event, ada, now + 3 * MINUTE)
    undoing.undo(event.acts.get(kind=Act.Kind.REOPEN), ada, now + 3 * MINUTE)
    then = build.latest(event)
    pause = 3 * MINUTE * paused
    assert (then.called, then.ends) == (round_.called + pause, (round_.ends or NOON) + pause)


def test_undo_leaves_the_time_to_others_who_were_called_since(ada: Player) -> None:
    event = break_after_first(ada)
    one, other = build.latest(event).pairings.order_by("number")
    act = reopen(one, ada)
    later = NOON + 30 * MINUTE
    playing_again.reopen(other, ada, reason="So.", now=later)
    undoing.undo(act, ada, later)
    assert build.latest(event).ends == later + 20 * MINUTE


def test_a_round_stays_open_while_another_table_plays_again(ada: Player) -> None:
    event = break_after_first(ada)
    one, other = build.latest(event).pairings.order_by("number")
    act = reopen(one, ada)
    reopen(other, ada)
    undoing.undo(act, ada, NOON)
    assert build.latest(event).over is None


def test_undo_is_refused_once_it_is_played_again(ada: Player) -> None:
    event = break_after_first(ada)
    act = reopen(first_table(event), ada)
    build.arrive(event)
    build.step(event, NOON)
    with pytest.raises(RefusedError, match="has begun since"):
        undoing.undo(act, ada, NOON)
    build.win(first_table(event), 0, (5, 1))
    build.step(event, NOON)
    with pytest.raises(RefusedError, match="has a result since"):
        undoing.undo(act, ada, NOON)


def test_undo_is_refused_while_others_sit_there(ada: Player) -> None:
    event = running(ada, format="progressive", place=Event.Place.ROOM)
    match, other = build.latest(event).pairings.order_by("number")
    correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
    act = reopen(match, ada)
    (played, *_), (comes, *stay) = seats(match), seats(other)
    seating_by_hand.seat(other, ada, [played, *stay], reason="They changed.", now=NOON)
    assert comes in seats(match)
    with pytest.raises(RefusedError, match="Others sit at table 1 since"):
        undoing.undo(act, ada, NOON)
    undoing.undo(event.acts.latest("pk"), ada, NOON)
    undoing.undo(act, ada, NOON)
    match.refresh_from_db()
    assert (match.points, played in seats(match)) == ((5, 3), True)


def test_what_forbids_it(ada: Player) -> None:
    event = running(ada)
    match = first_table(event)
    with pytest.raises(RefusedError, match="is not over"):
        reopen(match, ada)
    end_round(event)
    with pytest.raises(RefusedError, match="Round 2 was drawn with the result of table 1"):
        reopen(match, ada)
    with pytest.raises(RefusedError, match="Give a reason"):
        playing_again.reopen(match, ada, reason="", now=NOON)
    player = Entry.objects.filter(pairings__pairing=match)[0].players.get().player
    build.joined(event.club, player, "director")
    with pytest.raises(RefusedError, match="somebody else has to set its result"):
        reopen(match, player)


def test_the_place_of_a_table_that_stays_is_no_change(ada: Player) -> None:
    event = running(ada, place=Event.Place.MIXED, room_from=1)
    set_result(event, ada)
    match = build.latest(event).pairings.get(number=1)
    shown = previews.preview(event, lambda: reopen(match, ada)).changes
    assert [one.falls for one in shown if one.thing == "Round 1, table 1"] == [True]
    assert not [one for one in shown if one.thing.startswith("Place of")]


def test_the_page_shows_first_that_the_result_falls(
    ada: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))
    event, browser = break_after_first(ada), logged_in(ada)
    path = reverse("reopen_table", args=[event.pk, 1, 1])
    assert path in browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
    shown = browser.get(path).text
    assert '<span class="falls">Round 1, table 1</span>' in shown
    assert first_table(event).state == Pairing.State.DECIDED
    said = {"reason": "Misdealt.", "seen": seen_in(shown)}
    assert browser.post(path, said).status_code == 303
    assert first_table(event).state == Pairing.State.CALLED
    log = browser.get(reverse("event_acts", args=[event.pk])).text
    assert "Had a match played again: round 1, table 1" in log
    assert "<s>5–2</s> → none" in log
    assert browser.post(path, said).status_code == 409
