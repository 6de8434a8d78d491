"""The ASGI application: static files, pages and sockets."""

import os
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import CookieMiddleware
from django.core.asgi import get_asgi_application
from django.urls import re_path

from euchre_site.startup.startup import load_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
load_settings()
pages = get_asgi_application()  # loads the apps, which the imports below need

from euchre_site.guards.bodies import BodyLimit  # noqa: E402
from euchre_site.guards.origins import OriginValidator  # noqa: E402
from euchre_site.guards.security_headers import SecurityHeaders  # noqa: E402
from euchre_site.health.probes import Probes  # noqa: E402
from euchre_site.run.lifespan import lifespan  # noqa: E402
from euchre_site.static_files.static_files import with_static_files  # noqa: E402
from games import routing as games  # noqa: E402
from tournaments import routing as tournaments  # noqa: E402


async def not_found(_scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.close"})


sockets: list[Any] = [
    *games.websocket_urlpatterns,
    *tournaments.websocket_urlpatterns,
    re_path("", not_found),  # type: ignore[arg-type]
]
application = ProtocolTypeRouter(
    {
        "http": SecurityHeaders(Probes(BodyLimit(with_static_files(pages), pages))),
        "lifespan": lifespan,
        "websocket": OriginValidator(CookieMiddleware(URLRouter(sockets))),
    }
)
