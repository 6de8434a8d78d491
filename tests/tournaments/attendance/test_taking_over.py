"""A late-comer takes over from a house player: which, from when, and taking it back."""

from typing import Any

import pytest
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import house_players, log, undoing
from tournaments.attendance import substitutes
from tournaments.event_page import page_values
from tournaments.models import Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


def running(ada: Player, people: int = 6, house: int = 2, **fields: Any) -> Event:
    """An event online with house players in its first round, in a format without late entry."""
    values = {"format": "rotation", "rounds": 3, "break_seconds": 600, **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.enter(event, people)
    house_players.add_house_entries(event, ada, house, NOON - MINUTE)
    event.acts.all().delete()
    build.begin(event)
    return event


def play_round(event: Event, now: Any = NOON) -> None:
    """Let everybody come and the first side of every match win."""
    build.arrive(event)
    build.step(event, now)
    for pairing in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
        build.win(pairing, 0, (5, 2))
    build.step(event, now)


def scores(event: Event) -> list[tuple[int, int, int, int]]:
    lines = ranking.standings_of(event).lines
    return [(line.entry.pk, line.place, line.won, line.points_for) for line in lines]


def take_over(event: Event, rosa: Player, by: Player) -> int:
    seat = substitutes.seat_of_house(event)
    assert seat is not None
    return substitutes.substitute(seat, rosa, by, NOON, reason="Came late.")


def test_it_is_the_house_player_placed_last(ada: Player) -> None:
    event = running(ada)
    play_round(event)
    seat = substitutes.seat_of_house(event)
    assert seat is not None
    house = [line.entry.pk for line in ranking.standings_of(event).lines if line.entry.house]
    assert len(house) == 2
    assert seat.entry_id == house[-1]


def test_the_place_is_a_persons_with_its_points(ada: Player, rosa: Player) -> None:
    event = running(ada)
    play_round(event)
    before = scores(event)
    assert take_over(event, rosa, ada) == 2
    assert scores(event) == before
    entry = event.entries.get(players__player=rosa)
    assert not entry.house
    (line,) = log.lines_of(event, event.acts.all())
    assert (line.after, line.row.reason) == ("Rosa", "Came late.")
    build.step(event, NOON + 11 * MINUTE)
    assert entry.pairings.filter(round__number=2).exists()
    first = page_values.round_of(event, 1)
    assert first is not None
    sides = [side for match in first.matches for side in match.sides]
    names = {one.name for side in sides for one in side.team.people}
    assert "Rosa" not in names, "the house has played round 1"


def test_a_house_player_ends_the_match_that_has_begun(ada: Player, rosa: Player) -> None:
    event = running(ada)
    build.arrive(event)
    build.step(event, NOON)
    seat = substitutes.seat_of_house(event)
    assert seat is not None
    match = seat.entry.pairings.get().pairing
    assert match.state == Pairing.State.PLAYING
    assert take_over(event, rosa, ada) == 2
    assert match.table is not None
    assert not match.table.seats.filter(player=rosa).exists()
    for pairing in build.latest(event).pairings.all():
        build.win(pairing, 0, (5, 2))
    build.step(event, NOON)
    entry = event.entries.get(players__player=rosa)
    assert entry.missed == 0, "the house has played for them"
    build.step(event, NOON + 11 * MINUTE)
    later = entry.pairings.get(round__number=2).pairing
    assert later.table is not None
    assert later.table.seats.filter(player=rosa).exists()


def test_a_match_that_waits_for_others_is_theirs(ada: Player, rosa: Player) -> None:
    event = running(ada)
    assert take_over(event, rosa, ada) == 1
    match = event.entries.get(players__player=rosa).pairings.get().pairing
    assert match.table is not None
    assert match.table.seats.filter(player=rosa).exists()


def test_undoing_gives_the_place_back_to_the_house(ada: Player, rosa: Player) -> None:
    event = running(ada)
    play_round(event)
    before = list(event.entries.order_by("pk").values())
    seats = list(event.entered_players.order_by("pk").values())
    take_over(event, rosa, ada)
    undoing.undo(event.acts.get(), ada, NOON)
    assert list(event.entries.order_by("pk").values()) == before
    assert list(event.entered_players.order_by("pk").values()) == seats
    take_over(event, rosa, ada)
    build.step(event, NOON + 11 * MINUTE)
    with pytest.raises(RefusedError, match="Round 2 was drawn with them"):
        undoing.undo(event.acts.latest("pk"), ada, NOON)


def test_who_is_refused(ada: Player, rosa: Player) -> None:
    event = running(ada)
    seat = substitutes.seat_of_house(event)
    assert seat is not None
    with pytest.raises(RefusedError, match="cannot let themselves in"):
        substitutes.substitute(seat, ada, ada, NOON, reason="Me.")
    with pytest.raises(RefusedError, match="played online, where everybody needs an account"):
        substitutes.substitute(seat, "Xan", ada, NOON, reason="He came.")
    pairs = running(ada, format="swiss", people=3, house=1, name="Pairs")
    assert substitutes.seat_of_house(pairs) is None
    half = pairs.entries.get(house=True).players.get(position=0)
    with pytest.raises(RefusedError, match="as a pair"):
        substitutes.substitute(half, rosa, ada, NOON, reason="Late.")


def test_two_late_comers_take_two_places(ada: Player, rosa: Player) -> None:
    dev = member("Dev")
    build.joined(ada.memberships.get().club, dev)
    event = running(ada)
    seat = substitutes.seat_of_house(event)
    assert seat is not None
    substitutes.substitute(seat, rosa, ada, NOON, reason="Late.")
    with pytest.raises(RefusedError, match="Rosa is in the event already"):
        take_over(event, rosa, ada)
    take_over(event, dev, ada)
    assert not event.entries.filter(house=True).exists()
    assert substitutes.seat_of_house(event) is None


def test_it_is_one_step_from_the_person_found(ada: Player, rosa: Player) -> None:
    event, browser = running(ada), logged_in(ada)
    seat = substitutes.seat_of_house(event)
    assert seat is not None
    path = reverse("substitute", args=[event.pk, seat.pk])
    found = browser.get(reverse("find_people", args=[event.pk]), {"q": "ros"}).text
    assert (
        f'href="{path}?player={rosa.pk}&amp;found=ros">Take over from {seat.player.name}' in found
    )
    shown = browser.get(path, {"player": rosa.pk})
    assert "it can win prizes, and entry money is due" in shown.text
    fields = {"player": rosa.pk, "seen": shown.context["preview"].digest, "reason": "Late."}
    assert browser.post(path, fields).status_code == 303
    seat.refresh_from_db()
    assert seat.player == rosa
