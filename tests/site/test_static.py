"""Collected files are served by the web process, compressed and cached, without Django."""

import asyncio
import shutil
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.core.handlers.asgi import ASGIHandler
from pytest_django.fixtures import Settings

from euchre_site.guards.security_headers import SecurityHeaders
from euchre_site.static_files.static_files import HASHED as HASHED_NAME
from euchre_site.static_files.static_files import (
    CollectedFiles,
    HashedFiles,
    PackageFiles,
    collect,
    with_static_files,
)

MODULE = "euchre_site.static_files.static_files"
SHEET = b"body { margin: 0 }\n" * 100
HASHED = "/static/css/base.0123456789ab.css"


class Answer:
    """The response of an ASGI app."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {
                name.decode().lower(): value.decode() for name, value in message["headers"]
            }
        else:
            self.body += message.get("body", b"")


async def pages(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b"a page"})


@pytest.fixture
def files(tmp_path: Path, settings: Settings) -> CollectedFiles:
    """Output of `collectstatic`: a file, its hashed name and a compressed variant."""
    (tmp_path / "css").mkdir()
    (tmp_path / "css/base.css").write_bytes(SHEET)
    (tmp_path / "css/base.0123456789ab.css").write_bytes(SHEET)
    (tmp_path / "css/base.0123456789ab.css.gz").write_bytes(b"squeezed")
    settings.STATIC_ROOT = tmp_path
    return CollectedFiles(pages)  # type: ignore[arg-type]


async def ask(files: Any, path: str, method: str = "GET", **headers: str) -> Answer:
    sent_body = False

    async def receive() -> dict[str, Any]:
        nonlocal sent_body
        if sent_body:
            await asyncio.get_running_loop().create_future()  # nobody hangs up
        sent_body = True
        return {"type": "http.request", "body": b""}

    answer = Answer()
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "method": method, "path": path, "headers": sent, "query_string": b"",
    }  # fmt: skip
    await files(scope, receive, answer.send)
    return answer


async def test_a_hashed_file_is_cached_for_ever(files: CollectedFiles) -> None:
    answer = await ask(files, HASHED)
    assert (answer.status, answer.body) == (200, SHEET)
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers


async def test_an_unhashed_file_is_cached_briefly(files: CollectedFiles) -> None:
    assert "immutable" not in (await ask(files, "/static/css/base.css")).headers["cache-control"]


async def test_compressed_files_are_negotiated(files: CollectedFiles) -> None:
    answer = await ask(files, HASHED, accept_encoding="gzip, br")
    assert (answer.body, answer.headers["content-encoding"]) == (b"squeezed", "gzip")
    assert answer.headers["vary"] == "Accept-Encoding"


async def test_an_unchanged_file_gets_a_304(files: CollectedFiles) -> None:
    seen = (await ask(files, HASHED)).headers["last-modified"]
    answer = await ask(files, HASHED, if_modified_since=seen)
    assert (answer.status, answer.body) == (304, b"")


async def test_head_and_range_requests(files: CollectedFiles) -> None:
    assert (await ask(files, HASHED, "HEAD")).body == b""
    part = await ask(files, HASHED, range="bytes=0-3")
    assert (part.status, part.body) == (206, b"body")


async def test_files_refuse_post(files: CollectedFiles) -> None:
    assert (await ask(files, HASHED, "POST")).status == 405


@pytest.mark.parametrize(
    "path", ["/", "/static/", "/static/none.css", "/static/../secrets.env", "/static/css/../../x"]
)
async def test_other_paths_go_to_django(files: CollectedFiles, path: str) -> None:
    assert (await ask(files, path)).body == b"a page"


def collected(folder: Path, files: dict[str, str]) -> dict[str, str]:
    """Return the contents of collected files, with their hashed names."""
    source = FileSystemStorage(location=str(folder / "source"))
    storage = HashedFiles(location=str(folder / "collected"), base_url="/static/")
    for name, text in files.items():
        source.save(name, ContentFile(text))
        storage.save(name, ContentFile(text))
    list(storage.post_process({name: (source, name) for name in files}))
    return {name: storage.open(storage.hashed_files[name]).read().decode() for name in files}


def test_scripts_import_hashed_names(tmp_path: Path) -> None:
    scripts = {
        "js/knock.js": "export const knock = 1;\n",
        "js/sounds.js": 'import { knock } from "./knock.js";\n',
        "js/table.js": '// rings\nimport "./sounds.js";\n',
    }
    texts = collected(tmp_path, scripts)
    names = {path.name for path in (tmp_path / "collected/js").iterdir()}
    for name in ("sounds.js", "table.js"):
        imported = texts[f"js/{name}"].split('import "./')[-1].split('from "./')[-1].split('"')[0]
        assert HASHED_NAME.search(imported)
        assert imported in names


def test_comments_are_removed(tmp_path: Path) -> None:
    texts = collected(
        tmp_path,
        {
            "css/base.css": "/* what all pages share */\nbody > p {\n  margin: 0 auto;\n}\n",
            "js/knock.js": "// sounds\n\nexport const knock = `a  b\n  // c`; /* loud */\n",
            "admin/css/base.css": "/* a package's own */\nbody { margin: 0 }\n",
        },
    )
    assert texts == {
        "css/base.css": "body>p{margin:0 auto}",
        "js/knock.js": "export const knock = `a  b\n  // c`; /* loud */\n",
        "admin/css/base.css": "/* a package's own */\nbody { margin: 0 }\n",
    }


class TestCollecting:
    """What the first start collects, and that a second one does nothing."""

    @pytest.fixture(autouse=True)
    def sources(self, tmp_path: Path, settings: Settings) -> Path:
        sources = tmp_path / "sources"
        (sources / "css").mkdir(parents=True)
        (sources / "css/base.css").write_text("body { margin: 0 }\n" * 100)
        settings.STATIC_LIVE = False
        settings.DATA_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
        settings.STATICFILES_DIRS = [sources]
        settings.STORAGES = {
            **settings.STORAGES, "staticfiles": {"BACKEND": f"{MODULE}.HashedFiles"}
        }  # fmt: skip
        return sources

    def test_a_second_start_collects_nothing(self) -> None:
        assert [collect(), collect(), collect()] == [True, False, False]

    def test_a_copied_data_folder_has_its_files(self, tmp_path: Path, settings: Settings) -> None:
        collect()
        copy = tmp_path / "copy"
        shutil.copytree(tmp_path / "static", copy / "static")
        shutil.copy(tmp_path / "static.sha256", copy)
        settings.DATA_DIR, settings.STATIC_ROOT = copy, copy / "static"
        assert not collect()

    def test_a_changed_source_is_collected(self, sources: Path, tmp_path: Path) -> None:
        collect()
        (sources / "css/base.css").write_text("body { margin: 1px }\n")
        assert [collect(), collect()] == [True, False]
        assert "1px" in (tmp_path / "static/css/base.css").read_text()

    def test_a_bundle_gets_what_changes_in_its_parts(self, sources: Path, tmp_path: Path) -> None:
        (sources / "bundles").mkdir()
        (sources / "bundles/all.css").write_text('@import "../css/base.css";\n')
        collect()
        (sources / "css/base.css").write_text("body { margin: 1px }\n")
        assert collect()
        assert (tmp_path / "static/bundles/all.css").read_text() == "body{margin:1px}"

    def test_a_new_source_is_collected(self, sources: Path) -> None:
        collect()
        (sources / "css/more.css").write_text("p { margin: 0 }\n")
        assert [collect(), collect()] == [True, False]

    def test_a_lost_file_is_collected_again(self, tmp_path: Path) -> None:
        collect()
        (hashed,) = (tmp_path / "static/css").glob("base.????????????.css")
        hashed.unlink()
        assert [collect(), collect()] == [True, False]
        assert hashed.exists()

    def test_an_interrupted_run_is_repeated(
        self, sources: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        collect()
        (sources / "css/base.css").write_text("body { margin: 1px }\n")
        with monkeypatch.context() as full:
            full.setattr(
                "euchre_site.static_files.static_files.call_command",
                Mock(side_effect=OSError("disk full")),
            )
            with pytest.raises(OSError, match="disk full"):
                collect()
        (sources / "css/base.css").write_text("body { margin: 0 }\n" * 100)
        assert collect()

    def test_live_sources_are_not_collected(self, settings: Settings) -> None:
        settings.STATIC_LIVE = True
        assert not collect()

    def test_only_files_of_pages_are_compressed(self, tmp_path: Path) -> None:
        collect()
        assert list((tmp_path / "static/css").glob("base.*.css.br"))
        assert not (tmp_path / "static/css/base.css.br").exists()

    def test_packages_provide_the_files_of_pages(self) -> None:
        paths = [path for path, _storage in PackageFiles().list(None)]
        assert sorted(path for path in paths if path.startswith("django_htmx/")) == [
            "django_htmx/ext/hx-ws-4.min.js", "django_htmx/htmx-4.min.js",
        ]  # fmt: skip
        assert any(path.startswith("mfa/") for path in paths)


@pytest.mark.parametrize("live", [True, False])
async def test_every_answer_has_the_headers(
    files: CollectedFiles, settings: Settings, live: bool
) -> None:
    settings.STATIC_LIVE = live
    app = SecurityHeaders(with_static_files(ASGIHandler()) if live else files)
    for path in ("/static/css/base.css", HASHED, "/static/none.css", "/robots.txt"):
        answer = await ask(app, path, host="localhost")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "camera=()" in answer.headers["permissions-policy"]
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
