"""Security headers on every response, of pages and of static files."""

from typing import Any, Final

from csp.utils import build_policy
from django.conf import settings

HEADERS: Final = {
    b"x-content-type-options": b"nosniff",
    # No page needs these, nor should an injected script get them
    b"permissions-policy": b"camera=(), display-capture=(), geolocation=(), microphone=(), "
    b"payment=(), usb=(), browsing-topics=()",
    b"referrer-policy": settings.SECURE_REFERRER_POLICY.encode(),
}


class SecurityHeaders:
    """ASGI middleware that adds missing security headers to responses.

    With DEBUG there is no content security policy, since Django's error pages need inline styles.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        policy = {} if settings.DEBUG else {b"content-security-policy": build_policy().encode()}
        self.headers = HEADERS | policy

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def complete(message: Any) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message.get("headers", ())}
                more = [one for one in self.headers.items() if one[0] not in there]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        await self.app(scope, receive, complete)
