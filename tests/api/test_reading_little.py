"""What the API tells is what the pages tell, and no more: where there is little else."""

from typing import Any

import pytest

from games.engine.rules import HEADS_UP
from games.models import Game, Player
from games.seats import seating
from tests.api.asking import ask, scene, token_of
from tests.engine.texts import parse_game, replay_record
from tests.factories import cast, member, play_out, player, table
from tests.tournaments import build
from tournaments.models import Membership

pytestmark = pytest.mark.django_db


def test_list_is_paginated() -> None:
    club = build.club()
    for name in ("Ada", "Ben", "Clara", "Iris", "Jonah"):
        build.joined(club, member(name))
    path, names, counts = f"/clubs/{club.slug}/members?limit=2", [], set()
    while path:
        part = ask(path).json()
        names += [one["player"]["name"] for one in part["items"]]
        counts.add(part["count"])
        path = (part["next"] or "").removeprefix("http://testserver/api")
    assert names == ["Ada", "Ben", "Clara", "Iris", "Jonah"]
    assert counts == {5}


def test_next_page_link_keeps_the_filters() -> None:
    for name in ("Old Mill", "Old Forge", "Bridge"):
        build.club(name)
    part = ask("/clubs?search=old&limit=1").json()
    assert part["count"] == 2
    assert "search=old" in part["next"]
    assert ask(part["next"].removeprefix("http://testserver/api")).json()["next"] is None


def test_clubs_are_sorted_by_name_case_insensitively() -> None:
    for name in ("bridge", "Anchor", "Crane"):
        build.club(name)
    items = ask("/clubs").json()["items"]
    assert [one["name"] for one in items] == ["Anchor", "bridge", "Crane"]


def test_page_beyond_the_end_is_empty() -> None:
    assert ask("/clubs?offset=7").json() == {"count": 0, "next": None, "items": []}


def test_members_have_roles_with_owners_first() -> None:
    club = build.club()
    build.joined(club, member("Ada"))
    build.joined(club, member("Ben"), Membership.Role.OWNER)
    items = ask(f"/clubs/{club.slug}/members").json()["items"]
    assert [(one["player"]["name"], one["role"]) for one in items] == [
        ("Ben", "owner"),
        ("Ada", "member"),
    ]


def test_round_shows_its_draw_before_results() -> None:
    event = build.event(rounds=1, sit_out="fixed")
    build.enter(event, 5)
    build.begin(event)
    told = ask(f"/events/{event.pk}/rounds/1").json()
    (match,) = told["matches"]
    drawn = [entry for side in match["sides"] for entry in side["entries"]]
    assert (match["state"], match["winner"], match["how"]) == ("called", None, "")
    assert len(drawn) == 4
    assert len(told["idle"]) == 1
    assert {*drawn, told["idle"][0]["entry"]} == set(event.entries.values_list("pk", flat=True))
    assert ask(f"/events/{event.pk}/rounds/2").status_code == 404


def played(**fields: Any) -> Game:
    """A game that was played to its end by chance."""
    at = table(*cast(), **fields)
    seating.start(at, at.host)
    return play_out(at)


def test_ended_game_can_be_replayed_from_its_record() -> None:
    game = played()
    told = ask(f"/games/{game.pk}").json()
    again = replay_record(parse_game(told["record"]))
    assert list(again.standing.score) == told["score"] == [game.score_0, game.score_1]
    assert again.standing.winner == told["winner"] == game.winner
    assert told["deals"][-1]["score"] == told["score"]
    assert len(told["deals"]) == again.standing.deal_number
    gained = [sum(deal["points"][side] for deal in told["deals"]) for side in (0, 1)]
    assert gained == told["score"]


def test_game_states_its_seats() -> None:
    told = ask(f"/games/{played().pk}").json()
    assert [(one["seat"], one["player"]["name"]) for one in told["seats"]] == [
        ("North", "Maeve"),
        ("East", "Ben"),
        ("South", "Iris"),
        ("West", "Jonah"),
    ]


def test_running_game_reveals_no_card() -> None:
    at = table(*cast())
    seating.start(at, at.host)
    game = at.games.get()
    told = ask(f"/games/{game.pk}").json()
    assert (told["state"], told["deals"], told["record"]) == ("playing", [], None)
    assert told["score"] == [0, 0]


def test_heads_up_game_names_its_seats() -> None:
    at = table(player("Maeve"), player("Ben"), rules=HEADS_UP)
    seating.start(at, at.host)
    told = ask(f"/games/{play_out(at).pk}").json()
    assert [one["seat"] for one in told["seats"]] == ["North", "South"]
    assert parse_game(told["record"]).rules == HEADS_UP


def test_game_at_a_closed_table_is_readable_by_its_players() -> None:
    maeve, otto = member("Maeve"), member("Otto")
    at = table(maeve, player("Ben"), player("Iris"), player("Jonah"), open=False)
    seating.start(at, maeve)
    game = play_out(at)
    assert ask(f"/games/{game.pk}").status_code == 404
    assert ask(f"/games/{game.pk}", token_of(otto)).status_code == 404
    assert ask(f"/games/{game.pk}", token_of(maeve)).status_code == 200


def test_filters_do_not_reveal_members_of_a_closed_club() -> None:
    at = scene("invitation")
    query = {"club": at.club.slug}
    assert ask("/ratings/classic-online", **query).status_code == 404
    told = ask("/ratings/classic-online", token_of(at.maeve), **query).json()
    assert told["count"] == 1


def test_program_states_its_owner() -> None:
    maeve = member("Maeve")
    program = Player.objects.create(name="Abacus", kind=Player.Kind.PROGRAM, owner=maeve)
    told = ask(f"/players/{program.pk}").json()
    assert (told["player"]["kind"], told["owner"]["name"]) == ("program", "Maeve")
