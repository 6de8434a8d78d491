"""Who opens a socket, by the session in its cookie, as Django's middleware tells it of requests.

Channels' own middleware asks the database for both before the socket is let in, on a thread and a
connection of their own, and looks at the session again with every frame, to save it. Here they
are asked for where they are used, beside all else that decides who may come in. No socket changes
its session: signed by a former SECRET_KEY it would get another key, of which the browser would not
hear, and its next page would find it logged out.
"""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.utils.functional import SimpleLazyObject


class AskerOfSocket:
    """ASGI middleware that puts `session` and `user` into a socket's scope; it needs `cookies`."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.store = import_module(settings.SESSION_ENGINE).SessionStore

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the socket on; the database is asked when one of the two is first looked at."""
        session = self.store(scope["cookies"].get(settings.SESSION_COOKIE_NAME))
        asker: Any = SimpleNamespace(session=_AsItIs(session))
        user = SimpleLazyObject(lambda: get_user(asker))
        await self.app({**scope, "session": session, "user": user}, receive, send)


class _AsItIs:
    """A session as Django's `get_user` looks at it; what it would change stays as it is."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getitem__(self, name: str) -> Any:
        return self._session[name]

    def __setitem__(self, name: str, value: Any) -> None:
        pass

    def get(self, name: str, default: Any = None) -> Any:
        return self._session.get(name, default)

    def cycle_key(self) -> None:
        pass

    flush = cycle_key
