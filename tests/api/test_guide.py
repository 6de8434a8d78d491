"""The page about the API: all of the document, without a script."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema_rs import Draft202012Validator

from euchre_site.api.api import api
from euchre_site.api.guide import kind_of
from tests.factories import logged_in, member

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]


def test_guide_lists_every_operation_and_object() -> None:
    page = Client().get("/api/docs").text
    document = api.get_openapi_schema()
    sent = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    ids = set(re.findall(r'id="([^"]+)"', page))
    names = {
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
    }
    assert names | sent <= ids
    assert all(path in page for path in document["paths"])


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each operation takes and answers, with the operation's name."""
    for methods in api.get_openapi_schema()["paths"].values():
        for operation in methods.values():
            answers = [one for at, one in operation["responses"].items() if int(at) < 400]
            for sent in (*answers, operation.get("requestBody", {})):
                for content in sent.get("content", {}).values():
                    yield operation["operationId"], content


def test_every_body_has_an_example_that_its_schema_allows() -> None:
    components = api.get_openapi_schema()["components"]
    wrong = [
        (name, error.message)
        for name, content in contents()
        for error in Draft202012Validator(
            {**content["schema"], "components": components}, validate_formats=True
        ).iter_errors(content["example"])
    ]
    assert wrong == []


def test_the_page_shows_the_examples() -> None:
    page = unescape(Client().get("/api/docs").text)
    assert all(json.dumps(content["example"], indent=2) in page for _, content in contents())


def test_the_documents_for_engineers_name_every_operation() -> None:
    told = (ROOT / "docs/api.md").read_text()
    document = api.get_openapi_schema()
    named = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    assert set(re.findall(r"`((?:GET|PUT|POST|DELETE) /api/[^`?]+)`", told)) == named


def test_links_within_the_page_resolve() -> None:
    page = Client().get("/api/docs").text
    ids = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ids


def test_the_page_keeps_to_the_security_policy() -> None:
    answer = Client().get("/api/docs")
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert re.findall(r"<script(?![^>]* src=)", answer.text) == []


def test_api_root_redirects_to_the_page() -> None:
    assert Client().get("/api/").headers["Location"] == "/api/docs"


def test_account_page_links_to_the_tokens() -> None:
    assert "/you/tokens/" in logged_in(member()).get("/you/").text


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 200}, "whole number, 1 to 200"),
        ({"type": "integer", "minimum": 0}, "whole number, at least 0"),
        ({"type": "string", "format": "date-time"}, "date and time"),
        ({"type": "string", "maxLength": 60}, "text, at most 60 characters"),
        ({"type": "string", "enum": ["open", "closed"]}, "one of open, closed"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text or null"),
        ({"type": "array", "items": {"type": "number"}}, "list of number"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Club"}}, "list of Club"),
    ],
)
def test_values_in_words(schema: dict[str, object], words: str) -> None:
    assert kind_of(schema)[0] == words
