"""What the API tells is what the pages tell, and no more: of a club and its events."""

from uuid import UUID

import pytest
from django.utils import timezone

from games.models import Player
from games.programs import tokens
from games.seats import seating
from tests.api.asking import Scene, ask, scene, token_of
from tests.factories import cast, member, play_out, player, table
from tests.tournaments import build
from tournaments.event_page import exports
from tournaments.models import EntryPlayer, Rating
from tournaments.seasons import season_table

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def lasting(lasting_database: None) -> Scene:
    return scene()


@pytest.fixture
def at(lasting: Scene) -> Scene:
    return lasting.anew()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["Second", "First"]),
        ({"state": "finished"}, ["First"]),
        ({"club": "the-old-mill"}, ["Second", "First"]),
        ({"club": "elsewhere"}, []),
        ({"after": build.NOON.isoformat()}, ["Second", "First"]),
        ({"before": build.NOON.isoformat()}, []),
        ({"after": (build.NOON + build.MINUTE).isoformat()}, ["Second"]),
    ],
)
def test_events_by_filters(at: Scene, query: dict[str, str], names: list[str]) -> None:
    assert [one["name"] for one in ask("/events", **query).json()["items"]] == names


# Events ---------------------------------------------------------------------------------------


def test_standings_match_the_export(at: Scene) -> None:
    told = ask(f"/events/{at.over.pk}/standings").json()
    exported = exports.standings(at.over)
    assert told["rounds"] == 3
    assert told["order"][-1] == "lot"
    assert [line["entry"] for line in told["lines"]] == [row["entry"] for row in exported]
    for line, row in zip(told["lines"], exported, strict=True):
        assert {name: line[name] for name in ("place", "won", "lost", "points_for")} == {
            name: row[name] for name in ("place", "won", "lost", "points_for")
        }
        assert line["tie_breaks"] == {name: row[name] for name in told["order"]}


def test_standings_after_a_round(at: Scene) -> None:
    told = ask(f"/events/{at.over.pk}/standings?after=1").json()
    assert told["rounds"] == 1
    assert {line["won"] + line["lost"] for line in told["lines"]} == {1}


def test_there_are_no_standings_before_the_start(at: Scene) -> None:
    told = ask(f"/events/{at.coming.pk}/standings").json()
    assert told == {"rounds": 0, "order": [], "lines": []}


def test_results_match_the_export(at: Scene) -> None:
    told = ask(f"/events/{at.over.pk}/results").json()["items"]
    exported = exports.results(at.over)
    assert len(told) == len(exported) == 6
    for match, row in zip(told, exported, strict=True):
        assert (match["round"], match["table"], match["how"]) == (
            row["round"],
            row["table"],
            row["how"],
        )
        assert ("north_south", "east_west")[match["winner"]] == row["winner"]
        assert [side["points"] for side in match["sides"]] == list(row["points"].values())
        assert [game["id"] for game in match["games"]] == [game["id"] for game in row["games"]]


def test_entries_state_their_place_in_the_event(at: Scene) -> None:
    told = ask(f"/events/{at.over.pk}/entries").json()
    assert sorted(one["place"] for one in told["items"]) == list(range(1, 9))
    assert {one["players"][0]["kind"] for one in told["items"]} == {"guest"}


def test_season_table_matches_the_page(at: Scene) -> None:
    told = ask(f"/clubs/{at.club.slug}/seasons/{at.season}").json()
    lines = season_table.table(at.club, at.club.seasons.get())
    assert [(one["place"], one["player"]["id"], one["points"]) for one in told["lines"]] == [
        (line.place, line.player.pk, line.points) for line in lines
    ]
    assert len(lines) == 8
    assert ask(f"/clubs/{at.club.slug}/years/1").status_code == 404


# Games ----------------------------------------------------------------------------------------


def test_game_of_another_event_is_not_found(at: Scene) -> None:
    elsewhere = table(*cast())
    seating.start(elsewhere, elsewhere.host)
    game = play_out(elsewhere)
    assert ask(f"/events/{at.over.pk}/games/{game.pk}").status_code == 404
    assert ask(f"/events/{at.over.pk}/games/{UUID(int=7)}").status_code == 404


# Players --------------------------------------------------------------------------------------


def test_player_has_ratings_and_clubs(at: Scene) -> None:
    told = ask(f"/players/{at.maeve.pk}").json()
    assert told["player"] == {"id": at.maeve.pk, "name": "Maeve", "kind": "person"}
    assert [club["slug"] for club in told["clubs"]] == [at.club.slug]
    (rating,) = told["ratings"]
    assert (rating["pool"], rating["rating"], rating["settled"]) == ("classic-online", 1516, False)
    assert (rating["mu"], rating["sigma"], rating["ranked"]) == (1516.4, 118.2, False)


def test_record_adds_up_and_its_games_can_be_listed(at: Scene) -> None:
    told = ask(f"/players/{at.maeve.pk}/record").json()
    assert (told["score"]["won"], told["deeds"]["called"], told["deeds"]["euchred"]) == (1, 4, 1)
    assert told["deeds"]["luck"] == pytest.approx(1.5 / 9)
    (partner,) = told["partners"]
    path = f"/players/{at.maeve.pk}/games"
    (game,) = ask(path, partner=partner["player"]["id"], call="euchred").json()["items"]
    assert (game["result"], game["score"]) == ("won", [10, 5])
    assert ask(path, result="lost").json()["count"] == 0
    assert ask(path, opponent=partner["player"]["id"]).json()["count"] == 0


def test_unknown_rule_set_error_lists_the_known_ones(at: Scene) -> None:
    answer = ask(f"/players/{at.maeve.pk}/record", rules="Bridge")
    assert answer.status_code == 422
    assert "“Bridge” is not one of: " in answer.json()["detail"]
    assert "Heads-up" in answer.json()["detail"]


def test_two_players_together(at: Scene) -> None:
    partner = ask(f"/players/{at.maeve.pk}/record").json()["partners"][0]["player"]["id"]
    told = ask(f"/players/{at.maeve.pk}/and/{partner}").json()
    assert (told["together"]["won"], told["opposed"]["games"]) == (1, 0)


def test_head_to_head_with_oneself_is_refused(at: Scene) -> None:
    assert ask(f"/players/{at.maeve.pk}/and/{at.maeve.pk}").status_code == 404


def test_rating_lists_its_changes(at: Scene) -> None:
    (change,) = ask(f"/players/{at.maeve.pk}/ratings/classic-online").json()["items"]
    assert (change["event"], change["outcome"], change["expected"]) == (at.over.pk, "won", 0.5)
    assert (change["mu_before"], change["mu_after"]) == (1500.0, 1516.4)
    assert change["sentence"].startswith("Maeve gained 16")
    assert ask(f"/players/{at.maeve.pk}/ratings/poker").status_code == 404


def test_leaderboard_lists_unranked_players_with_the_reason(at: Scene) -> None:
    told = ask("/ratings/classic-online").json()
    (line,) = told["lines"]
    assert (told["count"], told["ranked"], line["place"]) == (1, 0, None)
    assert line["why"] == "Still uncertain"
    assert ask("/ratings").json()[0]["pool"] == "classic-online"


@pytest.mark.parametrize(
    ("query", "status", "count"),
    [
        ({"club": "the-old-mill"}, 200, 1),
        ({"club": "elsewhere"}, 404, None),
        ({"club": "the-old-mill", "season": "season"}, 200, 0),
        ({"club": "the-old-mill", "season": "999"}, 404, None),
        ({"season": "season"}, 422, None),
        ({"club": "the-old-mill", "year": "2026"}, 200, 0),
        ({"club": "the-old-mill", "year": "12026"}, 422, None),
        ({"club": "the-old-mill", "year": "2026", "season": "season"}, 422, None),
        ({"year": "2026"}, 422, None),
        ({"country": "CA"}, 200, 0),
        ({"country": "Canada"}, 422, None),
    ],
)
def test_a_leaderboard_by_filters(
    at: Scene, query: dict[str, str], status: int, count: int | None
) -> None:
    if query.get("season") == "season":
        query = query | {"season": str(at.season)}
    answer = ask("/ratings/classic-online", **query)
    assert answer.status_code == status
    assert answer.json().get("count") == count


def test_leaderboard_of_a_year_lists_its_participants(at: Scene) -> None:
    took_part = EntryPlayer.objects.filter(event=at.over).first()
    assert took_part is not None
    Rating.objects.update(player=took_part.player)

    def count(year: int) -> int:
        told = ask("/ratings/classic-online", club=at.club.slug, year=str(year)).json()
        return int(told["count"])

    year = at.over.starts.year
    assert (count(year - 1), count(year), count(year + 1)) == (0, 1, 0)


# Private players ------------------------------------------------------------------------------


@pytest.fixture
def private(at: Scene) -> Scene:
    """The same, but that Maeve's record is private."""
    at.maeve.private = True
    at.maeve.country = "CA"
    at.maeve.save()
    return at


@pytest.mark.parametrize("path", ["record", "games", "ratings/classic-online", "and/{ben}"])
def test_private_players_record_is_hidden_from_others(private: Scene, path: str) -> None:
    address = f"/players/{private.maeve.pk}/{path.format(ben=player('Ben').pk)}"
    for token in ("", token_of(member("Otto"))):
        answer = ask(address, token)
        assert (answer.status_code, answer.json()["code"]) == (403, "private")
    assert ask(address, token_of(private.maeve)).status_code == 200


def test_private_players_name_is_shown(private: Scene) -> None:
    told = ask(f"/players/{private.maeve.pk}").json()
    assert told == {
        "player": {"id": private.maeve.pk, "name": "Maeve", "kind": "person"},
        "private": True,
        "owner": None,
        "country": "",
        "clubs": [],
        "home_club": "",
        "ratings": [],
        "trophies": [],
    }
    assert ask(f"/players/{private.maeve.pk}", token_of(private.maeve)).json()["ratings"]


def test_private_player_is_not_on_leaderboards(private: Scene) -> None:
    assert ask("/ratings/classic-online").json()["lines"] == []
    assert ask("/ratings").json() == []


def test_private_player_cannot_be_a_filter_or_partner(at: Scene) -> None:
    partner = ask(f"/players/{at.maeve.pk}/record").json()["partners"][0]["player"]["id"]
    Player.objects.filter(pk=partner).update(private=True)
    told = ask(f"/players/{at.maeve.pk}/record").json()
    assert told["partners"] == []
    assert ask(f"/players/{at.maeve.pk}/games", partner=partner).status_code == 403
    assert ask(f"/players/{at.maeve.pk}/and/{partner}").status_code == 403


def test_token_without_read_scope_sees_what_a_visitor_sees(private: Scene) -> None:
    _token, secret = tokens.make(private.maeve, "Blind", [], None, timezone.now())
    assert ask(f"/players/{private.maeve.pk}/record", secret).status_code == 403
