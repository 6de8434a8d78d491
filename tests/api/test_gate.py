"""What every request to the API passes: quotas by a clock of our own, headers, errors."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Scope
from games.people import limits
from tests.api.asking import ask, token_of
from tests.factories import member

pytestmark = pytest.mark.django_db

#: Half a minute has gone of a window.
HALF_PAST = datetime(2026, 3, 7, 12, 0, 30, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> "Clock":
    """The time as the gate reads it."""
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


class Clock:
    """A clock that is set by hand."""

    now = HALF_PAST


# Quotas ---------------------------------------------------------------------------------------


def test_requests_are_counted_until_the_minute_is_over() -> None:
    seen = [limits.count("Maeve", 2, HALF_PAST) for _ in range(3)]
    assert [(one.left, one.exceeded, one.resets) for one in seen] == [
        (1, False, 30),
        (0, False, 30),
        (0, True, 30),
    ]
    assert not limits.count("Maeve", 2, HALF_PAST + timedelta(seconds=30)).exceeded


def test_callers_are_counted_apart() -> None:
    limits.count("Maeve", 1, HALF_PAST)
    assert not limits.count("Ben", 1, HALF_PAST).exceeded


def test_every_answer_states_the_quota(clock: Clock, settings: Any) -> None:
    settings.API_RATE_ANONYMOUS = 5
    for path in ("/clubs", "/clubs/nowhere", "/clubs?limit=0", "/nothing", "/openapi.json"):
        answer = ask(path)
        assert answer["RateLimit-Policy"] == '"minute";q=5;w=60'
    assert answer["RateLimit"] == '"minute";r=0;t=30'


def test_request_over_quota_waits_for_the_next_minute(clock: Clock, settings: Any) -> None:
    settings.API_RATE_ANONYMOUS = 1
    assert ask("/clubs").status_code == 200
    refused = ask("/clubs")
    assert (refused.status_code, refused["Retry-After"]) == (429, "30")
    assert refused.json()["code"] == "too many requests"
    assert refused["RateLimit"] == '"minute";r=0;t=30'
    clock.now += timedelta(seconds=30)
    assert ask("/clubs").status_code == 200


def test_a_token_has_a_quota_of_its_own(clock: Clock, settings: Any) -> None:
    settings.API_RATE_ANONYMOUS, settings.API_RATE_TOKEN = 1, 2
    maeve = member("Maeve")
    one, other = token_of(maeve), token_of(maeve)
    assert ask("/clubs").status_code == 200
    answers = [ask("/clubs", token).status_code for token in (one, one, one, other)]
    assert answers == [200, 200, 429, 200]


def test_invalid_tokens_are_counted_by_address(clock: Clock, settings: Any) -> None:
    settings.API_RATE_ANONYMOUS = 2
    answers = [ask("/clubs", f"bower_{guess}").status_code for guess in range(3)]
    assert answers == [401, 401, 429]


def test_pages_have_no_quota(settings: Any) -> None:
    settings.API_RATE_ANONYMOUS = 0
    assert ask("/clubs").status_code == 429
    page = Client().get("/clubs/")
    assert page.status_code == 200
    assert "RateLimit" not in page


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not found"),
        ("GET", "/clubs/nowhere", 404, "not found"),
        ("GET", "/events/many", 404, "not found"),
        ("POST", "/clubs", 405, "method"),
        ("GET", "/clubs?limit=1000", 422, "invalid"),
        ("GET", "/events?after=yesterday", 422, "invalid"),
        ("GET", "/events?after=2026-03-07T12:00:00", 422, "invalid"),
        ("GET", "/events?before=9999-12-31T23:59:59-12:00", 422, "invalid"),
        ("GET", "/clubs?search=%00", 422, "invalid"),
        ("DELETE", "/events/1/entry", 401, "token needed"),
    ],
)
def test_errors_are_problem_documents_with_a_code(
    method: str, path: str, status: int, code: str
) -> None:
    answer = ask(path, method=method)
    told = answer.json()
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.status_code, told["status"], told["code"]) == (status, status, code)
    assert told["detail"]


def test_invalid_parameter_error_names_the_allowed_values() -> None:
    told = ask("/events?limit=0&state=over").json()
    assert {one["where"] for one in told["errors"]} == {"query.limit", "query.state"}
    assert "greater than or equal to 1" in told["detail"]
    assert "'running'" in told["detail"]


def test_non_json_body_is_refused() -> None:
    token = token_of(member("Maeve"), Scope.ENTER)
    answer = ask("/events/1/entry", token, method="PUT", body="{")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad request")


def test_wrong_method_answer_lists_allowed_methods() -> None:
    assert ask("/clubs", method="DELETE")["Allow"] == "GET"


def test_server_error_is_a_problem_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.calendar.catalogue.clubs", lambda *_: 1 / 0)
    answer = Client(raise_request_exception=False).get("/api/clubs")
    assert answer.status_code == 500
    assert answer.json()["detail"] == "Something went wrong on this site."


# Headers --------------------------------------------------------------------------------------


def test_pages_of_other_sites_may_read_without_cookies() -> None:
    answer = ask("/clubs")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer


def test_other_sites_may_send_a_token_but_only_to_read() -> None:
    asked = {"origin": "https://example.org", "access-control-request-method": "GET"}
    answer = Client().options("/api/clubs", headers=asked)
    assert answer.status_code == 204
    assert answer["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Authorization" in answer["Access-Control-Allow-Headers"]


def test_unchanged_answer_is_304() -> None:
    first = ask("/clubs")
    again = Client().get("/api/clubs", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "RateLimit" in again


def test_answers_are_not_kept_for_others() -> None:
    answer = ask("/clubs")
    assert set(answer["Cache-Control"].split(", ")) == {"no-cache", "private"}
    assert {"Authorization", "Cookie"} <= set(answer["Vary"].split(", "))


def test_head_is_answered_like_get() -> None:
    answer = Client().head("/api/clubs")
    assert answer.status_code == 200
    assert answer["ETag"] == ask("/clubs")["ETag"]
