"""Does a card that somebody may not see change any byte that they get?

``python -m tests.faults.taint --deals 10000`` puts deals, each stopped at a random moment, on the
tables of events, of every published rule set in turn, and collects what each person gets: every
seat, somebody who watches, a director of the club and the operator. Then it deals anew what that
person has not seen, so that all they saw could have happened just so, collects once more, and
compares: pages, frames of sockets, refusals, the API, exports, own data, the office, Django's
admin, metrics, error pages and every line of the log must be the same to the letter. It ends with
an error at the first that is not, and if the secret of a game stands anywhere, also in a backup
without its key. Before that it lets a page tell hidden cards, which has to be found.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import itertools
import logging
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from cryptography.fernet import Fernet

from tests.served import FLAT_OUT, OF_TESTS, ROOT, use_django

if TYPE_CHECKING:
    from django.test import Client

    from games.engine.actions import Action
    from games.engine.deal import Deal
    from games.engine.rules import RuleSet
    from games.models import Game, Player
    from tests.games.shuffles import Search
    from tournaments.models import Event

#: What is new in every answer and tells of no card: tokens of forms, the name of a picture in this
#: process, the room on the disk, and times that were measured.
PASSING = (
    (re.compile(rb"(name=.csrfmiddlewaretoken. value=.)\w+"), rb"\1"),
    (re.compile(rb"(\"table\":\"|data-have=\"|\bhave=)[0-9a-f]{8}"), rb"\1"),
    (re.compile(rb"\d+(?:\.\d)?( [MG]B)"), rb"\1"),
    (re.compile(rb"(\"(?:timestamp|seconds)\": )[^,}]+"), rb"\1"),
)
#: The value of a metric; its name and labels stay.
VALUE = re.compile(r" \S+$", re.MULTILINE)
#: What nobody gets of a running game, and how its page is answered: with the table's instead.
NOT_TO_BE_HAD = {
    "game": 302, "seat: game": 302, "visit": 302,
    "record": 404, "EGN": 404, "PTN": 404, "replay": 404,
}  # fmt: skip
#: What all open who have no seat, what each of them opens besides, and what those do who sit there.
OF_OTHERS = {
    "table": "/tables/{table}/", "API": "/api/tables/{table}", "event": "/events/{event}/",
}  # fmt: skip
WATCHING = {
    "lobby": "/play/",
    "game": "/games/{game}/",
    "record": "/games/{game}/record.json",
    "EGN": "/games/{game}/game.egn",
    "PTN": "/games/{game}/game.ptn?hand=1",
    "replay": "/games/{game}/replay/",
    "verification": "/games/{game}/verify/",
    "log of shuffles": "/fairness/log/{game}.ndjson",
    "API: game": "/api/games/{game}",
    "API: game of an event": "/api/events/{event}/games/{game}",
    "API: rounds": "/api/events/{event}/rounds",
    "player": "/players/{player}/",
    "player: games": "/players/{player}/games/",
    "round": "/events/{event}/rounds/1/",
    "visit": "/events/{event}/rounds/1/tables/1/",
}
DIRECTING = {
    "directing": "/events/{event}/manage/",
    "directing: opened row": "/events/{event}/manage/?open=1",
    "directing: table": "/events/{event}/manage/rounds/1/tables/1/",
    "directing: message": "/events/{event}/manage/rounds/1/tables/1/message/",
    "directing: results": "/events/{event}/manage/rounds/1/results/",
    "directing: record": "/events/{event}/manage/record.csv",
    "fair play": "/events/{event}/fair-play/",
}
OPERATING = {
    "office": "/office/",
    "office: player": "/office/players/{player}/",
    "office: acts": "/office/acts/",
    "moderation": "/moderation/",
    "admin: this game": "/admin/games/game/{game}/change/",
    "admin: this table": "/admin/games/table/{table}/change/",
} | {
    f"admin: {model}": f"/admin/games/{model}/"
    for model in ("game", "gameevent", "seat", "table", "shuffle", "logline", "proposal")
}
SITTING = {
    "seat: table": "/tables/{table}/",
    "seat: API": "/api/tables/{table}",
    "seat: game": "/games/{game}/",
    "seat: event": "/events/{event}/",
    "seat: lobby": "/play/",
}
#: What one person gets, by what it is.
Got = dict[str, bytes]
#: The pack of the deal that each game is in, by what was thrown into its shuffle.
PACKS: dict[bytes, tuple[int, ...]] = {}


class LeakError(Exception):
    """Somebody was told what they may not know; the message says by what."""


class TableOfEvent(NamedTuple):
    """A table of an event, and the browsers of those who sit there.

    Attributes:
        rules: of its game.
        event: to which it belongs.
        game: its running game.
        sitting: who, by position.
        browsers: theirs, by position.
    """

    rules: RuleSet
    event: Event
    game: Game
    sitting: list[Player]
    browsers: list[Client]


class Opened(NamedTuple):
    """A page that somebody opens: what it is, by whose browser, and its path."""

    name: str
    browser: Client
    path: str


class People(NamedTuple):
    """The browsers of those who have no seat."""

    watching: Client
    directing: Client
    operating: Client


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--deals", type=int, default=10000)
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return known.parse_args()


def main() -> None:
    """Compare, print what was, and end with an error where anything differs."""
    asked = options()
    if asked.processes > 1:
        sys.exit(share_out(asked.deals, asked.seed, asked.processes))
    with tempfile.TemporaryDirectory(prefix="bower-taint-") as folder:
        prepare(Path(folder))
        begun = time.monotonic()
        try:
            told = compare_all(asked.deals, asked.seed, Path(folder) / "backups")
        except LeakError as error:
            sys.exit(str(error))
        print(f"{told} in {time.monotonic() - begun:.0f} s")


def share_out(deals: int, seed: int, processes: int) -> int:
    """Let several processes compare a share each; return how many have found something."""
    shares = [deals // processes + (number < deals % processes) for number in range(processes)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.taint", "--processes", "1",
             "--deals", str(share), "--seed", str(seed * 1000 + number)],
            cwd=ROOT,
        )
        for number, share in enumerate(shares)
    ]  # fmt: skip
    return sum(one.wait() != 0 for one in running)


def prepare(folder: Path) -> None:
    """Set Django up on a new database in a folder."""
    os.environ.update(
        OF_TESTS | FLAT_OUT,
        SECRET_KEY="a" * 60,
        DEAL_KEY=Fernet.generate_key().decode(),
        STATIC_LIVE="true",
        LOG_FORMAT="json",
        EMAIL_URL="memorymail://",
        ADMIN_PATH="admin",
        API_RATE_ANONYMOUS="1000000",
    )
    use_django(folder)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def compare_all(deals: int, seed: int, backups: Path) -> str:
    """Compare so many deals; return what was compared, in words. Raises LeakError."""
    from django.utils import timezone

    from games.shuffle.dealing import Packs
    from games.tasks import keep_log
    from tests.chance import random_deal
    from tests.games.shuffles import Search
    from tests.property.test_leak import stopped

    shuffled = Packs.__call__

    def dealt(packs: Packs, deal: int) -> tuple[int, ...]:
        return PACKS.get(packs._mixed) or shuffled(packs, deal)

    tables, people = seat_everybody()
    search = Search([at.game for at in tables])
    keep_log()
    now = timezone.now()
    with (
        patch("django.utils.timezone.now", lambda: now),
        patch("time.time", now.timestamp),
        patch("euchre_site.health.local_checks.file_clock", lambda *_: ()),  # the disk's goes on
        patch.object(Packs, "__call__", dealt),
        lines_of_the_log() as log,
    ):
        collector = Collector(people, search, log)
        rng, done = Random(seed), 0
        for at in tables:
            deal = random_deal(at.rules, rng)
            store(at, deal, stopped(deal, rng))
            for viewer in (None, *range(at.rules.players)):
                collector.collect(at, viewer)  # what is noted of who opens a page first
        refuse_blindness(collector, tables[0])
        while done < deals:
            done += compare_one(collector, tables[done % len(tables)], rng)
        members = look_into_a_backup(tables, search, backups)
    return (
        f"{done:,} deals, {collector.compared:,} comparisons of {len(collector.names)} kinds, "
        f"{collector.read / 1e6:,.0f} MB read, {members} of a backup: no hidden card, no secret"
    )


# Who plays, watches and directs -----------------------------------------------------------------


def seat_everybody() -> tuple[list[TableOfEvent], People]:
    """An event of each rule set with one table, its players, and those who have no seat."""
    from games.engine.rules import RULE_SETS
    from games.models import Game
    from tests.factories import logged_in, member
    from tests.tournaments import build
    from tests.tournaments.fair_play import playing

    club = build.club()
    tables = []
    for number, rules in enumerate(RULE_SETS.values()):
        members = [member(f"Seat {number}-{one}") for one in range(4)]
        form = "swiss" if rules.players == 2 else "rotation"
        event = playing.started_event(club, members, name=rules.name, rules=rules, format=form)
        games = Game.objects.filter(table__pairing__round__event=event)
        game = games.select_related("table").order_by("table")[0]
        seats = game.table.seats.select_related("player__user").order_by("position")
        sitting = [seat.player for seat in seats if seat.player is not None]
        browsers = [_at_home(logged_in(one)) for one in sitting]
        tables.append(TableOfEvent(rules, event, game, sitting, browsers))
    operator = member("Operator")
    assert operator.user is not None
    operator.user.is_staff = operator.user.is_superuser = True
    operator.user.save()
    others = member("Watcher"), build.director(club), operator
    return tables, People(*(_at_home(logged_in(one)) for one in others))


def _at_home(browser: Client) -> Client:
    """A browser that comes to the name under which the site is."""
    browser.defaults["SERVER_NAME"] = "localhost"
    browser.raise_request_exception = False
    return browser


@contextmanager
def lines_of_the_log() -> Iterator[io.StringIO]:
    """All that is logged in the block, as the site writes it."""
    from euchre_site.logs import Causes

    written = io.StringIO()
    (handler,) = (one for one in logging.getLogger().handlers if one.name == "stderr")
    assert isinstance(handler, logging.StreamHandler)
    handler.filters = [one for one in handler.filters if not isinstance(one, Causes)]
    before = handler.setStream(written)  # and each time anew what it has told before
    try:
        yield written
    finally:
        handler.setStream(before)


# A deal, and another that looks the same --------------------------------------------------------


def compare_one(collector: Collector, at: TableOfEvent, rng: Random) -> int:
    """Compare what everybody gets of one deal; 1, or 0 if nothing else looks the same."""
    from tests.chance import random_deal
    from tests.property.test_leak import Seen, another, hands_of, stopped

    deal = random_deal(at.rules, rng)
    actions = stopped(deal, rng)
    compared = 0
    for viewer in (None, *range(at.rules.players)):
        found = another(Seen.by(deal, viewer), actions, rng)
        if found is None or hands_of(found[0]) == hands_of(deal):
            continue
        store(at, deal, actions)
        ours = collector.collect(at, viewer)
        store(at, *found)
        theirs = collector.collect(at, viewer)
        collector.compare(ours, theirs, f"{at.rules.key}, seen by {viewer}, after {actions}")
        compared = 1
    return compared


def store(at: TableOfEvent, deal: Deal, actions: Sequence[Action]) -> None:
    """Let a table's game be this deal after these actions, each in the row of its number."""
    from django.utils import timezone

    from games.engine.actions import action_text
    from games.engine.game import Game as Engine
    from games.models import Game, GameEvent

    PACKS[bytes(at.game.mixed)] = pack_of(at.rules, deal)
    engine = Engine(at.rules, deal.dealer, lambda _deal: pack_of(at.rules, deal))
    rows = []
    for action in (*_cut(engine.deal), *actions):
        seat = engine.turn
        engine.push(action)
        rows.append(
            GameEvent(
                pk=1000 * at.game.table_id + engine.version, game=at.game, seq=engine.version,
                seat=seat, player_id=at.sitting[seat].pk, by=GameEvent.By.PERSON,
                action=action_text(action), at=timezone.now(),
            )
        )  # fmt: skip
    GameEvent.objects.filter(game=at.game).delete()
    GameEvent.objects.bulk_create(rows)
    Game.objects.filter(pk=at.game.pk).update(
        first_dealer=deal.dealer,
        version=engine.version,
        turn=engine.turn,
        score_0=engine.standing.score[0],
        score_1=engine.standing.score[1],
        deal_number=engine.standing.deal_number,
        due=None,
        moved=timezone.now(),
    )


def pack_of(rules: RuleSet, deal: Deal) -> tuple[int, ...]:
    """A pack from which the cards of a deal come, lifted by the least cut where there is one."""
    from games.engine.deal import Deal as EngineDeal
    from tests.property.test_leak import hands_of

    ordered = rules.pack_in_order()
    pattern = EngineDeal.from_pack(rules, deal.dealer, ordered)
    for cut in _cut(pattern):
        pattern.push(cut)
    place = {card: number for number, card in enumerate(ordered)}
    pack = dict.fromkeys(range(len(ordered)), -1)
    for there, here in zip(hands_of(pattern), hands_of(deal), strict=True):
        for old, card in zip(there, here, strict=True):
            pack[place[old]] = card
    pack[place[pattern.turn_up]] = deal.turn_up
    left = iter(card for card in ordered if card not in set(pack.values()))
    return tuple(next(left) if card < 0 else card for card in pack.values())


def _cut(deal: Deal) -> tuple[Action, ...]:
    """The least cut of a deal that waits for one."""
    from games.engine.observation import CUTTING

    return deal.legal_actions()[:1] if deal.phase == CUTTING else ()


# What somebody gets -----------------------------------------------------------------------------


class Collector:
    """Collects and compares what somebody gets.

    Args:
        people: the browsers of those who have no seat.
        search: for the secrets of the games.
        log: where the site's log goes.

    Attributes:
        compared: how many texts were compared.
        names: of which kinds.
        read: how many bytes were read.
    """

    def __init__(self, people: People, search: Search, log: io.StringIO) -> None:
        self.people, self.search, self.log = people, search, log
        self.compared = 0
        self.read = 0
        self.names: set[str] = set()

    def compare(self, ours: Got, theirs: Got, where: str) -> None:
        """Raise LeakError unless both are the same."""
        if ours.keys() != theirs.keys():
            raise LeakError(f"{where}: not the same was to be had: {ours.keys() ^ theirs.keys()}")
        for name, text in ours.items():
            other = theirs[name]
            if text != other:
                pairs = zip(text, other, strict=False)
                same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
                here = slice(max(0, same - 80), same + 80)
                said = f"{text[here]!r} or {other[here]!r}"
                raise LeakError(f"{where}: {name} tells of hidden cards: {said}")
            self.read += len(text)
        self.compared += len(ours)
        self.names |= ours.keys()

    def collect(self, at: TableOfEvent, viewer: int | None) -> Got:
        """All that a seat gets of a table as it is now, or with None all who have none."""
        from django.core.cache import caches

        from games.live import state

        state.forget_all()
        for cache in caches.all():
            cache.clear()
        self.log.seek(0)
        self.log.truncate()
        got = dict(self._seen(at, viewer))
        for name, browser, path in _opened(at, viewer, self.people):
            answer = browser.get(path)
            if answer.status_code != NOT_TO_BE_HAD.get(name, 200):
                raise LeakError(f"{name}, {path}, was answered {answer.status_code}")
            got[name] = f"{answer.headers}".encode() + _content_of(answer)
        with _failing(at):
            browser = self.people.operating if viewer is None else at.browsers[viewer]
            answer = browser.get(f"/tables/{at.game.table_id}/")
            if answer.status_code != 500:
                raise LeakError(f"a page that fails was answered {answer.status_code}")
            got["error page"] = _content_of(answer)
        got["log"] = self.log.getvalue().encode()
        if b'"exception": "Traceback' not in got["log"]:
            raise LeakError("The log does not tell of a page that failed.")
        for pattern, left in PASSING:
            got = {name: pattern.sub(left, text) for name, text in got.items()}
        for name, content in got.items():
            if self.search.told_by(content):
                raise LeakError(f"{name} tells the secret of a game")
        return got

    def _seen(self, at: TableOfEvent, viewer: int | None) -> Iterator[tuple[str, bytes]]:
        """What does not come by a page."""
        from euchre_site.monitoring import metrics_server
        from euchre_site.own_data import export_contents
        from games.api.table_view import table_view
        from games.live import state
        from games.picture import viewing
        from tests.games.picture.test_leak import answers

        live = state.read(at.game.table_id)
        player = None if viewer is None else at.sitting[viewer]
        key = player.pk if player else None
        picture = viewing.pictures(live, [key])[key]
        yield "frames", b"".join(picture.frames(0, {}))
        view = viewing.view_of(live, key)
        yield "API as a program in the seat", table_view(view).model_dump_json().encode()
        yield "refusals", "".join(asyncio.run(answers(live, viewer))).encode()
        if player is not None:
            from django.utils import timezone

            yield (
                "own data",
                export_contents.as_json(export_contents.data(player, timezone.now())).encode(),
            )
        yield "metrics", VALUE.sub("", metrics_server.as_text()).encode()


def _content_of(answer: Any) -> bytes:
    content: bytes = answer.getvalue() if answer.streaming else answer.content
    return content


def _opened(at: TableOfEvent, viewer: int | None, people: People) -> Iterator[Opened]:
    """What a seat opens, or with None all who have none."""
    from tournaments.event_page.exports import EXPORTS
    from tournaments.event_page.views import KINDS

    exports = {
        f"export: {what}.{kind}": f"/events/{{event}}/export/{what}.{kind}"
        for what in EXPORTS
        for kind in KINDS
    }
    if viewer is not None:
        those = [(at.browsers[viewer], SITTING)]
    else:
        those = [
            *(
                (browser, {f"{role}: {name}": path for name, path in OF_OTHERS.items()})
                for role, browser in people._asdict().items()
            ),
            (people.watching, WATCHING),
            (people.directing, DIRECTING | exports),
            (people.operating, OPERATING),
        ]
    keys = {
        "table": at.game.table_id, "event": at.event.pk, "game": at.game.pk,
        "player": at.sitting[0].pk,
    }  # fmt: skip
    for browser, paths in those:
        for name, path in paths.items():
            yield Opened(name, browser, path.format(**keys))


def _all_cards(at: TableOfEvent) -> str:
    """Every card of a table's deal and all that was done with them."""
    from games.live import state

    playing = state.read(at.game.table_id).playing
    assert playing is not None
    return f"{playing.engine.deal.start} {playing.engine.deal.actions}"


@contextmanager
def _failing(at: TableOfEvent) -> Iterator[None]:
    """A fault in the table's page whose error names every card."""
    from games.play import views

    with patch.object(views, "spoken", side_effect=ValueError(_all_cards(at))):
        yield


def refuse_blindness(collector: Collector, at: TableOfEvent) -> None:
    """Let a page tell hidden cards; raise LeakError unless that is found."""
    from games.play import views
    from tests.chance import random_deal
    from tests.property.test_leak import Seen, another

    rng = Random(0)
    deal = random_deal(at.rules, rng)
    other = None
    while other is None or other[0].start == deal.start:
        other = another(Seen.by(deal, None), [], rng)
    store(at, deal, [])
    with patch.object(views, "spoken", return_value=_all_cards(at)):
        ours = collector.collect(at, None)
    store(at, *other)
    with patch.object(views, "spoken", return_value=_all_cards(at)):
        theirs = collector.collect(at, None)
    try:
        collector.compare(ours, theirs, "tried")
    except LeakError as error:
        if ": table tells" in str(error):
            return
        raise
    raise LeakError("A page that told every card was not found.")


def look_into_a_backup(tables: Sequence[TableOfEvent], search: Search, folder: Path) -> int:
    """Make a backup and look for secrets in what can be read without the key; how many members.

    The secrets themselves are there, sealed with the key. Raises LeakError.
    """
    from euchre_site.backups import backups

    sealed = [bytes(at.game.secret) for at in tables]
    made = backups.back_up(folder)
    with tarfile.open(made.path, "r:gz") as tar:
        members = {one.name: tar.extractfile(one) for one in tar}
        contents = {name: file.read() for name, file in members.items() if file is not None}
    for name, content in contents.items():
        for told in search.told_by(content):
            if not any(told in one for one in sealed):
                raise LeakError(f"{name} of a backup tells the secret of a game")
    return len(contents)


if __name__ == "__main__":
    main()
