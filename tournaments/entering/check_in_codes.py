"""Codes by which a director's phone checks one entry in: signed, so that nobody can make one up."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.urls import reverse

from tournaments.models import Entry, Event
from tournaments.models.entries import COMPLETE

_SIGNER: Final = Signer(salt="tournaments.check-in", sep=".")


def code_of(entry: Entry) -> str:
    return _SIGNER.sign(str(entry.pk))


def address_of(entry: Entry) -> str:
    """Return the address for the QR code of an entry."""
    return f"{settings.SITE_URL}{reverse('check_in_by_code', args=[code_of(entry)])}"


def entry_by(code: str) -> Entry | None:
    """Return the entry of a code, also if it has left its event; None if nobody has the code."""
    try:
        number = int(_SIGNER.unsign(code))
    except (BadSignature, ValueError):
        return None
    rows = Entry.objects.select_related("event__club").prefetch_related("players__player")
    return rows.filter(pk=number).first()


def is_here(entry: Entry) -> bool:
    return entry.here or entry.state == Entry.State.CHECKED_IN


def is_awaited(event: Event, entry: Entry | None) -> bool:
    """Return whether an entry has to check in, now or later."""
    return (
        entry is not None
        and event.check_in_minutes > 0
        and entry.state in COMPLETE
        and not is_here(entry)
    )
