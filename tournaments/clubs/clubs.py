"""Founding a club, changing and deleting it."""

from collections.abc import Iterator
from itertools import count

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from games.models import Player, Table
from tournaments.changes.held_rows import held_club
from tournaments.models import Club, Event, Membership
from tournaments.models.clubs import new_token
from tournaments.refusals import RefusedError

SLUG_LENGTH = 50
RESERVED_SLUGS = ("new",)  # /clubs/new/ is a page of its own


@transaction.atomic
def found(
    founder: Player,
    *,
    name: str,
    about: str = "",
    joining: str = Club.Joining.OPEN,
    time_zone: str = "UTC",
    country: str = "",
) -> Club:
    """Found a club and make its founder the owner.

    Args:
        founder: a player with an account.
        name: what no other club is called.
        about: a few lines about it.
        joining: a `Club.Joining`.
        time_zone: an IANA name.
        country: an ISO 3166 code, or nothing.

    Raises:
        RefusedError: ``account``, ``many`` or ``name taken``.
    """
    if founder.user_id is None:
        raise RefusedError("account", "Founding a club needs an account.", 403)
    Player.objects.select_for_update().get(pk=founder.pk)
    owned = founder.memberships.filter(role=Membership.Role.OWNER).count()
    if owned >= settings.CLUBS_OWNED:
        raise RefusedError("many", f"You own {owned} clubs; {settings.CLUBS_OWNED} are allowed.")
    club = _make(
        Club(name=name, about=about, joining=joining, time_zone=time_zone, country=country)
    )
    club.memberships.create(player=founder, role=Membership.Role.OWNER)
    return club


@transaction.atomic
def change(
    club: Club, *, name: str, about: str, joining: str, time_zone: str, country: str
) -> Club:
    """Change a club's settings; its address stays. Arguments as of `found`.

    Who may watch the tables of its events, and read the games played there, changes with it.

    Raises:
        RefusedError: ``name taken`` or ``gone``.
    """
    club = held_club(club)
    before = club.joining
    club.name, club.about, club.joining = name, about, joining
    club.time_zone, club.country = time_zone, country
    try:
        with transaction.atomic():
            club.save(update_fields=["name", "about", "joining", "time_zone", "country"])
    except IntegrityError as error:
        raise _name_taken(name) from error
    if joining != before:
        tables = Table.objects.filter(pairing__round__event__club=club)
        tables.update(open=joining != Club.Joining.INVITATION)
    return club


@transaction.atomic
def renew_link(club: Club) -> Club:
    """Give a club another invitation link; the old one lets nobody in any more."""
    club = held_club(club)
    club.invite_token = new_token()
    club.save(update_fields=["invite_token"])
    return club


@transaction.atomic
def delete(club: Club) -> None:
    """Delete a club that has never held an event, with its drafts.

    Raises:
        RefusedError: ``has events``, since their results would go with it, or ``gone``.
    """
    club = held_club(club)
    if club.events.exclude(state=Event.State.DRAFT).exists():
        raise RefusedError(
            "has events", f"{club} has announced events, and their record is kept with it."
        )
    club.events.all().delete()
    club.delete()


def _make(club: Club) -> Club:
    """Store a new club under the first free address made of its name."""
    for slug in _slugs(club.name):
        if not Club.objects.filter(slug=slug).exists():
            club.slug = slug
            try:
                with transaction.atomic():
                    club.save(force_insert=True)
            except IntegrityError as error:
                if Club.objects.filter(name__iexact=club.name).exists():
                    raise _name_taken(club.name) from error
            else:
                return club
    raise AssertionError("there is always another address")


def _slugs(name: str) -> Iterator[str]:
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "club"
    if base not in RESERVED_SLUGS:
        yield base
    yield from (f"{base}-{number}" for number in count(2))


def _name_taken(name: str) -> RefusedError:
    return RefusedError("name taken", f"There is a club called {name} already.")
