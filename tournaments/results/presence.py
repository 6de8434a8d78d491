"""Which entries have never come to a table, although they were called to one."""

from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.fields.json import KT

from games.models import Player, Seat
from tournaments.models import Correction, Entry, Event, Pairing, PairingEntry

FORFEIT = Pairing.How.FORFEIT


def never_came(event: Event) -> set[int]:
    """Return the entries that have missed every match decided so far, in one query.

    Online the table knows who was there, also where the house plays for those who are missing. In
    the room, and where a director set the result, the result says it: whoever loses by forfeit was
    not there, unless the match had another result at first. A match that was won because the
    others had withdrawn says nothing, also if it had been called before.
    """
    corrections = Correction.objects.filter(pairing=OuterRef("pairing")).exclude(before__how="")
    # The first only: a later one may have been taken back.
    first_how = corrections.order_by("pk").values(how=KT("before__how"))[:1]
    at_a_table = Seat.objects.filter(
        table__pairing__round__event=event,
        player__kind=Player.Kind.PERSON,
        last_seen__gte=F("table__created"),
    ).values("player")
    came = Entry.objects.filter(
        Q(players__player__in=at_a_table) | Q(substitutions__player__in=at_a_table),
        pk=OuterRef("entry"),
    )
    by_the_house = Seat.objects.filter(  # before a person took over the place of a house player
        table=OuterRef("pairing__table"),
        player__kind=Player.Kind.HOUSE,
        player__seats_left__entry=OuterRef("entry"),
    )
    called = PairingEntry.objects.filter(
        Q(pairing__in_room=True) | Q(pairing__table__isnull=False),
        pairing__round__event=event,
        pairing__state=Pairing.State.DECIDED,
        entry__house=False,
    ).exclude(Exists(by_the_house))
    missing, there = set(), set()
    for entry, side, winner, how, in_room, first, seen in called.order_by().values_list(
        "entry", "side", "pairing__winner", "pairing__how", "pairing__in_room",
        Subquery(first_how), Exists(came),
    ):  # fmt: skip
        won_unplayed = how == FORFEIT and winner == side
        lost_unplayed = how == FORFEIT and winner != side and first in (None, FORFEIT)
        if seen or (not lost_unplayed and (in_room or how == Pairing.How.DIRECTOR)):
            there.add(entry)
        elif not won_unplayed:
            missing.add(entry)
    return missing - there
