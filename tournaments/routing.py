"""Routes of the WebSockets."""

from django.urls import URLPattern, path

from tournaments.event_page.consumers import CallConsumer, EventConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/events/<num:event_id>/", EventConsumer.as_asgi()),  # type: ignore[arg-type]
    path("ws/calls/", CallConsumer.as_asgi()),  # type: ignore[arg-type]
]
