"""Pages shown without a server: HTML from a test, style sheets and scripts from the tree."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.contrib.staticfiles import finders
from playwright.sync_api import BrowserContext, Page, Route

SITE = "http://bower.test"


def static_file(route: Route) -> bool:
    """Answer with the static file that is asked for; whether one was."""
    path = urlsplit(route.request.url).path
    found = finders.find(path.removeprefix("/static/")) if path.startswith("/static/") else None
    if found:
        route.fulfill(path=found)
    return bool(found)


def serve(browser: Page | BrowserContext, pages: Mapping[str, str]) -> None:
    """Answer everything on `SITE`: these pages by their paths, static files, else nothing (204)."""

    def answer(route: Route) -> None:
        if static_file(route):
            return
        text = pages.get(urlsplit(route.request.url).path)
        if text is None:
            route.fulfill(status=204)
        else:
            route.fulfill(body=text, content_type="text/html; charset=utf-8")

    browser.unroute_all()
    browser.route("**/*", answer)
