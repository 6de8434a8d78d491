"""What a person would like to play, remembered from last time in their browser's session."""

from typing import Any, Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase

from games.engine.rules import RULE_SETS
from games.rule_words import choices

KEY: Final = "wish"


class Pace(NamedTuple):
    key: str
    name: str
    turn_seconds: int


#: The first is the usual one.
PACES: Final = (Pace("relaxed", "Relaxed", 45), Pace("fast", "Fast", 12))


def remember(session: SessionBase, rules: str, pace: str) -> None:
    if session.get(KEY) != [rules, pace]:
        session[KEY] = [rules, pace]


def for_form(session: SessionBase) -> dict[str, Any]:
    """Return what the form of "Play now" needs: the choices, and those of last time."""
    rules, pace = session.get(KEY, ("", ""))
    return {
        "rule_sets": choices(RULE_SETS.values()),
        "paces": PACES,
        "last_rules": rules if rules in RULE_SETS else next(iter(RULE_SETS)),
        "last_pace": next((one for one in PACES if one.key == pace), PACES[0]),
        "played_before": rules in RULE_SETS,
    }
