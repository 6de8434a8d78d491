"""Couples and others whom a director keeps apart: who may say it, when, and what the draws do."""

from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tournaments.console import keeping_apart
from tournaments.models import Club, Entry, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import room_results

pytestmark = pytest.mark.django_db

PARTNERS, TABLES = "partners", "tables"


def entered(club: Club, number: int = 12, **fields: Any) -> tuple[Event, list[Entry]]:
    """An event in the room, and its entries."""
    event = build.event(club, **{"place": "room", "rounds": 5, "rated": False, **fields})
    build.enter(event, number)
    return event, list(event.entries.order_by("pk"))


def play(event: Event, seed: int = 1) -> None:
    rng = Random(seed)
    build.begin(event)
    while event.state == Event.State.RUNNING and event.final_at is None:
        for match in build.latest(event).pairings.all():
            won = rng.randrange(2)
            ruling = ruled(won, (5, 2) if won == 0 else (2, 5))
            room_results.decide(event, match, ruling, NOON)
        build.step(event, NOON)


def together(event: Event, one: Entry, other: Entry) -> tuple[int, int]:
    """How often two entries were partners, and opponents."""
    partners = opponents = 0
    for match in Pairing.objects.filter(round__event=event):
        sides = {line.entry_id: line.side for line in match.entries.all()}
        if one.pk in sides and other.pk in sides:
            partners += sides[one.pk] == sides[other.pk]
            opponents += sides[one.pk] != sides[other.pk]
    return partners, opponents


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"format": "progressive", "movement": "up"},
        {"format": "progressive", "movement": "stay"},
        {"format": "progressive", "movement": "fixed"},
    ],
)
def test_a_whole_evening_keeps_a_couple_from_being_partners(
    club: Club, ada: Player, fields: Any
) -> None:
    event, entries = entered(club, 14, **fields)
    keeping_apart.keep(event, entries[5].pk, entries[2].pk, PARTNERS, ada)
    (line,) = keeping_apart.lines_of(event)
    assert line.words == "Kept in all 3 trial events."
    play(event)
    assert together(event, entries[2], entries[5])[0] == 0


def test_two_who_never_sit_at_one_table(club: Club, ada: Player) -> None:
    event, entries = entered(club, 16, format="progressive", movement="up")
    keeping_apart.keep(event, entries[0].pk, entries[1].pk, TABLES, ada)
    play(event)
    assert together(event, entries[0], entries[1]) == (0, 0)


def test_opponents_in_a_swiss(club: Club, ada: Player) -> None:
    event, entries = entered(club, 8, format="swiss", rounds=4)
    keeping_apart.keep(event, entries[0].pk, entries[1].pk, TABLES, ada)
    play(event)
    assert together(event, entries[0], entries[1]) == (0, 0)


class TestBeforeTheStart:
    def test_what_cannot_be_kept_is_said(self, club: Club, ada: Player) -> None:
        event, entries = entered(club, 4, rounds=6, format="progressive", movement="up")
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, TABLES, ada)
        (line,) = keeping_apart.lines_of(event)
        assert line.words == "Cannot always be kept: broken in 3 of 3 trial events."
        page = logged_in(ada).get(reverse("keep_apart", args=[event.pk])).text
        assert "Not always" in page

    def test_nothing_is_said_while_too_few_are_in(self, club: Club, ada: Player) -> None:
        event, entries = entered(club, 3)
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, PARTNERS, ada)
        (line,) = keeping_apart.lines_of(event)
        assert line.words == ""

    def test_house_players_who_will_fill_the_tables_are_tried_too(
        self, club: Club, ada: Player
    ) -> None:
        event, entries = entered(club, 9, place="online", sit_out="house")
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, PARTNERS, ada)
        (line,) = keeping_apart.lines_of(event)
        assert line.words

    def test_naming_them_again_changes_how(self, club: Club, ada: Player) -> None:
        event, entries = entered(club)
        for kind in (PARTNERS, TABLES):
            keeping_apart.keep(event, entries[0].pk, entries[1].pk, kind, ada)
        assert [row.kind for row in event.kept_apart.all()] == [TABLES]

    def test_an_entry_that_goes_takes_its_pairs_along(self, club: Club, ada: Player) -> None:
        event, entries = entered(club)
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, PARTNERS, ada)
        entries[0].delete()
        assert not event.kept_apart.exists()


class TestRefused:
    def test_after_the_start(self, club: Club, ada: Player) -> None:
        event, entries = entered(club)
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, PARTNERS, ada)
        build.begin(event)
        with pytest.raises(RefusedError, match="before the start"):
            keeping_apart.keep(event, entries[2].pk, entries[3].pk, PARTNERS, ada)
        with pytest.raises(RefusedError, match="before the start"):
            keeping_apart.release(event.kept_apart.get(), ada)

    @pytest.mark.parametrize(
        ("fields", "kind"), [({"format": "swiss"}, PARTNERS), ({"format": "round_robin"}, TABLES)]
    )
    def test_what_a_format_does_not_draw(
        self, club: Club, ada: Player, fields: Any, kind: str
    ) -> None:
        event, entries = entered(club, 6, **fields)
        with pytest.raises(RefusedError, match="cannot keep them apart"):
            keeping_apart.keep(event, entries[0].pk, entries[1].pk, kind, ada)

    def test_the_same_entry_twice_and_one_of_another_event(self, club: Club, ada: Player) -> None:
        event, entries = entered(club)
        _other, others = entered(club)
        with pytest.raises(RefusedError, match="two different"):
            keeping_apart.keep(event, entries[0].pk, entries[0].pk, PARTNERS, ada)
        with pytest.raises(RefusedError, match="not in the event"):
            keeping_apart.keep(event, entries[0].pk, others[0].pk, PARTNERS, ada)

    def test_a_director_who_plays_leaves_their_own_to_another(
        self, club: Club, ada: Player
    ) -> None:
        event, entries = entered(club)
        plays = entries[0].players.get().player
        build.joined(club, plays, "director")
        with pytest.raises(RefusedError, match="another director"):
            keeping_apart.keep(event, entries[0].pk, entries[1].pk, TABLES, plays)
        club.memberships.filter(player=ada).delete()
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, TABLES, plays)
        assert event.kept_apart.exists(), "nobody else could do it"


class TestPage:
    def test_a_director_adds_and_removes(self, club: Club, ada: Player) -> None:
        event, entries = entered(club)
        desk, path = logged_in(ada), reverse("keep_apart", args=[event.pk])
        assert path in desk.get(reverse("manage_event", args=[event.pk])).text
        sent = {"one": entries[0].pk, "other": entries[1].pk, "kind": PARTNERS}
        assert desk.post(path, sent).status_code == 303
        page = desk.get(path).text
        assert "Never partners. Kept in all 3 trial events." in page
        row = event.kept_apart.get()
        gone = reverse("no_longer_apart", args=[event.pk, row.pk])
        assert desk.post(gone).status_code == 303
        assert "Nobody is kept apart." in desk.get(path).text

    @pytest.mark.parametrize(
        ("sent", "words"),
        [
            ({}, "Choose one."),
            ({"one": "7x", "other": "", "kind": PARTNERS}, "Choose somebody who has entered."),
        ],
    )
    def test_wrong_fields_are_named(self, club: Club, ada: Player, sent: Any, words: str) -> None:
        event, _entries = entered(club)
        answer = logged_in(ada).post(reverse("keep_apart", args=[event.pk]), sent)
        assert answer.status_code == 422
        assert words in answer.text

    def test_a_format_without_says_why(self, club: Club, ada: Player) -> None:
        event, _entries = entered(club, 6, format="round_robin")
        page = logged_in(ada).get(reverse("keep_apart", args=[event.pk])).text
        assert "do not keep anybody apart" in page

    def test_players_do_not_see_it(self, club: Club, ada: Player) -> None:
        event, entries = entered(club)
        keeping_apart.keep(event, entries[0].pk, entries[1].pk, PARTNERS, ada)
        assert "apart" not in Client().get(reverse("event", args=[event.pk])).text
