"""Examples of what the API takes and answers, made from the schemas of its document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: Values of text fields by their name; others have one by their format, or their name itself.
TEXTS: Final = {
    "about": "We play every Thursday.",
    "action": "play 9D",
    "address": "12 Mill Lane, Ashford",
    "card": "9D",
    "club": "thursday-euchre",
    "code": "not found",
    "country": "IE",
    "dealer": "West",
    "detail": "There is nothing here, or nothing that this caller may see.",
    "home_club": "Thursday euchre",
    "host": "Maeve",
    "house_level": "strong",
    "maker": "South",
    "name": "Thursday euchre",
    "partner": "Ben",
    "phase": "play",
    "place": "The Anchor",
    "seat": "North",
    "slug": "thursday-euchre",
    "time_zone": "Europe/Dublin",
    "title": "Thursday euchre",
    "trump": "hearts",
    "turn": "North",
    "turn_up": "QH",
    "turned_suit": "hearts",
    "venue": "The Old Mill",
    "version": "1.17",
}
FORMATS: Final = {
    "date-time": "2026-11-26T19:30:00Z",
    "date": "2026-11-26",
    "uuid": "0193673c-5f7a-7b1e-9c55-6f3f2f0a8a10",
    "uri": "https://euchre.example/events/7/",
}


def example_of(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "") -> Any:
    """Return a value that a schema allows; name: of its field. schemas: those it refers to."""
    if "$ref" in schema or "anyOf" in schema:
        one = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema["anyOf"][0]
        return example_of(one, schemas, name)
    if "enum" in schema or "const" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    example: Any = schema.get("default")
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            example = {one: example_of(about, schemas, one) for one, about in fields.items()}
        case "array":
            example = [example_of(schema["items"], schemas, name)] if "items" in schema else []
        case "string":
            text = FORMATS.get(schema.get("format", "")) or TEXTS.get(name, name or "text")
            example = example or text[: schema.get("maxLength")]
        case "integer" | "number":
            example = example or schema.get("minimum") or 1
        case "boolean":
            example = example is not False
    return example
