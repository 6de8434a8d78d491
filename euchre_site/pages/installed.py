"""The site as an app: its manifest, its service worker, and the page shown without a connection.

The worker shows a kept page only when a page cannot be loaded. What it keeps is public and fetched
without cookies. Its cache has another name whenever what it keeps may have changed, and the old one
is deleted.
"""

import hashlib
import json
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from euchre_site import __version__
from games.engine.rules import RULE_SETS
from games.lessons.course import COURSE

#: The style sheets and other files of the kept pages.
FILES = (
    *(f"css/{name}.css" for name in ("tokens", "base", "cards", "pages")),
    *("css/lobby.css", "css/rules.css", "css/lessons.css", "css/coach.css", "bundles/table.css"),
    *("cards/sprite.svg", "logo.svg", "js/app.js", "js/times.js"),
)
#: What the kept pages are made of, besides static files.
SOURCES = ("templates", "games/engine", "games/guide", "games/lessons", "games/picture")


@require_safe
@never_cache
def worker(_request: HttpRequest) -> HttpResponse:
    files = [static(name) for name in FILES]
    rules, groups = rule_pages(), lesson_pages()
    offline = reverse("offline")
    parts = {
        "files": files,
        "shell": [offline, *rules, *groups],
        "groups": groups,
        "offline": offline,
        "logout": reverse("account_logout"),
        "icon": static("icons/app-192.png"),
        "badge": static("icons/badge-96.png"),
    }
    digest = hashlib.sha256(json.dumps([parts, settings.SITE_NAME, _source_digest()]).encode())
    parts["name"] = f"app {digest.hexdigest()[:12]}"
    context = {name: json.dumps(value) for name, value in parts.items()}
    script = render_to_string("site/app/worker.js", context)
    return HttpResponse(script, content_type="text/javascript; charset=utf-8")


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    return render(request, "site/app/offline.html")


@require_safe
@cache_control(public=True, max_age=60 * 60 * 24)
def favicon(_request: HttpRequest) -> HttpResponse:
    """Redirect to an icon: programs that read no page ask for this address."""
    return redirect(static("icons/app-192.png"))


@require_safe
def manifest(_request: HttpRequest) -> HttpResponse:
    png = {"type": "image/png"}
    data = {
        "id": "/",
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "description": "Euchre at a table: clubs, events, and games with people and the house.",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#f4efe4",
        "theme_color": "#f4efe4",
        "icons": [
            {"src": static("logo.svg"), "sizes": "any", "type": "image/svg+xml"},
            {"src": static("icons/app-192.png"), "sizes": "192x192", **png},
            {"src": static("icons/app-512.png"), "sizes": "512x512", **png},
            {
                "src": static("icons/app-maskable-512.png"), "sizes": "512x512",
                "purpose": "maskable", **png,
            },
        ],
        "shortcuts": [
            {"name": name, "url": reverse(view)}
            for name, view in (("Play", "lobby"), ("Events", "event_list"), ("Learn", "lessons"))
        ],
    }  # fmt: skip
    return JsonResponse(data, content_type="application/manifest+json")


def rule_pages() -> list[str]:
    """Return the pages of the rules, kept from the beginning: a table asks for them any time."""
    return [reverse("rules"), *(reverse("rule_set", args=[key]) for key in RULE_SETS)]


@cache
def lesson_pages() -> dict[str, list[str]]:
    """Return the lessons' pages, by the path they begin with: kept once one of them is read."""
    steps = [
        reverse("lesson_step", args=[lesson.slug, number])
        for lesson in COURSE
        for number in range(1, len(lesson.steps) + 1)
    ]
    return {reverse("lessons"): steps}


@cache
def _source_digest() -> str:
    digest = hashlib.sha256(__version__.encode())
    for source in SOURCES:
        for path in sorted((settings.BASE_DIR / source).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return digest.hexdigest()
