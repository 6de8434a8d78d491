"""Nobody learns the secret of a shuffle before it is published.

Games are brought to every state before their end, as open tables, tables by invitation and tables
of events. Then everybody asks for what there is, and every byte of each answer and log line
is searched for their secrets, for what their players have thrown in and is not told yet,
and for the places of cards in the packs. `BOWER_THOROUGH=1` makes it 10,000 games.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from games import tasks
from games.access import INVITED_KEY
from games.engine.rules import RuleSet
from games.live import state as live
from games.models import Game, Player, Table
from games.programs import programs
from games.shuffle import public_log
from games.sockets import hub
from tests.addresses import address
from tests.api.asking import token_of
from tests.api.test_url_roles import operations
from tests.chance import TYPICAL
from tests.conventions.test_url_roles import ROWS as OF_TABLES
from tests.crawl import only_for_this_test
from tests.factories import logged_in, member, player
from tests.games.shuffles import OPEN, Search, kept, states_of, table, tables
from tests.tournaments.test_url_roles import ROLES, in_play
from tests.volume import volume
from tournaments.models import Club, Event

#: Games over the addresses of a table, in shares; and tables over all addresses.
GAMES: Final = volume(4, 4, 10_000)
SHARES: Final = volume(1, 1, 8)
EVERYWHERE: Final = volume(2, 2, 24)
#: Who looks at them. At night also those whose role in a club is between these.
BY_ROLE: Final = volume(("visitor", "director", "staff"), ("visitor", "director", "staff"), ROLES)

#: The games are played within a transaction, which the journal of PostgreSQL does not see.
pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.fixture(autouse=True)
def _no_live_tables(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    settings.HOUSE_PAUSE, settings.NEXT_DEAL_PAUSE = (3600.0, 3600.0), 3600.0
    yield
    live.forget_all()


class Asker(NamedTuple):
    """Somebody who asks: by a browser, or by a token."""

    browser: Client
    token: str = ""

    def ask(self, path: str) -> bytes:
        """All that is answered, headers included."""
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        response: Any = self.browser.get(path, headers=headers)
        assert response.status_code < 500, path
        content: bytes = b"" if response.streaming else response.content
        return repr(dict(response.headers)).encode() + content


def of_table(at: Table) -> list[str]:
    """The addresses of a table, its match and its log."""
    matches = [one.pk for one in kept([at])]
    return [f"/tables/{at.pk}/", f"/api/tables/{at.pk}"] + [
        path.format(match)
        for match in matches
        for path in (
            "/games/{}/",
            "/games/{}/record.json",
            "/games/{}/game.egn",
            "/games/{}/game.ptn",
            "/games/{}/replay/",
            "/games/{}/verify/",
            "/games/{}/ratings/",
            "/api/games/{}",
            "/fairness/log/{}.ndjson",
            "/fairness/log/?match={}",
        )
    ]


#: What lists everything there is.
LISTS: Final = ("/", "/play/", "/fairness/log/", "/fairness/log.ndjson", "/api/tables", "/nowhere/")


@pytest.mark.parametrize("share", range(SHARES))
def test_no_address_of_a_table_reveals_a_secret(
    share: int, caplog: pytest.LogCaptureFixture
) -> None:
    only_for_this_test(caplog)
    games, rng = 0, Random(share)
    while games < GAMES // SHARES:
        with transaction.atomic():
            games += searched(rng, caplog)
            transaction.set_rollback(True)
        live.forget_all()


def searched(rng: Random, caplog: pytest.LogCaptureFixture) -> int:
    """Ask for some tables and search the answers and all that was logged; how many games."""
    seated = [member("Maeve"), player("Ben"), player("Iris"), player("Jonah")]
    at = tables(seated, rng)
    public_log.chain()
    hidden = kept(at)
    assert len(hidden) == len(at)
    search = Search(hidden)
    otto = member("Otto")
    strangers = (Asker(Client()), Asker(logged_in(otto), token_of(otto)))
    players = [Asker(logged_in(who)) for who in seated]
    players[0] = players[0]._replace(token=token_of(seated[0]))
    for asker in (rng.choice(strangers), rng.choice(players)):
        for path in LISTS:
            assert search.told_by(asker.ask(path)) == [], path
    for one in at:
        watching, sitting = rng.choice(strangers), rng.choice(players[: one.rules.players])
        table_page, *others = of_table(one)
        asked = [(watching, path) for path in (table_page, rng.choice(others))]
        asked += [(sitting, path) for path in (table_page, *rng.sample(others, 3))]
        for asker, path in asked:
            assert search.told_by(asker.ask(path)) == [], path
    for task in (tasks.keep_log, tasks.record_performances, tasks.close_left):
        assert task.apply().result is None
    assert search.told_by(caplog.text) == []
    assert len(kept(at)) == len(hidden)
    caplog.clear()
    return len(hidden)


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_every_state_is_reached(rules: RuleSet) -> None:
    seated = [player(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    rng = Random(5)
    for state in states_of(rules):
        tried = (table(seated[: rules.players], rules, OPEN, state, rng) for _ in range(200))
        assert any(tried), state


@pytest.mark.slow
def test_no_page_about_tables_and_no_answer_of_the_api_reveals_a_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    only_for_this_test(caplog)
    club = in_play(Club.Joining.OPEN)
    seated = [member("Maeve"), player("Ben"), player("Iris"), player("Jonah")]
    at = Random(7).sample(tables(seated, Random(7)), EVERYWHERE)
    token = program_at(at)
    public_log.chain()
    hidden = kept(Table.objects.all())
    search = Search(hidden)
    askers = [Asker(club.of.browsers[role]) for role in BY_ROLE]
    askers += [Asker(logged_in(seated[0])), Asker(logged_in(seated[1])), Asker(with_link(at))]
    for asker in askers:
        for path in about_tables(at):
            assert search.told_by(asker.ask(path)) == [], path
    for one in ("", token, token_of(seated[0])):
        for path in in_the_api(club.of.known, club.other_event, at):
            assert search.told_by(Asker(Client(), one).ask(path)) == [], path
    assert search.told_by(caplog.text) == []
    assert len(kept(Table.objects.all())) == len(hidden)


def program_at(at: Collection[Table]) -> str:
    """The token of a program that has taken the seat of a person at a table in play."""
    program, token = programs.make(member("Greta"), "Robo", timezone.now())
    game = Game.objects.filter(table__in=at).order_by("table").first()
    assert game is not None
    game.table.seats.filter(position=1).update(player=program)
    game.seats.filter(position=1).update(player=program)
    return token


def with_link(at: Collection[Table]) -> Client:
    """A visitor who has followed the links of some tables."""
    client = Client()
    session = client.session
    session[INVITED_KEY] = [one.pk for one in at]
    session.save()
    return client


def about_tables(at: Sequence[Table]) -> Iterator[str]:
    """Every address of `tests.conventions.test_url_roles` that can be looked at, and each table's.

    Those of clubs and events are searched where all roles ask for them, in
    `tests.tournaments.test_url_roles`.
    """
    match = kept(at)[0].pk
    known = {
        "table_id": at[0].pk, "game_id": match, "match": match, "token_id": 1, "puzzle_id": 1,
        "name": "classic-24", "slug": "bowers", "example": "left-bower", "standing_id": 1,
        "token": "a" * 16, "seat": 0, "number": 1, "player_id": Player.objects.latest("pk").pk,
    }  # fmt: skip
    yield from (address(name, known) for name, row in OF_TABLES.items() if row.method == "GET")
    for one in at:
        yield from of_table(one)
    yield from LISTS


def in_the_api(known: Mapping[str, Any], event: Event, at: Sequence[Table]) -> Iterator[str]:
    """Everything that can be read by the API and is no stream."""
    usual = {**known, "seat": "North", "pool": known["pool_slug"]}
    usual |= {"table_id": at[0].pk, "game_id": kept(at)[0].pk}
    reading = [
        operation.path
        for name, operation in operations().items()
        if operation.method == "GET" and not name.endswith("stream")
    ]
    for path in reading:
        for event_id in (known["event_id"], event.pk):
            yield path.format(**usual | {"event_id": event_id})
    for one in at:
        yield from (path for path in of_table(one) if path.startswith("/api"))
