"""Cached reading of rule sets stored in rows, of which few differ and some are read often."""

import json
from functools import lru_cache
from typing import Any

from games.engine.rules import RuleSet, rules_from_data


def stored_rules(data: Any) -> RuleSet:
    """Return the rule set from data of ``rules_to_data``; raise RuleSetError for invalid data."""
    return _read(json.dumps(data))


@lru_cache(maxsize=512)
def _read(text: str) -> RuleSet:
    # Cached by the text, because True == 1 and only one of them is valid as a number.
    return rules_from_data(json.loads(text))
