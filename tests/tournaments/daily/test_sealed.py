"""While a day is open, nobody learns anything of its deals from a try that is not theirs.

Twenty readers ask at every address. Then all that a finished and a begun try hide is changed in the
database, and all ask again: each answer must be the same, byte for byte.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from games.access import tables_for
from games.engine.shuffle import NOTHING
from games.fairness import publishing
from games.live import state as live
from games.models import Game, GameEvent, Performance, Player, Table
from games.records import performances
from games.review import reviewing
from games.shuffle import shared
from tests.addresses import address, arguments, patterns
from tests.api.asking import token_of
from tests.api.test_url_roles import operations
from tests.factories import logged_in, member, player
from tests.tournaments import build
from tests.tournaments.daily.days_for_tests import begun, played, table_of, today
from tests.tournaments.event_page.test_sealed import RESTLESS, ROWS, told
from tests.volume import volume
from tournaments.fair_play import measuring
from tournaments.models import Club, DailyDeal, DailyTry, Membership

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
#: How many of the readers ask: all of them in the thorough run.
READERS: Final = volume(5, 5, 20)


def readers(daily: DailyDeal) -> dict[str, Player | None]:
    """Twenty who ask: visitor, staff, friends of the house, those who have played and who have not.

    None of them is the one whose try is hidden.
    """
    club = build.club()
    boss = member("Boss")
    assert boss.user is not None
    boss.user.is_staff = boss.user.is_superuser = True
    boss.user.save()
    has_played, plays = member("Played"), member("Plays")
    played(daily, has_played, 7)
    begun(daily, plays)
    found: dict[str, Player | None] = {
        "visitor": None, "staff": boss, "has played": has_played, "plays": plays,
        "guest": player("Guest"),
    }  # fmt: skip
    for role in Membership.Role.values:
        found[role] = build.joined(club, member(f"The {role}"), role).player
    return found | {f"member {n}": member(f"Member{n}") for n in range(20 - len(found))}


def paths(hidden: DailyTry, club: Club) -> Iterator[str]:
    game = table_of(hidden).games.get()
    known = {
        "slug": club.slug, "game_id": game.pk, "match": game.pk, "table_id": hidden.table_id,
        "player_id": hidden.player_id, "other_id": hidden.player_id, "number": 1, "year": 2026,
        "day": hidden.daily.day, "month": hidden.daily.day.replace(day=1), "seat": 2,
    }  # fmt: skip
    for pattern in patterns():
        name = str(pattern.name)
        if name in ROWS and ROWS[name].method == "GET" and arguments(name) <= known.keys():
            yield address(name, known)
    yield f"/fairness/log/{hidden.daily.deals_id}.ndjson"
    api: dict[str, Any] = {**known, "pool": "classic-online", "format": "swiss", "event_id": 0}
    for name, operation in operations().items():
        if operation.method == "GET" and not name.endswith("stream"):
            try:
                yield operation.path.format(**api)
            except KeyError:
                continue


def answers(
    asking: Mapping[str, Player | None], tokens: Mapping[str, str], addresses: list[str]
) -> dict[tuple[str, str], tuple[int, str]]:
    live.forget_all()
    given: dict[tuple[str, str], tuple[int, str]] = {}
    for who, reader in asking.items():
        cache.clear()  # nobody is asked to slow down
        client = logged_in(reader) if reader is not None and reader.user_id else Client()
        for path in addresses:
            token = tokens.get(who) if path.startswith("/api/") else None
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            given[who, path] = told(client.get(path, headers=headers))
    return given


def change(hidden: DailyTry) -> None:
    """Let everything be otherwise that only its player may know."""
    games = Game.objects.filter(table=hidden.table_id)
    GameEvent.objects.filter(game__in=games).update(action="pass")
    games.update(score_0=9, score_1=7, winner=1, mixed=NOTHING)
    if hidden.points is not None:
        DailyTry.objects.filter(pk=hidden.pk).update(points=[-4] * len(hidden.points))
    DailyDeal.objects.filter(pk=hidden.daily_id).update(house=[4] * 4)


def test_no_address_tells_anything_of_another_s_try(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    daily = today()
    DailyDeal.objects.filter(pk=daily.pk).update(house=[1] * 4)
    finished, halfway = (played(daily, member(f"Maeve{deals}"), 3, deals) for deals in (4, 2))
    everybody = dict(list(readers(daily).items())[:READERS])
    tokens = {who: token_of(one) for who, one in everybody.items() if one and one.user_id}
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    club = build.club("Elsewhere")
    addresses = list(dict.fromkeys([*paths(finished, club), *paths(halfway, club)]))
    with caplog.at_level(logging.INFO):
        before = answers(everybody, tokens, addresses)
        logged = len(caplog.records)
        change(finished)
        change(halfway)
        after = answers(everybody, tokens, addresses)
    different = {key for key in before if before[key] != after[key] and key[1] not in RESTLESS}
    assert different == set()
    assert len(caplog.records) == 2 * logged
    statuses = Counter(status for status, _text in before.values())
    assert statuses[200] > 100
    assert statuses.keys() & {429, 500} == set(), statuses


def test_a_planted_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the count of a day to depend on the points, the crawl would say so."""
    daily = today()
    hidden = played(daily, member("Maeve"), 3)
    monkeypatch.setattr("tournaments.daily.panel.count_of", lambda one: sum(one.tries.get().points))
    everybody: Mapping[str, Player | None] = {"visitor": None}
    path = [f"/daily/{daily.day}/"]
    before = answers(everybody, {}, path)
    change(hidden)
    assert answers(everybody, {}, path) != before


def test_one_s_own_finished_try_is_closed_to_oneself_too() -> None:
    daily, maeve = today(), member("Maeve")
    mine = played(daily, maeve, 3)
    game = table_of(mine).games.get()
    browser = logged_in(maeve)
    for page in ("", "record.json", "game.egn", "game.ptn", "replay/", "review/", "verify/"):
        assert browser.get(f"/games/{game.pk}/{page}").status_code == 404, page
    assert str(game.pk) not in browser.get(f"/players/{maeve.pk}/games/").content.decode()


def test_nothing_in_the_background_reads_an_open_day() -> None:
    daily, maeve = today(), member("Maeve")
    game = table_of(played(daily, maeve, 3)).games.get()
    assert performances.record_ended() == 0
    assert not Performance.objects.exists()
    assert publishing.publish_ended(timezone.now()) == 0
    measuring.measure_ended(timezone.now())
    assert not reviewing.may_start(game)
    assert shared.open_played() == 0


def test_sockets_admit_only_who_sits_there() -> None:
    daily, maeve = today(), member("Maeve")
    table = Table.objects.get(pk=table_of(begun(daily, maeve)).pk)
    other = member("Ben")
    found = tables_for(
        [(maeve, table.pk, ()), (other, table.pk, (table.pk,)), (None, table.pk, ())]
    )
    assert [one is not None for one in found] == [True, False, False]
