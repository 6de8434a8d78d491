"""An event to take away, as CSV and JSON."""

import csv
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Game, Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.event_page.exports import COLUMNS, EXPORTS
from tournaments.models import Club, Event, Pairing

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).parents[3] / "docs/exports.md"


def played(rounds: int = 1, entries: int = 5, **fields: Any) -> Event:
    event = build.event(**{"format": "swiss", "rounds": 3, **fields})
    build.enter(event, entries)
    build.begin(event)
    for minutes in range(1, rounds + 1):
        build.play_round(event, NOON + minutes * MINUTE, Random(minutes))
    return event


def path(event: Event, what: str, kind: str) -> str:
    return f"/events/{event.pk}/export/{what}.{kind}"


def rows(event: Event, what: str) -> list[dict[str, str]]:
    content = Client().get(path(event, what, "csv")).content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content)))


def data(event: Event, what: str) -> list[dict[str, Any]]:
    document = json.loads(Client().get(path(event, what, "json")).content)
    assert document["event"]["id"] == event.pk
    found: list[dict[str, Any]] = document[what]
    return found


def test_entries_are_named_in_order_of_arrival() -> None:
    event = played()
    entries = data(event, "entries")
    assert [entry["entry"] for entry in entries] == list(
        event.entries.order_by("arrival").values_list("pk", flat=True)
    )
    assert [player["name"] for player in entries[0]["players"]] == ["1", "2"]
    assert rows(event, "entries")[0]["players_name"] == "1; 2"


def test_pairings_have_the_draw_and_sit_outs() -> None:
    event = played(rounds=0)
    drawn = data(event, "pairings")
    assert [row["table"] for row in drawn] == [1, 2, None]
    named = [
        one
        for row in drawn
        for side in ("north_south", "east_west")
        for one in row[side]["entries"]
    ]
    assert sorted(named) == sorted(event.entries.values_list("pk", flat=True))
    flat = rows(event, "pairings")
    assert flat[2]["table"] == ""
    assert flat[2]["north_south_entries"]
    assert flat[2]["east_west_entries"] == ""


def test_results_name_winner_points_and_every_game() -> None:
    event = played(match=Event.Match.GAME)
    pairing = event.played_rounds.get(number=1).pairings.get(number=1)
    result, flat = data(event, "results")[0], rows(event, "results")[0]
    assert result["winner"] == ("north_south", "east_west")[pairing.winner]
    assert result["points"] == {"north_south": pairing.points_0, "east_west": pairing.points_1}
    game = Game.objects.get(table=pairing.table_id)
    assert [one["id"] for one in result["games"]] == [str(game.pk)]
    assert flat["games_id"] == str(game.pk)
    assert flat["points_north_south"] == str(pairing.points_0)
    assert len(data(event, "results")) == 2  # the round being played has none yet


def test_a_tie_has_no_winner() -> None:
    event = played()
    Pairing.objects.filter(round__number=1, number=1).update(winner=-1)
    assert data(event, "results")[0]["winner"] is None


def test_standings_have_every_tie_break_as_a_number() -> None:
    event = played(tie_breaks=["wins", "point_difference"])
    first = data(event, "standings")[0]
    assert {"wins", "point_difference", "lot"} <= first.keys()
    assert first["place"] == 1
    assert isinstance(first["wins"], int)
    margins = [row["point_difference"] for row in rows(event, "standings")]
    assert any(margin.startswith("-") for margin in margins)
    assert all(float(margin) == int(float(margin)) for margin in margins)


@pytest.mark.parametrize("name", ["=1+1", "+49", "-sum", "@here"])
def test_names_cannot_become_formulas(name: str) -> None:
    event = played(format="rotation")
    Player.objects.filter(entries__event=event).update(name=name)
    for what in EXPORTS:
        for row in rows(event, what):
            for column, cell in row.items():
                if column.endswith("_name") and cell:
                    assert cell == f"'{name}" or cell.startswith(f"'{name}; ")
    assert {one["name"] for row in data(event, "entries") for one in row["players"]} == {name}


def test_a_spreadsheet_reads_names_in_any_script() -> None:
    event = played(format="rotation")
    Player.objects.filter(entries__event=event).update(name="Zoë 春")
    content = Client().get(path(event, "entries", "csv")).content
    assert content.startswith(b"\xef\xbb\xbf")
    assert "Zoë 春" in content.decode()


@pytest.mark.parametrize("what", EXPORTS)
def test_before_the_start_there_are_columns_and_no_results(what: str) -> None:
    event = build.event()
    content = Client().get(path(event, what, "csv")).content.decode("utf-8-sig")
    assert content.strip().split(",")[: len(COLUMNS[what])] == list(COLUMNS[what])
    assert data(event, what) == []


@pytest.mark.parametrize("what", EXPORTS)
def test_csv_fills_only_described_columns(what: str) -> None:
    for row in rows(played(rounds=2), what):
        assert None not in row
        assert set(COLUMNS[what]) <= row.keys()


@pytest.mark.parametrize("what", EXPORTS)
def test_every_column_is_described(what: str) -> None:
    described = DOCS.read_text()
    assert [column for column in COLUMNS[what] if f"`{column}`" not in described] == []


@pytest.mark.parametrize("wrong", ["players.csv", "entries.xml", "entries.CSV", "entries"])
def test_unknown_export_is_not_found(wrong: str) -> None:
    assert Client().get(f"/events/{build.event().pk}/export/{wrong}").status_code == 404


def test_unchanged_export_is_304() -> None:
    event = played()
    first = Client().get(path(event, "results", "json"))
    same = {"If-None-Match": first["ETag"]}
    assert Client().get(path(event, "results", "json"), headers=same).status_code == 304
    Player.objects.filter(entries__event=event).update(name="Maeve")
    assert Client().get(path(event, "results", "json"), headers=same).status_code == 200
    Event.objects.update(version=event.version + 1)
    assert str(event.version + 1) in Client().get(path(event, "results", "json"))["ETag"]


def test_closed_club_exports_are_hidden_from_strangers() -> None:
    club = build.club(joining=Club.Joining.INVITATION)
    event = played(of=club)
    otto, stranger = member("Otto"), member("Silas")
    build.joined(club, otto)
    for what in EXPORTS:
        assert logged_in(stranger).get(path(event, what, "csv")).status_code == 404
        assert logged_in(otto).get(path(event, what, "csv")).status_code == 200


@pytest.mark.parametrize("what", EXPORTS)
def test_more_entries_take_no_more_queries(what: str) -> None:
    counts = []
    for number, entries in enumerate((4, 16)):
        event = played(entries=entries, of=build.club(f"Club {number}"))
        with CaptureQueriesContext(connection) as captured:
            EXPORTS[what](Event.objects.select_related("club").get(pk=event.pk))
        counts.append(len(captured))
    assert counts[0] == counts[1]
