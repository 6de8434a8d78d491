"""A new code for one table: what the old one does, who may make one, and where codes lead."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from games.people import limits
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON, seen_in
from tests.tournaments.room_scores.cards_of import card_of, drawn, hand, table_of
from tournaments.acts import page, undoing
from tournaments.attendance import newcomers
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError
from tournaments.room_scores import codes

pytestmark = pytest.mark.django_db


def renewed(event: Event, by: Player, number: int = 1) -> tuple[str, str]:
    """The old code of a table and the new one."""
    old = table_of(event, number).code
    return old, codes.renew(event, number, by, reason="Photographed.", now=NOON)


def test_the_old_code_opens_nothing_and_the_card_goes_on(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    other = table_of(event, 2).code
    hand(event, 1, 0)
    old, new = renewed(event, ada)
    gone = Client().get(f"/t/{old}/")
    assert gone.status_code == 410
    assert "Table 1 has a new code" in gone.text
    written = Client().post(f"/t/{old}/write", {"kind": "hand"})
    assert written.status_code == 410
    assert Client().get(f"/t/{new}/").status_code == 200
    assert card_of(event).points == (1, 0)
    assert table_of(event, 2).code == other, "the other tables keep theirs"


def test_phones_that_still_ask_with_it_do_not_lock_the_room_out(club: Club, ada: Player) -> None:
    event = drawn(club)
    old, new = renewed(event, ada)
    phone = Client()
    for _look in range(limits.WRONG_CODES_IN_TEN_MINUTES + 1):
        assert phone.get(f"/t/{old}/").status_code == 410
    assert phone.get(f"/t/{new}/").status_code == 200


def test_printed_cards_say_so(club: Club, ada: Player) -> None:
    event, browser = drawn(club, 8), logged_in(ada)
    sheet = reverse("print_table_cards", args=[event.pk])
    assert "New code since" not in browser.get(sheet).text
    _old, new = renewed(event, ada)
    shown = browser.get(sheet).text
    assert shown.count("New code since") == 1
    assert codes.in_groups(new) in shown


def test_it_stands_in_the_log_without_any_code_and_stays(club: Club, ada: Player) -> None:
    event = drawn(club)
    old, new = renewed(event, ada)
    log = logged_in(ada).get(reverse("event_acts", args=[event.pk])).text
    assert "Gave a table a new code: table 1" in log
    assert old not in log
    assert new not in log
    with pytest.raises(RefusedError, match="cannot be undone"):
        undoing.undo(event.acts.latest("pk"), ada, NOON)


def test_the_page(club: Club, ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))
    event, browser = drawn(club), logged_in(ada)
    path = reverse("new_table_code", args=[event.pk, 1])
    assert path in browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
    old = table_of(event).code
    said = {"reason": "Lost.", "seen": seen_in(browser.get(path).text)}
    assert table_of(event).code == old, "looking changes nothing"
    assert browser.post(path, said).status_code == 303
    assert table_of(event).code != old
    assert browser.get(reverse("new_table_code", args=[event.pk, 7])).status_code == 404


@pytest.mark.parametrize("how", ["/join/{}/", "/join/?code={}"])
def test_join_takes_the_codes_of_tables_and_walk_ins(club: Club, ada: Player, how: str) -> None:
    event = build.event(club, place=Event.Place.ROOM, format="progressive", rounds=2)
    build.enter(event, 7)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    table, walk_in = table_of(event).code, event.walk_ins.get().code
    for code, path in ((table, f"/t/{table}/"), (walk_in, f"/claim/{walk_in}/")):
        for typed in (code, code.lower(), f"{code[:4]} {code[4:]}"):
            assert Client().get(how.format(typed))["Location"] == path
    old, _new = renewed(event, ada)
    assert Client().get(how.format(old))["Location"] == f"/t/{old}/"
    assert Client().get(how.format("22222222")).status_code == 404


def test_codes_of_a_draft_lead_nowhere(club: Club, ada: Player) -> None:
    event = build.event(club, place=Event.Place.ROOM, state=Event.State.DRAFT)
    code = codes.codes_of(event, [1])[1]
    assert Client().get(f"/join/{code}/").status_code == 404
