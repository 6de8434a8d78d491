"""What a director can do with a round and its tables; what is not possible says why."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from tournaments.directing import seating_by_hand, table_time
from tournaments.models import Event, Pairing, Round


@dataclass(frozen=True, slots=True)
class TableAct:
    """An act on a table or a round: its name, a few words, its page's path, or why not now."""

    name: str
    brief: str
    path: str
    no: str = ""


def acts_of(event: Event, match: Pairing, *, written: bool, movable: bool) -> tuple[TableAct, ...]:
    """Return the acts at a table of a running event.

    `written`: its score card has lines. `movable`: it can be moved to the room, or out of it.
    """
    here = [event.pk, match.round.number, match.number]
    move = TableAct(
        "Move online" if match.in_room else "Move to the room",
        "its players are called to the site" if match.in_room else "to play on with real cards",
        f"{reverse('move_table', args=here)}?to={'online' if match.in_room else 'room'}",
    )
    return (
        *([move] if movable else []),
        TableAct(
            "Change the seats",
            "within the table, or with another",
            reverse("seats_by_hand", args=here),
            seating_by_hand.why_settled(event, match.round)
            or seating_by_hand.why_stands(match, written=written),
        ),
        TableAct(
            "Give time",
            "more minutes for this table alone",
            f"{reverse('more_time', args=here)}?minutes=5",
            table_time.why_not(match),
        ),
        TableAct(
            "Penalty",
            "renege, table talk, or a warning",
            reverse("penalty", args=here),
        ),
        TableAct(
            "New code",
            "the old card stops working",
            reverse("new_table_code", args=[event.pk, match.number]),
            "" if match.in_room else "Only a table in the room has a code.",
        ),
        TableAct(
            "Play it again",
            "its result is removed",
            reverse("reopen_table", args=here),
            "" if match.state == Pairing.State.DECIDED else "The match is not over.",
        ),
    )


def acts_on_round(event: Event, round_: Round) -> tuple[TableAct, ...]:
    """Return the acts on the latest round of a running event."""
    here = [event.pk, round_.number]
    no = "All tables of the round share their deals." if event.first_stage.duplicate else ""
    return (
        TableAct(
            "Draw it again",
            "from the entries and results as they are now",
            reverse("draw_again", args=here),
            no,
        ),
        TableAct(
            "Take it back",
            "it was drawn too soon; the event is paused",
            reverse("take_back_round", args=here),
            no,
        ),
    )
