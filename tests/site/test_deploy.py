"""deploy/, compose.yaml and the Dockerfile agree with the guide, and contain no key."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from uvicorn.importer import import_from_string

from euchre_site import __version__
from euchre_site.run.wire import FramingProtocol
from tests.served import ROOT
from tests.site import guide_environment
from tests.site.processes import PATIENCE, environment, manage
from tests.site.test_guide_running import blocks

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
GUIDE = (ROOT / "docs/running.md").read_text()
#: The processes of the scaled way: the unit of each, and its service in compose.yaml.
PROCESSES = {
    "bower-web@.service": "web-1", "bower-worker.service": "worker",
    "bower-schedule.service": "schedule",
}  # fmt: skip
SECRETS = {"SECRET_KEY": "kX9-wq2b" * 8, "DEAL_KEY": "b" * 43 + "="}


def unit(name: str) -> dict[str, list[str]]:
    """Return the entries of a systemd unit by name, without sections."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def compose() -> Any:
    """Return compose.yaml as Docker parses it, without replacing variables."""
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def docker_file() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def settings_of(file: Path) -> dict[str, str]:
    """Return the variables that a shell reads from a settings file."""
    done = subprocess.run(
        ["sh", "-euc", 'set -a; . "$1"; env', "sh", str(file)],
        env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def python_of(command: str) -> list[str]:
    """Return a command without its Python, for any host and port."""
    words = shlex.split(command)
    where = next(n for n, word in enumerate(words) if word.rpartition("/")[2] == "python")
    words = words[where + 1 :]
    for option in ("--host", "--port"):
        if option in words:
            words[words.index(option) + 1] = "…"
    return words


class TestCommands:
    def test_units_run_the_guides_commands(self) -> None:
        _ending, staying = blocks("scaled")
        typed = [python_of(line) for line in staying]
        for name in PROCESSES:
            (run,) = unit(name)["ExecStart"]
            assert python_of(run) in typed
        assert len(typed) == len(PROCESSES) + 1  # two web processes
        (one,) = blocks("embedded")[1]
        (run,) = unit("bower.service")["ExecStart"]
        assert run.partition(" manage.py ")[2] == one.partition(" deploy/manage ")[2]

    def test_containers_run_the_units_commands(self) -> None:
        services = compose()["services"]
        (web,) = [shlex.join(yaml.safe_load(rest)) for verb, rest in docker_file() if verb == "CMD"]
        for name, service in PROCESSES.items():
            (run,) = unit(name)["ExecStart"]
            own = services[service].get("command")
            assert python_of(shlex.join(own) if own else web) == python_of(run)

    def test_web_processes_use_the_documented_options(self) -> None:
        row = re.search(r"^\| web \|.*\| `uvicorn (.+)` \|$", GUIDE, re.MULTILINE)
        assert row is not None
        (run,) = unit("bower-web@.service")["ExecStart"]
        words = shlex.split(row[1])
        for option, value in zip(words[1::2], words[2::2], strict=True):
            assert f" {option} {value}" in run

    def test_web_processes_take_frames_at_once(self) -> None:
        (run,) = unit("bower-web@.service")["ExecStart"]
        words = shlex.split(run)
        named = words[words.index("--ws") + 1]
        assert import_from_string(named) is FramingProtocol

    def test_update_commands_match_the_guide(self) -> None:
        ending, _staying = blocks("scaled")
        typed = "\n".join(ending)
        once = [
            run.partition(" manage.py ")[2] for run in unit("bower-migrate.service")["ExecStart"]
        ]
        script = compose()["services"]["migrate"]["command"][-1]
        for command in once:
            assert f"deploy/manage {command}" in typed
            assert f"python manage.py {command}" in script
        assert "manage.py make_keys" in script


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_differ_only_in_their_commands(path: Path) -> None:
    said = unit(path.name)
    assert said["User"] == ["bower"]
    assert said["EnvironmentFile"] == ["/etc/bower/bower.env"]
    assert said["WorkingDirectory"] == ["/opt/bower"]
    assert (said["UMask"], said["StateDirectoryMode"]) == (["0077"], ["0700"])
    assert said["ProtectSystem"] == ["strict"]
    if "oneshot" not in said.get("Type", []):
        assert said["Restart"] == ["always"]


def test_the_guide_names_exactly_the_shipped_files() -> None:
    named = set(re.findall(r"(?:/opt/bower/)?deploy/([\w./@-]*\w)", GUIDE))
    for name in named - {"systemd/bower"}:  # as in `bower-*`
        assert (DEPLOY / name).exists(), name
    assert {"Caddyfile", "nginx.conf", "embedded.env", "scaled.env", "manage"} <= named


class TestSettings:
    @pytest.mark.parametrize("way", ["embedded", "scaled"])
    def test_djangos_deployment_check_passes(self, way: str, tmp_path: Path) -> None:
        settings = settings_of(DEPLOY / f"{way}.env") | {"BOWER_DATA": str(tmp_path)}
        self.check(settings)

    def test_djangos_deployment_check_passes_in_containers(self, tmp_path: Path) -> None:
        given = {"BOWER_HOST": "euchre.example.org", "POSTGRES_PASSWORD": "swordfish"}
        found: dict[str, str] = {}
        for name, value in compose()["services"]["web-1"]["environment"].items():
            found[name] = re.sub(
                r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda one: given.get(one[1], one[2]), value
            )
        assert found["DATABASE_URL"] == "postgres://bower:swordfish@database:5432/bower"
        self.check(found | {"BOWER_DATA": str(tmp_path)})

    def check(self, settings: dict[str, str]) -> None:
        """Run Django's deployment check with these settings."""
        done = manage("check", "--deploy", "--fail-level", "WARNING", **(SECRETS | settings))
        assert done.returncode == 0, done.stderr
        assert "no issues (2 silenced)" in done.stdout  # both of HSTS for whole domains

    def test_hsts_excludes_subdomains(self) -> None:
        for way in ("embedded", "scaled"):
            assert (
                not {"HSTS_SUBDOMAINS", "HSTS_PRELOAD"} & settings_of(DEPLOY / f"{way}.env").keys()
            )
        given = compose()["services"]["web-1"]["environment"]
        assert given["HSTS_SUBDOMAINS"] == "${HSTS_SUBDOMAINS:-false}"
        assert given["HSTS_PRELOAD"] == "${HSTS_PRELOAD:-false}"

    def test_every_setting_is_documented(self) -> None:
        known = set(re.findall(r"`([A-Z_]{4,})`", (ROOT / "docs/settings.md").read_text()))
        ours = {"BOWER_LISTEN"}  # of the units alone
        for way in ("embedded", "scaled"):
            text = (DEPLOY / f"{way}.env").read_text()
            assert set(re.findall(r"^#?([A-Z_]+)=", text, re.MULTILINE)) <= known | ours
        assert set(compose()["services"]["web-1"]["environment"]) <= known

    def test_both_files_differ_only_in_servers(self) -> None:
        one, several = ((DEPLOY / f"{way}.env").read_text() for way in ("embedded", "scaled"))
        lines = one.splitlines()
        assert several.splitlines()[1 : len(lines)] == lines[1:]


class TestContainers:
    def test_the_proxy_knows_all_web_processes(self) -> None:
        services = compose()["services"]
        webs = [name for name in services if name.startswith("web-")]
        assert services["proxy"]["environment"]["BOWER_WEB"].split() == [
            f"{one}:8000" for one in webs
        ]
        for name in (*webs, "worker", "schedule"):
            assert services[name]["depends_on"]["migrate"] == {
                "condition": "service_completed_successfully"
            }
            assert services[name]["read_only"] is True
            assert services[name]["volumes"][0] == "data:/var/lib/bower"
        assert "replicas" not in (ROOT / "compose.yaml").read_text()

    def test_postgresql_client_and_server_have_the_same_version(self) -> None:
        image = compose()["services"]["database"]["image"]
        (programs,) = (rest for verb, rest in docker_file() if "postgresql-client" in rest)
        (base,) = (rest for verb, rest in docker_file() if verb == "FROM")
        assert base.endswith("-slim-trixie"), "Debian 13, which has PostgreSQL 17"
        assert image.removeprefix("postgres:") == "17"
        assert "postgresql-client-17 " in programs

    def test_daily_backups_go_to_their_own_volume(self) -> None:
        service = compose()["services"]["worker"]
        folder = service["environment"]["BACKUP_FOLDER"]
        assert f"backups:{folder}" in service["volumes"]
        assert any(f" {folder}" in rest and "-o bower" in rest for _verb, rest in docker_file())
        assert service["restart"] == "unless-stopped"

    @pytest.mark.postgres
    @pytest.mark.parametrize(
        ("service", "parts"), [("worker", ["ticks", "work"]), ("schedule", ["schedule"])]
    )
    def test_health_checks_use_heartbeats(
        self, postgres_url: str, service: str, parts: list[str]
    ) -> None:
        shell, test = compose()["services"][service]["healthcheck"]["test"]
        assert shell == "CMD-SHELL"
        base, _, _ = postgres_url.rpartition("/")
        url = f"{base}/bower_alive"

        def healthy() -> bool:
            return subprocess.run(
                ["sh", "-c", test.replace("$$", "$")], check=False,
                env={"PATH": os.environ["PATH"], "DATABASE_URL": url}, capture_output=True,
            ).returncode == 0  # fmt: skip

        with psycopg.connect(postgres_url, autocommit=True) as server:
            server.execute("DROP DATABASE IF EXISTS bower_alive WITH (FORCE)")
            assert not healthy()
            server.execute("CREATE DATABASE bower_alive")
            with psycopg.connect(url, autocommit=True) as site:
                site.execute("CREATE TABLE games_heartbeat (name text, at timestamptz)")
                for part in parts:
                    assert not healthy()
                    site.execute("INSERT INTO games_heartbeat VALUES (%s, now())", [part])
                assert healthy()
                site.execute("UPDATE games_heartbeat SET at = at - interval '2 minutes'")
                assert not healthy()
            server.execute("DROP DATABASE bower_alive WITH (FORCE)")

    def test_volumes_are_declared(self) -> None:
        said = compose()
        used = {
            one.partition(":")[0]
            for service in said["services"].values()
            for one in service.get("volumes", [])
        }
        assert {one for one in used if not one.startswith(".")} == set(said["volumes"])

    def test_only_the_proxy_is_published(self) -> None:
        assert [name for name, one in compose()["services"].items() if "ports" in one] == ["proxy"]
        (asked,) = [rest for verb, rest in docker_file() if verb == "HEALTHCHECK"]
        assert "http://127.0.0.1:8000/healthz" in asked
        assert "health_uri /healthz" in (DEPLOY / "Caddyfile").read_text()

    def test_the_image_is_pinned_and_unprivileged(self) -> None:
        verbs = docker_file()
        assert ("USER", "bower") in verbs
        assert verbs.index(("USER", "bower")) < [verb for verb, _ in verbs].index("CMD")
        assert any("pip install --no-cache-dir --require-hashes" in rest for _, rest in verbs)

    @pytest.mark.slow
    def test_the_image_contains_all_files_needed(self, tmp_path: Path) -> None:
        ignored = (ROOT / ".dockerignore").read_text().splitlines()
        for verb, rest in docker_file():
            if verb == "COPY":
                *sources, to = rest.split()
                for source in sources:
                    assert f"!{source}" in ignored
                    copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
                    copy(ROOT / source, tmp_path / to / ("" if to == "./" else "."))
        data = tmp_path / "data"
        python = guide_environment.make(tmp_path / "environment")
        installing = next(rest for verb, rest in docker_file() if "pip install" in rest)
        arguments = shlex.split(installing.replace("--no-cache-dir ", ""))[1:]
        subprocess.run([python, *arguments], cwd=tmp_path, check=True)
        *shell, script = compose()["services"]["migrate"]["command"]
        path = f"{python.parent}:{os.environ['PATH']}"
        subprocess.run(
            [*shell, script], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE,
            env=environment() | {"BOWER_DATA": str(data), "PATH": path},
        )  # fmt: skip
        done = subprocess.run(
            [python, "manage.py", "doctor", "--data", str(data)],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        shown = (
            "from django.utils import timezone; from euchre_site.office import overview; "
            "print(overview.overview(timezone.now()))"
        )
        done = subprocess.run(
            [python, "manage.py", "shell", "-v0", "-c", shown],
            cwd=tmp_path, env=environment() | {"BOWER_DATA": str(data)}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert f"Bower {__version__}," in done.stdout, done.stderr


def test_no_file_contains_a_key() -> None:
    for path in (ROOT / "compose.yaml", ROOT / "Dockerfile", *DEPLOY.rglob("*")):
        if path.is_file():
            text = path.read_text()
            assert not re.search(r"(SECRET|DEAL)_KEY\s*[=:]", text), path
            for password in re.findall(r"://\w*:([^@\s]+)@", text):
                assert password == "password" or password.startswith("${"), path


def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("needs Caddy")
    done = subprocess.run(
        [caddy, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_caddys_file_is_complete() -> None:
    text = (DEPLOY / "Caddyfile").read_text()
    depth = 0
    for line in text.splitlines():
        code = re.sub(r"\{\$\w+(:[^}]*)?\}", "", line.partition("#")[0])
        depth += code.count("{") - code.count("}")
        assert depth >= 0
    assert depth == 0
    assert "max_size 2MiB" in text
    assert "max_size 64KiB" in text
