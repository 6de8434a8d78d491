"""Searching accounts and clubs, and the details of an account, for the staff."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models import Max, Q, QuerySet
from django.urls import Resolver404, resolve

from euchre_site.office.actions import Subject, actions_about, subject_of
from games.lookalikes import skeleton_of
from games.models import Ban, GameSeat, OperatorAct, Player, Report, Seat, Table, User
from games.people import bans, two_steps
from tournaments.models import Club, Entry, Event, Membership, RatingHold

#: Maximum number of accounts, clubs and actions listed.
MAX_FOUND: Final = 50


@dataclass(frozen=True)
class Found:
    players: list[Player]
    users: list[User]
    clubs: list[Club]


@dataclass(frozen=True)
class AccountPage:
    """Details of a player, an account, or both.

    confirmed: whether the e-mail address is. seen: when they were last at a table or logged in.
    past: earlier bans. holds: the number of their matches and quick games held back from rating.
    """

    player: Player | None
    user: User | None
    confirmed: bool
    two_factors: bool
    logs_in_with: list[str]
    seen: datetime | None
    memberships: list[Membership]
    entries: list[Entry]
    programs: list[Player]
    tokens: int
    games: int
    at_tables: int
    holds: int
    ban: Ban | None
    past: list[Ban]
    reports: list[Report]
    made: int
    actions: list[OperatorAct]


def find(words: str) -> Found:
    """Search by part of a name, the start of an e-mail address, or the URL of a page about them."""
    if "/" in words:
        return _of_page(words)
    players = Player.objects.exclude(kind=Player.Kind.HOUSE).select_related("user")
    named = Q(name__icontains=words) | Q(skeleton=skeleton_of(words))
    mailed = Q(user__email__istartswith=words)
    unnamed = User.objects.filter(player=None, email__istartswith=words)
    return Found(
        list(players.filter(named | mailed).order_by("name", "pk")[:MAX_FOUND]),
        list(unnamed.order_by("email")[:MAX_FOUND]),
        list(Club.objects.filter(name__icontains=words)[:MAX_FOUND]),
    )


def _of_page(text: str) -> Found:
    try:
        path = urlsplit(text).path
        known = resolve(path if path.startswith("/") else f"/{path}").kwargs
    except (ValueError, Resolver404):
        return Found([], [], [])
    players = _players_of(known).select_related("user").distinct().order_by("name", "pk")
    return Found(list(players[:MAX_FOUND]), [], list(_clubs_of(known)[:MAX_FOUND]))


def _players_of(known: Mapping[str, Any]) -> QuerySet[Player]:
    people = Player.objects.exclude(kind=Player.Kind.HOUSE)
    if "player_id" in known:
        return people.filter(pk=known["player_id"])
    if "table_id" in known:
        # A subquery, since the number may be too large for a direct comparison
        at = Table.objects.filter(pk=known["table_id"])
        return people.filter(Q(seats__table__in=at) | Q(hosted_tables__in=at))
    if "game_id" in known:
        return people.filter(game_seats__game=known["game_id"])
    if "event_id" in known:
        return people.filter(events_made__in=Event.objects.filter(pk=known["event_id"]))
    return Player.objects.none()


def _clubs_of(known: Mapping[str, Any]) -> QuerySet[Club]:
    if "slug" in known:
        return Club.objects.filter(slug=known["slug"])
    if "event_id" in known:
        return Club.objects.filter(events__in=Event.objects.filter(pk=known["event_id"]))
    return Club.objects.none()


def _ways_in(user: User) -> list[str]:
    passkeys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return [
        *(["a password"] if user.has_usable_password() else []),
        *(["a passkey"] if passkeys.exists() else []),
        *SocialAccount.objects.filter(user=user).values_list("provider", flat=True),
    ]


def account_page(player: Player | None, user: User | None) -> AccountPage:
    subjects = [subject_of(target) for target in (player, user) if target is not None]
    past = list(user.bans.all()) if user else []
    ban = bans.standing(user) if user else None
    return AccountPage(
        player=player,
        user=user,
        confirmed=user is not None
        and EmailAddress.objects.filter(user=user, verified=True).exists(),
        two_factors=user is not None and two_steps.has_second(user),
        logs_in_with=_ways_in(user) if user else [],
        seen=_last_seen(player, user),
        memberships=list(player.memberships.select_related("club")) if player else [],
        entries=_entries(player),
        programs=list(player.programs.order_by("pk")) if player else [],
        tokens=player.tokens.count() if player else 0,
        games=GameSeat.objects.filter(player=player).count() if player else 0,
        at_tables=_at_tables(player),
        holds=_holds(player),
        ban=ban,
        past=[one for one in past if one != ban],
        reports=list(_reports(subjects)),
        made=player.reports_made.count() if player else 0,
        actions=list(actions_about(*subjects)[:MAX_FOUND]),
    )


def _last_seen(player: Player | None, user: User | None) -> datetime | None:
    login = user.last_login if user else None
    seats = Seat.objects.filter(player=player, last_seen__year__gt=2000) if player else None
    seated = seats.aggregate(at=Max("last_seen"))["at"] if seats is not None else None
    return max((at for at in (login, seated) if at is not None), default=None)


def _at_tables(player: Player | None) -> int:
    at = Seat.objects.filter(player=player).exclude(table__state=Table.State.CLOSED)
    return at.count() if player else 0


def _entries(player: Player | None) -> list[Entry]:
    open_ones = Entry.objects.filter(players__player=player, players__active=True).exclude(
        event__state__in=(Event.State.FINISHED, Event.State.CANCELLED)
    )
    return list(open_ones.select_related("event__club").order_by("event__starts")) if player else []


def _holds(player: Player | None) -> int:
    played = Q(pairing__entries__entry__players__player=player) | Q(game__seats__player=player)
    waiting = RatingHold.objects.filter(played, state=RatingHold.State.WAITING)
    return waiting.distinct().count() if player else 0


def _reports(subjects: list[Subject]) -> QuerySet[Report]:
    which = Q(pk=None)
    for subject in subjects:
        which |= Q(about=subject.about, about_id=subject.key)
    return Report.objects.filter(which).select_related("reporter").order_by("-made")[:MAX_FOUND]
