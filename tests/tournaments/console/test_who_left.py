"""Whoever leaves a table in the room is named as “left” there until somebody sits in."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.room_scores.cards_of import table_of
from tournaments.acts import correcting
from tournaments.attendance import substitutes
from tournaments.entering import leaving_running_event
from tournaments.event_page import exports
from tournaments.models import Entry, Event, Pairing
from tournaments.results.match_lines import matches_of, teams_drawn
from tournaments.room_scores import card_page

pytestmark = pytest.mark.django_db


def evening(ada: Player, **fields: Any) -> tuple[Event, Entry]:
    """An event in the room whose first round is drawn, and Tom's entry in it."""
    values = {"rounds": 3, "place": Event.Place.ROOM, **fields}
    event = build.event(ada.memberships.get().club, **values)
    first, *_ = build.enter(event, 8)
    Player.objects.filter(pk=first.players.get().player_id).update(name="Tom")
    build.begin(event)
    first.refresh_from_db()
    return event, first


def match_of(entry: Entry) -> Pairing:
    return entry.pairings.get().pairing


def pages(event: Event, entry: Entry, by: Player) -> dict[str, str]:
    """The pages that name who sits at the table of an entry."""
    match, director = match_of(entry), logged_in(by)
    card = reverse("room_table", args=[table_of(event, match.number).code])
    names = ("event", "projector", "manage_event", "print_score_cards")
    found = {name: director.get(reverse(name, args=[event.pk])).text for name in names}
    for name in ("event_round", "print_pairings"):
        found[name] = director.get(reverse(name, args=[event.pk, 1])).text
    return found | {"room_table": Client().get(card).text}


def version(event: Event, entry: Entry) -> str:
    return card_page.version_of(event, match_of(entry), NOON)


def test_every_page_says_so_until_a_substitute_comes(ada: Player) -> None:
    event, entry = evening(ada)
    rosa = member("Rosa")
    build.joined(event.club, rosa)
    whole = version(event, entry)
    assert not any("(left)" in text for text in pages(event, entry, ada).values())
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    for name, text in pages(event, entry, ada).items():
        assert "Tom (left)" in text, name
    without = version(event, entry)
    assert without != whole, "an open card looks again"
    seat = entry.players.get()
    substitutes.substitute(seat, rosa, ada, NOON, reason="He drove home.")
    for name, text in pages(event, entry, ada).items():
        assert "Rosa" in text, name
        assert "(left)" not in text, name
    assert version(event, entry) not in {whole, without}


def test_the_note_left_is_gone_after_a_return_or_the_end_of_the_match(ada: Player) -> None:
    event, entry = evening(ada)
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    leaving_running_event.put_back(entry, ada, NOON)
    assert "(left)" not in pages(event, entry, ada)["room_table"]
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    assert "Tom (left)" in pages(event, entry, ada)["room_table"]
    correcting.set_result(match_of(entry), ada, ruled(0, (5, 3)), reason="", now=NOON)
    found = pages(event, entry, ada)
    assert "(left)" not in found["room_table"]
    assert "(left)" not in found["event"]


def test_online_the_house_plays_on_for_them_and_nobody_is_missing(ada: Player) -> None:
    event, entry = evening(ada, place=Event.Place.ONLINE)
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    assert "(left)" not in logged_in(ada).get(reverse("event", args=[event.pk])).text


def test_exports_have_the_name_alone(ada: Player) -> None:
    event, entry = evening(ada)
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    text = str(exports.pairings(event))
    assert "Tom" in text
    assert "(left)" not in text


def test_it_takes_one_query_for_all_tables(ada: Player, django_assert_num_queries: Any) -> None:
    event, entry = evening(ada)
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    teams = teams_drawn(event)
    with django_assert_num_queries(4):
        found = matches_of(event, Pairing.objects.filter(round__event=event), teams)
    left = [side.name for match in found for side in match.sides if side.left]
    assert len(left) == 1
    assert "Tom (left)" in left[0]
