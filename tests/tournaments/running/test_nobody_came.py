"""Matches to which nobody came: who goes on, who is placed where, and who wins what."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import HEADS_UP
from games.models import Player, Seat
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting, undoing
from tournaments.entering import leaving_running_event
from tournaments.event_page import page_values
from tournaments.models import Club, Delivery, Entry, Event, Membership, Pairing, Trophy
from tournaments.money import sheet
from tournaments.refusals import RefusedError
from tournaments.results import possible, presence
from tournaments.results.possible import Ruling
from tournaments.seasons import season_table, seasons

pytestmark = [pytest.mark.django_db, pytest.mark.db]

MONEY: dict[str, Any] = {
    "currency": "EUR",
    "entry_money": 1000,
    "prizes": [{"percent": 60}, {"percent": 30}, {"percent": 10}],
}


def begun(entries: int, of: Club | None = None, **fields: Any) -> tuple[Event, list[Entry]]:
    """A running event for two, with its entries by seed."""
    usual: dict[str, Any] = {"rules": HEADS_UP, "format": "single_elimination", "minimum": 2}
    event = build.event(of, **{**usual, **fields})
    build.enter(event, entries)
    build.begin(event)
    return event, list(event.entries.order_by("seed"))


def play(event: Event, *absent: Entry) -> None:
    """Play a round: the better seed wins, except where somebody is absent."""
    now = NOON + 10 * MINUTE * event.played_rounds.count()
    seats = Seat.objects.filter(table__pairing__round=build.latest(event))
    seats.exclude(player__entries__entry__in=absent).update(last_seen=timezone.now())
    build.step(event, now + 6 * MINUTE)
    for match in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
        best = match.entries.order_by("entry__seed").first()
        assert best is not None
        build.win(match, best.side)
    build.step(event, now + 6 * MINUTE)


def finish(event: Event) -> None:
    build.step(event, NOON + timedelta(days=1))
    assert event.state == Event.State.FINISHED


def places(event: Event, entries: list[Entry]) -> list[int | None]:
    """The places for prizes by seed, as the API gives them."""
    found = Client().get(f"/api/events/{event.pk}/standings").json()["lines"]
    prizes = {line["entry"]: line["prize_place"] for line in found}
    return [prizes[entry.pk] for entry in entries]


def stored(entries: list[Entry]) -> list[tuple[int | None, str]]:
    return [Entry.objects.values_list("place", "state").get(pk=entry.pk) for entry in entries]


def won(event: Event) -> dict[int, int]:
    return {line.entry: line.total for line in sheet.read(event).winners}


def test_the_next_opponent_goes_on_and_the_pair_that_played_is_second() -> None:
    event, (one, two, three, four) = begun(4, **MONEY)
    play(event, one, four)
    assert event.played_rounds.count() == 1
    finish(event)
    assert places(event, [one, two, three, four]) == [None, 1, 2, None]
    assert [place for place, _state in stored([one, two, three, four])] == [4, 1, 2, 4]
    assert won(event) == {two.pk: 2400, three.pk: 1200}
    assert {trophy.place for trophy in Trophy.objects.filter(event=event)} == {1}
    page = Client().get(f"/events/{event.pk}/standings/").text
    assert page.count("Did not come") == 2
    assert "Whoever never came to a table is last and wins nothing." in page
    (line,) = (note.text for note in event.notices.filter(text__startswith="Finished"))
    assert line == f"Finished. The winner: {two.name}."


def test_where_nobody_comes_nobody_has_won() -> None:
    event, entries = begun(4, **MONEY)
    play(event, *entries)
    finish(event)
    assert places(event, entries) == [None] * 4
    assert stored(entries) == [(4, Entry.State.NO_SHOW)] * 4
    assert won(event) == {}
    why = "Nobody won: nobody came to a table."
    assert event.notices.get(text__startswith="Finished").text == f"Finished. {why}"
    assert why in Client().get(f"/events/{event.pk}/").text
    assert why in Client().get("/events/").text
    assert not event.trophies.exists()
    assert not Pairing.objects.filter(round__event=event).exclude(winner=-1).exists()


def test_where_nobody_comes_to_the_final_nobody_has_won_but_both_are_second() -> None:
    event, entries = begun(4, **MONEY)
    play(event)
    play(event, *entries[:2])
    finish(event)
    assert places(event, entries) == [2, 2, 3, 3]
    assert won(event) == {
        **dict.fromkeys((entry.pk for entry in entries[:2]), 600),
        **dict.fromkeys((entry.pk for entry in entries[2:]), 200),
    }
    assert (
        "Nobody won: neither side came to the final." in Client().get(f"/events/{event.pk}/").text
    )
    page = Client().get(f"/events/{event.pk}/bracket/").text
    assert "Nobody won: neither side came to the final." in page
    standings = Client().get(f"/events/{event.pk}/standings/").text
    assert standings.count('<th scope="row">2</th>') == 2
    assert standings.count('<th scope="row">3–4</th>') == 2


def test_the_match_for_third_place_is_won_by_the_one_who_is_left() -> None:
    event, entries = begun(4, third_place=True)
    play(event, entries[0], entries[3])
    finish(event)
    assert places(event, entries) == [None, 1, 2, None]


def test_nobody_is_third_where_neither_comes_to_that_match() -> None:
    event, entries = begun(4, third_place=True, **MONEY)
    play(event)
    play(event, *entries[2:])
    finish(event)
    assert places(event, entries) == [1, 2, 4, 4]
    assert {entry.pk for entry in entries[2:]}.isdisjoint(won(event))


def test_in_a_double_elimination_both_are_out() -> None:
    event, entries = begun(4, format="double_elimination")
    play(event, entries[0], entries[3])
    play(event)  # the winners’ final is a bye, so the loser of round 1 waits for its winner
    finish(event)
    assert places(event, entries) == [None, 1, 2, None]


def test_a_bye_in_a_larger_bracket_is_announced() -> None:
    event, entries = begun(8)
    play(event, entries[3], entries[4])
    assert [out.entry for out in build.latest(event).sit_outs.all()] == [entries[0]]
    page = logged_in(entries[0].players.get().player).get(f"/events/{event.pk}/").text
    assert "You have a bye" in page
    out = logged_in(entries[3].players.get().player).get(f"/events/{event.pk}/").text
    assert "You are out" in out
    play(event)
    play(event)
    finish(event)
    assert places(event, entries) == [1, 2, 3, None, None, 4, 4, 4]


def test_the_knock_out_after_a_first_stage() -> None:
    event, entries = begun(
        5, format="round_robin", second_stage="single_elimination", qualifiers=4, cycles=1
    )
    for _round in range(5):
        play(event, entries[4])
    assert build.latest(event).stage == 2
    play(event, entries[0], entries[3])
    finish(event)
    # Both had come to their tables before, so they share the places of those who went out there.
    assert places(event, entries) == [2, 1, 2, 2, None]
    assert stored(entries)[4] == (5, Entry.State.WITHDRAWN)


def test_whoever_never_came_is_last_in_rounds_too_even_by_the_house_s_play() -> None:
    event, entries = begun(4, format="swiss", rounds=2, no_show=Event.NoShow.STAND_IN, **MONEY)
    play(event, entries[0])
    play(event, entries[0])
    finish(event)
    assert places(event, entries)[0] is None
    assert stored(entries)[0] == (4, Entry.State.NO_SHOW)
    assert sorted(filter(None, places(event, entries))) == [1, 2, 3]
    assert entries[0].pk not in won(event)


def test_in_the_room_the_result_says_who_was_not_there() -> None:
    event, entries = begun(4, place="room", **MONEY)
    ada = build.director(event.club)
    first, second = build.latest(event).pairings.order_by("number")
    correcting.set_result(first, ada, Ruling(-1, possible.FORFEIT, ()), reason="", now=NOON)
    correcting.set_result(second, ada, ruled(0, (10, 5)), reason="", now=NOON)
    build.step(event, NOON)
    finish(event)
    assert sorted(places(event, entries), key=str) == [1, 2, None, None]
    gone = [line.entry for line in first.entries.all()]
    assert stored(gone) == [(4, Entry.State.NO_SHOW)] * 2
    # They were there after all: the correction brings back what they have earned.
    with pytest.raises(RefusedError, match="another match"):
        correcting.set_result(first, ada, ruled(0, (10, 5)), reason="They played.", now=NOON)


def test_a_correction_places_whoever_had_come_after_all() -> None:
    event, entries = begun(4, format="round_robin", place="room", cycles=1)
    ada = build.director(event.club)
    for _round in range(3):
        for match in build.latest(event).pairings.all():
            sides = {line.side: line.entry for line in match.entries.all()}
            away = next((side for side, entry in sides.items() if entry == entries[0]), None)
            ruling = ruled(0, (10, 5)) if away is None else Ruling(1 - away, possible.FORFEIT, ())
            correcting.set_result(match, ada, ruling, reason="", now=NOON)
        last = build.latest(event).pairings.get(entries__entry=entries[0])
        build.step(event, NOON)
    finish(event)
    assert stored(entries)[0] == (4, Entry.State.NO_SHOW)
    side = last.entries.get(entry=entries[0]).side
    score = (10, 5) if side == 0 else (5, 10)
    correcting.set_result(last, ada, ruled(side, score), reason="They were late.", now=NOON)
    assert Entry.objects.get(pk=entries[0].pk).state == Entry.State.CHECKED_IN
    assert places(event, entries)[0] is not None


def test_a_correction_that_is_taken_back_says_of_nobody_that_they_came() -> None:
    event, _entries = begun(4, place="room", **MONEY)
    ada = build.director(event.club)
    match = build.latest(event).pairings.order_by("number")[0]
    gone = set(match.entries.values_list("entry", flat=True))
    correcting.set_result(match, ada, Ruling(-1, possible.FORFEIT, ()), reason="", now=NOON)
    assert presence.never_came(event) == gone
    correcting.set_result(match, ada, ruled(0, (10, 5)), reason="They played.", now=NOON)
    assert presence.never_came(event) == set()
    undoing.undo(event.acts.latest("pk"), ada, NOON)
    assert presence.never_came(event) == gone


def test_whoever_played_and_lost_the_match_by_a_ruling_had_come() -> None:
    event, _entries = begun(4, place="room", **MONEY)
    ada = build.director(event.club)
    match = build.latest(event).pairings.order_by("number")[0]
    for ruling in (ruled(0, (10, 5)), Ruling(1, possible.FORFEIT, ())):
        correcting.set_result(match, ada, ruling, reason="A renege.", now=NOON)
        assert presence.never_came(event) == set()


def test_seasons_exports_and_webhooks_say_the_same(receiver: Any) -> None:
    club = build.club()
    build.hook(receiver, club)
    event, entries = begun(4, club)
    play(event, entries[0], entries[3])
    finish(event)
    sent = Delivery.objects.get(body__contains="event.finished")
    told = {
        line["players"][0]["id"]: line["prize_place"]
        for line in json.loads(sent.body)["data"]["standings"]
    }
    people = [entry.players.get().player for entry in entries]
    assert [told[person.pk] for person in people] == [None, 1, 2, None]
    owner = build.director(club)
    Membership.objects.filter(player=owner).update(role=Membership.Role.OWNER)
    for what in ("standings", "entries"):
        found = logged_in(owner).get(f"/events/{event.pk}/export/{what}.json").json()[what]
        rows = {row["entry"]: row["prize_place"] for row in found}
        assert [rows[entry.pk] for entry in entries] == [None, 1, 2, None]
    lines = {line.player: line for line in season_table.table(club, seasons.year(NOON.year))}
    assert people[0] not in lines
    assert lines[people[1]].wins == 1
    assert lines[people[2]].best == 2


def test_nobody_is_called_absent_for_a_match_that_the_others_gave_up() -> None:
    event, entries = begun(4)
    Entry.objects.filter(pk=entries[1].pk).update(state=Entry.State.WITHDRAWN)
    play(event)
    finish(event)
    assert Player.objects.filter(entries__entry__state=Entry.State.NO_SHOW).count() == 0


def test_nor_for_one_that_they_gave_up_before_the_winner_had_come() -> None:
    event, (one, two) = begun(2)
    leaving_running_event.withdraw(two, event.created_by, NOON)
    build.step(event, NOON)
    finish(event)
    assert places(event, [one, two]) == [1, None]
    assert stored([one, two]) == [(1, Entry.State.ENTERED), (2, Entry.State.WITHDRAWN)]


def test_games_that_the_house_played_from_first_to_last_are_not_told_as_lost() -> None:
    event, entries = begun(4, format="round_robin", no_show=Event.NoShow.STAND_IN)
    for _round in range(3):
        play(event, entries[3])
    table = page_values.standings_after(event, 3)
    lines = {line.entry: line for line in table.lines}
    assert lines[entries[3].pk].absent
    assert (lines[entries[3].pk].record, lines[entries[3].pk].points) == ("–", "–")
    assert all(lines[entry.pk].record != "–" for entry in entries[:3])
