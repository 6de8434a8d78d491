"""The OpenAPI document: what it says is what is answered, and its page says what it says."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings, strategies
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from euchre_site.api.api import api
from games.models import Player
from tests.api.asking import Scene, scene, token_of
from tests.api.test_url_roles import ROWS, asked, operations
from tests.volume import volume

pytestmark = pytest.mark.django_db

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
#: Requests made of each operation.
EXAMPLES = volume(2, 5, 10)
STREAM = "application/x-ndjson"
#: These go on; what they say is tested where they are.
STREAMS = {"game_stream", "table_stream"}


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Let requests keep the test's own connection, as Django's test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@cache
def document() -> OpenApiSchema:
    """The document as the site serves it."""
    return schemathesis.openapi.from_wsgi("/api/openapi.json", get_wsgi_application())


@pytest.fixture(scope="module")
def at(lasting_database: None) -> Scene:
    return scene()


def test_streams_are_the_operations_that_answer_in_lines() -> None:
    paths = api.get_openapi_schema()["paths"]
    assert {
        name
        for name, (method, path) in operations().items()
        if STREAM in str(paths[path][method.lower()]["responses"])
    } == STREAMS


@pytest.mark.parametrize("name", [name for name in ROWS if name not in STREAMS])
def test_answers_are_those_of_the_document(name: str, at: Scene) -> None:
    known = asked(at).known
    operation = document().find_operation_by_id(name)
    program = Player.objects.create(name="Abacus", kind=Player.Kind.PROGRAM, owner=at.maeve)
    caller = program if operation.path.startswith("/api/tables") else at.maeve
    headers = {"Authorization": f"Bearer {token_of(caller)}"}
    there = {one: known[one] for one in re.findall(r"{(\w+)}", operation.path)}
    if operation.method.upper() != "GET" and "event_id" in there:
        there["event_id"] = at.coming.pk
    ask(
        strategies.one_of(
            operation.as_strategy(path_parameters=there, headers=headers),
            operation.as_strategy(path_parameters=there),
            operation.as_strategy(path_parameters=dict([*there.items()][:-1]), headers=headers),
            operation.as_strategy(GenerationMode.NEGATIVE, headers=headers),
        )
    )


def ask(cases: strategies.SearchStrategy[Case[Any]]) -> None:
    """Ask as the cases say, each from the same state, and check what is answered."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def each(case: Case[Any]) -> None:
        with transaction.atomic():
            case.call_and_validate(checks=CHECKS)
            transaction.set_rollback(True)

    each()
