"""The web server's entrance: static files, pages and sockets."""

import os
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
pages = get_asgi_application()  # loads the apps: what is imported below needs them

from euchre_site.lifespan import lifespan  # noqa: E402
from euchre_site.origins import OriginValidator  # noqa: E402
from euchre_site.static import with_static_files  # noqa: E402
from games import routing as games  # noqa: E402
from tournaments import routing as tournaments  # noqa: E402

sockets: list[Any] = [*games.websocket_urlpatterns, *tournaments.websocket_urlpatterns]
application = ProtocolTypeRouter(
    {
        "http": with_static_files(pages),
        "lifespan": lifespan,
        "websocket": OriginValidator(AuthMiddlewareStack(URLRouter(sockets))),
    }
)
