"""Rule sets as rows keep them: many rows hold one of few, and a page asks some of them often."""

import json
from functools import lru_cache
from typing import Any

from games.engine.rules import RuleSet, rules_from_data


def stored_rules(data: Any) -> RuleSet:
    """Return the rule set of a row; equal data are read and checked once.

    data: what ``rules_to_data`` wrote. Raises RuleSetError if it is none.
    """
    return _read(json.dumps(data))


@lru_cache(maxsize=512)
def _read(text: str) -> RuleSet:
    # The text is the key, since True and 1 are equal, and only one of them may stand for a number.
    return rules_from_data(json.loads(text))
