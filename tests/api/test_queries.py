"""How often an answer asks the database: a bound for each, however long its lists are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.asking import Scene, ask, scene, token_of
from tests.tournaments import build
from tournaments.models import Pairing

pytestmark = pytest.mark.django_db

#: The bound that every page of the site keeps to; the token's look-up is among them.
MAX_QUERIES = 12


def queries(path: str, token: str) -> int:
    """How many queries an answer takes."""
    with CaptureQueriesContext(connection) as asked:
        assert ask(path, token).status_code == 200
    return len(asked)


def paths(at: Scene) -> dict[str, str]:
    """An address of every operation that reads."""
    event, player = f"/events/{at.over.pk}", f"/players/{at.maeve.pk}"
    pairing = Pairing.objects.get(round__event=at.over, round__number=1, number=1)
    game = pairing.table.games.get().pk  # type: ignore[union-attr]
    return {
        "clubs": "/clubs",
        "club": f"/clubs/{at.club.slug}",
        "members": f"/clubs/{at.club.slug}/members",
        "seasons": f"/clubs/{at.club.slug}/seasons",
        "season table": f"/clubs/{at.club.slug}/seasons/{at.season}",
        "events": "/events?limit=200",
        "event": event,
        "entries": f"{event}/entries",
        "rounds": f"{event}/rounds",
        "round": f"{event}/rounds/1",
        "results": f"{event}/results",
        "standings": f"{event}/standings",
        "event's game": f"{event}/games/{game}",
        "game": f"/games/{game}",
        "player": player,
        "record": f"{player}/record",
        "games": f"{player}/games",
        "head to head": f"{player}/and/{at.over.entries.first().players.get().player_id}",  # type: ignore[union-attr]
        "changes": f"{player}/ratings/classic-online",
        "pools": "/ratings",
        "leaderboard": f"/ratings/classic-online?club={at.club.slug}&season={at.season}",
    }


def test_answers_stay_within_their_query_limits() -> None:
    at = scene()
    token = token_of(at.maeve)
    ask("/clubs", token)  # from now on the token's use is not noted for a minute
    counted = {name: queries(path, token) for name, path in paths(at).items()}
    assert {name: count for name, count in counted.items() if count > MAX_QUERIES} == {}


def test_a_longer_list_takes_no_more_queries() -> None:
    at = scene()
    lists = ("/clubs", "/events", f"/events/{at.over.pk}/entries", f"/clubs/{at.club.slug}/members")
    before = {path: queries(path, "") for path in lists}
    for number in range(5):
        other = build.club(f"Mill {number}")
        build.event(other)
        build.joined(at.club, build.director(other, f"Director{number}"))
    assert {path: queries(path, "") for path in lists} == before
