"""What every page knows: the site's name, who looks at it and how they like it to look."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from euchre_site.look import look_of
from games.models import Player
from games.people.identity import player_of


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the variables added to every template.

    `me` is the visitor's player or None, asked for only where a template uses it; a request
    refused before it had a session has none.
    """

    def me() -> Player | None:
        return player_of(request) if hasattr(request, "user") else None

    return {"site_name": settings.SITE_NAME, "look": look_of(request), "me": SimpleLazyObject(me)}
