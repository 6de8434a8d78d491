"""A director's message to one table: who reads it, where, and how it is taken back."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.notifying import choices
from games.notifying.kinds import TO_TABLE, Way
from tests.factories import confirmed, logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.room_scores.cards_of import drawn, match_of, player_at, table_of
from tournaments.acts import correcting, message_to_table, undoing
from tournaments.attendance import newcomers
from tournaments.event_page.calls import WRITTEN_FOR, calls_of
from tournaments.models import Act, Club, Event
from tournaments.refusals import RefusedError
from tournaments.room_scores import card_page

pytestmark = pytest.mark.django_db
WORDS = "Play hand 3 <again>."
SHOWN = "Play hand 3 &lt;again&gt;."


def post(event: Event, by: Player, text: str = WORDS, number: int = 1) -> Act:
    message_to_table.post(match_of(event, number), by, text, NOON)
    return event.acts.latest("pk")


def pages(event: Event, number: int) -> list[str]:
    """The score card of a table, and the event's page as one of its players reads it."""
    card = Client().get(reverse("room_table", args=[table_of(event, number).code])).text
    sits = logged_in(player_at(event, 0, number))
    return [card, sits.get(reverse("event", args=[event.pk])).text]


def version(event: Event, number: int) -> str:
    return card_page.version_of(event, match_of(event, number), NOON)


def test_only_its_table_reads_it_until_it_is_taken_back(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    quiet = [version(event, number) for number in (1, 2)]
    act = post(event, ada)
    assert version(event, 1) != quiet[0], "an open card looks again"
    assert version(event, 2) == quiet[1]
    assert all(SHOWN in page for page in pages(event, 1))
    assert not any(SHOWN in page for page in pages(event, 2))
    undoing.undo(act, ada, NOON + MINUTE)
    assert not any(SHOWN in page for page in pages(event, 1))
    assert version(event, 1) == quiet[0]


def test_who_plays_elsewhere_or_only_watches_does_not_read_it(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    post(event, ada)
    card = reverse("room_table", args=[table_of(event).code])
    assert SHOWN not in logged_in(player_at(event, 0, 2)).get(card).text
    for where in ("event", "projector", "event_acts"):
        path = reverse(where, args=[event.pk])
        for reader in (Client(), logged_in(player_at(event, 0, 2))):
            assert SHOWN not in reader.get(path).text


def test_the_record_has_it_and_only_directors_read_the_words(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    post(event, ada)
    log = reverse("event_acts", args=[event.pk])
    read = logged_in(confirmed(ada)).get(log).text
    assert "Wrote to a table: round 1, table 1" in read
    assert SHOWN in read
    told = logged_in(player_at(event, 0, 2)).get(log).text
    assert "Wrote to a table: round 1, table 1" in told
    assert "The table and the directors read what it says." in told
    record = logged_in(ada).get(reverse("event_record", args=[event.pk])).text
    assert f"Round 1, table 1: “{WORDS}”" in record


def test_a_walk_in_at_the_table_reads_it(club: Club, ada: Player) -> None:
    event = build.event(club, place=Event.Place.ROOM, format="progressive", rounds=2)
    build.enter(event, 7)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    page = reverse("walk_in", args=[event.walk_ins.get().code])
    sits = event.walk_ins.get().player.entries.get().entry.pairings.get().pairing.number
    post(event, ada, number=3 - sits)
    assert SHOWN not in Client().get(page).text
    post(event, ada, number=sits)
    assert SHOWN in Client().get(page).text


def test_it_is_on_every_page_of_the_table_for_a_while_unless_turned_off(
    club: Club, ada: Player
) -> None:
    event = build.event(club)
    build.enter(event, 8)
    build.begin(event)
    now = timezone.now()
    message_to_table.post(match_of(event), ada, WORDS, now)
    act = event.acts.latest("pk")
    here, there = player_at(event, 0), player_at(event, 0, 2)

    def written(who: Player, at: timedelta = MINUTE) -> list[str]:
        return [call.title for call in calls_of(who, now + at) if "director" in call.title]

    assert written(here) == [f"The director writes: “{WORDS}”"]
    assert written(there) == []
    assert written(here, WRITTEN_FOR) == []
    table = logged_in(here).get(reverse("table", args=[match_of(event).table_id])).text
    assert SHOWN in table
    event_page = logged_in(here).get(reverse("event", args=[event.pk])).text
    assert event_page.count(SHOWN) == 1, "not called to the page that shows it"
    choices.choose(here, {(TO_TABLE.key, Way.PAGE): False})
    assert written(here) == []
    choices.choose(here, {(TO_TABLE.key, Way.PAGE): True})
    undoing.undo(act, ada, now + MINUTE)
    assert written(here) == []


def test_it_is_sent_from_the_console(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    desk = logged_in(confirmed(ada))
    path = reverse("message_table", args=[event.pk, 1, 2])
    console = reverse("manage_event", args=[event.pk])
    assert path in desk.get(f"{console}?open=2").text
    page = desk.get(path)
    assert "nobody at another table" in page.text
    seen = page.context["preview"].digest
    assert desk.post(path, {"seen": seen, "reason": "x" * 251}).status_code == 422
    assert desk.post(path, {"seen": seen, "reason": WORDS}).status_code == 303
    assert event.acts.get(kind=Act.Kind.TO_TABLE).reason == WORDS
    assert "Table 2 has your message." in desk.get(console).text


def test_who_plays_at_the_table_writes_nothing_to_it(club: Club, ada: Player) -> None:
    event = build.event(club, place=Event.Place.ROOM, match="deals", deals=2)
    build.enter(event, 7)
    newcomers.enter(event, [ada], ada, NOON)
    build.begin(event)
    mine = build.latest(event).pairings.get(entries__entry__players__player=ada)
    with pytest.raises(RefusedError, match="somebody else has to write to it"):
        message_to_table.post(mine, ada, WORDS, NOON)
    message_to_table.post(match_of(event, 3 - mine.number), ada, WORDS, NOON)


@pytest.mark.parametrize("text", ["", " ", "x" * 251])
def test_what_is_no_message_is_refused(club: Club, ada: Player, text: str) -> None:
    with pytest.raises(RefusedError, match="1 to 250"):
        post(drawn(club), ada, text)


def test_a_round_that_is_over_has_no_table_to_write_to(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    first = match_of(event)
    for number in (1, 2):
        correcting.set_result(match_of(event, number), ada, ruled(0, (2, 0)), reason="", now=NOON)
    build.step(event, NOON + 60 * MINUTE)
    with pytest.raises(RefusedError, match="Round 1 is over"):
        message_to_table.post(first, ada, WORDS, NOON)


@pytest.mark.django_db(transaction=True)
def test_sixty_presses_send_it_once() -> None:
    event = drawn(build.club(), 8)
    ada, number = build.director(event.club), 60 if connection.vendor != "sqlite" else 20
    match, barrier, refused = match_of(event), Barrier(number), []

    def press(_: int) -> None:
        barrier.wait()
        try:
            message_to_table.post(match, ada, WORDS, NOON)
        except RefusedError as error:
            refused.append(error.code)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as threads:
        list(threads.map(press, range(number)))
    assert refused == ["said"] * (number - 1)
    assert event.acts.filter(kind=Act.Kind.TO_TABLE).count() == 1
