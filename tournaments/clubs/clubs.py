"""Founding, changing and deleting a club; its announcements and house rules."""

from datetime import datetime, timedelta
from itertools import chain, count
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.text import slugify

from games.engine.rules import RuleSet, rules_to_data
from games.models import Player, Table
from games.notifying import pushes
from games.notifying.kinds import NEWS
from tournaments.changes.row_locks import locked_club
from tournaments.models import Announcement, Club, Event, HouseRules, Membership
from tournaments.models.clubs import new_token
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

SLUG_LENGTH = 50
RESERVED_SLUGS = ("new",)  # /clubs/new/ is a page of its own


@transaction.atomic
def create(
    founder: Player,
    *,
    name: str,
    about: str = "",
    joining: str = Club.Joining.OPEN,
    time_zone: str = "UTC",
    country: str = "",
    names_moderators: bool = True,
    embedding_sites: str = "",
    venue: str = "",
    address: str = "",
    currency: str = "",
    talk: str = Club.Talk.FREE,
    calls: bool = True,
) -> Club:
    """Found a club; raise RefusedError ``account``, ``many`` or ``name taken``."""
    if founder.user_id is None:
        raise RefusedError("account", "Founding a club needs an account.", 403)
    Player.objects.select_for_update().get(pk=founder.pk)
    owned = founder.memberships.filter(role=Membership.Role.OWNER).count()
    if owned >= settings.CLUBS_OWNED:
        raise RefusedError(
            "many", f"You own {owned} clubs, and the limit is {settings.CLUBS_OWNED}."
        )
    club = _make(
        Club(
            name=name, about=about, joining=joining, time_zone=time_zone, country=country,
            names_moderators=names_moderators, embedding_sites=embedding_sites,
            venue=venue, address=address, currency=currency, talk=talk, calls=calls,
        )
    )  # fmt: skip
    club.memberships.create(player=founder, role=Membership.Role.OWNER)
    return club


@transaction.atomic
def change(
    club: Club,
    *,
    name: str,
    about: str,
    joining: str,
    time_zone: str,
    country: str,
    names_moderators: bool = True,
    embedding_sites: str = "",
    venue: str = "",
    address: str = "",
    currency: str = "",
    talk: str = Club.Talk.FREE,
    calls: bool = True,
) -> Club:
    """Change a club's settings, but not its slug.

    This also updates who may watch the tables of its events and read their games. Raises
    RefusedError ``name taken`` or ``gone``.
    """
    club = locked_club(club)
    before = club.joining
    club.name, club.about, club.joining = name, about, joining
    club.time_zone, club.country = time_zone, country
    club.names_moderators = names_moderators
    club.embedding_sites, club.currency, club.talk = embedding_sites, currency, talk
    club.calls, club.venue, club.address = calls, venue, address
    try:
        with transaction.atomic():
            club.save(
                update_fields=[
                    "name", "about", "joining", "time_zone", "country", "names_moderators",
                    "embedding_sites", "venue", "address", "currency", "talk", "calls",
                ]
            )  # fmt: skip
    except IntegrityError as error:
        raise _name_taken(name) from error
    if joining != before:
        tables = Table.objects.filter(pairing__round__event__club=club)
        tables.update(open=joining != Club.Joining.INVITATION)
    return club


@transaction.atomic
def renew_link(club: Club) -> Club:
    club = locked_club(club)
    club.invite_token = new_token()
    club.save(update_fields=["invite_token"])
    return club


@transaction.atomic
def delete(club: Club) -> None:
    """Delete a club and its drafts; RefusedError ``has events`` if it has held one, or ``gone``."""
    club = locked_club(club, deleting=True)
    if club.events.exclude(state=Event.State.DRAFT).exists():
        raise RefusedError("has events", f"{club} has announced events, so it cannot be deleted.")
    club.events.all().delete()
    club.delete()


def _make(club: Club) -> Club:
    """Save a new club under the first free slug made from its name."""
    base = slugify(club.name)[:SLUG_LENGTH].strip("-") or "club"
    numbered = (f"{base}-{number}" for number in count(2))
    for slug in chain([] if base in RESERVED_SLUGS else [base], numbered):
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


def _name_taken(name: str) -> RefusedError:
    return RefusedError("name taken", f"There is already a club called {name}.")


# Announcements ------------------------------------------------------------------------------

#: Announcements a club may send in a day.
MAX_A_DAY: Final = 10
DAY: Final = timedelta(days=1)
#: Within this time the same text by the same person counts as a double submission.
TWICE: Final = timedelta(minutes=10)


def announce(club: Club, author: Player, subject: str, text: str, now: datetime) -> Announcement:
    """Publish an announcement on the club's page and mail it to members who subscribe to news.

    At most 100 and 5,000 characters. Raises RefusedError after too many announcements in a day.
    """
    with transaction.atomic():
        Club.objects.select_for_update().get(pk=club.pk)
        recent = club.announcements.filter(at__gt=now - DAY)
        same = recent.filter(author=author, subject=subject, text=text, at__gt=now - TWICE).first()
        if same is not None:
            return same
        if recent.count() >= MAX_A_DAY:
            raise RefusedError(
                "too many",
                f"A club can send {MAX_A_DAY} announcements in 24 hours, and this one has. "
                "Nothing was sent.",
                429,
            )
        made = Announcement.objects.create(
            club=club, author=author, subject=subject, text=text, at=now
        )
        readers = club.memberships.filter(news=True).select_related("player__user")
        letters.write(
            f"announcement {made.pk}",
            [membership.player for membership in readers],
            f"{club.name}: {subject}",
            "announcement",
            kind=NEWS,
            announcement=made,
            club=club,
        )
        pushes.queue(
            NEWS,
            f"announcement {made.pk}",
            [membership.player_id for membership in readers],
            f"{club.name}: {subject}",
            reverse("club", args=[club.slug]),
        )
    return made


def take_down(announcement: Announcement) -> None:
    """Take an announcement off the club's page and cancel its letters that are not sent yet."""
    with transaction.atomic():
        letters.delete_unsent(f"announcement {announcement.pk}")
        announcement.delete()


def choose_news(membership: Membership, *, news: bool) -> None:
    """Subscribe a member to the club's announcements, or unsubscribe them."""
    membership.news = news
    membership.save(update_fields=["news"])


# Rule sets ----------------------------------------------------------------------------------

#: Rule sets a club may have. Events keep a copy, so changes do not affect past ones.
MAX_RULES = 30


@transaction.atomic
def make_rules(club: Club, rules: RuleSet) -> HouseRules:
    """Add a rule set to a club; raise RefusedError ``name taken``, ``many`` or ``gone``."""
    club = locked_club(club)
    if club.house_rules.count() >= MAX_RULES:
        raise RefusedError("many", f"A club can keep {MAX_RULES} rule sets: delete one first.")
    return _stored_rules(HouseRules(club=club), rules)


@transaction.atomic
def change_rules(house: HouseRules, rules: RuleSet) -> HouseRules:
    """Change a rule set for new events; raise RefusedError ``name taken`` or ``gone``."""
    club = locked_club(house.club)
    kept = club.house_rules.filter(pk=house.pk).first()
    if kept is None:
        raise RefusedError("gone", f"{house} has been deleted.", 404)
    return _stored_rules(kept, rules)


def delete_rules(house: HouseRules) -> None:
    """Delete a rule set; events that use it keep their copy."""
    house.delete()


def _stored_rules(house: HouseRules, rules: RuleSet) -> HouseRules:
    house.name, house.rules_data = rules.name, rules_to_data(rules)
    try:
        with transaction.atomic():
            house.save()
    except IntegrityError as error:
        raise RefusedError(
            "name taken", f"{house.club} already has a rule set called {rules.name}."
        ) from error
    return house
