"""Collecting static files, and serving them from the web process in front of Django.

WhiteNoise determines types, caching headers and compressed variants. Its Django middleware is
synchronous and would send every page through a thread, so its table of files is used directly.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

import rcssmin
from django.conf import settings
from django.contrib.staticfiles.finders import AppDirectoriesFinder, get_finders
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.core.handlers.asgi import ASGIHandler
from django.core.management import call_command
from whitenoise import WhiteNoise
from whitenoise.storage import CompressedManifestStaticFilesStorage

from euchre_site.static_files import bundles
from euchre_site.static_files.bundles import Read, bundle_scripts, bundle_sheets, minify_script

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
HASHED = re.compile(r"\.[0-9a-f]{12}\.")  # names given by the manifest storage
REQUEST_HEADERS = (b"accept-encoding", b"if-modified-since", b"if-none-match", b"range")


#: The files used of packages that ship every edition and extension.
NEEDED: Final = {
    "django_htmx": {"django_htmx/htmx-4.min.js", "django_htmx/ext/hx-ws-4.min.js"},
}


class PackageFiles(AppDirectoriesFinder):
    """Finds static files of installed packages, of some only those in `NEEDED`."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        for path, storage in super().list(ignore_patterns):
            if path in NEEDED.get(PurePosixPath(path).parts[0], {path}):
                yield path, storage


#: The minifier for the files of a folder.
MINIFIERS: Final[Mapping[str, Callable[[str], str]]] = {"css": rcssmin.cssmin, "js": minify_script}


def bundler_of(name: str) -> Callable[[str, Read], str] | None:
    if str(PurePosixPath(name).parent) != "bundles":
        return None
    return bundle_sheets if name.endswith(".css") else bundle_scripts


def own_files() -> Iterator[tuple[str, bytes]]:
    for top in map(Path, settings.STATICFILES_DIRS):
        for path in sorted(top.rglob("*")):
            if path.is_file():
                name = path.relative_to(top).as_posix()
                if bundle := bundler_of(name):
                    yield name, bundle(name, partial(_minified, top)).encode()
                elif str(PurePosixPath(name).parent) in MINIFIERS:
                    yield name, _minified(top, name).encode()
                else:
                    yield name, path.read_bytes()


def _minified(top: Path, name: str) -> str:
    text = (top / name).read_text()
    minify = MINIFIERS.get(str(PurePosixPath(name).parent))
    return minify(text) if minify else text


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Stores collected files under hashed names, minified and bundled.

    Comments and spaces are a seventh of the compressed style sheets of a table's page, and a fifth
    of its scripts. rjsmin 1.3 breaks nested template literals, so scripts are minified line by line
    (`euchre_site.static_files.bundles`).

    Imports between this site's scripts are rewritten to the hashed names. Django can do that for
    all scripts, but fails on those of packages that are collected in part.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "js/*.js",
            (
                (r'(?P<matched>from "(?P<url>\./[^"]+)")', 'from "%(url)s"'),
                (r'(?P<matched>import "(?P<url>\./[^"]+)")', 'import "%(url)s"'),
            ),
        ),
    )

    def post_process(
        self, paths: dict[str, tuple[Storage, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        for name, (source, path) in paths.items():
            if not dry_run and (minify := MINIFIERS.get(str(PurePosixPath(name).parent))):
                with source.open(path) as file:
                    self._put(name, minify(file.read().decode()))
                paths[name] = (self, name)
        for name, (source, path) in paths.items():
            if not dry_run and (bundle := bundler_of(name)):
                # What is collected under its name may be the bundle of an earlier version.
                with source.open(path) as file:
                    self._put(name, file.read().decode())
                self._put(name, bundle(name, self._text))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)

    def _text(self, name: str) -> str:
        with self.open(name) as file:
            text: str = file.read().decode()
        return text

    def _put(self, name: str, text: str) -> None:
        self.delete(name)
        self.save(name, ContentFile(text.encode()))

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        yield from super().compress_files(path for path in paths if HASHED.search(path))


def collect() -> bool:
    """Run `collectstatic` if the sources have changed; return whether it ran. Raises OSError."""
    if settings.STATIC_LIVE:
        return False
    mark = settings.DATA_DIR / "static.sha256"
    digest = _digest_of_sources()
    if mark.exists() and mark.read_text() == digest and not _missing_files():
        return False
    mark.unlink(missing_ok=True)  # so that an interrupted run is repeated
    call_command("collectstatic", verbosity=0, interactive=False)
    mark.write_text(digest)
    return True


def _digest_of_sources() -> str:
    versions = [version(package) for package in ("brotli", "django", "rcssmin", "whitenoise")]
    backend = settings.STORAGES["staticfiles"]["BACKEND"]
    digest = hashlib.sha256(repr((versions, backend)).encode())
    for module in (__file__, bundles.__file__):
        digest.update(Path(module).read_bytes())
    for finder in get_finders():
        for path, storage in finder.list([]):
            with storage.open(path) as file:
                content = file.read()
            digest.update(f"{path} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _missing_files() -> bool:
    storage = HashedFiles()
    names = storage.hashed_files.values()
    return not names or not all(storage.exists(name) for name in names)


def with_static_files(pages: ASGIHandler) -> Any:
    """Return an ASGI app that serves static files and passes other requests to `pages`."""
    return ASGIStaticFilesHandler(pages) if settings.STATIC_LIVE else CollectedFiles(pages)


class CollectedFiles:
    """ASGI middleware that serves the files that were collected before this process started."""

    def __init__(self, pages: ASGIHandler) -> None:
        self.pages = pages
        self.noise = WhiteNoise(
            None,
            root=str(settings.STATIC_ROOT),
            prefix=urlsplit(settings.STATIC_URL).path,
            allow_all_origins=False,
            immutable_file_test=lambda path, _url: HASHED.search(path),
            add_headers_function=_never_guess_the_type,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self.noise.files.get(scope["path"])
        if file is None:
            await self.pages(scope, receive, send)  # type: ignore[arg-type]
            return
        found = file.get_response(
            scope["method"],
            {
                "HTTP_" + name.decode().upper().replace("-", "_"): value.decode("latin-1")
                for name, value in scope["headers"]
                if name in REQUEST_HEADERS
            },
        )
        headers = [(name.lower().encode(), value.encode()) for name, value in found.headers]
        start = {"type": "http.response.start", "status": int(found.status), "headers": headers}
        await send(start)
        body = b""
        if found.file is not None:
            with found.file:
                body = found.file.read()  # the largest is the card sprite, under 100 KB
        await send({"type": "http.response.body", "body": body})


def _never_guess_the_type(headers: Any, _path: str, _url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
