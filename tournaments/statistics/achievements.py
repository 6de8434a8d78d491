"""Achievements and the share of games finished, for a profile; nothing here is said of bad luck."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from games.models import Player, Proposal
from games.records.sums import DealTotals, PlayedRow

#: Games with one partner that are worth a line.
WITH_ONE: Final = 100
#: The share of games finished is shown from so many games on, and only if it is so high.
ENOUGH_GAMES: Final = 20
GOOD_SHARE: Final = 90


def achievements_of(rows: Sequence[PlayedRow], totals: DealTotals) -> list[tuple[str, str]]:
    """Return what a player has achieved in some games, in two parts, from one query at most."""
    found = []
    if totals.alone_marched:
        found.append(("Lone march", f"All five tricks alone, {_times(totals.alone_marched)}"))
    if totals.lone_euchres:
        words = f"Stopped a player who went alone, {_times(totals.lone_euchres)}"
        found.append(("Euchre of a lone hand", words))
    games = Counter(row.partner_id for row in rows if row.partner_id is not None)
    often = {key: number for key, number in games.items() if number >= WITH_ONE}
    people = Player.objects.filter(pk__in=often, kind=Player.Kind.PERSON, former=False)
    return found + [
        (f"{often[one.pk]} games with one partner", one.name)
        for one in (people.order_by("pk") if often else ())
    ]


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def share_finished(player: Player, games: int) -> int | None:
    """Return the percentage of games that a player did not leave; None if it is not to be shown."""
    if games < ENOUGH_GAMES:
        return None
    left = Proposal.objects.filter(player=player, kind=Proposal.Kind.LEAVE)
    share = 100 * (games - left.values("game").distinct().count()) // games
    return share if share >= GOOD_SHARE else None
