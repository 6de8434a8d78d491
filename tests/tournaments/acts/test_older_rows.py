"""Acts that another version of the site has stored: the log lists them, no undo does harm."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import house_players, undoing
from tournaments.attendance import newcomers
from tournaments.events import acts
from tournaments.models import Act, Entry, Event
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


def upcoming(ada: Player) -> Event:
    event = build.event(
        ada.memberships.get().club, rounds=3, check_in_minutes=30, state=Event.State.CHECK_IN
    )
    build.enter(event, 4)
    return event


def running(ada: Player) -> Event:
    event = build.event(ada.memberships.get().club, rounds=3, round_minutes=20)
    build.enter(event, 8)
    build.begin(event)
    return event


def stored(event: Event, kind: str, by: Player, **fields: Any) -> Act:
    return acts.record(event, kind, by, NOON - MINUTE, **fields)


def log_of(event: Event, reader: Player) -> str:
    answer = logged_in(reader).get(reverse("event_acts", args=[event.pk]))
    assert answer.status_code == 200
    return answer.text


def test_minutes_of_a_table_are_told(ada: Player) -> None:
    event = running(ada)
    match = build.latest(event).pairings.get(number=1)
    act = stored(
        event, Act.Kind.MORE_TIME, ada, on=match, before={"minutes": 0}, after={"minutes": 5}
    )
    assert "<s>0 minutes</s> → 5 minutes" in log_of(event, ada)
    with pytest.raises(RefusedError, match="kept no way back"):
        undoing.undo(act, ada, NOON)


def test_house_players_are_counted_and_stay(ada: Player) -> None:
    event = upcoming(ada)
    added = list(event.entries.order_by("-pk").values_list("pk", flat=True)[:2])
    act = stored(event, Act.Kind.HOUSE, ada, after={"entries": added})
    assert "Added house players: 2 places" in log_of(event, ada)
    with pytest.raises(RefusedError, match="kept no way back"):
        undoing.undo(act, ada, NOON - MINUTE)
    assert event.entries.count() == 4


def test_a_check_in_that_has_kept_nothing_is_not_said_to_be_undone(ada: Player) -> None:
    event = upcoming(ada)
    entry = event.entries.order_by("pk")[0]
    entry.state = Entry.State.CHECKED_IN
    entry.save()
    act = stored(
        event, Act.Kind.CHECK_IN, ada, on=entry,
        before={"state": "entered", "here": False}, after={"state": "checked_in", "here": False},
    )  # fmt: skip
    assert "Cannot be undone now: An older version of this site did it" in log_of(event, ada)
    with pytest.raises(RefusedError, match="kept no way back"):
        undoing.undo(act, ada, NOON - MINUTE)
    assert not Act.objects.filter(undoes=act).exists()


def test_a_late_player_who_had_entered_before_keeps_the_entry(ada: Player) -> None:
    event = running(ada)
    dev = member("Dev")
    build.joined(event.club, dev)
    missed = event.entries.create(state=Entry.State.NO_SHOW, arrival=40)
    missed.players.create(event=event, player=dev)
    newcomers.enter(event, [dev], ada, NOON)
    act = event.acts.get()
    act.kept = {}
    act.before = {"length": 3, "state": "no_show", "here": False, "arrival": 40}
    act.save()
    assert "Let in late: Dev" in log_of(event, ada)
    with pytest.raises(RefusedError, match="kept no way back"):
        undoing.undo(act, ada, NOON)
    assert event.entries.filter(pk=missed.pk).exists()


def test_an_act_of_an_unknown_kind_is_listed_and_holds_back_what_came_before(ada: Player) -> None:
    event = running(ada)
    match = build.latest(event).pairings.get(number=1)
    before, after = {"minutes": 0}, {"minutes": 5}
    first = stored(event, Act.Kind.MORE_TIME, ada, on=match, before=before, after=after)
    unknown = stored(event, "juggle", ada, on=match, after={"balls": 3})
    assert "Unknown act: round 1, table 1" in log_of(event, ada)
    undo = reverse("undo_act", args=[event.pk, unknown.pk])
    assert "“Unknown act” cannot be undone." in logged_in(ada).get(undo).text
    with pytest.raises(RefusedError, match="A later act depends on it: “Unknown act” by Ada"):
        undoing.undo(first, ada, NOON)


def test_taking_out_house_players_costs_the_same_for_any_number(ada: Player) -> None:
    counts = []
    for number in (1, 6):
        event = build.event(ada.memberships.get().club, rounds=3)
        house_players.add_house_entries(event, ada, number, NOON - MINUTE)
        with CaptureQueriesContext(connection) as queries:
            undoing.undo(event.acts.get(), ada, NOON - MINUTE)
        counts.append(len(queries))
        assert not event.entries.exists()
    assert counts[0] == counts[1]
