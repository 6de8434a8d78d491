"""Write JSON that people can read: a line for each deal, each event and each field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def write_json(data: Mapping[str, Any]) -> bytes:
    fields = []
    for key, value in data.items():
        block = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and value:
            lines = ",\n".join(f" {json.dumps(entry, ensure_ascii=False)}" for entry in value)
            block = f"[\n{lines}\n]"
        fields.append(f"{json.dumps(key)}: {block}")
    return ("{\n" + ",\n".join(fields) + "\n}\n").encode()
