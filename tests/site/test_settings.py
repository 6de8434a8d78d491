"""Settings come from the environment; missing ones are reported."""

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.served import ROOT
from tests.site.processes import environment, manage

KEYS = {"SECRET_KEY": "a" * 60, "DEAL_KEY": "b" * 43 + "="}
SHOW = """
import json, sys
from euchre_site import settings
print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}, default=str))
"""


def load(*names: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SHOW, *names],
        cwd=ROOT,
        env=environment() | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def shown(*names: str, **variables: str) -> Any:
    done = load(*names, **KEYS, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("missing", KEYS)
def test_a_missing_key_is_reported_with_a_fix(tmp_path: Path, missing: str) -> None:
    others = {name: value for name, value in KEYS.items() if name != missing}
    done = load(BOWER_DATA=str(tmp_path), **others)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert f"ImproperlyConfigured: {missing} is not set" in last
    assert "manage.py quickstart" in last


def test_keys_are_read_from_the_data_folder(tmp_path: Path) -> None:
    keys = {"SECRET_KEY": "from-file", "DEAL_KEY": KEYS["DEAL_KEY"]}
    lines = "".join(f"{name}={value}\n" for name, value in keys.items())
    (tmp_path / "secrets.env").write_text(lines)
    done = load("SECRET_KEY", "DEAL_KEY", BOWER_DATA=str(tmp_path))
    assert json.loads(done.stdout) == keys


@pytest.mark.parametrize("key", ["also", KEYS["DEAL_KEY"][:-2], "ä" * 44])
def test_a_malformed_key_is_reported_in_one_line(tmp_path: Path, key: str) -> None:
    done = manage("check", **(KEYS | {"BOWER_DATA": str(tmp_path), "DEAL_KEY": key}))
    assert done.returncode == 78
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("DEAL_KEY is not a key of 32 bytes")
    assert key not in line


def test_the_default_is_safe_and_needs_no_server(tmp_path: Path) -> None:
    names = ("DEBUG", "DATABASES", "CELERY_BROKER_URL", "EMAIL_FILE_PATH", "INSTALLED_APPS")
    settings = shown(*names, BOWER_DATA=str(tmp_path))
    assert settings["DEBUG"] is False
    assert settings["DATABASES"]["default"]["NAME"] == f"{tmp_path}/db.sqlite3"
    assert settings["CELERY_BROKER_URL"].startswith("memory://")
    assert settings["EMAIL_FILE_PATH"] == f"{tmp_path}/mail"
    assert "django.contrib.admin" not in settings["INSTALLED_APPS"]


def test_servers_are_used_if_configured(tmp_path: Path) -> None:
    settings = shown(
        "DATABASES", "CELERY_BROKER_URL", "CACHES", "PAGES_AT_ONCE", "WORKER_THREADS",
        BOWER_DATA=str(tmp_path),
        DATABASE_URL="postgres://bower:key@db.example:5433/games?sslmode=require",
        REDIS_URL="redis://redis.example/1",
        DB_POOL="3",
    )  # fmt: skip
    database = settings["DATABASES"]["default"]
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example", 5433, "games")
    assert database["CONN_MAX_AGE"] == 0
    assert settings["PAGES_AT_ONCE"] == 3
    most = 3 + settings["WORKER_THREADS"] + 2
    assert database["OPTIONS"]["pool"]["max_size"] == most
    assert database["OPTIONS"]["sslmode"] == "require"
    assert settings["CELERY_BROKER_URL"] == "redis://redis.example/1"
    assert "Redis" in settings["CACHES"]["default"]["BACKEND"]


def test_https_makes_cookies_secure(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT",
             "SECURE_PROXY_SSL_HEADER")  # fmt: skip
    plain = shown(*names, BOWER_DATA=str(tmp_path))
    assert list(plain.values()) == [False, False, False, None]
    behind = shown(*names, BOWER_DATA=str(tmp_path), HTTPS="true", TRUSTED_PROXIES="1")
    assert list(behind.values())[:3] == [True, True, True]
    assert behind["SECURE_PROXY_SSL_HEADER"] == ["HTTP_X_FORWARDED_PROTO", "https"]


def test_hsts_lasts_a_month_by_default(tmp_path: Path) -> None:
    data = {"BOWER_DATA": str(tmp_path)}
    assert shown("SECURE_HSTS_SECONDS", **data) == {"SECURE_HSTS_SECONDS": 0}
    month = {"SECURE_HSTS_SECONDS": 30 * 24 * 3600}
    assert shown("SECURE_HSTS_SECONDS", **data, HTTPS="true") == month
    none = shown("SECURE_HSTS_SECONDS", **data, HTTPS="true", HSTS_SECONDS="0")
    assert none == {"SECURE_HSTS_SECONDS": 0}


@pytest.mark.parametrize("domain", [{}, {"HSTS_SUBDOMAINS": "true", "HSTS_PRELOAD": "true"}])
def test_every_warning_of_a_deployment_has_its_setting(
    tmp_path: Path, domain: dict[str, str]
) -> None:
    said = {"HTTPS": "true"} | domain
    keys = {"SECRET_KEY": "kX9-wq2" * 10, "DEAL_KEY": KEYS["DEAL_KEY"]}
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING", **keys, **said, BOWER_DATA=str(tmp_path)
    )
    assert done.returncode == 0, done.stderr


def test_https_without_a_proxy_trusts_no_header(tmp_path: Path) -> None:
    settings = shown("SECURE_PROXY_SSL_HEADER", BOWER_DATA=str(tmp_path), HTTPS="true")
    assert settings["SECURE_PROXY_SSL_HEADER"] is None


def test_links_use_site_url(tmp_path: Path) -> None:
    data = {"BOWER_DATA": str(tmp_path)}
    assert shown("SITE_URL", **data) == {"SITE_URL": "http://localhost:8000"}
    named = shown("SITE_URL", **data, SITE_URL="https://euchre.example.org/")
    assert named == {"SITE_URL": "https://euchre.example.org"}


@pytest.mark.parametrize(
    "address", ["euchre.example.org", "ftp://a.example", "https://a.example/b"]
)
def test_an_invalid_address_is_reported(tmp_path: Path, address: str) -> None:
    done = load("SITE_URL", **KEYS, BOWER_DATA=str(tmp_path), SITE_URL=address)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert f"ImproperlyConfigured: SITE_URL is '{address}'" in last
    assert "such as https://" in last


MISTYPED = {"RESULT_GRACE": "0.2", "DB_POOL": "eight", "TIME_ZONE": "Europe/Pari", "HTTPS": "ture"}


def test_each_invalid_setting_has_a_line(tmp_path: Path) -> None:
    variables = KEYS | {"BOWER_DATA": str(tmp_path)} | MISTYPED
    told = {}
    for command in ("check", "doctor"):
        done = manage(command, **variables)
        assert done.returncode != 0
        told[command] = done.stdout + done.stderr
    lines = told["check"].splitlines()
    assert {line.partition(" is ")[0] for line in lines} == set(MISTYPED)
    assert "RESULT_GRACE is '0.2': it must be a whole number of minutes from 0 to 1440." in lines
    assert told["doctor"].count("WRONG  A setting is wrong: ") == len(MISTYPED)
    assert all(line in told["doctor"] for line in lines)


def test_a_secrets_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "secrets.env").write_bytes(b"SECRET_KEY=\xff\xfe\n")
    variables = environment() | KEYS | {"BOWER_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{tmp_path / 'secrets.env'} is not UTF-8 text")


def test_every_setting_is_validated() -> None:
    source = (ROOT / "euchre_site/settings.py").read_text()
    assert "environ[" not in source
    assert "getenv" not in source
    assert not re.search(r"environ\.Env\(|\bint\(|\bfloat\(", source)


def test_settings_and_documentation_match() -> None:
    files = ("settings.py", "login_providers.py")
    source = "".join((ROOT / "euchre_site" / file).read_text() for file in files)
    rows = re.findall(r"^\| (`[A-Z].*?) \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}
    assert documented == set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', source))


@pytest.mark.sqlite
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("secure_delete", 1)],
)
def test_sqlite_is_durable(pragma: str, value: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {pragma}")
        assert cursor.fetchone() == (value,)


@pytest.mark.sqlite
def test_deleted_rows_are_overwritten(tmp_path: Path) -> None:
    """By the site's own options for each connection, whatever SQLite was built with."""
    words = b"Maeve Quillfeather"
    file = tmp_path / "db.sqlite3"
    for options, left in ((["PRAGMA secure_delete = OFF"], True), (pragmas(), False)):
        with closing(sqlite3.connect(file, isolation_level=None)) as database:
            for one in options:
                database.execute(one)
            database.execute("CREATE TABLE name (id INTEGER PRIMARY KEY, words TEXT)")
            database.executemany("INSERT INTO name (words) VALUES (?)", [(words.decode(),)] * 500)
            database.execute("DELETE FROM name")
            database.execute("DROP TABLE name")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert (words in file.read_bytes()) is left
        file.unlink()


def pragmas() -> list[str]:
    """Return the pragmas with which each connection starts."""
    said: str = connection.settings_dict["OPTIONS"]["init_command"]
    return said.split(";")
