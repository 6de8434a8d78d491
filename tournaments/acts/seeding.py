"""The seeds of an event, in an order set by hand before its draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.http import HttpRequest

from games.models import Player
from tournaments.acts.base import DirectorAct, Names
from tournaments.acts.page import ActPage, choice_in
from tournaments.changes import row_images
from tournaments.entering.places_and_waiting_list import placed
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event
from tournaments.refusals import RefusedError
from tournaments.results.event_rows import with_players
from tournaments.results.match_lines import team_of
from tournaments.running import steps
from tournaments.standings import conflicts_of_interest

#: How the first round names who fills up its tables.
HOUSE: Final = (None, "A house player")


class OrderForm(forms.Form):
    """The keys of all entries of people, the best first."""

    order = forms.CharField(max_length=10_000, widget=forms.HiddenInput)

    def __init__(self, sent: Mapping[str, Any] | None, now: Sequence[int]) -> None:
        """Take the order that was sent, with one entry moved a place if `move` says so."""
        sent_order = str((sent or {}).get("order", "")).split(",")
        keys = {str(one): one for one in now}
        known = [keys[one] for one in sent_order if one in keys]
        self.wanted = [*dict.fromkeys([*known, *now])]
        who, _colon, step = str((sent or {}).get("move", "")).partition(":")
        if step in ("-1", "1") and who in keys:
            at = self.wanted.index(keys[who])
            self.wanted.insert(max(0, at + int(step)), self.wanted.pop(at))
        super().__init__({"order": ",".join(map(str, self.wanted))} if sent else None)


def set_order(
    event: Event, by: Player, order: Sequence[int], *, reason: str, now: datetime
) -> None:
    """Seed the entries in this order; whoever enters later comes after them, by rating.

    Raises RefusedError ``started``, ``lot``, ``changed`` if others have entered or left, or ``own
    table`` if `by` plays: in a known order of the others one can choose one's opponent.
    """
    reason = acts.reason(reason)
    with row_images.changing(event) as locked:
        _check_open(locked, by)
        rows = [one for one in _in_order(locked) if not one.house]
        before = [one.pk for one in rows]
        if sorted(order) != sorted(before):
            raise RefusedError("changed", "Others have entered or left: look at the order again.")
        for one in rows:
            one.table_place = order.index(one.pk) + 1
        Entry.objects.bulk_update(rows, ["table_place"])
        acts.record(
            locked, Act.Kind.SEEDS, by, now, reason=reason,
            before={"order": before}, after={"order": [*order]},
        )  # fmt: skip
        note(locked, "The seeds were set by hand.", by, public=True)


def _check_open(event: Event, by: Player) -> None:
    if event.started or event.state in (Event.State.CANCELLED, Event.State.FINISHED):
        raise RefusedError("started", "The draw has been made: the seeds are fixed.")
    if event.first_stage.individual or event.first_stage.duplicate:
        # Else a director could try orders until the draw is liked.
        raise RefusedError("lot", "Here the lot alone decides who sits where.")
    conflicts_of_interest.check_seeds(event, by)


def _in_order(event: Event) -> list[Entry]:
    rows = event.entries.filter(placed()).order_by("arrival")
    return steps.seeded(event, list(with_players(rows)))


class SetSeeds(DirectorAct):
    kind, words = Act.Kind.SEEDS, "Set the seeds"
    address = "seeds/"
    url_name = "seeds_by_hand"

    def page(self, request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        blocked, rows = "", _in_order(event)
        try:
            _check_open(event, by)
        except RefusedError as error:
            blocked = error.message
        form = OrderForm(choice_in(request), [one.pk for one in rows if not one.house])
        return ActPage(
            title="Seeds by hand",
            explains="The best first. Whoever enters later comes after them, by rating.",
            submit_label="Keep this order",
            done="The seeds are as you have set them.",
            until="Can be undone until the draw. After that not any more: games would fall.",
            verb=lambda reason, at: set_order(event, by, form.wanted, reason=reason, now=at),
            choice=form,
            blocked_reason=blocked,
            template="tournaments/console/seeds.html",
            shown={} if blocked else _shown(event, rows, form.wanted),
        )

    def value(self, _event: Event, values: dict[str, Any], names: Names) -> str:
        return ", ".join(names.entries.get(one, "somebody") for one in values["order"])

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        _check_open(event, by)
        super().undo(event, row, by, now)


def _shown(event: Event, rows: Sequence[Entry], order: Sequence[int]) -> dict[str, object]:
    """Return the entries in this order, and the first round that follows, as far as it is new."""
    by_key = {one.pk: one for one in rows}
    house = [one for one in rows if one.house]
    was = {match.sides for match in steps.first_draw(event, rows).pairings}
    drawn = steps.first_draw(event, [*(by_key[one] for one in order), *house])
    seeds = {one: (at, team_of(by_key[one]).name) for at, one in enumerate(order, start=1)}
    return {
        "order": ",".join(map(str, order)),
        "rows": [(one, seeds[one][1], by_key[one].seed) for one in order],
        "firsts": [
            (
                [[seeds.get(one, HOUSE) for one in side] for side in match.sides],
                match.sides not in was,
            )
            for match in drawn.pairings
        ],
        "idle": [seeds.get(one, HOUSE)[1] for one in drawn.sit_outs],
    }
