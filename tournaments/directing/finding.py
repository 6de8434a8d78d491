"""Finds people for a director: those in the event, and members who are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.db.models import Q
from django.urls import reverse

from games.models import Player
from tournaments.attendance import substitutes
from tournaments.events.states import UPCOMING
from tournaments.models import Entry, Event, Membership, PairingEntry, WalkIn
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.results.event_rows import with_players
from tournaments.search.folding import Folded
from tournaments.search.searching import words_of
from tournaments.standings import conflicts_of_interest

#: People found of each kind; more letters find fewer.
MAX_FOUND: Final = 12


class FoundEntry(NamedTuple):
    """An entry, and those of its players who are walk-ins, with their codes.

    replaceable, out, back: whether a substitute can be put in, and whether this director can
    withdraw it or put it back now.
    penalty: the path to a penalty against it at its match of the latest round. no_penalty: why
    there is none in a running event; both are empty otherwise.
    """

    entry: Entry
    walk_ins: Sequence[WalkIn]
    replaceable: bool
    out: bool
    back: bool
    penalty: str = ""
    no_penalty: str = ""


class FoundPeople(NamedTuple):
    """Those who match, by name: entries in the event, and other members of the club."""

    entries: Sequence[FoundEntry]
    members: Sequence[Player]


def find(event: Event, text: str, by: Player) -> FoundPeople | None:
    """Find people by the beginnings of their names; None if there are too few letters."""
    words = words_of(text)
    if not words:
        return None
    matching = Q()
    for word in words:
        matching &= Q(folded__contains=f" {word}")
    named = event.entered_players.annotate(folded=Folded("player__name")).filter(matching)
    entries = event.entries.filter(pk__in=named.values("entry")).order_by("pk")
    taken = event.entered_players.filter(active=True).values("player")
    members = (
        Membership.objects.filter(club=event.club, player__user__is_active=True)
        .exclude(player__in=taken)
        .annotate(folded=Folded("player__name"))
        .filter(matching)
        .select_related("player")
        .order_by("player__name", "player")
    )
    inside = list(with_players(entries)[:MAX_FOUND])
    codes = {one.player_id: one for one in event.walk_ins.select_related("player")}
    penalties = _penalties(event, inside)
    kept = conflicts_of_interest.why_not_out(event, by)
    running = event.state == Event.State.RUNNING and event.final_at is None
    able = COMPLETE + INCOMPLETE if event.state in UPCOMING else PLACED if running else ()
    return FoundPeople(
        [
            FoundEntry(
                one,
                [codes[line.player_id] for line in one.players.all() if line.player_id in codes],
                running and not one.house and substitutes.can_be_replaced(event, one),
                one.state in able and one.pk not in kept,
                one.state == Entry.State.WITHDRAWN and bool(able),
                *penalties.get(one.pk, ()),
            )
            for one in inside
        ],
        [one.player for one in members[:MAX_FOUND]],
    )


def _penalties(event: Event, entries: Sequence[Entry]) -> dict[int, tuple[str, str]]:
    """Return by entry the path to a penalty at its match of the latest round, and why none."""
    if event.state != Event.State.RUNNING:
        return {}
    latest = event.played_rounds.order_by("-number").first()
    if latest is None:
        return {one.pk: ("", "No penalty yet: no round has been drawn.") for one in entries}
    lines = PairingEntry.objects.filter(round=latest, entry__in=entries).select_related("pairing")
    found = {one.pk: ("", f"No penalty: no match in round {latest.number}.") for one in entries}
    for line in lines:
        path = reverse("penalty", args=[event.pk, latest.number, line.pairing.number])
        found[line.entry_id] = (f"{path}?side={line.side}", "")
    return found
