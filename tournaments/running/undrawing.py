"""A round that is taken away: what stands in it, and what follows for its tables.

Whoever is to be drawn next is computed from what is left, as for any round.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from games.seats import reserved
from tournaments.models import Event, Pairing, Round, ScoreLine, Substitution
from tournaments.results import corrections
from tournaments.webhooks import webhooks


class Standing(NamedTuple):
    """A match at which something stands: its table, and its result in words if it has one."""

    table: int
    result: str


def standing(round_: Round) -> list[Standing]:
    """Return the matches of a round that are decided or have begun."""
    written = Exists(ScoreLine.objects.filter(pairing=OuterRef("pk")))
    rows = round_.pairings.annotate(written=written).order_by("number")
    found = []
    for match in rows:
        if match.state == Pairing.State.DECIDED:
            values = {"winner": match.winner, "points": match.points, "how": match.how}
            found.append(Standing(match.number, corrections.in_words(values)))
        elif match.written or (match.state == Pairing.State.PLAYING and not match.in_room):
            found.append(Standing(match.number, ""))
    return found


def remove(event: Event, round_: Round, now: datetime) -> None:
    """Take the latest round away; the event must be locked.

    Its tables close, and nothing played there counts.
    """
    pairings = list(round_.pairings.order_by("number"))
    for match in pairings:
        if match.table_id is not None:
            reserved.end(match.table_id, now)
        corrections.count_nothing(event, match)
    tables = [match.table_id for match in pairings if match.table_id is not None]
    webhooks.forget_round(round_)
    round_.delete()
    # Whoever takes a seat now comes after those who had it in this round.
    left = Substitution.objects.filter(entry__event=event, until__gte=round_.number)
    left.update(until=round_.number - 1)
    reserved.open_deals(tables)
    event.bracket_by_hand = [one for one in event.bracket_by_hand if one[0] != round_.number]
    event.final_at, event.due = None, now
    event.save(update_fields=["final_at", "due", "bracket_by_hand"])
