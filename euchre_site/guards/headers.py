"""The headers of every answer, of pages and of static files however these are served."""

from typing import Any, Final

from csp.utils import build_policy
from django.conf import settings

HEADERS: Final = {
    b"x-content-type-options": b"nosniff",
    # What no page here needs, also not one into which somebody has brought a script
    b"permissions-policy": b"camera=(), display-capture=(), geolocation=(), microphone=(), "
    b"payment=(), usb=(), browsing-topics=()",
    b"referrer-policy": settings.SECURE_REFERRER_POLICY.encode(),
}


class SafeHeaders:
    """ASGI middleware that adds `HEADERS` and the content policy where an answer lacks them.

    With DEBUG it adds no policy: Django leaves it out of its own error pages.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        policy = {} if settings.DEBUG else {b"content-security-policy": build_policy().encode()}
        self.headers = HEADERS | policy

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on, and its answer back with the headers."""

        async def complete(message: Any) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message.get("headers", ())}
                more = [one for one in self.headers.items() if one[0] not in there]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        await self.app(scope, receive, complete)
