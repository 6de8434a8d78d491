"""Nobody but those at a table learns anything of deals that other tables have still to play.

Everybody asks at every address for what there is. Then the hidden results and cards are changed in
the database, and everybody asks again: each answer must be the same, byte for byte.
"""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from euchre_site.own_data import export_contents
from games.access import tables_for
from games.api import games_stream
from games.engine.shuffle import NOTHING
from games.fairness import publishing
from games.live import state as live
from games.models import Game, GameEvent, Performance, Player, SharedDeals, Table
from games.picture import viewing
from games.records import performances
from games.seats import lobby
from games.shuffle import public_log, shared, shuffling
from games.sockets import hub
from tests.addresses import address, arguments, patterns
from tests.api.asking import token_of
from tests.api.test_url_roles import operations
from tests.conventions.test_url_roles import ROWS as OF_TABLES
from tests.factories import logged_in, member, play_out
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.tournaments.test_url_roles import ROWS as OF_CLUBS
from tests.volume import volume
from tournaments.event_page import exports
from tournaments.event_page.exports import EXPORTS
from tournaments.fair_play import measuring
from tournaments.models import Event, Membership, Pairing

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
ROWS: Final[Mapping[str, Any]] = OF_TABLES | OF_CLUBS
#: What differs between two answers to the same question.
CHANCE: Final = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|data-now="[0-9]+"|csrf[Tt]oken[^,;]*'
    r"|[0-9]+(\.[0-9]+)? seconds? ago|\"now\": ?[0-9.]+|data-left=\"[0-9]+\"|PT[0-9]+S"
    r"|[0-9]+:[0-5][0-9](:[0-5][0-9])?"
)
#: The state of the site and the use of tokens change by themselves, and show no event.
RESTLESS: Final = {"/office/", "/you/tokens/"}
#: Besides visitors. Who only has an account, or moderates, sees nothing that these do not.
ASKING: Final = volume(
    ("director", "staff", "finished", "playing elsewhere"),
    ("director", "staff", "finished", "playing elsewhere"),
    ("outsider", "moderator", "director", "staff", "finished", "playing elsewhere"),
)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    yield
    live.forget_all()


class Scene(NamedTuple):
    """An event of three tables: one has finished, one is halfway, one has just begun."""

    event: Event
    finished: Pairing
    halfway: Pairing
    begun: Pairing
    people: Mapping[str, Player]
    tokens: Mapping[str, str]


def scene() -> Scene:
    club = build.club()
    players = [member(name) for name in (f"Player{n}" for n in range(1, 13))]
    made = build.event(
        club, format="duplicate", match="deals", deals=2, rounds=2, rated=False, name="Duplicate"
    )
    for player in players:
        build.joined(club, player)
    build.let_in(made, players)
    build.begin(made)
    build.arrive(made)
    build.step(made, NOON)
    for table in Table.objects.filter(pairing__round__event=made):
        shuffling.advance(table.pk, timezone.now())
    finished, halfway, begun = build.latest(made).pairings.order_by("number")
    play_out(Table.objects.get(pairing=finished))
    build.step(made, NOON)
    finished.refresh_from_db()
    assert finished.state == Pairing.State.DECIDED
    Game.objects.filter(table=halfway.table_id).update(score_0=2, score_1=1, deal_number=2)
    outsider, ada = member("Otto"), build.director(club)
    boss = member("Boss")
    user = boss.user
    assert user is not None
    user.is_staff = user.is_superuser = True
    user.save()
    moderator = build.joined(club, member("Mo"), Membership.Role.MODERATOR).player
    people = {
        "outsider": outsider, "director": ada, "staff": boss, "moderator": moderator,
        "finished": sitter(finished), "playing elsewhere": sitter(begun),
    }  # fmt: skip
    tokens = {who: token_of(player) for who, player in people.items()}
    return Scene(made, finished, halfway, begun, people, tokens)


@pytest.fixture(scope="module")
def prepared(lasting_database: None) -> Scene:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub, "announce", lambda _table_id: None)
        return scene()


@pytest.fixture
def of(prepared: Scene) -> Scene:
    """The event as it was prepared for all tests, with its rows read again."""
    matches = Pairing.objects.select_related("table")
    return prepared._replace(
        event=Event.objects.get(pk=prepared.event.pk),
        finished=matches.get(pk=prepared.finished.pk),
        halfway=matches.get(pk=prepared.halfway.pk),
        begun=matches.get(pk=prepared.begun.pk),
        people={who: Player.objects.get(pk=one.pk) for who, one in prepared.people.items()},
    )


def sitter(at: Pairing) -> Player:
    assert at.table is not None
    player = at.table.seats.get(position=0).player
    assert player is not None
    return player


def game_of(at: Pairing) -> Game:
    return Game.objects.get(table=at.table_id)


def everywhere(of: Scene, at: Pairing) -> Iterator[str]:
    """Every address that could show a game or a table, for this match."""
    game = game_of(at)
    known = {
        "slug": of.event.club.slug, "event_id": of.event.pk, "game_id": game.pk, "match": game.pk,
        "table_id": at.table_id, "number": 1, "table": at.number, "what": "results",
        "kind": "json", "player_id": sitter(at).pk, "other_id": sitter(of.begun).pk,
        "entry_id": at.entries.all()[0].entry_id, "format_key": "duplicate", "year": 2026,
        "code": of.event.join_code,
    }  # fmt: skip
    for pattern in patterns():
        name = str(pattern.name)
        if name in ROWS and ROWS[name].method == "GET" and arguments(name) <= known.keys():
            yield address(name, known)
    for what in EXPORTS:
        for kind in ("csv", "json"):
            yield f"/events/{of.event.pk}/export/{what}.{kind}"


def in_the_api(of: Scene, at: Pairing) -> Iterator[str]:
    known: dict[str, Any] = {
        "event_id": of.event.pk, "game_id": game_of(at).pk, "table_id": at.table_id, "number": 1,
        "slug": of.event.club.slug, "player_id": sitter(at).pk, "other_id": sitter(of.begun).pk,
        "seat": "North", "pool": "classic-online", "year": 2026, "format": "duplicate",
    }  # fmt: skip
    for name, operation in operations().items():
        if operation.method == "GET" and not name.endswith("stream"):
            try:
                yield operation.path.format(**known)
            except KeyError:
                continue


def answers(of: Scene, hidden: Pairing) -> dict[tuple[str, str], tuple[int, str]]:
    """What everybody is answered everywhere, but the players of a table about that table."""
    live.forget_all()
    given: dict[tuple[str, str], tuple[int, str]] = {}
    people = {who: of.people[who] for who in ASKING}
    own = {
        seat.player_id
        for seat in hidden.table.seats.all()  # type: ignore[union-attr]
    }
    for who, player in {"visitor": None, **people}.items():
        cache.clear()  # nobody is asked to slow down
        client = logged_in(player) if player is not None else Client()
        token = of.tokens.get(who, "")
        seated = player is not None and player.pk in own
        for path in everywhere(of, hidden):
            if seated and path.startswith(f"/tables/{hidden.table_id}/"):
                continue
            given[who, path] = told(client.get(path))
        for path in in_the_api(of, hidden):
            if seated and f"/tables/{hidden.table_id}" in path:
                continue
            header = {"Authorization": f"Bearer {token}"} if token else {}
            given[f"{who} by token", path] = told(Client().get(path, headers=header))
    return given


def told(response: Any) -> tuple[int, str]:
    content = b"".join(response) if response.streaming else response.content
    location = response.headers.get("Location", "")
    return response.status_code, CHANCE.sub("", f"{location}\n{content.decode(errors='replace')}")


def change(hidden: Pairing) -> None:
    """Let everything about a table be otherwise that only its players may know."""
    game = game_of(hidden)
    score = (game.score_0 + 3, game.score_1 + 5)
    Game.objects.filter(pk=game.pk).update(
        score_0=score[0], score_1=score[1], winner=1 - max(game.winner, 0), mixed=NOTHING
    )
    GameEvent.objects.filter(game=game).update(action="pass")
    if hidden.state == Pairing.State.DECIDED:
        Pairing.objects.filter(pk=hidden.pk).update(
            winner=1 - max(hidden.winner, 0), points_0=score[0], points_1=score[1],
            lone_0=2, games_0=1, games_1=0,
            deal_results=[{**one, "net": -one["net"]} for one in hidden.deal_results],
        )  # fmt: skip


@pytest.mark.parametrize("which", [pytest.param("finished", marks=pytest.mark.thorough), "halfway"])
def test_no_address_tells_anything_of_deals_that_are_still_played(
    of: Scene, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)  # pages say how long ago things were
    hidden: Pairing = getattr(of, which)
    before = answers(of, hidden)
    change(hidden)
    after = answers(of, hidden)
    told_of = {key for key in before if before[key] != after[key] and key[1] not in RESTLESS}
    assert told_of == set()
    statuses = Counter(status for status, _text in before.values())
    assert statuses[200] > 300
    assert statuses.keys() & {429, 500} == set(), statuses


def test_the_pages_of_a_sealed_game_are_closed_to_all(of: Scene) -> None:
    game, table = game_of(of.finished), of.finished.table_id
    for who, player in of.people.items():
        client = logged_in(player)
        pages = ("", "record.json", "game.egn", "game.ptn", "replay/", "verify/", "ratings/")
        for page in pages:
            response = client.get(f"/games/{game.pk}/{page}")
            assert response.status_code == 404, (who, page)
            assert b"Other tables still play these deals" in response.content
        status = client.get(f"/tables/{table}/").status_code
        assert status == (200 if who == "finished" else 404)
        api = Client().get(
            f"/api/games/{game.pk}", headers={"Authorization": f"Bearer {of.tokens[who]}"}
        )
        assert api.status_code == 404
    deals = f"/events/{of.event.pk}/rounds/1/deals/"
    assert Client().get(deals).status_code == 404
    assert b"Other tables still play" in Client().get(deals).content


def test_exports_leave_out_a_result_until_the_last_table_has_played(of: Scene) -> None:
    assert exports.results(of.event) == []
    for pairing in (of.halfway, of.begun):
        play_out(Table.objects.get(pairing=pairing))
    build.step(of.event, NOON)
    assert len(exports.results(of.event)) == 3


def test_sockets_of_tables_admit_only_those_who_sit_there(of: Scene) -> None:
    own, other = of.finished.table_id or 0, of.begun.table_id or 0
    asked = [
        (player, table, (own, other)) for player in of.people.values() for table in (own, other)
    ]
    admitted = [found is not None for found in tables_for([(None, own, (own,)), *asked])]
    sits = [
        player is of.people[who]
        for player, table, _links in asked
        for who in (["finished"] if table == own else ["playing elsewhere"])
    ]
    assert admitted == [False, *sits]
    assert sum(sits) == 2


def test_those_at_a_finished_table_are_not_told_what_the_hands_were_worth(of: Scene) -> None:
    table = live.read(of.finished.table_id or 0)
    assert viewing.scene_of(table).hand_values is None
    async_to_sync(live.refresh)(table)
    assert viewing.scene_of(table).hand_values is None
    SharedDeals.objects.update(opened=timezone.now())
    async_to_sync(live.refresh)(table)
    assert viewing.scene_of(table).hand_values is not None


def test_those_at_a_finished_table_get_no_links_to_pages_that_are_closed(of: Scene) -> None:
    table, pages = f"/tables/{of.finished.table_id}/", f"/games/{game_of(of.finished).pk}/"
    browser = logged_in(of.people["finished"])
    page = browser.get(table).content.decode()
    assert pages not in page
    assert "open when the last table has finished" in page
    for path in ("", "rounds/1/"):
        shown = browser.get(f"/events/{of.event.pk}/{path}").content.decode()
        assert 'href=""' not in shown
        assert "Finished; others still play" in shown
    SharedDeals.objects.update(opened=timezone.now())
    live.forget_all()
    page = browser.get(table).content.decode()
    assert {f"{pages}{one}" for one in ("", "review/", "replay/")} <= set(
        re.findall(r'href="(/games/[^"]*)"', page)
    )
    assert "open when the last table has finished" not in page


def test_they_open_when_the_last_table_has_finished(of: Scene) -> None:
    Game.objects.filter(table=of.halfway.table).update(score_0=0, score_1=0, deal_number=1)
    deals = f"/events/{of.event.pk}/rounds/1/deals/"
    for one in (of.halfway, of.begun):
        assert Client().get(deals).status_code == 404
        play_out(Table.objects.get(pairing=one))
        build.step(of.event, NOON)
    publishing.publish_ended(timezone.now())
    public_log.chain()
    page = Client().get(deals).content.decode()
    assert "Deal 1" in page
    assert "Deal 2" in page
    assert page.count("Best play") >= 2
    assert (
        f"/events/{of.event.pk}/rounds/1/deals/"
        in Client().get(f"/events/{of.event.pk}/rounds/1/").content.decode()
    )
    for page in ("", "record.json", "replay/", "verify/"):
        assert Client().get(f"/games/{game_of(of.finished).pk}/{page}").status_code == 200


def test_what_is_read_in_the_background_waits_for_the_last_table(of: Scene) -> None:
    game, now = game_of(of.finished), timezone.now()
    assert performances.record_ended() == 0
    assert not Performance.objects.exists()
    assert shared.open_played() == 0
    assert publishing.publish_ended(now) == 0
    assert not measuring.to_measure(now).exists()
    assert game.pk not in export_contents.games_of(of.people["finished"])
    assert games_stream.opened_after(None, now + 10 * games_stream.APPEARS_AFTER) == []
    assert lobby.results_of(of.people["finished"]) == []
    assert not any(line.reserved for line in lobby.running_tables(of.people["outsider"]))
    public_log.chain()
    secret = Client().get("/fairness/log.ndjson").content.decode()
    assert '"kind":"revealed"' not in secret
    assert '"kind":"opened"' not in secret


def test_own_data_say_nothing_of_deals_that_others_still_play(of: Scene) -> None:
    player, game = of.people["finished"], game_of(of.finished)

    def told_of() -> tuple[bool, int]:
        """Whether the game's record is in a player's file, and how many matches are."""
        packed = export_contents.zip_file(player, [game.pk], first=True, now=timezone.now())
        with zipfile.ZipFile(io.BytesIO(packed)) as files:
            (entry,) = json.loads(files.read("data.json"))["entries"]
            return f"games/{game.pk}.json" in files.namelist(), len(entry["matches"])

    assert told_of() == (False, 0)
    SharedDeals.objects.update(opened=timezone.now())
    assert told_of() == (True, 1)
