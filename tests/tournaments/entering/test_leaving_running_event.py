"""Withdrawn entries are placed behind all others and win nothing."""

from random import Random
from typing import Any

import pytest
from django.test import Client

from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.clubs import club_pages
from tournaments.entering import leaving_running_event
from tournaments.models import Entry, Event, Letter
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


def played(entries: int, after: int, **fields: Any) -> Event:
    """An event after so many rounds, in a break of ten minutes."""
    event = build.event(**{"break_seconds": 600, **fields})
    build.enter(event, entries)
    build.begin(event)
    now, rng = NOON, Random(3)
    for number in range(after):
        if number:
            now += 10 * MINUTE
            build.step(event, now)
        build.play_round(event, now, rng)
    return event


def withdraw(event: Event, *entries: Entry) -> None:
    """Take entries out, and let the event go on after its break."""
    for entry in entries:
        leaving_running_event.withdraw(entry, event.created_by, NOON)
    build.step(event, build.latest(event).called + 20 * MINUTE)


def places(event: Event) -> dict[int, int]:
    return {line.entry.pk: line.place for line in ranking.standings_of(event).lines}


def test_withdrawn_leader_is_last_and_the_second_is_first() -> None:
    event = played(8, 1, format="swiss", rounds=3)
    first, second = (line.entry for line in ranking.standings_of(event).lines[:2])
    withdraw(event, first)
    standing = places(event)
    assert (standing[first.pk], standing[second.pk]) == (8, 1)
    assert sorted(standing.values()) == list(range(1, 9))


def test_winner_is_the_best_of_the_remaining_entries() -> None:
    event = played(4, 2, format="swiss", rounds=3)
    gone = ranking.standings_of(event).lines[0].entry
    gone.players.filter(position=0).update(player=member("Maeve"))
    withdraw(event, gone)
    build.play_round(event, NOON + 60 * MINUTE, Random(1))
    assert event.state == Event.State.FINISHED
    winner = event.entries.prefetch_related("players__player").get(place=1)
    assert winner.pk != gone.pk
    text = event.notices.get(text__startswith="Finished").text
    assert text == f"Finished. The winner: {winner.name}."
    assert not event.trophies.filter(player__name="Maeve").exists()
    assert club_pages.latest_results(event.club, None, NOON)[0].winners == winner.name
    letter = Letter.objects.get(user__player__name="Maeve", subject="Thursday euchre is over")
    assert "You withdrew before its end" in letter.text
    page = Client().get(f"/events/{event.pk}/standings/").content.decode()
    assert "Those who have withdrawn are placed behind the others." in page


def test_withdrawal_from_a_knock_out_loses_the_match() -> None:
    event = played(4, 1, format="single_elimination")
    finalists = [
        pairing.entries.get(side=pairing.winner).entry
        for pairing in event.played_rounds.get().pairings.all()
    ]
    withdraw(event, *finalists)
    assert event.state == Event.State.FINISHED
    standing = places(event)
    assert sorted(standing[entry.pk] for entry in finalists) == [3, 3]
    first = event.entries.filter(place=1)
    assert first.count() == 2
    assert not first.filter(state=Entry.State.WITHDRAWN).exists()


def test_withdrawn_finalist_is_second() -> None:
    event = played(4, 1, format="single_elimination")
    pairing = event.played_rounds.get().pairings.order_by("number")[0]
    finalist = pairing.entries.get(side=pairing.winner).entry
    withdraw(event, finalist)
    assert event.state == Event.State.FINISHED
    assert places(event)[finalist.pk] == 2


def test_event_without_remaining_entries_has_no_winner() -> None:
    event = played(4, 1, format="swiss", rounds=3)
    withdraw(event, *event.entries.all())
    assert event.state == Event.State.FINISHED
    assert event.notices.filter(text="Finished. Nobody won: everybody withdrew.").exists()
    assert not event.trophies.exists()
    assert club_pages.latest_results(event.club, None, NOON)[0].winners == ""
