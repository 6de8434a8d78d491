"""Archived games: everything that reads a game reads the same, and nothing is lost on the way."""

from __future__ import annotations

import random
import re
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import BytesIO, StringIO
from itertools import count, zip_longest
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from euchre_site.health import remote_checks
from euchre_site.health.findings import Level
from euchre_site.own_data import deletion, export_contents
from games.access import played_in
from games.engine.actions import UNDO, Action
from games.engine.game import Game as Play
from games.engine.rules import CLASSIC_24, RuleSet
from games.fairness import publishing
from games.files.archive import ArchivedGame, ArchiveError, pack, unpack
from games.live import state
from games.models import (
    Game,
    GameArchive,
    GameEvent,
    GameSubstitute,
    LogLine,
    Player,
    Shuffle,
    Table,
    TalkReport,
)
from games.records import archiving, performances
from games.records.game_files import record_file, seal_of
from games.review import reviewing
from games.shuffle import public_log, secret_box, shared
from games.shuffle.dealing import packs_of
from games.tasks import archive as archive_task
from tests.chance import CLUB_24, CLUB_33, TYPICAL
from tests.database_steps import steps
from tests.factories import cast, finish, logged_in, member, play_out, player, push, table
from tests.games import verifying
from tests.games.shuffle import test_shared as shared_tables

pytestmark = [pytest.mark.django_db, pytest.mark.db]
#: When games that end now can be archived.
LATER: Final = timedelta(days=15)


def later() -> datetime:
    return timezone.now() + LATER


def published(game: Game) -> Game:
    """The ended game after what the tasks do in the seconds after its end."""
    for event in game.events.all():
        GameEvent.objects.filter(pk=event.pk).update(client_key=f"key {event.seq}")
    performances.record_ended()
    publishing.publish_ended(timezone.now())
    public_log.chain()
    return afresh(game)


def afresh(game: Game) -> Game:
    return Game.objects.select_related("table__shared_deals", "table__host").get(pk=game.pk)


def finished(rules: RuleSet = CLASSIC_24, seated: Sequence[Player] = ()) -> Game:
    """A game of the cast that is over for some seconds."""
    at = table(*(seated or cast())[: rules.players], rules=rules)
    return published(play_out(at, by=GameEvent.By.PERSON))


def finished_with_undone_calls() -> Game:
    """A game in whose every hand the first call was taken back."""
    at = table(*cast())
    game = at.games.get()
    sitting = dict(at.seats.values_list("position", "player"))
    engine, chance, events = (
        Play(game.rules, game.first_dealer, packs_of(game)),
        random.Random(5),
        [],
    )
    undone = 0
    while not engine.standing.over:
        seat = engine.turn
        action = chance.choice(engine.legal_actions())
        events.append(push(game, engine, action, GameEvent.By.PERSON, sitting.get(seat)))
        if undone < engine.standing.deal_number and seat >= 0 and engine.undone_by(seat):
            undone = engine.standing.deal_number
            events.append(push(game, engine, Action(UNDO, 1)))
            events[-1].seat = seat
    GameEvent.objects.bulk_create(events)
    game = finish(at, engine.standing)
    assert GameEvent.objects.filter(game=game, action__startswith="undo").count() > 3
    return published(game)


def archived(game: Game) -> Game:
    assert archiving.archive(game.pk, later())
    assert not GameEvent.objects.filter(game=game).exists()
    return afresh(game)


def stored(game: Game) -> list[Any]:
    """What the database has of a game in either form."""
    return [
        Game.objects.filter(pk=game.pk).values().get(),
        list(GameEvent.objects.filter(game=game).order_by("seq").values()),
        list(GameArchive.objects.filter(game=game).values()),
        list(GameSubstitute.objects.filter(game=game).values("player")),
        list(LogLine.objects.filter(match=game.pk).order_by("pk").values()),
    ]


def told(game: Game, viewer: Client) -> dict[str, bytes]:
    """Return all pages and files of a game, and what the site itself reads of it."""
    state.forget_all()
    of_game = (
        "", "record.json", "game.egn", "game.ptn", "replay/", "replay/?at=1.4&seat=north",
        f"replay/?at={game.deal_number}.7", "verify/", "preview.png", "review/",
    )  # fmt: skip
    paths = [f"/games/{game.pk}/{rest}" for rest in of_game]
    paths += [f"/tables/{game.table_id}/", f"/api/games/{game.pk}"]
    paths += [f"/fairness/log/{game.pk}.ndjson", "/fairness/log/"]
    answers = {path: viewer.get(path) for path in paths}
    statuses = {path: one.status_code for path, one in answers.items()}
    assert statuses[f"/games/{game.pk}/record.json"] == 200
    game = afresh(game)
    read = (game.practice, game.line_of_play("player", "at"), reviewing._stood_in(game))
    return {
        **{path: _lasting(one.content) for path, one in answers.items()},
        "statuses": repr(statuses).encode(),
        "read by the site": repr(read).encode(),
    }


def _lasting(page: bytes) -> bytes:
    """Return a page without what differs each time it is asked for."""
    return re.sub(rb'(csrfmiddlewaretoken" value|nonce|data-have|data-now)="[^"]*"', b"", page)


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Return the lines that differ, since a comparison of whole pages takes minutes to print."""
    assert one.keys() == other.keys()
    return [
        f"{path}: {before!r} is now {after!r}"
        for path in one
        if one[path] != other[path]
        for before, after in zip_longest(one[path].splitlines(), other[path].splitlines())
        if before != after
    ]


class StoppedError(BaseException):
    """The end of a process, which no code catches."""


@contextmanager
def stopped_after(statements: int) -> Iterator[None]:
    """Let the process end when so many statements of a transaction have been executed."""
    left = count(statements, -1)

    def execute(run: Any, *asked: Any) -> Any:
        ends_one = asked[0].startswith(("SAVEPOINT", "RELEASE", "ROLLBACK"))
        if not ends_one and next(left) == 0:
            raise StoppedError
        return run(*asked)

    with connection.execute_wrapper(execute):
        yield


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_everything_told_of_a_game_is_the_same_before_and_after(rules: RuleSet) -> None:
    game = finished(rules)
    viewer = logged_in(Player.objects.get(name="Maeve"))
    before = told(game, viewer)
    assert differences(before, told(archived(game), viewer)) == []
    assert verifying.faults(before[f"/games/{game.pk}/record.json"]) == []


@pytest.mark.parametrize("rules", [CLUB_24, CLUB_33], ids=lambda rules: rules.key)
def test_a_record_of_club_rules_is_the_same_before_and_after(rules: RuleSet) -> None:
    game = finished(rules)
    record, events = record_file(game), game.stored_events()
    assert {event.action.split(" ")[0] for event in events} >= {"decline", "defend", "best"}
    game = archived(game)
    assert (record_file(game), game.stored_events()) == (record, events)
    assert verifying.faults(record) == []


def test_a_game_with_undone_calls_is_told_the_same() -> None:
    game = finished_with_undone_calls()
    viewer = Client()
    before = told(game, viewer)
    assert differences(before, told(archived(game), viewer)) == []


def test_a_game_of_shared_deals_waits_for_the_others_and_is_told_the_same() -> None:
    tables = shared_tables.started(2)
    first, second = (one.games.get() for one in tables)
    play_out(tables[0])
    Game.objects.filter(pk=first.pk).update(noted=True, published=True)  # cannot be; but if so
    assert archiving.archive_due(later()) == 0
    Game.objects.filter(pk=first.pk).update(noted=False, published=False)
    play_out(tables[1])
    assert shared.open_played() == 1
    for game in (published(first), published(second)):
        before = told(game, Client())
        assert differences(before, told(archived(game), Client())) == []


def test_the_script_accepts_the_record_of_an_archived_game_with_the_log(tmp_path: Path) -> None:
    game = archived(finished())
    record, log = tmp_path / "record.json", tmp_path / "log.ndjson"
    record.write_bytes(record_file(game))
    log.write_bytes(Client().get("/fairness/log.ndjson").content)
    ran = verifying.run(record, "--log", log)
    assert ran.returncode == 0, ran.stdout


def test_a_row_read_before_the_game_was_archived_still_tells_all() -> None:
    game = finished()
    old, events = afresh(game), game.stored_events()
    assert events
    seal = seal_of(game)
    archived(game)
    assert old.stored_events() == events
    assert seal_of(old) == seal


def test_an_archive_is_one_row_without_the_browsers_keys() -> None:
    game = finished()
    events = game.stored_events()
    game = archived(game)
    assert (game.secret, game.seat_commitments, game.contributions) == (b"", b"", b"")
    packed = bytes(game.archive.record)
    assert unpack(packed) == game.archived_game
    assert game.archived_game.events == events
    assert len(packed) < 2000
    assert state.stored_before(game.table_id, game.number, game.table.host_id, "key 1") is None
    lines = LogLine.objects.filter(match=game.pk)
    assert [line.data for line in lines] == [{}, {}, {}]


@pytest.mark.parametrize("damaged", [b"", b"\x02abc", b"\x01abc"])
def test_a_damaged_archive_is_refused(damaged: bytes) -> None:
    with pytest.raises(ArchiveError):
        unpack(damaged)


def test_only_games_whose_time_has_come_are_archived(settings: Any) -> None:
    game = finished()
    settings.ARCHIVE_DAYS = 3
    ended = game.ended
    assert ended is not None
    assert archiving.archive_due(ended + timedelta(days=3)) == 0
    running = table(*[player(f"{number}") for number in range(4)])
    assert archiving.archive_due(ended + timedelta(days=3, seconds=1)) == 1
    assert archiving.archive_due(later()) == 0
    assert not running.games.get().archived


@pytest.mark.parametrize("column", ["noted", "published"])
def test_a_game_whose_tasks_have_not_run_waits(column: str) -> None:
    game = finished()
    Game.objects.filter(pk=game.pk).update(**{column: False})
    assert archiving.archive_due(later()) == 0


def test_a_game_waits_while_a_report_of_what_was_said_in_it_is_open() -> None:
    game = finished()
    report = TalkReport.objects.create(game=game, table=game.table, reason="cards", line=1)
    before = stored(game)
    assert archiving.archive_due(later()) == 0
    assert not archiving.archive(game.pk, later())
    assert stored(game) == before
    TalkReport.objects.filter(pk=report.pk).update(decided=timezone.now())
    assert archiving.archive_due(later()) == 1


def test_a_process_may_end_at_any_statement() -> None:
    game = finished()
    GameEvent.objects.filter(game=game, seq=2).update(player=player("Otto"))
    before, record = stored(game), record_file(game)
    for statements in count():
        try:
            with stopped_after(statements):
                archiving.archive(game.pk, later())
            break
        except StoppedError:
            assert stored(game) == before
    assert statements > 6
    assert len(stored(game)[2]) == 1
    assert record_file(afresh(game)) == record


def test_games_that_cannot_be_archived_do_not_hold_up_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad = [finished(), finished(seated=[player(f"bad {number}") for number in range(4)])]
    good = finished(seated=[player(f"{number}") for number in range(4)])
    kept = [(game.stored_events(), seal_of(game)) for game in bad]
    of_bad = [game.stored_events() for game in bad]

    def damage(game: ArchivedGame) -> bytes:
        return pack(game._replace(events=game.events[:-1]) if game.events in of_bad else game)

    with monkeypatch.context() as broken:
        broken.setattr(archiving, "pack", damage)
        done = [archiving.archive_due(later(), 2) for _ in range(3)]
    assert done == [0, 1, 0]
    assert afresh(good).archived
    assert [(afresh(game).stored_events(), seal_of(afresh(game))) for game in bad] == kept
    (reported,) = remote_checks.archives()
    assert (reported.level, "2 games, " in reported.details) == (Level.WRONG, True)
    assert archiving.archive_due(later(), 2) == 0, "not again at once"
    assert archiving.archive_due(later() + timedelta(days=1), 2) == 2
    assert list(remote_checks.archives()) == []


@pytest.mark.parametrize("faulty", ["its archive", "its secret"])
def test_whatever_is_wrong_with_one_game_the_next_is_archived(
    faulty: str,
) -> None:
    bad = finished()
    good = finished(seated=[player(f"{number}") for number in range(4)])
    if faulty == "its archive":  # left by whatever
        GameArchive.objects.create(game=bad, record=b"")
    elif faulty == "its secret":  # encrypted with another key, or damaged
        Game.objects.filter(pk=bad.pk).update(secret=b"nothing that the key decrypts")
    before = stored(bad)
    assert archiving.archive_due(later()) == 1
    assert afresh(good).archived
    before[0]["archive_after"] = afresh(bad).archive_after
    assert stored(bad) == before
    assert before[0]["archive_after"] is not None


def test_the_command_tries_all_again_and_says_how_many_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad = finished()
    good = finished(seated=[player(f"{number}") for number in range(4)])
    Game.objects.update(ended=timezone.now() - LATER)
    secret = bytes(bad.secret)
    Game.objects.filter(pk=bad.pk).update(secret=b"nothing that the key decrypts")
    monkeypatch.setattr(archiving.archive_due, "__defaults__", (1,))
    said, warned = StringIO(), StringIO()
    call_command("archive_games", stdout=said, stderr=warned)
    assert said.getvalue() == "1 games archived, 1 left\n"
    assert "1 could not be archived" in warned.getvalue()
    assert afresh(good).archived
    Game.objects.filter(pk=bad.pk).update(secret=secret)
    call_command("archive_games", stdout=said, stderr=warned)
    assert said.getvalue().endswith("1 games archived, 0 left\n")


def test_without_the_key_of_its_secret_no_game_is_archived(settings: Any) -> None:
    game = finished()
    before = stored(game)
    settings.DEAL_KEY = Fernet.generate_key().decode()
    with pytest.raises(ImproperlyConfigured):
        archiving.archive_due(later())
    assert stored(game) == before


def test_the_key_is_still_checked_when_all_games_are_archived() -> None:
    archived(finished())
    Shuffle.objects.all().delete()
    assert secret_box.opens()


def test_whoever_acted_for_others_still_sees_the_game_and_takes_it_away() -> None:
    seated, otto = cast(), player("Otto")
    game = finished(seated=seated)
    GameEvent.objects.filter(game=game, seq=2).update(player=otto)
    Table.objects.filter(pk=game.table_id).update(open=False)
    stranger = player("Nora")
    before, games = told(game, logged_in(otto)), export_contents.games_of(otto)
    assert games == [game.pk]
    game = archived(game)
    assert differences(before, told(game, logged_in(otto))) == []
    assert export_contents.games_of(otto) == games
    assert played_in(otto, game)
    assert all(played_in(one, game) for one in seated)
    assert not played_in(stranger, game)
    assert [one.player for one in GameSubstitute.objects.select_related("player")] == [otto]


def test_own_data_are_the_same_before_and_after() -> None:
    maeve, now = member("Maeve"), timezone.now()
    game = finished(seated=[maeve, *cast()[1:]])

    def exported() -> dict[str, bytes]:
        made = export_contents.zip_file(maeve, [game.pk], first=True, now=now)
        with zipfile.ZipFile(BytesIO(made)) as packed:
            return {name: packed.read(name) for name in packed.namelist()}

    before = exported()
    assert f"games/{game.pk}.json" in before
    archived(game)
    assert exported() == before


def test_an_account_is_deleted_from_an_archived_game_as_from_others() -> None:
    maeve = member("Maeve")
    game = archived(finished(seated=[maeve, *cast()[1:]]))
    seal = seal_of(game)
    assert b'"Maeve"' in record_file(game)
    assert maeve.user is not None
    assert deletion.delete_account(maeve.user, None, timezone.now())
    game = afresh(game)
    record = record_file(game)
    assert b"Maeve" not in record
    assert f'"Former player {maeve.pk}"'.encode() in record
    assert seal_of(game) == seal
    assert verifying.faults(record) == []
    assert "Maeve" not in Client().get(f"/games/{game.pk}/replay/").text


def test_the_task_archives_some_and_the_command_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = [finished(seated=[player(f"{at}.{n}") for n in range(4)]) for at in range(3)]
    Game.objects.update(ended=timezone.now() - LATER)
    monkeypatch.setattr(archiving.archive_due, "__defaults__", (1,))
    archive_task()
    assert Game.objects.filter(archived=True).count() == 1
    said = StringIO()
    call_command("archive_games", stdout=said)
    assert said.getvalue() == "2 games archived, 0 left\n"
    assert all(afresh(game).archived for game in games)


def test_looking_for_games_does_not_look_through_archived_ones() -> None:
    archived(finished())
    with steps() as few:
        assert archiving.archive_due(later()) == 0
    game = Game.objects.get()
    for number in range(2, 102):
        game.pk, game.number = uuid4(), number
        game.save(force_insert=True)
    with steps() as many:
        assert archiving.archive_due(later()) == 0
    assert many.taken == few.taken


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_archive_each_game_once() -> None:
    games = [finished(seated=[player(f"{at}.{n}") for n in range(4)]) for at in range(6)]
    records = [record_file(game) for game in games]
    done: list[int] = []

    def work() -> None:
        try:
            done.append(archiving.archive_due(later()))
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert sum(done) + archiving.archive_due(later()) == 6
    assert GameArchive.objects.count() == 6
    assert [record_file(afresh(game)) for game in games] == records
