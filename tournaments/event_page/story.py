"""The story of an event in sentences: who withdrew, who came in for whom, who never came."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from tournaments.models import Act, Entry, EntryPlayer, Event, Substitution
from tournaments.results import place_owners
from tournaments.results.match_lines import Team
from tournaments.results.place_owners import SeatKey
from tournaments.standings.ranking import Ranking
from tournaments.standings.winners import ordinal


def story_of(event: Event, ranked: Ranking, teams: Mapping[int, Team]) -> tuple[str, ...]:
    """Return the story of an event whose matches are all played; empty before."""
    if event.final_at is None and event.state != Event.State.FINISHED:
        return ()
    return (*_who_left(event, ranked, teams), *_who_sat_in(event))


def _who_left(event: Event, ranked: Ranking, teams: Mapping[int, Team]) -> Iterator[str]:
    acts = Act.objects.filter(event=event, kind=Act.Kind.WITHDRAW, undone_by=None)
    by_director = {act.entry_id: act for act in acts.select_related("by").order_by("pk")}
    for line in ranked.lines:
        entry, name = line.entry, teams[line.entry.pk].name
        if line.absent:
            yield f"{name} never came to a table."
            continue
        if entry.state != Entry.State.WITHDRAWN or entry.house:
            continue
        act = by_director.get(entry.pk)
        rounds = act.after.get("rounds", 0) if act else 0
        when = f" in round {rounds}" if rounds else ""
        was = "were" if len(teams[entry.pk].people) > 1 else "was"
        how = f"{was} withdrawn by {act.by.name}{when}" if act else "withdrew"
        if act is None and event.withdraws_absent and entry.missed:
            how = f"{was} withdrawn after missing {entry.missed} rounds in a row"
        yield f"{name} {how}: {ordinal(line.place)} of {len(ranked.lines)} in the standings."


def _who_sat_in(event: Event) -> Iterator[str]:
    """Yield who sat in which seat for its owner, and in which rounds."""
    last = event.played_rounds.count()
    turns: dict[SeatKey, list[tuple[str, int]]] = defaultdict(list)
    left = Substitution.objects.filter(entry__event=event).select_related("player")
    for one in left.order_by("until", "pk"):
        turns[SeatKey(one.entry_id, one.position)].append((one.player.name, one.until))
    owners = place_owners.first_players(event)
    now = EntryPlayer.objects.filter(event=event, entry__in={seat.entry for seat in turns})
    for seat in now.select_related("player"):
        turns[SeatKey(seat.entry_id, seat.position)].append((seat.player.name, last))
    for key, owner in owners.items():
        begins = 1
        for name, until in turns[key]:
            if name != owner.name and begins <= until:
                rounds = f"round {begins}" if begins == until else f"rounds {begins} to {until}"
                yield f"{name} sat for {owner.name} in {rounds}. The result is {owner.name}’s."
            begins = max(begins, until + 1)
