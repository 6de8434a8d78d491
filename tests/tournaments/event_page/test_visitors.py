"""Pages that are drawn once for all visitors who ask at the same moment."""

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory

from tests.factories import logged_in, member
from tests.tournaments import build
from tournaments.event_page.visitors import shared_with_visitors
from tournaments.models import Event


@pytest.fixture(autouse=True)
def kept(settings: Any) -> None:
    """Pages are kept, and none is at the beginning."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {**settings.CACHES, "pages": {"BACKEND": memory, "LOCATION": "pages"}}
    caches["pages"].clear()


class Counting:
    """A view that counts how often it draws."""

    def __init__(self, status: int = 200, token: bool = False) -> None:
        self.drawn, self.status, self.token = 0, status, token

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.drawn += 1
        return HttpResponse(get_token(request) if self.token else "", status=self.status)

    def asked(self, path: str = "/", **headers: str) -> int:
        """Let it be asked for twice; how often it has drawn then."""
        view = shared_with_visitors(self)
        for _ in range(2):
            request = RequestFactory().get(path, headers=headers)
            request.session = SessionStore()
            view(request)
        return self.drawn


pytestmark = pytest.mark.django_db


def test_page_is_drawn_once_for_visitors() -> None:
    assert Counting().asked("/?round=1") == 1
    assert Counting().asked("/?round=2") == 1


@pytest.mark.parametrize("headers", [{"Cookie": "look=dark"}, {"HX-Request": "true"}])
def test_page_is_drawn_again_for_members_and_for_parts(headers: dict[str, str]) -> None:
    assert Counting().asked(**headers) == 2


def test_refusals_and_forms_are_not_cached() -> None:
    assert Counting(status=404).asked() == 2
    assert Counting(token=True).asked() == 2


def test_event_page_is_cached_for_visitors_but_not_for_members() -> None:
    event = build.event(name="Thursday")
    path = f"/events/{event.pk}/"
    assert "Thursday" in Client().get(path).text
    assert "Cookie" in Client().get(path)["Vary"]  # or a proxy would show it to members
    Event.objects.update(name="Friday")
    assert "Thursday" in Client().get(path).text
    assert "Friday" in logged_in(member("Ada")).get(path).text
    caches["pages"].clear()  # a second later
    assert "Friday" in Client().get(path).text


def test_members_only_pages_are_not_cached() -> None:
    club = build.club(joining="invitation")
    ada = build.director(club)
    path = f"/events/{build.event(club).pk}/"
    assert logged_in(ada).get(path).status_code == 200
    assert Client().get(path).status_code in (403, 404)
