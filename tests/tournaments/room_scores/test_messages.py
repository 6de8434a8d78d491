"""A director's message to all on the score cards, and on the page of a walk-in."""

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.room_scores.cards_of import drawn, hand, match_of, sign, table_of
from tournaments.acts import message_to_all, undoing
from tournaments.attendance import newcomers
from tournaments.events.notices import note
from tournaments.models import Act, Club, Event, Pairing
from tournaments.room_scores import card_page, cards

pytestmark = pytest.mark.django_db


def card(event: Event, number: int = 1) -> str:
    """The card of a table, as a phone without an account reads it."""
    return Client().get(reverse("room_table", args=[table_of(event, number).code])).text


def version(event: Event) -> str:
    return card_page.version_of(event, match_of(event), NOON)


def post(event: Event, by: Player, text: str, minutes: int = 0) -> Act:
    message_to_all.post_message(event, by, text, NOON + minutes * MINUTE)
    return event.acts.latest("pk")


def test_every_card_shows_the_latest_one_until_it_is_undone(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    quiet = version(event)
    first = post(event, ada, "The kitchen closes at nine.")
    told = version(event)
    assert quiet != told, "an open card looks again"
    for number in (1, 2):
        assert "The kitchen closes at nine." in card(event, number)
    second = post(event, ada, "Coffee is ready.", 2)
    assert version(event) != told
    assert "Coffee is ready." in card(event)
    assert "kitchen" not in card(event)
    undoing.undo(second, ada, NOON + 3 * MINUTE)
    assert version(event) == told
    assert "The kitchen closes at nine." in card(event)
    undoing.undo(first, ada, NOON + 4 * MINUTE)
    assert version(event) == quiet
    assert 'id="message-' not in card(event)


def test_it_stays_when_the_match_is_over_and_is_no_html(club: Club, ada: Player) -> None:
    event = drawn(club)
    for number in (1, 2):
        hand(event, number, 0, cards.MADE)
    sign(event, (2, 0))
    sign(event, (2, 0), side=1)
    assert match_of(event).state == Pairing.State.DECIDED
    post(event, ada, "<b>Stay</b> for the prizes.")
    assert "&lt;b&gt;Stay&lt;/b&gt; for the prizes." in card(event)


def test_what_is_announced_by_itself_is_on_no_card(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    quiet = version(event)
    note(event, "Round 1: table 2 moved online.", ada, public=True)
    assert version(event) == quiet
    assert "moved online" not in card(event)


def test_a_walk_in_reads_what_directors_wrote_and_nothing_else(club: Club, ada: Player) -> None:
    event = build.event(club, place=Event.Place.ROOM, format="progressive", rounds=2)
    build.enter(event, 7)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    page = reverse("walk_in", args=[event.walk_ins.get().code])
    note(event, "The round is shorter: the site was away.", public=True)
    note(event, "Round 1: table 2 moved online.", ada, public=True)
    assert "From the director" not in Client().get(page).text
    wrong = post(event, ada, "Come at eihgt.")
    post(event, ada, "Come at eight.", 1)
    undoing.undo(wrong, ada, NOON + 2 * MINUTE)
    text = Client().get(page).text
    assert "From the director" in text
    assert "Come at eight." in text
    assert not any(words in text for words in ("eihgt", "moved online", "the site was away"))
