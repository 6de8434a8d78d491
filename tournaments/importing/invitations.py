"""Invitations by e-mail to the people on a club's list, and their answers.

Nobody becomes a member without saying yes, and who says no is not written to again. An invitation
goes to the address whether or not it has an account here, so that nobody learns that from a list.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Value
from django.db.models.functions import StrIndex, Substr
from django.utils import timezone
from django.utils.crypto import salted_hmac

from games.models import Player
from tournaments.attendance import claiming
from tournaments.changes.row_locks import locked_club
from tournaments.clubs import members
from tournaments.models import Club, Letter, ListedName, UnwantedAddress
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

#: Invitations that one person may send in a day, in all clubs together: at first, for each one that
#: was accepted, and at most, as in a club that the staff know.
FIRST_IN_A_DAY: Final = 20
FOR_EACH_ACCEPTED: Final = 10
MAX_IN_A_DAY: Final = 1000
DAY: Final = timedelta(days=1)
SALT: Final = "tournaments.importing.invitations"


class Inviter(NamedTuple):
    """Somebody who invites by lists: letters sent of late, and people who have accepted so far."""

    player: Player
    sent: int
    accepted: int


def invite(rows: Iterable[ListedName], by: Player) -> None:
    """Queue the invitations of listed names that have an address; rows: with their club."""
    invited = [row for row in rows if row.email]
    if invited:
        club = invited[0].club
        letters.write_to_addresses(
            (
                (_key(by, row), row.email, {"club": club, "by": by, "key": row.key})
                for row in invited
            ),
            f"{club} invites you",
            "club_invitation",
        )


def refusal(club: Club, by: Player, number: int, now: datetime) -> str:
    """Return why a person may not send so many invitations for a club; empty if they may."""
    if not Player.objects.filter(letters.confirmed_address(), pk=by.pk).exists():
        return (
            "Confirm your own e-mail address first: open the link in the letter we sent you, or "
            "have it sent again under “You”, “E-mail address”."
        )
    most = MAX_IN_A_DAY if club.recognised else min(MAX_IN_A_DAY, _earned(by))
    sent = Letter.objects.filter(key__startswith=_keys(by), made__gt=now - DAY).count()
    if number <= (left := max(0, most - sent)):
        return ""
    words = f"This would send {number:,} invitations. You can send {left:,} more today, of {most:,}"
    if most == MAX_IN_A_DAY:
        return f"{words} a day."
    return f"{words} a day; each one that is accepted adds {FOR_EACH_ACCEPTED} a day."


def _earned(by: Player) -> int:
    """Return how many invitations a person may send in a day, by how many people said yes."""
    said_yes = by.names_listed.exclude(player=None).exclude(player=by)
    return FIRST_IN_A_DAY + FOR_EACH_ACCEPTED * said_yes.values("player").distinct().count()


def most_inviting(now: datetime, days: int, least: int) -> list[Inviter]:
    """Return who has sent at least so many invitations in the last days, the most first."""
    letters_of = Letter.objects.filter(key__startswith="list by ", made__gt=now - days * DAY)
    prefix = Substr("key", 1, StrIndex("key", Value(":")))
    rows = letters_of.annotate(prefix=prefix).values("prefix").annotate(sent=Count("pk"))
    sent = {row["prefix"]: row["sent"] for row in rows.filter(sent__gte=least)}
    keys = [int(prefix.removeprefix("list by ").rstrip(":")) for prefix in sent]
    accepted = Count("names_listed__player", distinct=True)
    people = Player.objects.filter(pk__in=keys).annotate(accepted=accepted)
    found = [Inviter(one, sent[_keys(one).strip()], one.accepted) for one in people]
    return sorted(found, key=lambda one: -one.sent)


def cancel(rows: Iterable[ListedName]) -> None:
    """Delete the invitations that have not been sent; call it before deleting the rows."""
    keys = [_key(row.added_by, row) for row in rows if row.email and row.added_by]
    Letter.objects.filter(key__in=keys, sent=None).delete()


def unwanted(club: Club, emails: Iterable[str]) -> set[str]:
    """Return the addresses that want no invitation from a club."""
    digests = {
        digest: email
        for email in emails
        for where in (_of(club), "")
        for digest in _digests(where, email)
    }
    found = UnwantedAddress.objects.filter(digest__in=digests).values_list("digest", flat=True)
    return {digests[digest] for digest in found}


def invitation(club: Club, key: str) -> ListedName | None:
    return club.listed_names.exclude(email="").filter(key=key).first()


@transaction.atomic
def accept(row: ListedName, player: Player) -> None:
    """Make the invited person a member, with all nights that they have played on paper.

    Raises RefusedError ``answered``, or as `members.join` and `claiming.claim`.
    """
    row = _open(row)
    members.join(row.club, player, invited=True)
    claiming.claim_line(row, player, timezone.now())


@transaction.atomic
def decline(row: ListedName, *, everywhere: bool = False) -> None:
    """Take the person off the list and remember that they want no invitation.

    everywhere: from no club. Raises RefusedError ``answered``.
    """
    row = _open(row)
    digest = next(_digests("" if everywhere else _of(row.club), row.email))
    UnwantedAddress.objects.get_or_create(digest=digest)
    if row.plays_as is None:
        row.delete()
    else:  # the nights stay, on paper
        ListedName.objects.filter(pk=row.pk).update(email="")


def _open(row: ListedName) -> ListedName:
    """Lock the club and return an invitation that is not answered."""
    club = locked_club(row.club)
    found = club.listed_names.filter(pk=row.pk, player=None).first()
    if found is None:
        raise RefusedError("answered", "This invitation has been answered or taken back.")
    return found


def _key(by: Player | None, row: ListedName) -> str:
    return f"{_keys(by)}{row.key}"


def _keys(by: Player | None) -> str:
    return f"list by {by.pk if by else 0}: "


def _of(club: Club) -> str:
    return f"club {club.pk}"


def _digests(where: str, email: str) -> Iterator[str]:
    """Yield the digest by the present key, then those by earlier keys of the site."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        mac = salted_hmac(SALT, f"{where} {email}", secret=secret, algorithm="sha256")
        yield mac.hexdigest()
