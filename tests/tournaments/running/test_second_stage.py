"""Who goes on to the knock-out after a first stage, until it is drawn."""

from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.test import Client

from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import correcting
from tournaments.calendar import listing
from tournaments.console import manage_page
from tournaments.entering import leaving_running_event
from tournaments.event_page import page_values
from tournaments.models import Entry, EntryPlayer, Event, Letter, Pairing

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def in_the_break(entries: int, rounds: int, **fields: Any) -> tuple[Event, datetime]:
    """An event whose first stage is over, in the break before its knock-out."""
    event = build.event(
        rounds=rounds, second_stage="single_elimination", break_seconds=600, **fields
    )
    build.enter(event, entries)
    build.begin(event)
    now, rng = NOON, Random(3)
    while event.played_rounds.filter(over__isnull=False).count() < rounds:
        build.play_round(event, now, rng)
        if event.played_rounds.filter(over__isnull=False).count() < rounds:
            now += 10 * MINUTE
            build.step(event, now)
    return event, now


def drawn(event: Event) -> set[int]:
    return set(build.latest(event).pairings.values_list("entries__entry", flat=True))


def test_correction_in_the_break_changes_the_qualified() -> None:
    event, now = in_the_break(2, 1, format="swiss", qualifiers=2)
    match = event.played_rounds.get().pairings.get()
    loser = match.entries.get(side=1 - match.winner).entry
    ruling = build.ruled(1 - match.winner, (5, 0) if match.winner == 1 else (0, 5))
    correcting.set_result(match, member("Ada"), ruling, reason="Misread.", now=now)
    build.step(event, now + 10 * MINUTE)
    assert build.latest(event).stage == 2
    loser.refresh_from_db()
    assert loser.qualified == 1


def test_withdrawal_in_the_break_qualifies_the_next() -> None:
    event, now = in_the_break(6, 3, format="swiss", qualifiers=4)
    best = event.entries.get(qualified=1)
    leaving_running_event.withdraw(best, member("Ada"), now)
    build.step(event, now + 10 * MINUTE)
    assert build.latest(event).stage == 2
    assert len(drawn(event)) == 4
    assert best.pk not in drawn(event)
    assert not build.latest(event).pairings.filter(how=Pairing.How.FORFEIT).exists()
    assert event.entries.filter(qualified__isnull=False).count() == 4
    assert Entry.objects.get(pk=best.pk).qualified is None


def test_knock_out_stage_adds_no_house_players() -> None:
    event, now = in_the_break(8, 2, format="rotation", qualifiers=4, sit_out=Event.SitOut.HOUSE)
    leaving_running_event.withdraw(event.entries.order_by("pk")[0], member("Ada"), now)
    build.step(event, now + 10 * MINUTE)
    assert build.latest(event).stage == 2
    assert not event.entries.filter(house=True).exists()


@pytest.mark.parametrize(
    ("which", "left", "there"),
    [
        ("rotation", 3, "3 players are left, but it needs at least 4."),
        ("swiss", 1, "1 partnership is left, but it needs at least 2."),
        ("rotation", 0, "0 players are left, but it needs at least 4."),
    ],
)
def test_first_stage_decides_if_too_few_remain(which: str, left: int, there: str) -> None:
    event, now = in_the_break(8, 1, format=which, qualifiers=4)
    stays = event.entries.order_by("pk")[0]
    reader = member("Rowena")
    EntryPlayer.objects.filter(entry=stays, position=0).update(player=reader)
    assert f"{event.get_format_display()}, 1 round, then single elimination for 4" in said(event)
    for entry in event.entries.order_by("pk")[left:]:
        leaving_running_event.withdraw(entry, member(f"Ada {entry.pk}"), now)
    build.step(event, now + 10 * MINUTE)
    assert event.state == Event.State.FINISHED
    assert event.played_rounds.count() == 1
    assert not event.entries.filter(qualified__isnull=False).exists()
    assert event.entries.filter(place=1).count() == 1
    why = f"The event ends after round 1, without the single elimination: {there}"
    assert list(event.notices.filter(public=True).values_list("text", flat=True)) == [why]
    told = Letter.objects.filter(user=reader.user, text__contains=why)
    assert told.count() == bool(left)
    words = said(event)
    assert why in words
    assert f"{event.get_format_display()}, 1 round, without single elimination" in words
    assert "then single elimination" not in words
    assert "Those in the knock-out" not in words
    assert page_values.read(event, now).total == 1


def test_facts_state_how_many_qualified() -> None:
    event, now = in_the_break(8, 1, format="swiss", qualifiers=8)
    for entry in event.entries.order_by("pk")[:4]:
        leaving_running_event.withdraw(entry, member(f"Ada {entry.pk}"), now)
    assert page_values.read(event, now).total == 4
    build.step(event, now + 10 * MINUTE)
    page = page_values.read(event, now)
    assert page.facts[0] == "Swiss, 1 round, then single elimination for 4"
    assert (page.total, page.tag.words) == (3, "Round 2 of 3")
    (line,) = listing.lines_of(Event.objects.all(), None, now)
    assert tuple(line.facts) == page.facts == manage_page.read(event, member("Eve"), now).facts


def said(event: Event) -> str:
    """What everybody reads on the event's page."""
    event.refresh_from_db()
    return " ".join(Client().get(f"/events/{event.pk}/").text.split())
