"""Fair-play matters: opening one from a sign, the acts in it, and the player's answer and appeal.

Acts are never changed or deleted: an act is taken back by another one. Nobody may judge their own
matches, nor an appeal against an act of their own. Every function that changes something raises
RefusedError if it may not be done, and changes nothing then. It locks the matter's row, so that
concurrent acts come one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from games.models import Game, GameSeat, Player
from tournaments.access import ClubAccess
from tournaments.acts import correcting
from tournaments.events.event_words import plural
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
from tournaments.models.fair_play import OF_MODERATORS
from tournaments.outbox import letters
from tournaments.ratings import moderation as rating_moderation
from tournaments.refusals import RefusedError
from tournaments.results import matches, possible
from tournaments.results.possible import Ruling

log = structlog.get_logger(__name__)

Kind = FairPlayAct.Kind
#: The most characters of an act's text.
MAX_LENGTH: Final = 1000
#: The public reasons for a result that was set aside, and for one that was put back.
SET_ASIDE: Final = "Set aside by the club."
PUT_BACK: Final = "The club has restored this result."
#: How many answers a player can give in one matter.
MAX_ANSWERS: Final = 10
#: The roles of people who act without one in the club.
STAFF: Final = "Staff of the site"
PLAYER: Final = "Player"
#: Acts that can be appealed against, once each, and the decisions on appeals.
APPEALABLE: Final = (Kind.ASK, Kind.HOLD, Kind.SET_ASIDE)
DECISIONS: Final = (Kind.UPHOLD, Kind.ALLOW)
#: Subjects of the letters to the player.
SUBJECTS: Final = {
    Kind.ASK: "A question about your games",
    Kind.HOLD: "Ratings of some of your games are on hold",
    Kind.SET_ASIDE: "One of your results was set aside",
    Kind.DISMISS: "A case about your games is closed",
    Kind.TAKE_BACK: "A step in your case was taken back",
    Kind.UPHOLD: "Your appeal is decided",
    Kind.ALLOW: "Your appeal is decided",
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
    related = rows.select_related("player", "event", "club")
    return related.prefetch_related("acts__by", "acts__takes_back")


def standing(matter: FairPlayMatter) -> list[FairPlayAct]:
    """Return the acts of a matter that have not been taken back; prefetch ``acts`` for lists."""
    acts = sorted(matter.acts.all(), key=lambda act: act.pk)  # not by `at`: clocks may differ
    gone = {act.takes_back_id for act in acts if act.takes_back_id is not None}
    return [act for act in acts if act.pk not in gone and act.kind != Kind.TAKE_BACK]


def state_of(matter: FairPlayMatter) -> str:
    if waits_for_decision(matter):
        return "Appealed, waiting for a decision"
    kinds = {act.kind for act in standing(matter)}
    if _not_appealed(matter):  # there is something new since the last decision
        kinds.discard(Kind.UPHOLD)
    words = {
        Kind.ALLOW: "Closed: the appeal was allowed",
        Kind.DISMISS: "Closed: dismissed",
        Kind.UPHOLD: "Decided on appeal: upheld",
        Kind.SET_ASIDE: "A result was set aside",
        Kind.HOLD: "Ratings on hold",
        Kind.ANSWER: "Answered by the player",
        Kind.ASK: "Asked, waiting for an answer",
        Kind.NOTE: "Noted",
    }
    return next((text for kind, text in words.items() if kind in kinds), "Opened")


def closed(matter: FairPlayMatter) -> bool:
    return any(act.kind in {Kind.DISMISS, Kind.ALLOW} for act in standing(matter))


def waits_for_decision(matter: FairPlayMatter) -> bool:
    """Return whether an appeal waits for its decision."""
    said = [act.kind for act in standing(matter) if act.kind in {Kind.APPEAL, *DECISIONS}]
    return bool(said) and said[-1] == Kind.APPEAL


def _not_appealed(matter: FairPlayMatter) -> list[FairPlayAct]:
    """Return the acts that the player may appeal against: those since the latest appeal."""
    acts = standing(matter)
    appeals = [place for place, act in enumerate(acts) if act.kind == Kind.APPEAL]
    since = acts[appeals[-1] + 1 :] if appeals else acts
    return [act for act in since if act.kind in APPEALABLE]


# Who may judge ----------------------------------------------------------------------------------


def pairings_of(matter: FairPlayMatter) -> QuerySet[Pairing]:
    rows = Pairing.objects.filter(table__games__in=matter.games.all()).distinct()
    return rows.select_related("round__event__club").order_by("-decided", "-pk")


def why_not_judge(matter: FairPlayMatter, by: Player) -> str:
    """Return why somebody may not judge a matter, and who may; empty if they may."""
    if matter.player_id == by.pk:
        return f"It is about {by.name}. {_who_can(matter, ())}"
    if GameSeat.objects.filter(game__in=matter.games.all(), player=by).exists():
        return f"{by.name} played in one of these games. {_who_can(matter, ())}"
    return ""


def judges(matter: FairPlayMatter, but: Sequence[int] = ()) -> QuerySet[Player]:
    """Return the club's officers who may judge a matter; `but`: without these players."""
    least = DIRECTORS if _has(matter, Kind.SET_ASIDE) else (*DIRECTORS, Membership.Role.MODERATOR)
    ranked = Membership.objects.filter(club=matter.club, role__in=least)
    return _uninvolved(matter, but).filter(pk__in=ranked.values("player"))


def _uninvolved(matter: FairPlayMatter, but: Sequence[int]) -> QuerySet[Player]:
    at_table = GameSeat.objects.filter(game__in=matter.games.all()).values("player")
    players = Player.objects.filter(user__is_active=True)
    return players.exclude(Q(pk__in=at_table) | Q(pk__in=but) | Q(pk=matter.player_id))


def appeal_judges(matter: FairPlayMatter) -> QuerySet[Player]:
    """Return who may decide the appeal: officers who have not acted in it, or else the staff."""
    acts = matter.acts.filter(kind__in=OF_MODERATORS).exclude(kind__in=DECISIONS)
    acted = [*acts.values_list("by", flat=True)]
    ours = judges(matter, acted)
    if matter.club.closed is None and ours.exists():
        return ours
    return _uninvolved(matter, acted).filter(user__is_staff=True)


def why_not_decide(matter: FairPlayMatter, by: Player) -> str:
    """Return why somebody may not decide the appeal, and who may; empty if they may."""
    if appeal_judges(matter).filter(pk=by.pk).exists():
        return ""
    names = _names(appeal_judges(matter))
    who = f"{names} can." if names else "The site’s staff must."
    return f"An appeal is decided by somebody who has not acted in the case. {who}"


def _who_can(matter: FairPlayMatter, but: Sequence[int]) -> str:
    names = _names(judges(matter, but))
    return f"{names} can judge it." if names else "The site’s staff can judge it."


def _names(players: QuerySet[Player]) -> str:
    names = list(players.order_by("name").values_list("name", flat=True)[:4])
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)


def _known(access: ClubAccess) -> Player:
    if access.player is None:
        raise RefusedError("account", "You need an account.", 403)
    return access.player


def _has(matter: FairPlayMatter, kind: str) -> bool:
    return matter.acts.filter(kind=kind, taken_back__isnull=True).exists()


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
    _check_judge(held, by)
    if kind not in OF_MODERATORS:
        raise RefusedError("act", "There is no such step.", 422)
    done: dict[str, Any] = {}
    if kind in DECISIONS:
        _check_appeal(held, by)
    elif closed(held):
        raise RefusedError("closed", "The case is closed: take back the step that closed it first.")
    elif kind == Kind.DISMISS and waits_for_decision(held):
        raise RefusedError("appeal", "An appeal is waiting, and must be decided first.")
    elif kind in {Kind.ASK, Kind.DISMISS} and _has(held, kind):
        raise RefusedError("done", "This has already been done.")
    if kind == Kind.HOLD:
        done = _hold(held, now)
    elif kind == Kind.SET_ASIDE:
        done = _set_aside(access, held, pairing_id, words, now)
    elif kind == Kind.ALLOW:
        words = _undo_all(access, held, words, now)
    made = held.acts.create(kind=kind, by=by, role=role_of(access), words=words, at=now, done=done)
    _write_to_player(held, made)
    log.info("fair play act", matter=held.pk, act=str(kind), by=by.pk)
    return made


@transaction.atomic
def take_back(
    access: ClubAccess, matter: FairPlayMatter, act_id: int, words: str, now: datetime
) -> FairPlayAct:
    """Take back a moderator's act; arguments and errors as in `act`.

    A decision on an appeal can be taken back only by the person who made it.
    """
    by = _known(access)
    words = _checked(words)
    held = _held(matter)
    _check_judge(held, by)
    one = next((one for one in standing(held) if one.pk == act_id), None)
    if one is None or one.kind not in OF_MODERATORS:
        raise RefusedError("gone", "This has already been taken back, or cannot be.")
    if one.kind in DECISIONS and one.by_id != by.pk:
        raise RefusedError(
            "appeal", f"Only {one.by.name}, who decided the appeal, can take that back.", 403
        )
    made = _undo(access, held, one, words, now)
    if one.kind != Kind.NOTE:
        _write_to_player(held, made)
    return made


def _undo(
    access: ClubAccess, matter: FairPlayMatter, one: FairPlayAct, words: str, now: datetime
) -> FairPlayAct:
    if one.kind == Kind.HOLD:
        rating_moderation.wait_no_more(one.done["pairings"])
    elif one.kind == Kind.SET_ASIDE:
        _put_back(access, one, now)
    elif one.kind == Kind.ASK:
        letters.delete_unsent(_letter_key(one))
    return matter.acts.create(
        kind=Kind.TAKE_BACK, by=_known(access), role=role_of(access), words=words, at=now,
        takes_back=one,
    )  # fmt: skip


def _undo_all(access: ClubAccess, matter: FairPlayMatter, words: str, now: datetime) -> str:
    """Take back what an allowed appeal was against; return the reason, with what could not be.

    A result cannot be put back if a director has set another one since, or later rounds were drawn
    from it. The appeal is allowed all the same, and the reason says what is left to a director.
    """
    left = []
    for one in [one for one in standing(matter) if one.kind in {Kind.HOLD, Kind.SET_ASIDE}]:
        try:
            with transaction.atomic():
                _undo(access, matter, one, "The appeal was allowed.", now)
        except RefusedError as error:
            if one.kind != Kind.SET_ASIDE or error.code == "direct":
                raise
            pairing = Pairing.objects.select_related("round__event").get(pk=one.done["pairing"])
            where = f"{pairing.round.event.name}, round {pairing.round.number}"
            left.append(f"Not put back by itself: {where}, table {pairing.number}. {error}")
    told = " ".join([words, *left])
    if len(told) <= MAX_LENGTH:
        return told
    many = f"Not put back, and left to a director: {plural(len(left), 'result')}."
    return f"{words[: MAX_LENGTH - len(many) - 1]} {many}"


def _held(matter: FairPlayMatter) -> FairPlayMatter:
    """Lock the matter's row until the end of the transaction."""
    rows = FairPlayMatter.objects.select_related("club", "player", "event")
    return rows.select_for_update(of=("self",)).get(pk=matter.pk)


def _checked(words: str) -> str:
    words = words.strip()
    if not 1 <= len(words) <= MAX_LENGTH:
        raise RefusedError("words", f"Write 1 to {MAX_LENGTH:,} characters.", 422)
    return words


def _check_judge(matter: FairPlayMatter, by: Player) -> None:
    why = why_not_judge(matter, by)
    if why:
        raise RefusedError("own table", why, 403)


def _check_appeal(matter: FairPlayMatter, by: Player) -> None:
    if not waits_for_decision(matter):
        raise RefusedError("no appeal", "No appeal waits for a decision.")
    why = why_not_decide(matter, by)
    if why:
        raise RefusedError("own act", why, 403)


def _hold(matter: FairPlayMatter, now: datetime) -> dict[str, Any]:
    found = f"Matter {matter.pk} of {matter.club.name}. {matter.said}"
    keys = [pairing.pk for pairing in pairings_of(matter)]
    held = rating_moderation.ask_to_wait(keys, found, now)
    if not held:
        words = "None of these matches is rated, or all have waited for the site’s staff already."
        raise RefusedError("not rated", words)
    return {"pairings": held}


def _set_aside(
    access: ClubAccess, matter: FairPlayMatter, pairing_id: int | None, words: str, now: datetime
) -> dict[str, Any]:
    """Make the player's side lose a match by forfeit, as a director's correction."""
    _check_directs(access)
    pairing = next((one for one in pairings_of(matter) if one.pk == pairing_id), None)
    if pairing is None:
        raise RefusedError("match", "Choose one of the matches behind it.", 422)
    there = matches.seated_then(pairing)
    if matter.player not in there:
        raise RefusedError("match", f"{matter.player.name} is in no side of that match.", 422)
    ruling = Ruling(1 - there.index(matter.player) % 2, possible.FORFEIT, ())
    # This reason is public on the event's page; only the player reads `words`.
    correcting.set_result(pairing, _known(access), ruling, reason=SET_ASIDE, now=now)
    correction = pairing.corrections.latest("pk")
    return {"pairing": pairing.pk, "correction": correction.pk, "before": correction.before}


def _put_back(access: ClubAccess, one: FairPlayAct, now: datetime) -> None:
    """Restore the earlier result, unless it has been corrected since."""
    _check_directs(access)
    pairing = Pairing.objects.select_related("round__event__club").get(pk=one.done["pairing"])
    latest = pairing.corrections.latest("pk")
    if latest.pk != one.done["correction"]:
        raise RefusedError(
            "corrected", "A director has set another result since: correct it there."
        )
    before = one.done["before"]
    scores = tuple((score[0], score[1]) for score in before["scores"])
    ruling = Ruling(before["winner"], before["ended"], scores)
    correcting.set_result(pairing, _known(access), ruling, reason=PUT_BACK, now=now)


def _check_directs(access: ClubAccess) -> None:
    if not access.directs:
        words = "Results are set by directors: a director or the owner does it."
        raise RefusedError("direct", words, 403)


# Answer and appeal ------------------------------------------------------------------------------


@transaction.atomic
def answer(matter: FairPlayMatter, by: Player, words: str, now: datetime) -> FairPlayAct:
    """Store the player's answer and write it to the moderator who asked.

    Refused if no question is open, or the player has answered `MAX_ANSWERS` times.
    """
    words = _checked(words)
    held = _held(matter)
    asked = [one for one in standing(held) if one.kind == Kind.ASK]
    if not asked or closed(held):
        raise RefusedError("not asked", "There is nothing for you to answer right now.")
    if held.acts.filter(kind=Kind.ANSWER).count() >= MAX_ANSWERS:
        raise RefusedError("enough", f"You have answered {MAX_ANSWERS} times.")
    made = held.acts.create(kind=Kind.ANSWER, by=by, role=PLAYER, words=words, at=now)
    _write_to(held, made, [one.by for one in asked])
    return made


@transaction.atomic
def appeal(matter: FairPlayMatter, by: Player, words: str, now: datetime) -> FairPlayAct:
    """Store the player's appeal and write it to those who can decide it.

    Refused if there is nothing to appeal against, or it has been appealed against.
    """
    words = _checked(words)
    held = _held(matter)
    if not can_appeal(held):
        if any(act.kind == Kind.APPEAL for act in standing(held)):
            raise RefusedError("once", "You have appealed against all that was done.")
        raise RefusedError("nothing", "There is nothing to appeal against now.")
    made = held.acts.create(kind=Kind.APPEAL, by=by, role=PLAYER, words=words, at=now)
    _write_to(held, made, list(appeal_judges(held).select_related("user")[:20]))
    return made


def can_appeal(matter: FairPlayMatter) -> bool:
    return bool(_not_appealed(matter)) and not closed(matter) and not waits_for_decision(matter)


def may_answer(matter: FairPlayMatter) -> bool:
    kinds = [act.kind for act in standing(matter)]
    return Kind.ASK in kinds and not closed(matter) and kinds.count(Kind.ANSWER) < MAX_ANSWERS


# Letters ----------------------------------------------------------------------------------------


def _letter_key(made: FairPlayAct) -> str:
    return f"fair play act {made.pk}"


def _write_to_player(matter: FairPlayMatter, made: FairPlayAct) -> None:
    subject = SUBJECTS.get(Kind(made.kind))
    if subject is not None:
        letters.write(
            _letter_key(made),
            [matter.player],
            f"{subject}: {matter.club.name}",
            "fair_play",
            matter=matter,
            act=made,
            name=made.by.name if matter.club.names_moderators else "",
            path=reverse("your_matter", args=[matter.pk]),
        )


def _write_to(matter: FairPlayMatter, made: FairPlayAct, to: Sequence[Player]) -> None:
    letters.write(
        _letter_key(made),
        to,
        f"{made.get_kind_display()}: {matter.club.name}",
        "fair_play_said",
        matter=matter,
        act=made,
        path=reverse("matter", args=[matter.club.slug, matter.pk]),
    )
