"""A database of an earlier version is migrated, and its games read as they did then."""

import gzip
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.served import ROOT
from tests.site.processes import environment
from tests.site.test_initial_migrations import KEYS, migrate

#: A database as commit a467249b made it, before a rule set had the rules that only some clubs play
#: by: three games that are over, one of them archived, and one in play.
OLD = Path(__file__).with_name("before_club_rules.sql.gz")
#: The hash of the record of each game that is over, and where the other is, as `READ` found both
#: there.
GAMES = """\
classic-24 0f353666b001ff1d
house-1 7a899f1f0ab1f3ae
house-1 in play: 24 actions, 0 cuts 26 ways
stick-the-dealer c41733fb3adfae38
"""
READ = """
import asyncio, hashlib, django
django.setup()
from games.live import state
from games.models import Game
from games.records.game_files import record_file
lines = []
for game in Game.objects.all():
    if game.state == Game.State.OVER:
        found = hashlib.sha256(record_file(game)).hexdigest()[:16]
    else:
        engine = asyncio.run(state.get(game.table_id)).playing.engine
        ways = engine.legal_actions()
        assert {action.kind for action in ways} == {"cut"}
        found = f"in play: {engine.version} actions, {engine.turn} cuts {len(ways)} ways"
    lines.append(f"{game.rules.key} {found}")
print(*sorted(lines), sep="\\n")
"""


def test_games_from_before_the_rules_of_clubs_read_the_same(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as database:
        database.executescript(gzip.decompress(OLD.read_bytes()).decode())
    assert migrate(tmp_path).returncode == 0
    settings = {"BOWER_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "euchre_site.settings"}
    read = subprocess.run(
        [sys.executable, "-c", READ],
        cwd=ROOT, env=environment() | KEYS | settings,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (read.stdout, read.returncode) == (GAMES, 0), read.stderr
