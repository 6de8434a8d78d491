"""Players' lists of games, and which of these a viewer may open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from games.models import Performance, Player, Seat
from games.records import RESULT_WORDS
from games.records.outcomes import DIRECTOR, PRACTICE, RULED, outcome_of
from games.records.sums import (
    PlayedRow,
)

#: The fields of a player that lists use.
KNOWN_BY = ("name", "kind", "user", "demonstration", "former", "private")
#: The same of the other players in a game.
OTHERS = [f"{who}__{field}" for who in ("partner", "left", "right") for field in KNOWN_BY]
#: The fields of a game that its outcome depends on.
OF_THE_GAME = [
    f"game__{field}"
    for field in (
        "table__title", "table__reserved", "state", "counts", "for_practice", "winner", "score_0",
        "score_1",
        "ruling", "rules_data",
    )
]  # fmt: skip
OUTCOMES: dict[int | None, str] = {
    None: "Given up",
    **{result: word.capitalize() for result, word in RESULT_WORDS.items()},
}


@dataclass(frozen=True, slots=True)
class PlayerGameLine:
    """A game in a player's list.

    Attributes:
        game_id: None if the viewer may not open it.
        title: its table's name, or empty.
        partner, opponents: None for a player whose record is private.
        row: the player's row.
        said: the source of a result other than the log's, see `Outcome.said`; or empty.
    """

    game_id: UUID | None
    title: str
    outcome: str
    partner: Player | None
    opponents: tuple[Player | None, ...]
    row: PlayedRow
    said: str = ""


def shows_record(player: Player, viewer: Player | None) -> bool:
    """Return True if `viewer` (None: a visitor) may see the record of `player`."""
    return not player.private or player == viewer


def rows_of(player: Player) -> list[PlayedRow]:
    """Return the rows of all a player's games, the newest first, in one query.

    Calls as the dealer are moved to place 4 in two-player games too.
    """
    done = Performance.objects.filter(player=player).order_by("-ended", "-pk")
    rows = (PlayedRow._make(row) for row in done.values_list(*PlayedRow._fields))
    return [
        row._replace(called_4=row.called_2, trumps_4=row.trumps_2, called_2=0, trumps_2=0)
        if row.right_id is None
        else row
        for row in rows
    ]


def hidden_from(viewer: Player | None, ids: Collection[int]) -> set[int]:
    """Return the ids of players whose record `viewer` (None: a visitor) may not see."""
    private = set(Player.objects.filter(pk__in=ids, private=True).values_list("pk", flat=True))
    return private - {viewer.pk if viewer else None}


def people(ids: Collection[int]) -> dict[int, Player]:
    return Player.objects.only(*KNOWN_BY).in_bulk(list(ids))


def game_lines(
    player: Player,
    rows: Sequence[PlayedRow],
    viewer: Player | None,
    invited: Collection[int] = (),
) -> list[PlayerGameLine]:
    """Return a player's games with links to those that `viewer` may open, in one query."""
    readable = Q(game__table__open=True) | Q(game__table__in=invited)
    if viewer is not None:
        seated = Seat.objects.filter(table=OuterRef("game__table"), player=viewer)
        readable |= Q(game__table__host=viewer) | Q(Exists(seated))
        readable |= Q(player=viewer) | Q(partner=viewer) | Q(left=viewer) | Q(right=viewer)
    games = Performance.objects.filter(player=player, pk__in=[row.id for row in rows])
    found = {
        performance.pk: performance
        for performance in games.annotate(readable=readable)
        .select_related("game__table", "partner", "left", "right")
        .only("position", *OF_THE_GAME, *OTHERS)
    }
    return [_line(row, found[row.id], viewer) for row in rows]


def _line(row: PlayedRow, performance: Performance, viewer: Player | None) -> PlayerGameLine:
    readable: bool = performance.readable  # type: ignore[attr-defined]

    def shown(player: Player) -> Player | None:
        return player if readable or shows_record(player, viewer) else None

    game = performance.game
    side = game.rules.side_of(performance.position) if game else 0
    outcome = outcome_of(game) if game else None
    opponents = (one for one in (performance.left, performance.right) if one is not None)
    return PlayerGameLine(
        game_id=row.game_id if readable else None,
        title=game.table.title if readable and game else "",
        outcome="Practice" if outcome and outcome.how == PRACTICE else OUTCOMES[row.result],
        partner=shown(performance.partner) if performance.partner else None,
        opponents=tuple(shown(one) for one in opponents),
        row=row,
        said=outcome.seen_from(side).said if outcome else RULED[DIRECTOR],
    )
