"""`manage.py backup`: a backup of a running site is complete, or none is made."""

import errno
import gzip
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from io import BytesIO, StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyrage
import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.utils import timezone
from pyrage import x25519

from euchre_site.backups import archives, backups, files, keys, retention, sqlite, verification
from euchre_site.backups.encryption import new_key, secret_keys
from euchre_site.backups.errors import BackupError, BackupRunningError
from euchre_site.backups.verification import BACKUP_PREFIX, SCRATCH_PREFIX
from games.engine.cards import card_text
from games.engine.game import Game as Play
from games.models import Game, GameEvent, Shuffle
from games.shuffle.dealing import packs_of
from tests.factories import player, table
from tests.site.factories import begun, contents
from tests.volume import volume

#: What is said of any file that no backup of this version is.
EARLIER = "it is no backup, or one from before November 28, 2026"

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


def said(*arguments: object, **options: object) -> str:
    """Run `manage.py backup`; return its output."""
    out = StringIO()
    call_command("backup", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name not in {".lock", ".site"}}


class TestMade:
    def test_a_backup_contains_database_and_keys(self, site: Any) -> None:
        game = begun()
        before = timezone.now()
        told = said()
        (path,) = site.BACKUP_FOLDER.glob("*.tar.gz")
        assert f"Backup made: {path}" in told
        assert "1 unfinished games replayed" in told
        with tarfile.open(path) as tar:
            assert tar.getnames() == ["backup.json", "db.sqlite3", "secrets.env"]
            tar.extractall(site.DATA_DIR / "opened", filter="data")
        opened = site.DATA_DIR / "opened"
        with closing(sqlite3.connect(opened / "db.sqlite3")) as copy:
            events = copy.execute("SELECT count(*) FROM games_gameevent").fetchone()
        assert events == (game.version,)
        assert (opened / "secrets.env").read_text() == (site.DATA_DIR / "secrets.env").read_text()
        info = json.loads((opened / "backup.json").read_text())
        assert (info["database"], info["apart"]) == ("sqlite", [])
        assert backups.last_good() >= before  # type: ignore[operator]
        assert backups.last_failed() is None

    def test_files_are_private_and_the_output_describes_them(self, site: Any) -> None:
        told = said()
        (path,) = site.BACKUP_FOLDER.glob("*.tar.gz")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert "not encrypted and contains the cards of running games and the site's keys" in told
        assert names(site.BACKUP_FOLDER) == {path.name}

    def test_another_folder_can_be_given(self, site: Any, tmp_path: Path) -> None:
        said(tmp_path / "disk")
        assert len(names(tmp_path / "disk")) == 1
        assert not site.BACKUP_FOLDER.exists()

    def test_keys_of_the_environment_are_not_in_the_backup(self, site: Any) -> None:
        (site.DATA_DIR / "secrets.env").unlink()
        told = said()
        assert "does not contain DEAL_KEY and SECRET_KEY" in told
        assert "not encrypted and contains the cards of running games:" in told
        (path,) = site.BACKUP_FOLDER.glob("*.tar.gz")
        held = gzip.decompress(path.read_bytes())
        assert site.DEAL_KEY.encode() not in held
        assert site.SECRET_KEY.encode() not in held
        assert "1 unfinished" not in said("--verify", path)
        site.DEAL_KEY = Fernet.generate_key().decode()
        with pytest.raises(CommandError, match="another DEAL_KEY than the one set now"):
            said("--verify", path)

    def test_old_backups_are_pruned_only_on_request(self, site: Any) -> None:
        site.BACKUP_FOLDER.mkdir()
        days = [f"bower-202603{day:02}-030000-000000.tar.gz" for day in range(1, 21)]
        for name in days:
            (site.BACKUP_FOLDER / name).touch()
        said()
        assert len(names(site.BACKUP_FOLDER)) == 21
        told = said("--prune")
        assert f"Removed {site.BACKUP_FOLDER / days[0]}" in told
        assert len(names(site.BACKUP_FOLDER)) < 11

    @pytest.mark.parametrize("end", [".tar.gz.age", ".tar.gz.sealed"])
    def test_encrypted_backups_are_pruned_too_even_of_an_earlier_version(
        self, site: Any, end: str
    ) -> None:
        site.BACKUP_FOLDER.mkdir()
        for day in range(1, 21):
            (site.BACKUP_FOLDER / f"bower-202603{day:02}-030000-000000{end}").touch()
        said("--prune")
        assert len(names(site.BACKUP_FOLDER)) < 11


class TestEncrypted:
    def test_nothing_readable_is_in_an_encrypted_backup(self, site: Any, key_file: Path) -> None:
        game = begun()
        engine = Play(game.rules, game.first_dealer, packs_of(game))
        assert "not encrypted" not in said()
        (path,) = site.BACKUP_FOLDER.glob("*.age")
        held = path.read_bytes()
        plain = gzip.decompress(pyrage.decrypt(held, secret_keys(key_file)))
        told = [*GameEvent.objects.values_list("action", flat=True), "Maeve", site.DEAL_KEY]
        told += [card_text(card) for card in packs_of(game)(0)] if engine.deal else []
        assert site.DEAL_KEY.encode() in plain
        assert b"Maeve" in plain
        for text in told:
            assert len(text) < 4 or text.encode() not in held, text
        windows = {plain[at : at + 8] for at in range(len(plain) - 8)} - {bytes(8)}
        assert not any(held[at : at + 8] in windows for at in range(len(held)))

    def test_age_and_tar_open_it_without_bower(
        self, site: Any, key_file: Path, tmp_path: Path
    ) -> None:
        """The library stands for the program `age`, which is of the same format."""
        game = begun()
        said()
        (path,) = site.BACKUP_FOLDER.glob("*.tar.gz.age")
        packed = tmp_path / "backup.tar.gz"
        pyrage.decrypt_file(str(path), str(packed), secret_keys(key_file))
        (tmp_path / "opened").mkdir()
        subprocess.run(["tar", "xzf", packed, "-C", tmp_path / "opened"], check=True)
        assert set(contents(tmp_path / "opened")) == {"backup.json", "db.sqlite3", "secrets.env"}
        with closing(sqlite3.connect(tmp_path / "opened/db.sqlite3")) as copy:
            events = copy.execute("SELECT count(*) FROM games_gameevent").fetchone()
        assert events == (game.version,)

    def test_decryption_needs_the_secret_key(
        self, site: Any, key_file: Path, tmp_path: Path
    ) -> None:
        begun()
        said()
        (path,) = site.BACKUP_FOLDER.glob("*.age")
        with pytest.raises(CommandError, match="it is encrypted, and --key does not name"):
            said("--verify", path)
        other = tmp_path / "other.txt"
        other.write_text(new_key(timezone.now()))
        with pytest.raises(CommandError, match="it is encrypted for another key than the one"):
            said("--verify", path, "--key", other)
        site.BACKUP_KEY = ""
        assert "1 unfinished games replayed" in said("--verify", path, "--key", key_file)

    def test_the_site_cannot_open_its_own_backups(self, site: Any, key_file: Path) -> None:
        """The key that checks each file once is not kept."""
        said()
        (path,) = site.BACKUP_FOLDER.glob("*.age")
        assert path.read_bytes().count(b"-> X25519 ") == 2
        secret = str(secret_keys(key_file)[0])
        assert not any(
            text in held
            for held in contents(site.DATA_DIR).values()
            for text in (secret.encode(), b"AGE-SECRET-KEY-")
        )

    def test_a_malformed_key_makes_no_backup(self, site: Any) -> None:
        site.BACKUP_KEY = "a quiet bower"
        with pytest.raises(CommandError, match="BACKUP_KEY is not a public key"):
            said()
        assert backups.last_failed() is not None
        assert not site.BACKUP_FOLDER.exists()


def add_impossible_event(game: Game) -> None:
    GameEvent.objects.filter(game=game, seq=3).update(action="next")


def delete_an_event(game: Game) -> None:
    GameEvent.objects.filter(game=game, seq=3).delete()


def delete_the_last_event(game: Game) -> None:
    GameEvent.objects.filter(game=game, seq=game.version).delete()


def change_the_score(game: Game) -> None:
    Game.objects.filter(pk=game.pk).update(score_0=9)


def seal_a_secret_with_another_key(game: Game) -> None:
    sealed = Fernet(Fernet.generate_key()).encrypt(bytes(32))
    Game.objects.filter(pk=game.pk).update(secret=sealed)


DAMAGES: dict[Callable[[Game], None], str] = {
    add_impossible_event: "cannot be replayed at event 3",
    delete_an_event: "lacks its event 3",
    delete_the_last_event: "does not match its events",
    change_the_score: "does not match its events",
    seal_a_secret_with_another_key: "DEAL_KEY does not decrypt game",
}


class TestRefused:
    @pytest.mark.parametrize("damage", DAMAGES)
    def test_a_game_that_cannot_be_replayed(
        self, site: Any, damage: Callable[[Game], None]
    ) -> None:
        game = begun()
        damage(game)
        with pytest.raises(CommandError, match=DAMAGES[damage]) as refused:
            said()
        assert str(game.pk) in str(refused.value)
        assert "you may" not in str(refused.value)  # the engine's words name cards
        assert names(site.BACKUP_FOLDER) == set()
        assert backups.last_good() is None
        assert backups.last_failed() is not None

    def test_a_shuffle_that_cannot_be_read(self, site: Any) -> None:
        table(player())
        assert "0 unfinished" in said()
        Shuffle.objects.update(commitment=bytes(32))
        with pytest.raises(
            CommandError, match=r"the shuffle of game .* does not match its commitment"
        ):
            said()

    def test_finished_games_are_not_replayed(self, site: Any) -> None:
        game = begun()
        change_the_score(game)
        Game.objects.filter(pk=game.pk).update(state=Game.State.ABANDONED)
        assert "0 unfinished" in said()

    def test_too_little_free_space(self, site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=99 * 2**20))
        with pytest.raises(CommandError, match=r"has 103\.8 MB free\. .* must stay free"):
            said()
        assert names(site.BACKUP_FOLDER) == set()

    def test_a_disk_that_fills_during_the_backup(
        self, site: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(to: Path, *_args: object) -> None:
            to.write_bytes(b"half")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(archives, "write", full)
        with pytest.raises(CommandError, match=r"No backup was made in .*: .*No space left"):
            said()
        assert names(site.BACKUP_FOLDER) == set()
        assert backups.last_failed() is not None

    @pytest.mark.parametrize("encrypted", [False, True])
    def test_a_file_that_is_read_back_differently(
        self, site: Any, monkeypatch: pytest.MonkeyPatch, encrypted: bool
    ) -> None:
        if encrypted:
            site.BACKUP_KEY = str(x25519.Identity.generate().to_public())
        write = archives.write

        def badly(to: Path, *args: Any) -> None:
            write(to, *args)
            held = bytearray(to.read_bytes())
            held[len(held) // 2] ^= 1
            to.write_bytes(held)

        monkeypatch.setattr(archives, "write", badly)
        with pytest.raises(CommandError, match="cannot be used"):
            said()
        assert names(site.BACKUP_FOLDER) == set()

    def test_a_folder_that_cannot_be_created(self, site: Any, tmp_path: Path) -> None:
        (tmp_path / "disk").touch()
        with pytest.raises(CommandError, match=r"Cannot use the folder .*disk/backups"):
            said(tmp_path / "disk/backups")


def test_sixty_concurrent_backups_are_complete_or_refused(site: Any) -> None:
    begun()

    def make(_number: int) -> bool:
        try:
            backups.back_up(site.BACKUP_FOLDER)
        except BackupRunningError as refusal:
            assert "Another backup is in progress" in str(refusal)  # noqa: PT017
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as threads:
        made = sum(threads.map(make, range(60)))
    assert made >= 1
    assert len(names(site.BACKUP_FOLDER)) == made
    for path in site.BACKUP_FOLDER.glob("*.tar.gz"):
        assert verification.verify(path).games == 1
    assert backups.last_failed() is None  # to be too many is no failure


def test_a_concurrent_backup_into_another_folder_is_refused(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun()
    other, write = tmp_path / "disk", archives.write
    tried: list[list[str]] = []

    def meanwhile(*arguments: Any) -> None:
        if not tried:
            drafts = {path: path.read_bytes() for path in site.DATA_DIR.glob(f"{BACKUP_PREFIX}*/*")}
            tried.append([path.name for path in drafts])
            words = f"Another backup is in progress in {re.escape(str(site.DATA_DIR))}."
            with pytest.raises(CommandError, match=words) as refusal:
                said(other)
            assert refusal.value.returncode == backups.RUNNING
            assert {path: path.read_bytes() for path in drafts} == drafts
        write(*arguments)

    monkeypatch.setattr(archives, "write", meanwhile)
    said()
    assert tried == [["db.sqlite3"]]
    (path,) = site.BACKUP_FOLDER.glob("*.tar.gz")
    assert verification.verify(path).games == 1
    assert names(other) == set()
    assert backups.last_failed() is None
    said(other)
    assert len(names(other)) == 1


def test_leftovers_of_a_killed_backup_are_removed_by_the_next(site: Any) -> None:
    left = site.BACKUP_FOLDER / f"{SCRATCH_PREFIX}killed"
    left.mkdir(parents=True)
    (left / "db.sqlite3").write_bytes(b"half")
    said()
    assert not left.exists()


def test_a_copy_is_a_snapshot_while_others_write(tmp_path: Path) -> None:
    """Each transaction moves one from left to right, so the sum stays the same."""
    file, stop = tmp_path / "db.sqlite3", threading.Event()
    with closing(sqlite3.connect(file)) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE side (name, coins)")
        made.execute("INSERT INTO side VALUES ('left', 1000000), ('right', 0)")
        made.execute("CREATE TABLE filling AS SELECT randomblob(500000)")
        made.commit()

    def move() -> None:
        with closing(sqlite3.connect(file, timeout=60)) as writer:
            while not stop.is_set():
                with suppress(sqlite3.OperationalError):
                    writer.execute("UPDATE side SET coins = coins - 1 WHERE name = 'left'")
                    writer.execute("UPDATE side SET coins = coins + 1 WHERE name = 'right'")
                    writer.commit()

    thread = threading.Thread(target=move)
    thread.start()
    try:
        with closing(sqlite3.connect(file)) as reader:
            for number in range(volume(5, 50)):
                copy = tmp_path / f"copy-{number}.sqlite3"
                sqlite.copy_database(reader, copy)
                sqlite.check_integrity(copy)
                with closing(sqlite3.connect(copy)) as copied:
                    assert copied.execute("SELECT sum(coins) FROM side").fetchone() == (1000000,)
    finally:
        stop.set()
        thread.join()
    assert not [path for path in tmp_path.iterdir() if "draft" in path.name]


def test_the_unencrypted_copy_stays_in_the_data_folder(site: Any, monkeypatch: Any) -> None:
    seen: list[tuple[list[str], list[str]]] = []
    write = archives.write

    def looked(*arguments: Any) -> None:
        seen.append(
            (
                [path.name for path in site.BACKUP_FOLDER.rglob("*") if path.is_file()],
                [path.name for path in site.DATA_DIR.glob(f"{SCRATCH_PREFIX}*/*")],
            )
        )
        write(*arguments)

    monkeypatch.setattr(archives, "write", looked)
    site.BACKUP_KEY = str(x25519.Identity.generate().to_public())
    said()
    ((backups, drafts),) = seen
    assert set(backups) <= {".lock", ".site"}
    assert drafts == ["db.sqlite3"]
    assert not list(site.DATA_DIR.glob(f"{SCRATCH_PREFIX}*"))


def test_abandoned_drafts_are_removed_and_those_in_use_kept(site: Any) -> None:
    old, new = site.DATA_DIR / f"{SCRATCH_PREFIX}old", site.DATA_DIR / f"{SCRATCH_PREFIX}new"
    for left in (old, new):
        left.mkdir()
        (left / "db.sqlite3").write_text("games")
    yesterday = time.time() - verification.ABANDONED_AFTER - 60
    os.utime(old, (yesterday, yesterday))
    said()
    assert (old.exists(), new.exists()) == (False, True)


class TestWhoseFolder:
    @pytest.mark.parametrize("told", ['{"DEAL_KEY": "x", "SECRET_KEY": "y"}', "[]", "no JSON"])
    def test_the_folder_of_another_site_is_refused_and_unchanged(
        self, site: Any, told: str
    ) -> None:
        said()
        before = names(site.BACKUP_FOLDER)
        (site.BACKUP_FOLDER / retention.SITE).write_text(told)
        with pytest.raises(CommandError, match="of another site: choose another folder"):
            said("--prune")
        assert names(site.BACKUP_FOLDER) == before

    def test_a_site_with_one_new_key_is_recognised(self, site: Any) -> None:
        said()
        file = site.BACKUP_FOLDER / retention.SITE
        marks = json.loads(file.read_text())
        file.write_text(json.dumps(marks | {"SECRET_KEY": "before"}))
        said()
        assert json.loads(file.read_text()) == marks
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    @pytest.mark.parametrize("before", [None, {"SECRET_KEY": "before"}])
    def test_a_full_disk_leaves_the_folders_owner_unchanged(
        self, site: Any, monkeypatch: pytest.MonkeyPatch, before: dict[str, str] | None
    ) -> None:
        """Half of the mark is written: where there was none, and over that of another key."""
        site.BACKUP_FOLDER.mkdir()
        file = site.BACKUP_FOLDER / retention.SITE
        if before is not None:
            file.write_text(json.dumps(keys.marks() | before))
        there = contents(site.BACKUP_FOLDER)
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(retention, "new_file", full_at_half)
            with pytest.raises(CommandError, match=r"No backup was made in .*: .*No space left"):
                said()
        assert contents(site.BACKUP_FOLDER) == there
        assert backups.last_failed() is not None
        said()
        assert json.loads(file.read_text()) == keys.marks()
        assert len(names(site.BACKUP_FOLDER)) == 1

    def test_a_partial_mark_of_a_killed_process_is_ignored(self, site: Any) -> None:
        site.BACKUP_FOLDER.mkdir()
        draft = site.BACKUP_FOLDER / ".site.draft"
        draft.write_text('{"DEAL_')
        said()
        assert not draft.exists()
        said()
        assert len(names(site.BACKUP_FOLDER)) == 2


@contextmanager
def full_at_half(path: Path) -> Iterator[Any]:
    """Open a new file as `new_file` does, on a disk with room for half of it."""
    with files.new_file(path) as file:

        def write(held: bytes) -> None:
            file.write(held[: len(held) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

        yield SimpleNamespace(write=write)


class TestInTheDataFolder:
    """The folder of backups may be the data folder itself, under any name."""

    @pytest.fixture(params=["itself", "by a link", "by a way around"])
    def place(self, site: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
        (tmp_path / "link").symlink_to(site.DATA_DIR)
        site.BACKUP_FOLDER = {
            "itself": site.DATA_DIR,
            "by a link": tmp_path / "link",
            "by a way around": site.DATA_DIR / "copies/..",
        }[request.param]
        for name in (
            "db.sqlite3", "db.sqlite3-wal", "lock", "copies/db-20260301.sqlite3",
            "copies/before-restore-20260301/db.sqlite3", "mail/1.log",
            f"{SCRATCH_PREFIX}verify/db.sqlite3",
        ):  # fmt: skip
            file = site.DATA_DIR / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(name)
        data: Path = site.DATA_DIR
        return data

    def test_only_old_backups_and_leftovers_are_removed(self, site: Any, place: Path) -> None:
        before = contents(place)
        old = [place / f"bower-202603{day:02}-030000-000000.tar.gz" for day in range(1, 21)]
        killed = [place / f"{BACKUP_PREFIX}killed", place / f"{BACKUP_PREFIX}{old[0].name}"]
        killed[0].mkdir()
        for path in (*old, killed[0] / "db.sqlite3", killed[1]):
            path.touch()
        told = said("--prune")
        (made,) = set(place.glob("*.tar.gz")) - set(old)
        assert f"Removed {site.BACKUP_FOLDER / old[0].name}" in told
        assert not old[0].exists()
        assert not any(path.exists() for path in killed)
        after = contents(place)
        for path in (made, *old):
            after.pop(path.name, None)
        assert after.pop(retention.SITE)
        assert after == before

    def test_backups_are_complete_and_of_this_site(self, place: Path) -> None:
        begun()
        said()
        said()
        made = list(place.glob("*.tar.gz"))
        assert [verification.verify(path).games for path in made] == [1, 1]


class TestDamagedDatabase:
    def test_a_damaged_database(self, tmp_path: Path) -> None:
        file = tmp_path / "db.sqlite3"
        with closing(sqlite3.connect(file)) as made:
            made.execute("CREATE TABLE game (id)")
            made.executemany("INSERT INTO game VALUES (?)", [(n,) for n in range(5000)])
            made.commit()
        held = bytearray(file.read_bytes())
        held[4096:8192] = bytes(4096)
        file.write_bytes(held)
        with pytest.raises(BackupError, match="is damaged"):
            sqlite.check_integrity(file)

    def test_a_row_that_refers_to_a_missing_one(self, tmp_path: Path) -> None:
        file = tmp_path / "db.sqlite3"
        with closing(sqlite3.connect(file)) as made:
            made.execute("CREATE TABLE game (id INTEGER PRIMARY KEY)")
            made.execute("CREATE TABLE seat (game REFERENCES game (id))")
            made.execute("INSERT INTO seat VALUES (7)")
            made.commit()
        with pytest.raises(BackupError, match="a row of seat refers to a missing one"):
            sqlite.check_integrity(file)


class TestDamagedFiles:
    @pytest.fixture
    def whole(self, site: Any) -> Path:
        begun()
        return backups.back_up(site.BACKUP_FOLDER).path

    def test_a_truncated_one(self, whole: Path) -> None:
        held = whole.read_bytes()
        for part in range(10):
            whole.write_bytes(held[: len(held) * part // 10])
            with pytest.raises(BackupError, match=rf"{whole} cannot be used: "):
                verification.verify(whole)

    def test_a_changed_one(self, whole: Path) -> None:
        held, parts, refused = whole.read_bytes(), members_of(whole), 0
        for at in range(11, len(held), len(held) // 10):
            whole.write_bytes(held[:at] + bytes([held[at] ^ 1]) + held[at + 1 :])
            try:
                verification.verify(whole)
            except BackupError as error:
                assert str(error).startswith(f"{whole} cannot be used: ")  # noqa: PT017
                refused += 1
            else:  # among zeros a bit of the packed bytes may make no difference
                assert members_of(whole) == parts
        assert refused >= 8

    def test_a_missing_file(self, site: Any, tmp_path: Path) -> None:
        with pytest.raises(BackupError, match="No such file"):
            verification.verify(tmp_path / "none.tar.gz")

    @pytest.mark.parametrize("first", ["test.py", "manifest.json"])
    def test_another_archive_and_one_of_an_earlier_version(self, whole: Path, first: str) -> None:
        with tarfile.open(whole, "w:gz") as tar:
            tar.add(__file__, first)
        with pytest.raises(BackupError, match=EARLIER):
            verification.verify(whole)

    @pytest.mark.parametrize("held", [b"", b"bower sealed 1\n" + bytes(100), b"SQLite format 3"])
    def test_another_file_and_an_encrypted_one_of_an_earlier_version(
        self, whole: Path, held: bytes
    ) -> None:
        whole.write_bytes(held)
        with pytest.raises(BackupError, match=EARLIER):
            verification.verify(whole)

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (
                lambda parts: parts.update({"secrets.env": b"DEAL_KEY=mine\n"}),
                "it belongs to another DEAL_KEY than the one in it",
            ),
            (lambda parts: parts.pop("secrets.env"), "it does not contain DEAL_KEY"),
            (lambda parts: parts.pop("db.sqlite3"), "it lacks db.sqlite3"),
            (lambda parts: parts.update({"db.sqlite3": parts["db.sqlite3"][:-5000]}), "damaged"),
            (lambda parts: parts.update({"../../.ssh/keys": b""}), "contains “../../.ssh/keys”"),
        ],
    )
    def test_members_that_do_not_belong_together(
        self, whole: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], object], told: str
    ) -> None:
        parts = members_of(whole)
        change(parts)
        repack(whole, parts)
        with pytest.raises(BackupError, match=told):
            verification.verify(whole)

    def test_a_description_of_another_version(self, whole: Path) -> None:
        parts = members_of(whole)
        info = json.loads(parts["backup.json"])
        del info["database"]
        parts["backup.json"] = json.dumps(info).encode()
        repack(whole, parts)
        with pytest.raises(BackupError, match=r"cannot read “database” in its backup\.json"):
            verification.verify(whole)

    @pytest.mark.parametrize("name", ["backup.json", "db.sqlite3"])
    def test_a_link(self, whole: Path, name: str) -> None:
        parts = members_of(whole)
        with tarfile.open(whole, "w:gz") as tar:
            if name != "backup.json":
                info = tarfile.TarInfo("backup.json")
                info.size = len(parts["backup.json"])
                tar.addfile(info, BytesIO(parts["backup.json"]))
            head = tarfile.TarInfo(name)
            head.type, head.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(head)
        with pytest.raises(BackupError, match=f"{EARLIER}|“db.sqlite3”, which is no part"):
            verification.verify(whole)


def members_of(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {head.name: tar.extractfile(head).read() for head in tar}  # type: ignore[union-attr]


def repack(path: Path, parts: dict[str, bytes]) -> None:
    source = path.parent / "part"
    with tarfile.open(path, "w:gz") as tar:
        for name, held in parts.items():
            source.write_bytes(held)
            tar.add(source, name)
    source.unlink()


def test_no_connection_alias_is_left(site: Any) -> None:
    said()
    assert [name for name in connections.databases if name.startswith("scratch")] == []
