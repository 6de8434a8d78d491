"""Reads an event's entries and matches in few queries, for pages, the API and the formats.

For the formats, an entrant's number is the primary key of the entry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import F, Prefetch, Q, QuerySet

from games.models import Table
from games.models.shared_deals import sealed
from tournaments.formats import comparison
from tournaments.formats.comparison import Scoring, TableRound
from tournaments.formats.draw import DrawnMatch, PlayedMatch, PlayedRound
from tournaments.models import Entry, EntryPlayer, Event, Pairing, PairingEntry, Round, SitOut


def entries_of(event: Event) -> list[Entry]:
    return list(with_players(event.entries.filter(seed__isnull=False)).order_by("seed"))


def fillers_of(event: Event) -> list[Entry]:
    return list(with_players(event.entries.filter(house=True, arrival=None)).order_by("pk"))


def with_players(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    players = EntryPlayer.objects.select_related("player").order_by("position")
    return entries.prefetch_related(Prefetch("players", queryset=players))


def rounds_of(
    event: Event, *, stage: int | None = None, unfinished: bool = False
) -> list[PlayedRound]:
    """Return the rounds played, in order, as the formats take them.

    stage: 1 or 2; None for both. unfinished: whether to include the decided matches of the round
    being played.
    """
    rounds = Round.objects.filter(event=event)
    if stage is not None:
        rounds = rounds.filter(stage=stage)
    if not unfinished:
        rounds = rounds.filter(over__isnull=False)
    numbers = dict(rounds.order_by("number").values_list("pk", "over"))
    over = {one for one, ended in numbers.items() if ended is not None}
    matches: dict[int, list[PlayedMatch]] = {one: [] for one in numbers}
    sit_outs: dict[int, list[int]] = {one: [] for one in matches}
    # Read as plain values, since there may be thousands. Each query asks for the rounds read first
    # and what it needs from the one before, as a round may be drawn or decided in between.
    pairings = Pairing.objects.filter(round__in=[*matches], state=Pairing.State.DECIDED)
    rows = list(
        pairings.order_by("number").values_list(
            "pk", "round", "number", "winner", "how", "points_0", "points_1", "lone_0", "lone_1",
            "deal_results", "played_out", "handicap_0", "handicap_1",
        )
    )  # fmt: skip
    sides: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    lines = PairingEntry.objects.filter(pairing__round__in=[*matches]).order_by("position")
    for pairing, side, entry in lines.values_list("pairing", "side", "entry"):
        sides[pairing][side].append(entry)
    compared: dict[int, list[TableRound]] = {one: [] for one in numbers}
    for (
        pk, round_id, number, winner, how, points_0, points_1, lone_0, lone_1, deals, played_out,
        *given,
    ) in rows:  # fmt: skip
        north_south, east_west = sides[pk]
        played = PlayedMatch(
            DrawnMatch(number, (tuple(north_south), tuple(east_west))),
            winner,
            (points_0, points_1),
            (lone_0, lone_1),
            forfeit=how == Pairing.How.FORFEIT,
        )
        matches[round_id].append(with_handicap(played, (given[0], given[1])))
        compared[round_id].append(table_round(deals, played, played_out=played_out))
    if event.first_stage.duplicate:
        for round_id in compared.keys() & over:
            scores = comparison.match_scores(
                compared[round_id], event.deals or 0, Scoring(event.scoring)
            )
            matches[round_id] = [
                match._replace(scores=both)
                for match, both in zip(matches[round_id], scores, strict=True)
            ]
    idle = SitOut.objects.filter(round__in=[*matches]).order_by("entry")
    for round_id, entry in idle.values_list("round", "entry"):
        sit_outs[round_id].append(entry)
    return [PlayedRound(tuple(matches[one]), tuple(sit_outs[one])) for one in matches]


def with_handicap(match: PlayedMatch, given: tuple[int, int]) -> PlayedMatch:
    """Return a match as it counts with the points given; a forfeit counts as it is."""
    if match.forfeit or given == (0, 0):
        return match
    first, second = (match.points[side] + given[side] for side in (0, 1))
    winner = -1 if first == second else int(second > first)
    return match._replace(points=(first, second), winner=winner)


def table_round(
    deals: Sequence[Mapping[str, Any]], played: PlayedMatch, *, played_out: bool
) -> TableRound:
    """Return a match of a duplicate event as its results are compared with other tables'.

    A forfeit during play leaves the finished deals compared; one that a director rules for a match
    that was over takes the place of all its deals.

    deals, played_out: as in `Pairing`.
    """
    nets = tuple(deal["net"] for deal in deals)
    if played.forfeit:
        sides = frozenset({0, 1} - {played.winner})
        return TableRound(() if played_out else nets, forfeited_by=sides)
    total = played.points[0] - played.points[1]
    return TableRound(nets) if total == sum(nets) else TableRound(nets, total)


def compared(row: Pairing) -> TableRound:
    """Return a match of a duplicate event as its results are compared.

    One that was broken off with its event has only its deals.
    """
    if row.state != Pairing.State.DECIDED:
        return TableRound(tuple(deal["net"] for deal in row.deal_results))
    pairing = DrawnMatch(row.number, ((), ()))
    forfeit = row.how == Pairing.How.FORFEIT
    match = PlayedMatch(pairing, row.winner, row.points, row.lone_hands, forfeit=forfeit)
    return table_round(row.deal_results, match, played_out=row.played_out)


def still_in(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.state != Entry.State.WITHDRAWN]


def entries(event: Event) -> QuerySet[Entry]:
    """Return all complete entries, withdrawn ones too, in order of arrival."""
    return with_players(event.entries.filter(arrival__isnull=False).order_by("arrival"))


def entry(entry_id: int) -> Entry:
    return with_players(Entry.objects.all()).get(pk=entry_id)


def pairings(event: Event, *, round_number: int | None = None) -> QuerySet[Pairing]:
    rows = Pairing.objects.filter(round__event=event)
    if round_number is not None:
        rows = rows.filter(round__number=round_number)
    return with_entries(rows)


def sealed_tables(rows: Iterable[Pairing]) -> set[int]:
    """Return the tables of these matches whose deals other tables still play."""
    tables = [row.table_id for row in rows if row.table_id is not None]
    found = Table.objects.filter(sealed(""), pk__in=tables)
    return set(found.values_list("pk", flat=True))


def with_entries(rows: QuerySet[Pairing]) -> QuerySet[Pairing]:
    lines = PairingEntry.objects.order_by("side", "position")
    ordered = rows.select_related("round").order_by("round__number", "number")
    return ordered.prefetch_related(Prefetch("entries", lines))


def entry_values(entry: Entry, players: Any, prizes: Mapping[int, int]) -> dict[str, Any]:
    return {
        "entry": entry.pk,
        "players": players,
        "state": entry.state,
        "house": entry.house,
        "seed": entry.seed,
        "lot": entry.lot,
        "first_round": entry.first_round,
        "qualified": entry.qualified,
        "place": entry.place,
        "prize_place": prizes.get(entry.pk),
    }


def drawn(event: Event) -> dict[int, Entry]:
    """Return the entries that are or were in the draw, by key: by seed, then those of the house."""
    either = Q(seed__isnull=False) | Q(house=True, arrival=None)
    rows = with_players(event.entries.filter(either))
    return {entry.pk: entry for entry in rows.order_by(F("seed").asc(nulls_last=True), "pk")}
