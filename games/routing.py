"""URLs of the WebSockets."""

from django.urls import URLPattern, path

from games.play.consumers import TableConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/tables/<num:table_id>/", TableConsumer.as_asgi()),  # type: ignore[arg-type]
]
