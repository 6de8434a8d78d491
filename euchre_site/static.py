"""Static files served by the web process itself, in front of Django.

WhiteNoise knows names, types, caching and compressed twins of the files. Its Django middleware is
synchronous and would send every page through a thread, so here its table is asked directly.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.core.handlers.asgi import ASGIHandler
from rcssmin import cssmin
from whitenoise import WhiteNoise
from whitenoise.storage import CompressedManifestStaticFilesStorage

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
HASHED = re.compile(r"\.[0-9a-f]{12}\.")  # as the manifest storage names files
ASKED = (b"accept-encoding", b"if-modified-since", b"if-none-match", b"range")


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """The collected files under names that change with what they hold; sheets without comments.

    Comments and spaces are a seventh of what the sheets of a table's page take on the line,
    compressed. Scripts stay as they are written: what leaves out spaces without reading the
    language (rjsmin 1.3) does so inside of template strings that stand in others, too.

    Where this site's scripts import each other they do so by these names. Django can do that for
    all scripts, but stumbles over those of packages that are collected in part.
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
        """Make our own sheets leaner, then give all files their names.

        Args:
            paths: by name of a file, where its source stands.
            dry_run: whether nothing shall be written.
            options: passed on.
        """
        for name, (source, path) in paths.items():
            if not dry_run and str(PurePosixPath(name).parent) == "css":
                with source.open(path) as file:
                    lean = cssmin(file.read().decode())
                self.delete(name)
                self.save(name, ContentFile(lean.encode()))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def with_static_files(pages: ASGIHandler) -> Any:
    """Return an ASGI app that answers for static files and leaves all else to `pages`.

    With STATIC_LIVE the source files are served as they are now, else the collected ones.
    """
    return ASGIStaticFilesHandler(pages) if settings.STATIC_LIVE else CollectedFiles(pages)


class CollectedFiles:
    """ASGI middleware serving what `collectstatic` wrote before this process started."""

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
        """Answer with the file of this address, or pass the request on."""
        file = self.noise.files.get(scope["path"])
        if file is None:
            await self.pages(scope, receive, send)  # type: ignore[arg-type]
            return
        found = file.get_response(
            scope["method"],
            {
                "HTTP_" + name.decode().upper().replace("-", "_"): value.decode("latin-1")
                for name, value in scope["headers"]
                if name in ASKED
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
