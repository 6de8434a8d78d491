"""A finished event: when it was, who played, who won; and what lists say of it."""

from datetime import timedelta
from random import Random

import pytest
from django.test import Client

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.calendar import listing
from tournaments.entering import leaving_running_event
from tournaments.event_page import page_values, showing
from tournaments.models import Entry, EntryPlayer, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished() -> Event:
    """A finished rotation of four in which Maeve was second."""
    event = build.event(rounds=2)
    entries = build.enter(event, 4)
    EntryPlayer.objects.filter(entry=entries[0]).update(player=member("Maeve"))
    build.begin(event)
    for minutes in (20, 40):
        build.play_round(event, NOON + timedelta(minutes=minutes), Random(7))
        build.step(event, NOON + timedelta(minutes=minutes + 1))
    Event.objects.filter(pk=event.pk).update(
        state=Event.State.FINISHED, started=NOON, ended=NOON + timedelta(hours=13), final_at=None
    )
    event.refresh_from_db()
    for place, entry in enumerate((entries[1], entries[0], entries[2], entries[3]), start=1):
        Entry.objects.filter(pk=entry.pk).update(place=place)
    return event


def test_page_states_when_the_event_was(finished: Event) -> None:
    text = " ".join(Client().get(f"/events/{finished.pk}/").text.replace("\xa0", " ").split())
    assert "7 March 2026" in text
    assert "8 March 2026" in text  # it ended after midnight
    assert text.index("7 March 2026") < text.index("8 March 2026") < text.index('id="event"')


def test_names_link_to_the_players(finished: Event) -> None:
    parts = showing.draw(page_values.read(finished, NOON + timedelta(days=1)))
    for player in Player.objects.filter(entries__event=finished):
        link = f'href="/players/{player.pk}/"'
        assert link in parts["event-standings"]
        assert link in parts["event-results"]


def test_all_rounds_but_the_latest_are_folded(finished: Event) -> None:
    parts = showing.draw(page_values.read(finished, NOON + timedelta(days=1)))
    results = parts["event-results"]
    assert results.count("<details") == finished.played_rounds.count() - 1
    assert results.index("<details") < results.index('id="round-2-heading"')


def test_lists_name_the_winner_and_the_readers_place(finished: Event) -> None:
    maeve = Player.objects.get(name="Maeve")
    winner = Entry.objects.get(place=1).name
    text = " ".join(logged_in(maeve).get("/events/").text.split())
    assert f"Won by <b>{winner}</b>" in text
    assert "You were 2nd" in text
    assert "Checked in" not in text
    assert "You were" not in Client().get("/events/").text
    assert f"won by {winner}" in logged_in(maeve).get("/you/events/").text
    club = f"/clubs/{finished.club.slug}/"
    assert "You were 2nd" in logged_in(maeve).get(club).text
    assert "You were" not in Client().get(club).text


@pytest.mark.parametrize(("which", "players"), [("rotation", 5), ("swiss", 5)])
def test_lists_and_api_do_not_count_house_fillers(which: str, players: int) -> None:
    event = build.event(format=which, capacity=players, sit_out=Event.SitOut.HOUSE)
    build.enter(event, players)
    build.begin(event)
    assert event.entries.filter(house=True, arrival=None).exists()

    client = Client()
    facts = page_values.read(event, NOON).facts
    (line,) = listing.lines_of(Event.objects.all(), None, NOON)
    assert tuple(line.facts) == facts
    assert line.event.entered == players
    assert f"{players} of {players} places" in client.get(f"/clubs/{event.club.slug}/").text
    assert client.get(f"/api/events/{event.pk}").json()["entered"] == players

    leaving_running_event.withdraw(event.entries.filter(house=False)[0], event.created_by, NOON)
    (line,) = listing.lines_of(Event.objects.all(), None, NOON)
    assert tuple(line.facts) == page_values.read(event, NOON).facts == facts
    assert line.event.entered == players - 1


def test_non_breaking_spaces_are_kept() -> None:
    event = build.event(name="Cup\xa07", rounds=1)
    build.enter(event, 4)
    build.begin(event)
    assert "Cup\xa07" in showing.draw(page_values.read(event, NOON))["event-head"]
