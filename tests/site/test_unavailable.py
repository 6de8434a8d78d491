"""While the database is unavailable every page says so, with status 503."""

import pytest
from django.db import OperationalError, connection
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every query fail."""

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(connection, "cursor", refuse)
    monkeypatch.setattr(connection, "chunked_cursor", refuse)


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize("path", ["/", "/events/", "/tables/1/", "/accounts/login/", "/ratings/"])
def test_a_page_explains_the_outage(
    client: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    client.cookies["bower_session"] = "somebody-here-before"
    answer = client.get(path)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "3"
    assert "database cannot be reached" in answer.content.decode()
    (line,) = [one for one in caplog.records if one.levelname in {"ERROR", "WARNING"}]
    assert (line.exc_info, "database unavailable" in line.getMessage()) == (None, True)


@pytest.mark.usefixtures("away")
def test_the_api_answers_with_a_problem(client: Client) -> None:
    answer = client.get("/api/clubs")
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert answer.json()["code"] == "unavailable"


@pytest.mark.usefixtures("away")
def test_a_script_gets_plain_text(client: Client) -> None:
    answer = client.post("/play/now/", {"rules": "classic-24"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer["Content-Type"]) == (503, "text/plain")


def test_other_errors_are_a_500(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_kwargs: object) -> None:
        raise LookupError

    monkeypatch.setattr(connection, "cursor", broken)
    assert client.get("/tables/1/").status_code == 500
