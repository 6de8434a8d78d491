"""Results that directors set, or correct after play."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from games.access import SEALED
from games.models import Player
from games.seats import reserved
from tournaments.acts.base import DirectorAct, Names, match_of
from tournaments.changes import row_images
from tournaments.events import acts, ending, states
from tournaments.events.notices import note
from tournaments.models import Act, Correction, Event, Pairing
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError
from tournaments.results import corrections, matches, possible, room_results
from tournaments.results.possible import Ruling
from tournaments.running import finishing
from tournaments.standings import conflicts_of_interest, draws, ranking
from tournaments.webhooks import webhooks

#: The digest of a result that there is not yet.
OPEN: Final = "open"


class ImpossibleError(RefusedError):
    """A result that the rules of the match do not allow; `fields` has the errors by form field."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("result", " ".join(fields.values()), 422)
        self.fields = fields


def set_result(
    pairing: Pairing,
    by: Player,
    ruling: Ruling,
    *,
    reason: str,
    now: datetime,
    seen: str | None = None,
) -> None:
    """Set or correct the result of a match; the old result stays on record.

    A match that is being played ends. The first result of a match in the room needs no reason, as
    that is how its score comes in. Raises ImpossibleError if the rules of the match do not allow
    this result; RefusedError if it is the result already, the next round was drawn with another
    winner, the event was called off before the match was over, or the director plays in this match.
    The reason has at most 200 characters.

    seen: the `digest` of the result that the director knows; with another one meanwhile it is
    refused with the code ``changed``. None: whatever it is.
    """
    reason = reason.strip()
    with row_images.changing(pairing.round.event) as held:
        rows = Pairing.objects.select_related("round", "table__shared_deals")
        match = rows.get(pk=pairing.pk)
        if seen is not None and seen != digest(held, match):
            there = (
                corrections.in_words(corrections.result_of(held, match)) if match.how else "none"
            )
            raise RefusedError(
                "changed",
                f"The result of table {match.number} has changed since this page was shown: it is"
                f" {there} now. Nothing was done: look at it again.",
            )
        least = 1 if needs_reason(match) else 0
        if not least <= len(reason) <= 200:
            raise RefusedError("reason", f"Give a reason of {least} to 200 characters.", 422)
        if not can_be_set(held, decided=match.state == Pairing.State.DECIDED):
            state = held.get_state_display()
            raise RefusedError(
                "not running", f"No result can be set in an event that is “{state}”."
            )
        if match.state == Pairing.State.DECIDED and match.table is not None and match.table.sealed:
            raise RefusedError("sealed", SEALED)
        conflicts_of_interest.check_result(held, match, by)
        if wrong := dict(possible.errors(held, match, ruling)):
            raise ImpossibleError(wrong)
        _check_change(held, match, ruling.winner)
        before = corrections.result_of(held, match)
        if not needs_reason(match):
            room_results.decide(held, match, ruling, now)
            after = corrections.result_of(held, match)
            acts.record(
                held, Act.Kind.RESULT, by, now, on=match, reason=reason, before=before, after=after,
            )  # fmt: skip
            said = corrections.in_words(after)
            said = f"Round {match.round.number}, table {match.number}, in the room: {said}."
            note(held, f"{said} {reason}".strip(), by)
            return
        forfeit = ruling.ended == possible.FORFEIT
        after = {
            "winner": ruling.winner,
            "points": [0, 0] if forfeit else list(ruling.points),
            "games": [0, 0] if forfeit else list(ruling.games),
            "how": (Pairing.How.FORFEIT if forfeit else Pairing.How.DIRECTOR).value,
            "ended": str(ruling.ended),
            "scores": [] if forfeit else [list(score) for score in ruling.scores],
        }
        if match.in_room:
            after["lone"] = [0, 0] if forfeit else list(ruling.lone or match.lone_hands)
        if match.state == Pairing.State.DECIDED and _same(before, after):
            raise RefusedError("same", "That is already the result.")
        first = match.corrections.order_by("pk").first()  # not by time, as clocks may differ
        restores_original = first is not None and _same(first.before, after)
        how = first.before["how"] if first and restores_original else ""
        acts.record(
            held, Act.Kind.RESULT, by, now, on=match, reason=reason, before=before, after=after,
            kept={"rated": match.rated},
        )  # fmt: skip
        change = Correction(pairing=match, by=by, at=now, before=before, after=after, reason=reason)
        change_result(held, change, ruling, how)


def change_result(event: Event, change: Correction, ruling: Ruling, how: str) -> None:
    """Store another result of a match, and everything that follows from it.

    change: not saved yet. how: as for `_store`.
    """
    match, now = change.pairing, change.at
    if match.table_id is not None:
        reserved.end(match.table_id, now)
    _store(event, match, ruling, now, how=how)
    corrections.count(event, match, ruling)
    Pairing.objects.filter(pk=match.pk).update(objection_answered=None)  # it was to another result
    change.save()
    said = corrections.in_words(change.after)
    if change.before["how"]:
        said += f" instead of {corrections.in_words(change.before)}"
    where = f"Round {match.round.number}, table {match.number}"
    note(event, f"{where}: {said}. {change.reason}", change.by)
    _apply_consequences(event, change, now)


def digest(event: Event, match: Pairing) -> str:
    """Return what stands for a match's present result in a form; `OPEN` while it has none."""
    if match.state != Pairing.State.DECIDED:
        return OPEN
    values = repr(sorted(corrections.result_of(event, match).items()))
    return hashlib.sha256(values.encode()).hexdigest()[:16]


def needs_reason(match: Pairing) -> bool:
    """Return whether setting a match's result rules on it, and is not how its score comes in."""
    return not match.in_room or match.state == Pairing.State.DECIDED


def can_be_set(event: Event, *, decided: bool) -> bool:
    """Return whether a match can be given a result, or another one if it is decided."""
    begun = event.state in (Event.State.RUNNING, Event.State.FINISHED)
    return begun or (decided and event.state == Event.State.CANCELLED)


def _store(event: Event, match: Pairing, ruling: Ruling, now: datetime, *, how: str) -> None:
    """Store a result; `how` is the original `Pairing.How` that a correction restores, or empty."""
    forfeit = ruling.ended == possible.FORFEIT
    if match.in_room:
        room_results.store(event, match, ruling)
    elif forfeit:
        match.lone_0 = match.lone_1 = 0
    elif match.how in {"", Pairing.How.FORFEIT}:
        match.lone_0, match.lone_1 = matches.lone_marches(match)
    if match.table_id is not None and not match.deal_results:
        match.deal_results = matches.deal_results(match)
    match.state = Pairing.State.DECIDED
    match.how = how or (Pairing.How.FORFEIT if forfeit else Pairing.How.DIRECTOR)
    match.winner = ruling.winner
    match.points_0, match.points_1 = (0, 0) if forfeit else ruling.points
    match.games_0, match.games_1 = (0, 0) if forfeit else ruling.games
    match.decided = match.decided or now
    match.save()


def _apply_consequences(event: Event, correction: Correction, now: datetime) -> None:
    """Update the event after a result: places, ratings, or the time for objections."""
    if event.state in states.OVER:
        if event.state == Event.State.FINISHED:  # a cancelled event has no places
            if _goes_on(event):
                words = "It would need another match, but the event is over."
                raise RefusedError("final", words)
            finishing.store_corrected_places(event, correction)
        rating_games.queue_rating(event)
        webhooks.event_corrected(event, correction, now)
    elif event.final_at is not None and not _goes_on(event):
        event.final_at = event.due = max(event.final_at, now + ending.grace(event))
        event.save(update_fields=["final_at", "due"])
    else:
        event.final_at, event.due = None, now
        event.save(update_fields=["final_at", "due"])


def _check_change(event: Event, match: Pairing, winner: int) -> None:
    """Refuse another winner if the next round has been drawn with the present one."""
    if not matches.needs_winner(event, match.round):
        return
    later = event.played_rounds.filter(number__gt=match.round.number).exists()
    decided = match.state == Pairing.State.DECIDED
    if decided and later and winner != match.winner:
        raise RefusedError(
            "drawn", "The next round has been drawn with this winner, so it cannot be changed."
        )


def _goes_on(event: Event) -> bool:
    field = ranking.field_of(event)
    return any(node.playable for node in draws.nodes(field, ranking.best_of(field)))


def _same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return {**before, "how": ""} == {**after, "how": ""}


class SetResult(DirectorAct):
    """A result set or corrected on a page of its own: `console.views.set_result`."""

    kind, words = Act.Kind.RESULT, "Set a result"
    needs_match = True

    def title(self, row: Act) -> str:
        return "Corrected a result" if row.before["how"] else self.words

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        return corrections.in_words(values) if values.get("how") else "none"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        if row.before["how"]:
            take_back(event, row, by, now)
            return
        conflicts_of_interest.check_result(event, match_of(row), by)
        super().undo(event, row, by, now)


def take_back(event: Event, act: Act, by: Player, now: datetime) -> None:
    """Restore the result that a match had before a correction; its event must be locked.

    Raises RefusedError like `set_result`.
    """
    match = Pairing.objects.select_related("round", "table__shared_deals").get(acts=act)
    conflicts_of_interest.check_result(event, match, by)
    if not can_be_set(event, decided=True):
        state = event.get_state_display()
        raise RefusedError("not running", f"No result can be set in an event that is “{state}”.")
    if match.table is not None and match.table.sealed:
        raise RefusedError("sealed", SEALED)
    _check_change(event, match, act.before["winner"])
    change = Correction(
        pairing=match,
        by=by,
        at=now,
        before=corrections.result_of(event, match),
        after=act.before,
        reason=f"Taken back: {act.reason}"[:200],
    )
    change_result(event, change, corrections.ruling_of(act.before), act.before["how"])
    if match.rated != act.kept.get(
        "rated", match.rated
    ):  # a forfeit may have been played after all
        match.rated = act.kept["rated"]
        match.save(update_fields=["rated"])
