"""Finds whatever a director types: people, a table by its number, or a card by its code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from django.db.models import Q

from games.models import Player
from tournaments.models import Entry, Event, ListedName, Membership, Pairing
from tournaments.models.room import CODE_LENGTH
from tournaments.results import place_owners
from tournaments.results.event_rows import with_players
from tournaments.room_scores import codes
from tournaments.search import club_list
from tournaments.search.folding import Folded, fold
from tournaments.search.searching import words_of

#: People found of each kind; more letters find fewer.
MAX_FOUND: Final = 12


_TABLE: Final = re.compile("(?:table *)?([0-9]{1,4})", re.IGNORECASE)


class Found(NamedTuple):
    """Whatever matches: entries in the event by name, others of the club, or a table.

    listed: people on the club's list who are no members. no_table: why no table has the number.
    named: whether a name was looked for. owners: members who keep a place that somebody else plays
    in.
    """

    entries: Sequence[Entry] = ()
    members: Sequence[Player] = ()
    listed: Sequence[ListedName] = ()
    table: Pairing | None = None
    no_table: str = ""
    named: bool = True
    owners: frozenset[int] = frozenset()

    @property
    def nothing(self) -> bool:
        return not (self.entries or self.members or self.listed or self.table or self.no_table)


def find(event: Event, text: str) -> Found | None:
    """Find a table of the latest round by its number, a card by its code, or people by name.

    People are found by the beginnings of their names; returns None if there are too few letters.
    """
    if number := _TABLE.fullmatch(text.strip()):
        return _find_table(event, int(number[1]))
    return _find_card(event, text) or _find_people(event, text)


def _find_card(event: Event, text: str) -> Found | None:
    """Return the walk-in or the table whose card has a code; None if no card has it."""
    code = codes.plain(text)
    if len(code) != CODE_LENGTH:
        return None
    if walk_in := event.walk_ins.filter(code=code).first():
        holder = walk_in.claimed_by_id or walk_in.player_id
        theirs = Q(players__player=holder) | Q(substitutions__player=holder)
        return Found(list(with_players(event.entries.filter(theirs).distinct())), named=False)
    card = event.room_tables.filter(code=code).first()
    return _find_table(event, card.number) if card is not None else None


def _find_table(event: Event, number: int) -> Found:
    latest = event.played_rounds.order_by("-number").first()
    table = Pairing.objects.filter(round=latest, number=number).select_related("round").first()
    if latest is not None and table is not None:
        return Found(table=table, named=False)
    words = "No round has been drawn yet, so nobody has a table."
    if latest is not None:
        words = f"Round {latest.number} has no table {number}."
    return Found(no_table=words, named=False)


def _find_people(event: Event, text: str) -> Found | None:
    words = words_of(text)
    if not words:
        return None
    matching = Q()
    for word in words:
        matching &= Q(folded__contains=f" {word}")
    named = event.entered_players.annotate(folded=Folded("player__name")).filter(matching)
    entries = with_players(event.entries.filter(pk__in=named.values("entry")))
    inside = sorted(entries, key=lambda entry: (fold(entry.name), entry.pk))[:MAX_FOUND]
    taken = event.entered_players.filter(active=True).values("player")
    members = (
        Membership.objects.filter(club=event.club, player__user__is_active=True)
        .exclude(player__in=taken)
        .annotate(folded=Folded("player__name"))
        .filter(matching)
        .select_related("player")
        .order_by("player__name", "player")
    )
    return Found(
        inside,
        [one.player for one in members[:MAX_FOUND]],
        club_list.to_enter(event, words),
        owners=place_owners.owner_ids(event),
    )
