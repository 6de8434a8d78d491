"""What a director can do at a table, as the console lists it; what is not possible says why."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from tournaments.directing import seating_by_hand
from tournaments.models import Event, Pairing


@dataclass(frozen=True, slots=True)
class TableAct:
    """An act at a table: its name, what it means, the path of its page, or why not now."""

    name: str
    brief: str
    path: str
    no: str = ""


def acts_of(event: Event, match: Pairing) -> tuple[TableAct, ...]:
    """Return the acts at a table of a running event."""
    here = [event.pk, match.round.number, match.number]
    return (
        TableAct(
            "Change the seats",
            "within the table, or with another",
            reverse("seats_by_hand", args=here),
            seating_by_hand.why_settled(event, match.round) or seating_by_hand.why_stands(match),
        ),
    )
