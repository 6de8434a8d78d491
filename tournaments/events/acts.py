"""Recording what directors do to events; `tournaments.acts.log` puts it in words."""

from datetime import datetime
from typing import Any, Final

from games.models import Player
from tournaments.models import Act, Entry, Event, Pairing, Round
from tournaments.refusals import RefusedError

MAX_REASON: Final = 200


def record(
    event: Event,
    kind: str,
    by: Player,
    now: datetime,
    *,
    on: Entry | Pairing | Round | None = None,
    match: Pairing | None = None,
    undoes: Act | None = None,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    kept: dict[str, Any] | None = None,
) -> Act:
    """Record an act of a director; call it in the transaction that does it.

    on: the entry, match or round that it changed, if it changed only that.
    match: the match that an entry left or came back to.
    before, after: the values it changed, as JSON.
    kept: the rows that it removed, if undoing it has to restore them.
    """
    pairing = on if isinstance(on, Pairing) else match
    round_ = on if isinstance(on, Round) else pairing.round if pairing else None
    return Act.objects.create(
        event=event,
        kind=kind,
        by=by,
        at=now,
        round=round_,
        pairing=pairing,
        entry=on if isinstance(on, Entry) else None,
        undoes=undoes,
        reason=reason,
        before=before or {},
        after=after or {},
        kept=kept or {},
    )


def reason(said: str) -> str:
    """Return the reason of an act, which its members read; raise RefusedError without one."""
    said = said.strip()
    if not 1 <= len(said) <= MAX_REASON:
        raise RefusedError("reason", f"Give a reason of 1 to {MAX_REASON} characters.", 422)
    return said


def moment(at: datetime | None) -> str | None:
    """Return a time as acts store it."""
    return at.isoformat() if at else None


def message_key(notice_id: int) -> str:
    """Return the key of what is sent about a message."""
    return f"message {notice_id}"
