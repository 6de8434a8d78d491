"""The documentation page of the API: its operations by subject, and their responses.

It works without JavaScript and within the content security policy, unlike Swagger UI or Redoc.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

#: JSON Schema types in words.
TYPES: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
#: Formats of strings in words.
FORMATS: Final = {"date-time": "date and time", "date": "date", "uuid": "UUID", "uri": "URL"}
WHERE: Final = {"path": "in the address", "query": "in the query"}
BODY: Final = "body"
#: Code in a sentence.
CODE: Final = re.compile(r"`([^`]+)`")


class Guide(DocsBase):
    """Renders the OpenAPI document as a page of this site."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **options: Any) -> HttpResponse:
        document = api.get_openapi_schema(path_params=options)
        context = {
            "about": document["info"]["description"],
            "groups": groups(document),
            "shapes": list(shapes(document)),
        }
        return render(request, "site/api.html", context)


def groups(document: Mapping[str, Any]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Return the operations by subject, with the id and the heading of its section."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            tag = operation.get("tags", ["Others"])[0]
            found.setdefault(tag, []).append(_line(path, method, operation))
    return [
        (f"about-{name.lower().replace(' ', '-')}", name, lines) for name, lines in found.items()
    ]


def shapes(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects that an OpenAPI document refers to, by name."""
    used = set(re.findall(r'#/components/schemas/(\w+)"', json.dumps(document)))
    for name, schema in sorted(document["components"]["schemas"].items()):
        if name in used and "properties" in schema:
            fields = [
                _field(field, details, needed=field in schema.get("required", ()))
                for field, details in schema["properties"].items()
            ]
            yield {"name": name, "about": schema.get("description", ""), "fields": fields}


def kind_of(schema: Mapping[str, Any]) -> tuple[str, str]:
    if "$ref" in schema:
        return "", schema["$ref"].rsplit("/", 1)[-1]
    if "anyOf" in schema:
        kinds = [kind_of(one) for one in schema["anyOf"]]
        words = " or ".join(word or name for word, name in kinds)
        return words, next((name for _, name in kinds if name), "")
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"one of {', '.join(map(str, values))}", ""
    if schema.get("type") == "array":
        word, name = kind_of(schema["items"])
        return f"list of {word or name}", name
    return _plain(schema), ""


def in_html(text: str) -> SafeString:
    return mark_safe(CODE.sub(r"<code>\1</code>", escape(text)))  # noqa: S308 - escaped


def _plain(schema: Mapping[str, Any]) -> str:
    word = FORMATS.get(schema.get("format", "")) or TYPES.get(schema.get("type", ""), "any value")
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{word}, {low} to {high:,}"
    if low is not None:
        return f"{word}, at least {low}"
    return f"{word}, at most {schema['maxLength']} characters" if "maxLength" in schema else word


def _line(path: str, method: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    takes = [
        _field(one["name"], one["schema"], where=WHERE[one["in"]], needed=one["required"])
        for one in operation["parameters"]
        if one["in"] != "path" or "description" in one  # the path shows it
    ]
    bodies = list(operation.get("requestBody", {}).get("content", {}).values())
    takes += [_field(BODY, one["schema"], where="JSON", needed=True) for one in bodies]
    answers = []
    for status, answer in operation["responses"].items():
        if int(status) < 400:
            contents = list(answer.get("content", {}).values())
            kind, schema = kind_of(contents[0]["schema"]) if contents else ("nothing", "")
            example = json.dumps(contents[0]["example"], indent=2) if contents else ""
            answers.append(
                {
                    "status": status,
                    "about": answer["description"],
                    "kind": kind,
                    "schema": schema,
                    "example": example,
                }
            )
    summary, *about = [one.strip() for one in operation["description"].split("\n\n")]
    ways: list[Mapping[str, list[str]]] = operation["security"]
    scopes = [scope for way in ways for needed in way.values() for scope in needed]
    return {
        "key": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": summary,
        "about": [in_html(" ".join(one.split())) for one in about],
        "scope": "" if {} in ways else ", ".join(scopes),
        "takes": takes,
        "sends": next((json.dumps(one["example"], indent=2) for one in bodies), ""),
        "answers": answers,
    }


def _field(
    name: str, schema: Mapping[str, Any], *, where: str = "", needed: bool
) -> dict[str, Any]:
    kind, shape = kind_of(schema)
    default = schema.get("default")
    if default not in (None, ""):
        kind += f"; default: {default}"
    about = in_html(schema.get("description", ""))
    return {
        "name": name,
        "kind": kind,
        "schema": shape,
        "about": about,
        "where": where,
        "needed": needed,
    }
