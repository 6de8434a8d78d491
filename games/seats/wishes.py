"""What a person would like to play, remembered from last time in their browser's session."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase

from games.engine.rules import RULE_SETS, RuleSet
from games.refusals import VerbError
from games.rule_words import choices

KEY: Final = "wish"


class TurnPace(NamedTuple):
    key: str
    name: str
    turn_seconds: int


#: The first is the usual one.
PACES: Final = (TurnPace("relaxed", "Relaxed", 45), TurnPace("fast", "Fast", 12))
#: Whether a game counts for ratings; the first is the usual one.
FRIENDLY: Final = "friendly"
RATED: Final = "rated"
KINDS: Final = (FRIENDLY, RATED)


class WishError(VerbError):
    STATUS: ClassVar = {"no such choice": 400}


class WishChoice(NamedTuple):
    """What a person would like to play, as they chose it in a form."""

    rules: RuleSet
    pace: TurnPace
    kind: str


def chosen(fields: Mapping[str, str], session: SessionBase) -> WishChoice:
    """Return the choice in a form's fields; without a pace it is that of last time.

    Raises WishError ``no such choice``.
    """
    rules = RULE_SETS.get(fields.get("rules", ""))
    if rules is None:
        raise WishError("no such choice", "There is no such game here; choose one of the list.")
    wanted = fields.get("pace") or for_form(session)["last_pace"].key
    pace = next((one for one in PACES if one.key == wanted), None)
    if pace is None:
        names = " or ".join(one.key for one in PACES)
        raise WishError("no such choice", f"The pace is {names}.")
    kind = fields.get("kind", FRIENDLY)
    if kind not in KINDS:
        raise WishError("no such choice", f"The game is {' or '.join(KINDS)}.")
    return WishChoice(rules, pace, kind)


def pace_of(turn_seconds: int | None) -> TurnPace:
    """Return the pace with this turn clock, or the usual one."""
    return next((one for one in PACES if one.turn_seconds == turn_seconds), PACES[0])


def remember(session: SessionBase, rules: str, pace: str, kind: str = FRIENDLY) -> None:
    if session.get(KEY) != [rules, pace, kind]:
        session[KEY] = [rules, pace, kind]


def for_form(session: SessionBase) -> dict[str, Any]:
    """Return what the form of "Play now" needs: the choices, and those of last time."""
    # Sessions from before there were rated games have no third value.
    rules, pace, kind = [*session.get(KEY, ("", "")), FRIENDLY][:3]
    return {
        "rule_sets": choices(RULE_SETS.values()),
        "paces": PACES,
        "last_rules": rules if rules in RULE_SETS else next(iter(RULE_SETS)),
        "last_pace": next((one for one in PACES if one.key == pace), PACES[0]),
        "last_kind": kind if kind in KINDS else FRIENDLY,
        "played_before": rules in RULE_SETS,
    }
