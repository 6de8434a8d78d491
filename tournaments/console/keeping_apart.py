"""Couples and others whom a director keeps apart, and whether the draws can do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from games.models import Player
from tournaments.changes import row_locks
from tournaments.events.notices import note
from tournaments.formats.apart import Apart, Pair
from tournaments.formats.base import Stage
from tournaments.formats.draw import PlayedMatch, PlayedRound
from tournaments.models import Entry, Event, KeptApart
from tournaments.models.entries import COMPLETE, PLACED
from tournaments.refusals import RefusedError
from tournaments.standings import conflicts_of_interest, draws

#: Evenings that are tried out, each with other seats and results by chance.
EVENINGS: Final = 3
#: The most entries with which they are tried out, so that the page stays quick.
MOST_TRIED: Final = 120
#: The most pairs of an event.
MOST: Final = 60


@dataclass(frozen=True, slots=True)
class ApartLine:
    """Two entries that are kept apart, and in how many of the evenings tried they came together.

    `evenings` is None if nothing was tried.
    """

    row: KeptApart
    evenings: int | None

    @property
    def words(self) -> str:
        if self.evenings is None:
            return ""
        if not self.evenings:
            return f"Kept in all {EVENINGS} trial events."
        return f"Cannot always be kept: broken in {self.evenings} of {EVENINGS} trial events."


def choices(event: Event) -> list[Entry]:
    """Return the entries that can be kept apart, by name."""
    entries = event.entries.filter(state__in=COMPLETE, house=False)
    return sorted(
        entries.prefetch_related("players__player"), key=lambda entry: entry.name.casefold()
    )


def keep(event: Event, one: int, other: int, kind: str, by: Player) -> None:
    """Keep two entries apart, or change how; raise RefusedError if it is too late, or not for `by`.

    one, other: keys out of `choices`.
    """
    with row_locks.changing(event) as locked:
        _check_time(locked)
        if kind not in locked.first_stage.keeps_apart:
            words = f"The draws of a {locked.first_stage.name} cannot keep them apart like that."
            raise RefusedError("kind", words, 422)
        if one == other:
            raise RefusedError("same", "Choose two different ones.", 422)
        pair = list(locked.entries.filter(pk__in=(one, other)).order_by("pk"))
        if len(pair) < 2:
            raise RefusedError("gone", "One of them is not in the event any more.")
        _check_own(locked, pair, by)
        if locked.kept_apart.count() >= MOST:
            raise RefusedError("many", f"An event keeps at most {MOST} pairs apart.")
        first, second = pair
        locked.kept_apart.update_or_create(one=first, other=second, defaults={"kind": kind})
        said = KeptApart.Kind(kind).label.lower()
        note(locked, f"{first.name} and {second.name}: {said}.", by)


def release(row: KeptApart, by: Player) -> None:
    """Keep two entries apart no longer; raise RefusedError like `keep`."""
    with row_locks.changing(row.event) as locked:
        _check_time(locked)
        _check_own(locked, [row.one, row.other], by)
        row.delete()
        note(locked, f"{row.one.name} and {row.other.name}: no longer kept apart.", by)


def _check_time(event: Event) -> None:
    if event.started is not None or event.ended is not None:
        raise RefusedError("started", "This can only be changed before the start.")


def _check_own(event: Event, pair: Sequence[Entry], by: Player) -> None:
    """Refuse a director's own entry, unless nobody else can do it."""
    own = any(line.player_id == by.pk for entry in pair for line in entry.players.all())
    if own and not conflicts_of_interest.is_only_director(event, by):
        words = f"{by.name} plays, so another director says whom they do not meet."
        raise RefusedError(conflicts_of_interest.OWN, words, 403)


def lines_of(event: Event) -> list[ApartLine]:
    """Return the pairs of an event, each with what became of it in the evenings tried."""
    rows = event.kept_apart.select_related("one", "other").prefetch_related(
        "one__players__player", "other__players__player"
    )
    found = list(rows)
    broken = tried(event, draws.apart_in(event)) if found and event.started is None else None
    return [
        ApartLine(row, None if broken is None else broken[row.one_id, row.other_id])
        for row in found
    ]


def tried(event: Event, apart: Apart) -> Counter[Pair] | None:
    """Return in how many of `EVENINGS` evenings each pair comes together, with results by chance.

    None if there are too few entries to play, or too many to try.
    """
    placed = list(event.entries.filter(state__in=PLACED).order_by("arrival"))
    aside = {entry.pk for entry in draws.surplus_at_start(event, placed)}
    entered = [entry.pk for entry in placed if entry.pk not in aside]
    if not event.first_stage.least_entries <= len(entered) <= MOST_TRIED:
        return None
    fillers = draws.fillers_needed(event, placed)
    playing = [*entered, *range(-fillers, 0)]
    broken: Counter[Pair] = Counter()
    for number in range(EVENINGS):
        seed, history = f"{event.seed} evening {number}", list[PlayedRound]()
        rng = Random(seed)  # noqa: S311 - only tried
        together: set[Pair] = set()
        for left in range(event.round_count(len(entered)) or 0, 0, -1):
            stage = Stage(event, seed, playing, playing, history, left, apart=apart)
            drawn = event.first_stage.draw(stage)
            together.update(pair for match in drawn.pairings for pair in apart.together(match))
            played = (PlayedMatch(match, rng.randrange(2), (5, 3)) for match in drawn.pairings)
            history.append(PlayedRound(tuple(played), drawn.sit_outs))
        broken.update(together)
    return broken
