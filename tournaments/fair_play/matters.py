"""Fair-play matters: opening one from a sign, the acts in it, and the player's answer.

Acts are never changed or deleted. Ratings that were put on hold are decided by the site's staff, a
result that was set aside is corrected by a director as any other, and a dismissed matter is opened
again by the next act. Nobody may judge their own matches. Every function that changes something
raises RefusedError if it may not be done, and changes nothing then. It locks the matter's row, so
that concurrent acts come one after another.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from games.models import Game, GameSeat, Player
from tournaments.access import ClubAccess
from tournaments.acts import correcting
from tournaments.fair_play import signs
from tournaments.fair_play.signs import SignScope
from tournaments.models import (
    Event,
    FairPlayAct,
    FairPlayMatter,
    Membership,
    Pairing,
)
from tournaments.models.clubs import DIRECTORS
from tournaments.outbox import letters
from tournaments.ratings import moderation as rating_moderation
from tournaments.refusals import RefusedError
from tournaments.results import matches, possible
from tournaments.results.possible import Ruling

log = structlog.get_logger(__name__)

Kind = FairPlayAct.Kind
#: The most characters of an act's text.
MAX_LENGTH: Final = 1000
#: The public reason for a result that was set aside.
SET_ASIDE: Final = "Set aside by the club."
#: How many answers a player can give in one matter.
MAX_ANSWERS: Final = 10
#: The roles of people who act without one in the club.
STAFF: Final = "Staff of the site"
PLAYER: Final = "Player"
#: Subjects of the letters to the player.
SUBJECTS: Final = {
    Kind.ASK: "A question about your games",
    Kind.HOLD: "Ratings of some of your games are on hold",
    Kind.SET_ASIDE: "One of your results was set aside",
    Kind.DISMISS: "A case about your games is closed",
}


def role_of(access: ClubAccess) -> str:
    membership = access.membership
    if membership is None or membership.role == Membership.Role.MEMBER:
        return STAFF
    return str(membership.get_role_display())


def open_matter(
    access: ClubAccess, event: Event | None, sign: str, player_id: int, now: datetime
) -> FairPlayMatter:
    """Open a matter about one player of a sign, or return the one already open.

    `event` is the one whose page showed the sign, None for the club's page. Raises RefusedError
    ``gone`` if the moderator sees no such sign now.
    """
    by = _known(access)
    seen = signs.seen(SignScope(access.club, event), by, now)
    found = next((one for one in seen.signs if one.sign == sign), None)
    players = () if found is None or found.room else found.players
    who = next((one for one in players if one.pk == player_id), None)
    if found is None or who is None:
        raise RefusedError("gone", "That sign is no longer there, or is for others to handle.")
    with transaction.atomic():
        matter, made = FairPlayMatter.objects.get_or_create(
            club=access.club,
            sign=found.sign,
            player=who,
            defaults={
                "event": event,
                "kind": found.kind,
                "said": found.finding,
                "opened_by": by,
                "opened": now,
            },
        )
        if made:
            matter.games.set(Game.objects.filter(pk__in=found.every))
            log.info("fair play matter opened", matter=matter.pk, kind=str(found.kind))
    return matter


def of_club(access: ClubAccess) -> list[FairPlayMatter]:
    """Return a club's matters with their acts, the latest first, without the reader's own."""
    rows = access.club.fair_play_matters.exclude(player=access.player)
    return list(with_acts(rows)[:100])


def of_player(player: Player) -> list[FairPlayMatter]:
    return list(with_acts(player.fair_play_matters.all())[:100])


def with_acts(rows: QuerySet[FairPlayMatter]) -> QuerySet[FairPlayMatter]:
    return rows.select_related("player", "event", "club").prefetch_related("acts__by")


def state_of(matter: FairPlayMatter) -> str:
    if matter.closed is not None:
        return "Closed: dismissed"
    words = {
        Kind.SET_ASIDE: "A result was set aside",
        Kind.HOLD: "Ratings on hold",
        Kind.ANSWER: "Answered by the player",
        Kind.ASK: "Asked, waiting for an answer",
        Kind.NOTE: "Noted",
    }
    kinds = {act.kind for act in matter.acts.all()}
    return next((text for kind, text in words.items() if kind in kinds), "Opened")


# Who may judge ----------------------------------------------------------------------------------


def pairings_of(matter: FairPlayMatter) -> QuerySet[Pairing]:
    rows = Pairing.objects.filter(table__games__in=matter.games.all()).distinct()
    return rows.select_related("round__event__club").order_by("-decided", "-pk")


def why_not_judge(matter: FairPlayMatter, by: Player) -> str:
    """Return why somebody may not judge a matter, and who may; empty if they may."""
    if matter.player_id == by.pk:
        return f"It is about {by.name}. {_who_can(matter)}"
    if GameSeat.objects.filter(game__in=matter.games.all(), player=by).exists():
        return f"{by.name} played in one of these games. {_who_can(matter)}"
    return ""


def _who_can(matter: FairPlayMatter) -> str:
    """Name the club's officers who may judge a matter."""
    ranked = Membership.objects.filter(
        club=matter.club, role__in=(*DIRECTORS, Membership.Role.MODERATOR)
    )
    at_table = GameSeat.objects.filter(game__in=matter.games.all()).values("player")
    judges = Player.objects.filter(user__is_active=True, pk__in=ranked.values("player"))
    judges = judges.exclude(Q(pk__in=at_table) | Q(pk=matter.player_id))
    names = list(judges.order_by("name").values_list("name", flat=True)[:4])
    who = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
    return f"{who or 'The site’s staff'} can judge it."


def _known(access: ClubAccess) -> Player:
    if access.player is None:
        raise RefusedError("account", "You need an account.", 403)
    return access.player


# What moderators do -----------------------------------------------------------------------------


@transaction.atomic
def act(
    access: ClubAccess,
    matter: FairPlayMatter,
    kind: str,
    words: str,
    now: datetime,
    *,
    pairing_id: int | None = None,
) -> FairPlayAct:
    """Act in a matter as a moderator, and write to the player except for a note.

    The player reads the reason in `words`. `pairing_id` is the match whose result is set aside.
    """
    by = _known(access)
    words = _checked(words)
    held = _held(matter)
    why = why_not_judge(held, by)
    if why:
        raise RefusedError("own table", why, 403)
    if kind not in set(Kind) - {Kind.ANSWER}:
        raise RefusedError("act", "There is no such step.", 422)
    asked_before = kind == Kind.ASK and held.acts.filter(kind=kind).exists()
    if asked_before or (kind == Kind.DISMISS and held.closed is not None):
        raise RefusedError("done", "This has already been done.")
    done: dict[str, Any] = {}
    if kind == Kind.HOLD:
        _hold(held, now)
    elif kind == Kind.SET_ASIDE:
        done = _set_aside(access, held, pairing_id, now)
    held.closed = now if kind == Kind.DISMISS else None
    held.save(update_fields=["closed"])
    made = held.acts.create(kind=kind, by=by, role=role_of(access), words=words, at=now, done=done)
    if kind in SUBJECTS:
        letters.write(
            f"fair play act {made.pk}",
            [held.player],
            f"{SUBJECTS[Kind(kind)]}: {held.club.name}",
            "fair_play",
            matter=held,
            act=made,
            name=by.name if held.club.names_moderators else "",
            path=reverse("your_matter", args=[held.pk]),
        )
    log.info("fair play act", matter=held.pk, act=str(kind), by=by.pk)
    return made


def _held(matter: FairPlayMatter) -> FairPlayMatter:
    """Lock the matter's row until the end of the transaction."""
    rows = FairPlayMatter.objects.select_related("club", "player", "event")
    return rows.select_for_update(of=("self",)).get(pk=matter.pk)


def _checked(words: str) -> str:
    words = words.strip()
    if not 1 <= len(words) <= MAX_LENGTH:
        raise RefusedError("words", f"Write 1 to {MAX_LENGTH:,} characters.", 422)
    return words


def _hold(matter: FairPlayMatter, now: datetime) -> None:
    found = f"Matter {matter.pk} of {matter.club.name}. {matter.said}"
    keys = [pairing.pk for pairing in pairings_of(matter)]
    if not rating_moderation.ask_to_wait(keys, found, now):
        words = "None of these matches is rated, or all have waited for the site’s staff already."
        raise RefusedError("not rated", words)


def _set_aside(
    access: ClubAccess, matter: FairPlayMatter, pairing_id: int | None, now: datetime
) -> dict[str, Any]:
    """Make the player's side lose a match by forfeit, as a director's correction."""
    if not access.directs:
        words = "Results are set by directors: a director or the owner does it."
        raise RefusedError("direct", words, 403)
    pairing = next((one for one in pairings_of(matter) if one.pk == pairing_id), None)
    if pairing is None:
        raise RefusedError("match", "Choose one of the matches behind it.", 422)
    there = matches.seated_then(pairing)
    if matter.player not in there:
        raise RefusedError("match", f"{matter.player.name} is in no side of that match.", 422)
    ruling = Ruling(1 - there.index(matter.player) % 2, possible.FORFEIT, ())
    # This reason is public on the event's page; only the player reads `words`.
    correcting.set_result(pairing, _known(access), ruling, reason=SET_ASIDE, now=now)
    return {"pairing": pairing.pk}


@transaction.atomic
def answer(matter: FairPlayMatter, by: Player, words: str, now: datetime) -> FairPlayAct:
    """Store the player's answer and write it to the moderators who asked.

    Refused if no question is open, or the player has answered `MAX_ANSWERS` times.
    """
    words = _checked(words)
    held = _held(matter)
    if not may_answer(held):
        if held.closed is None and held.acts.filter(kind=Kind.ANSWER).exists():
            raise RefusedError("enough", f"You have answered {MAX_ANSWERS} times.")
        raise RefusedError("not asked", "There is nothing for you to answer right now.")
    made = held.acts.create(kind=Kind.ANSWER, by=by, role=PLAYER, words=words, at=now)
    letters.write(
        f"fair play act {made.pk}",
        [one.by for one in held.acts.filter(kind=Kind.ASK).select_related("by")],
        f"{made.get_kind_display()}: {held.club.name}",
        "fair_play_said",
        matter=held,
        act=made,
        path=reverse("case", args=["signs", held.pk]),
    )
    return made


def may_answer(matter: FairPlayMatter) -> bool:
    kinds = [act.kind for act in matter.acts.all()]
    asked = Kind.ASK in kinds and matter.closed is None
    return asked and kinds.count(Kind.ANSWER) < MAX_ANSWERS
